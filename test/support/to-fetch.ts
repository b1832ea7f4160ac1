import { CrossbookError } from '../../src/domain/errors.ts';
import type { ArrivingRequest, HttpResponse } from '../../src/lib/http-message.ts';
import { JsonBytes } from '../../src/lib/response-body.ts';

/** Adapts a request handler to a fetch function. */
export function toFetch(answer: (request: ArrivingRequest) => Promise<HttpResponse>): Fetch {
  return async (request) => {
    const body = Buffer.from(await request.arrayBuffer());
    return toResponse(await answer(toHttpRequest(request, body)));
  };
}

function toHttpRequest(request: Request, body: Buffer): ArrivingRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    url,
    pathname: url.pathname,
    headers: request.headers,
    hasBody: request.body !== null,
    async receiveBody(limit) {
      if (body.length > limit)
        throw new CrossbookError('PAYLOAD_TOO_LARGE', 'The body is too large.');
    },
    readBody: () => body,
    onClose: () => {},
  };
}

/** With Content-Length, as the listener adds it. */
function toResponse({ status, headers, body }: HttpResponse): Response {
  const bytes = body instanceof JsonBytes ? body.toBuffer() : body;
  const length = bytes === null ? {} : { 'content-length': String(Buffer.byteLength(bytes)) };
  const init = { status, headers: { ...headers, ...length } };
  return new Response(bytes as Uint8Array<ArrayBuffer> | string | null, init);
}

type Fetch = (request: Request) => Promise<Response>;
