import { createHash } from 'node:crypto';
import type { Operation } from '../operation.ts';
import { isNotModified } from '../responses.ts';
import type { Endpoint } from '../router.ts';

/** The document, made once: when it is first requested. */
export function createOpenApiEndpoint(operations: readonly Operation[], version: string): Endpoint {
  let made: Promise<{ readonly text: string; readonly etag: string }> | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    async answer({ request }) {
      made ??= makeDocument(operations, version);
      const { text, etag } = await made;
      const headers = { etag, 'cache-control': 'no-cache' };
      if (isNotModified(request.headers.get('if-none-match'), etag)) {
        return { status: 304, headers, body: null };
      }
      return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: text };
    },
  };
}

async function makeDocument(operations: readonly Operation[], version: string) {
  const { toOpenApi } = await import('./document.ts');
  const text = JSON.stringify(toOpenApi(operations, version));
  // Weak: it may travel compressed.
  return { text, etag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
