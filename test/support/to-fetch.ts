import { CrossbookError } from '../../src/domain/errors.ts';
import type { ArrivingRequest, HttpAnswer } from '../../src/lib/http-message.ts';
import { WrittenJson } from '../../src/lib/written-json.ts';

/** What answers our requests, asked as a fetch is asked. */
export function toFetch(answer: (request: ArrivingRequest) => Promise<HttpAnswer>): Fetch {
  return async (request) => toResponse(await answer(toHttpRequest(request)));
}

function toHttpRequest(request: Request): ArrivingRequest {
  const url = new URL(request.url);
  let body: Buffer | undefined;
  const readWhole = async () => {
    body ??= Buffer.from(await request.arrayBuffer());
    return body;
  };
  return {
    method: request.method,
    url,
    pathname: url.pathname,
    headers: request.headers,
    hasBody: request.body !== null,
    async receiveBody(limit, reserve) {
      const { length } = await readWhole();
      if (length > limit) throw new CrossbookError('PAYLOAD_TOO_LARGE', 'The body is too large.');
      reserve(length);
    },
    // A face may also be asked by itself, without anybody who received the body before.
    async readBody(limit) {
      const whole = await readWhole();
      return whole.length > limit ? undefined : whole;
    },
    onClose: () => {},
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
