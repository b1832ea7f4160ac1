import type { HttpAnswer, HttpRequest } from '../../src/lib/http-message.ts';
import { WrittenJson } from '../../src/lib/written-json.ts';

/** What answers our requests, asked as a fetch is asked. */
export function toFetch(answer: (request: HttpRequest) => Promise<HttpAnswer>): Fetch {
  return async (request) => toResponse(await answer(toHttpRequest(request)));
}

function toHttpRequest(request: Request): HttpRequest {
  const url = new URL(request.url);
  let tell = () => {};
  return {
    method: request.method,
    url,
    pathname: url.pathname,
    headers: request.headers,
    async readBody(limit) {
      const body = Buffer.from(await request.arrayBuffer());
      tell();
      return body.length > limit ? undefined : body;
    },
    whenWhole(then) {
      if (request.body) tell = then;
      else then();
    },
  };
}

/** With its length, as who sends it adds it. */
function toResponse({ status, headers, body }: HttpAnswer): Response {
  const bytes = body instanceof WrittenJson ? body.takeWhole() : body;
  const length = bytes === null ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
  const init = { status, headers: { ...headers, ...length } };
  return new Response(bytes as Uint8Array<ArrayBuffer> | string | null, init);
}

type Fetch = (request: Request) => Promise<Response>;
