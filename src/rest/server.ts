import { CrossbookError } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import { compressAnswer } from '../lib/compress-answer.ts';
import type { HttpAnswer, HttpHeaders, HttpRequest } from '../lib/http-message.ts';
import type { RequestContext } from '../request/context.ts';
import { createDocsEndpoint } from './docs/endpoint.ts';
import { answerError } from './errors.ts';
import { createOpenApiEndpoint } from './openapi/endpoint.ts';
import type { Operation, OperationGroup } from './operation.ts';
import { createRouter, type Endpoint, toAllow } from './router.ts';
import { OPERATIONS } from './routes/all.ts';

/** The REST face: the operations, the document that describes them, and the page that shows it. */
export function createRest(options: RestOptions): Rest {
  const { prefixes = {} } = options;
  const operations = OPERATIONS.map((operation) => ({
    ...operation,
    path: `${prefixes[operation.group] ?? ''}${operation.path}`,
  }));
  const router = createRouter([
    ...operations.map((operation) => toEndpoint(operation, options)),
    createOpenApiEndpoint(operations, options.version),
    createDocsEndpoint(),
  ]);

  return {
    handles: (pathname) => router.find(pathname) !== undefined,
    refuse: (error, { journal }) =>
      answerError(error, { journal, applicationName: journal.caller?.application.name ?? null }),
    async answer(request, journal) {
      journal.note({ face: 'rest' });
      const { status, headers, body } = await route(request, journal).catch((thrown: unknown) =>
        answerError(thrown, { journal, applicationName: null }),
      );
      const answer = { status, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body };
      if (request.method === 'HEAD') return { ...answer, body: null };
      return compressAnswer(answer, request.headers.get('accept-encoding'));
    },
  };

  async function route(request: HttpRequest, journal: Journal): Promise<HttpAnswer> {
    const matches = router.find(request.pathname);
    if (!matches) throw new CrossbookError('NOT_FOUND', 'There is nothing at this path: see /docs.');
    const allow = toAllow(matches);
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = matches.find(({ endpoint }) => endpoint.method === method);
    if (found) return found.endpoint.answer({ request, path: found.path, journal });
    const refusal = new CrossbookError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`);
    return answerError(refusal, { journal, applicationName: null, headers: { allow } });
  }
}

function toEndpoint(operation: Operation, { openContext }: RestOptions): Endpoint {
  return {
    method: operation.method,
    path: operation.path,
    async answer({ journal, ...arrival }) {
      let context: RequestContext | undefined;
      const run = async () => {
        context = await openContext(arrival.request.headers, journal);
        await context.admit();
        return operation.run(context, arrival);
      };
      journal.note({ operation: operation.id });
      try {
        return await journal.operation(operation.id, run);
      } catch (thrown) {
        const applicationName = context?.caller?.application.name ?? null;
        return answerError(thrown, { journal, applicationName });
      }
    },
  };
}

export interface Rest {
  answer(request: HttpRequest, journal: Journal): Promise<HttpAnswer>;
  /** The answer to what is not even looked at. */
  refuse(error: CrossbookError, of: { readonly journal: Journal }): HttpAnswer;
  /** Is there something at this path, whatever the method? */
  handles(pathname: string): boolean;
}

export interface RestOptions {
  /** Rejects with UNAUTHORIZED where what the headers present is wrong; without a caller where they present nothing. */
  openContext(headers: HttpHeaders, journal: Journal): Promise<RequestContext>;
  /** Paths that the operations of a group live below: `/crm/v2`. */
  readonly prefixes?: Readonly<Partial<Record<OperationGroup, string | undefined>>>;
  /** Of the product, for the document. */
  readonly version: string;
}
