import { type DocumentNode, print } from 'graphql';
import { CrossbookError } from '../../domain/errors.ts';
import {
  type ArrivingRequest,
  type BeginLongBody,
  type HttpResponse,
  LONG_BODY_BYTES,
} from '../../lib/http-message.ts';
import { JsonBytes } from '../../lib/response-body.ts';

/**
 * Executes operations of this process by the request handler, so that they have the rate limits, the queue, the
 * authorization and the log of requests. There is no socket.
 */
export function createInProcessExecutor(
  answer: (request: ArrivingRequest) => Promise<HttpResponse>,
): (operation: InProcessOperation) => Promise<InProcessResult> {
  /** A document is usually a constant. */
  const printed = new WeakMap<object, string>();

  return async (operation) => {
    const { variables, operationName, headers = {} } = operation;
    const query = findQuery(operation);
    const body = Buffer.from(JSON.stringify({ query, variables, operationName }));
    const request = new InProcessRequest(body, toHeaders(headers));
    try {
      return readResult(await answer(request));
    } finally {
      request.close();
    }
  };

  function findQuery({ query, document }: InProcessOperation): string {
    if (typeof query === 'string' && document === undefined) return query;
    if (query !== undefined || document?.kind !== 'Document')
      throw new TypeError('execute: specify either `query`, a string, or `document`.');
    const known = printed.get(document);
    if (known !== undefined) return known;
    const text = print(document as DocumentNode);
    printed.set(document, text);
    return text;
  }
}

/** A request whose body is complete, and whose client reads the response at once. */
class InProcessRequest implements ArrivingRequest {
  readonly method = 'POST';
  readonly pathname = '/graphql';
  readonly hasBody = true;
  readonly headers: Headers;
  readonly #body: Buffer;
  #onClose: (() => void)[] | undefined = [];

  constructor(body: Buffer, headers: Headers) {
    this.#body = body;
    this.headers = headers;
  }

  get url(): URL {
    return new URL(`http://localhost${this.pathname}`);
  }

  async receiveBody(limit: number, beginLong: BeginLongBody): Promise<void> {
    const { length } = this.#body;
    if (length > limit)
      throw new CrossbookError(
        'PAYLOAD_TOO_LARGE',
        `The operation is larger than ${limit / 1024} KiB.`,
      );
    if (length > LONG_BODY_BYTES) await beginLong();
  }

  readBody(): Buffer {
    return this.#body;
  }

  onClose(callback: () => void): void {
    if (this.#onClose) this.#onClose.push(callback);
    else callback();
  }

  close(): void {
    const callbacks = this.#onClose ?? [];
    this.#onClose = undefined;
    for (const callback of callbacks) callback();
  }
}

function toHeaders(given: NonNullable<InProcessOperation['headers']>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || OF_THE_TRANSPORT.has(name.toLowerCase())) continue;
    headers.set(name, encode(typeof value === 'string' ? value : value.join(', ')));
  }
  headers.set('accept', 'application/graphql-response+json');
  headers.set('content-type', 'application/json');
  return headers;
}

/** What the headers of a request say about its socket and body, which are not those of the operation. */
const OF_THE_TRANSPORT: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Other letters are sent as UTF-8, as clients do. */
function encode(value: string): string {
  return /[^\0-\xff]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}

function readResult({ body }: HttpResponse): InProcessResult {
  const bytes = body instanceof JsonBytes ? body.toBuffer() : body;
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes ?? []).toString('utf8');
  return JSON.parse(text);
}

interface InProcessOperation {
  readonly query?: string | undefined;
  readonly document?: { readonly kind: string } | undefined;
  readonly variables?: object | null | undefined;
  readonly operationName?: string | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** As GraphQL specifies it: a response always has data or errors. */
interface InProcessResult {
  readonly data?: unknown;
  readonly errors?: unknown;
}
