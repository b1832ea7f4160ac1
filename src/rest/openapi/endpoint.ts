import { createHash } from 'node:crypto';
import { isNotModified } from '../answers.ts';
import type { Operation } from '../operation.ts';
import type { Endpoint } from '../router.ts';
import { toOpenApi } from './document.ts';

/** The document, made once. */
export function createOpenApiEndpoint(operations: readonly Operation[], version: string): Endpoint {
  const text = JSON.stringify(toOpenApi(operations, version));
  // Weak: it may travel compressed.
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, 'cache-control': 'no-cache' };
  return {
    method: 'GET',
    path: '/openapi.json',
    async answer({ request }) {
      if (isNotModified(request.headers.get('if-none-match'), etag)) {
        return { status: 304, headers, body: null };
      }
      return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: text };
    },
  };
}
