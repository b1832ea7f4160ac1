import type { Dispatcher } from 'undici';
import { CrossbookError, ERROR_CODES } from '../../domain/errors.ts';
import { type Hold, memoryLimitReached } from '../../domain/held-bytes.ts';
import { type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import { Chunks, readStart, tooLarge, unpackBody } from './answer-body.ts';
import { toTransportFailure } from './transport.ts';

/** One request and its answer, as undici tells it. Settles once; what comes after is not heard. */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #origin: string;
  readonly #maxBytes: number;
  readonly #hold: Hold | undefined;
  #packed = new Chunks();
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #headers: Record<string, string> = {};

  constructor(options: ExchangeOptions) {
    this.#origin = options.origin;
    this.#hold = options.hold;
    this.#maxBytes = options.maxBytes;
    this.#settle = options.settle;
  }

  /** Gives up, whether or not a socket was found yet. */
  fail(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#reject(failure, this.#packed);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
    this.#status = status;
    this.#headers = flatten(headers);
    if (Number(this.#headers['content-length']) > this.#maxBytes) this.fail(tooLarge(this.#maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#packed.bytes + chunk.length > this.#maxBytes) this.fail(tooLarge(this.#maxBytes));
    else if (this.#hold?.grow(chunk.length) === false) this.fail(memoryLimitReached());
    else this.#packed.add(chunk);
  }

  onResponseEnd(): void {
    if (this.#failure) return;
    const packed = this.#packed;
    this.#packed = NOTHING;
    try {
      const body = { packed, encoding: this.#encoding, maxBytes: this.#maxBytes, hold: this.#hold };
      const bytes = unpackBody(body);
      if (bytes instanceof Promise)
        bytes.then((unpacked) => this.#finish(unpacked)).catch((error) => this.#reject(error, packed));
      else this.#finish(bytes);
    } catch (error) {
      this.#reject(error, packed);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.fail(toTransportFailure(error, this.#origin));
  }

  get #encoding(): string | undefined {
    return this.#headers['content-encoding']?.toLowerCase();
  }

  /** Where an answer had begun, the failure shows as much of it as came. */
  #reject(error: unknown, packed: Chunks): void {
    const isTheirs = error instanceof CrossbookError && ERROR_CODES[error.code].status === 499;
    if (this.#status === 0 || !isTheirs) {
      this.#settle.reject(error);
      return;
    }
    const body = readStart({ packed, encoding: this.#encoding, maxBytes: START_BYTES });
    const answer = { status: this.#status, headers: this.#headers, body };
    const { code, message, cause, retryAfterMs } = error;
    this.#settle.reject(new RemoteFailure(code, message, answer, { cause, retryAfterMs }));
  }

  #finish(pieces: Chunks): void {
    const answer = new ReceivedAnswer({
      status: this.#status,
      headers: this.#headers,
      pieces,
      hold: this.#hold,
      maxParsedBytes: this.#maxBytes * 4,
    });
    // Following it would carry a token to wherever the answer says.
    if (this.#status >= 300 && this.#status < 400) this.#settle.reject(redirected(answer));
    else this.#settle.resolve(answer);
  }
}

/**
 * Its body becomes text when it is asked for, which is once: the promise of the answer keeps it for longer than it
 * is needed, and large texts that are kept are what the garbage collector spends its time on.
 */
class ReceivedAnswer implements ProviderResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly #hold: Hold | undefined;
  readonly #maxParsedBytes: number;
  #pieces: Chunks;
  /** Counted for what is parsed from a large answer, until that is understood. */
  #parsed = 0;

  constructor({ status, headers, pieces, hold, maxParsedBytes }: Received) {
    this.status = status;
    this.headers = headers;
    this.#pieces = pieces;
    this.#hold = hold;
    this.#maxParsedBytes = maxParsedBytes;
  }

  get body(): string {
    if (this.#parsed === 0 && this.#pieces.isLarge) this.#countParsed();
    return this.#pieces.toText();
  }

  discardBody(): void {
    this.#pieces = NOTHING;
    this.#hold?.shrink(this.#parsed);
  }

  #countParsed(): void {
    const bytes = this.#pieces.parsedBytes;
    if (bytes > this.#maxParsedBytes) throw tooLarge(this.#maxParsedBytes);
    if (this.#hold?.grow(bytes) === false) throw memoryLimitReached();
    this.#parsed = bytes;
  }
}

function redirected(answer: ProviderResponse): RemoteFailure {
  const detail = 'The provider sent the call elsewhere with a redirect, which is never followed.';
  return new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', detail, answer);
}

/** The object is this answer's own, so it is changed in place: only repeated headers are lists. */
function flatten(headers: WireHeaders): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'object') headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}

const NOTHING = new Chunks();
/** More than is ever shown of it. */
const START_BYTES = 64 * 1024;

type WireHeaders = Record<string, string | string[] | undefined>;

interface ExchangeOptions {
  readonly origin: string;
  readonly maxBytes: number;
  /** Grows with the answer. Whoever gave it releases it. */
  readonly hold: Hold | undefined;
  readonly settle: Settle;
}

interface Received extends Pick<ProviderResponse, 'status'> {
  readonly headers: Record<string, string>;
  readonly pieces: Chunks;
  readonly hold: Hold | undefined;
  readonly maxParsedBytes: number;
}

interface Settle {
  resolve(answer: ProviderResponse): void;
  reject(error: unknown): void;
}
