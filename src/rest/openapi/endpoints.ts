import { digest } from '../../lib/digest.ts';
import { shareBytes } from '../../lib/response-body.ts';
import type { Endpoint } from '../endpoint.ts';
import { isNotModified } from '../operation.ts';
import type { GroupedOperation } from '../routes/all.ts';
import type { DocsDemo } from './page.ts';

/** Serves the OpenAPI document, generated once at the first request. */
export function createOpenApiEndpoint(
  operations: readonly GroupedOperation[],
  options: DocumentOptions,
): Endpoint {
  let made: ReturnType<typeof makeDocument> | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    async answer({ request }) {
      made ??= makeDocument(operations, options);
      const { body, etag } = await made;
      const headers = { etag, 'cache-control': 'no-cache' };
      if (isNotModified(request.headers.get('if-none-match'), etag)) {
        return { status: 304, headers, body: null };
      }
      return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body };
    },
  };
}

async function makeDocument(
  operations: readonly GroupedOperation[],
  { version, basePath }: DocumentOptions,
) {
  const { toOpenApi } = await import('./document.ts');
  const text = JSON.stringify(toOpenApi(operations, { version, url: basePath() || '/' }));
  // Weak, because the response may be compressed.
  return { body: shareBytes(Buffer.from(text)), etag: `W/"${digest(text).slice(0, 22)}"` };
}

/**
 * Serves the documentation page with a request form; it loads nothing from other hosts. Loaded lazily at the first
 * request.
 */
export function createDocsEndpoint({ demo, hasGraphiQL, basePath }: DocsOptions): Endpoint {
  return {
    method: 'GET',
    path: '/docs',
    async answer() {
      const { renderPage, POLICY } = await import('./page.ts');
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      };
      return {
        status: 200,
        headers,
        body: renderPage({ demo, hasGraphiQL, basePath: basePath() }),
      };
    },
  };
}

interface DocumentOptions {
  readonly version: string;
  /** The path of the public URL. */
  basePath(): string;
}

interface DocsOptions {
  /** Undefined: there is no demo. */
  readonly demo: DocsDemo | undefined;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly hasGraphiQL: boolean;
  /** The path of the public URL. */
  basePath(): string;
}
