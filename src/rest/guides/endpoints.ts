import { CrossbookError } from '../../domain/errors.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import { shareBytes } from '../../lib/response-body.ts';
import type { Endpoint } from '../endpoint.ts';

/** Serves the guides, with a search that needs no script. Loaded lazily at the first request. */
export function createGuideEndpoints(basePath: () => string): readonly Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/guides',
      async answer({ request }) {
        const [{ readGuides }, { toIndexPage }] = await load();
        const query = (request.url.searchParams.get('q') ?? '').slice(0, MAX_QUERY);
        return toIndexPage(readGuides(), { basePath: basePath(), query });
      },
    },
    {
      method: 'GET',
      path: '/guides/{guide}',
      async answer({ path }) {
        const [{ readGuides }, { toGuide }] = await load();
        const groups = readGuides();
        const guide = groups
          .flatMap(({ guides }) => guides)
          .find(({ slug }) => slug === path['guide']);
        if (!guide)
          throw new CrossbookError(
            'NOT_FOUND',
            `There is no guide of this name: ${basePath()}/guides lists them.`,
          );
        return withOwnBytes(toGuide(groups, { guide, basePath: basePath() }));
      },
    },
  ];
}

const load = () => Promise.all([import('./guides.ts'), import('./pages.ts')]);

const MAX_QUERY = 100;

/** What is the same for all clients, and no client's to make larger. */
function withOwnBytes(page: HttpResponse): HttpResponse {
  const { body } = page;
  return typeof body === 'string' ? { ...page, body: shareBytes(Buffer.from(body)) } : page;
}
