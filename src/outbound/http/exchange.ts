import type { Dispatcher } from 'undici';
import { CrossbookError } from '../../domain/errors.ts';
import type { RemoteAnswer } from '../../domain/remote.ts';
import { toRemoteCause } from '../../domain/remote-cause.ts';
import { type Pieces, tooLarge, toText, unpackBody } from './answer-body.ts';
import { toTransportFailure } from './transport-failure.ts';

/** One request and its answer, as undici tells it. Settles once; what comes after is not heard. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: Settle;
  readonly #origin: string;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #size = 0;

  constructor(options: { readonly origin: string; readonly maxBytes: number; readonly settle: Settle }) {
    this.#origin = options.origin;
    this.#maxBytes = options.maxBytes;
    this.#settle = options.settle;
  }

  /** Gives up, whether or not a socket was found yet. */
  fail(failure: Error): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#settle.reject(failure);
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
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) this.fail(tooLarge(this.#maxBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#failure) return;
    try {
      const encoding = this.#headers['content-encoding']?.toLowerCase();
      const bytes = unpackBody({ chunks: this.#chunks.splice(0), encoding, maxBytes: this.#maxBytes });
      if (bytes instanceof Promise)
        bytes.then((unpacked) => this.#finish(unpacked)).catch(this.#settle.reject);
      else this.#finish(bytes);
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.fail(toTransportFailure(error, this.#origin));
  }

  #finish(pieces: Pieces): void {
    const answer = new ReceivedAnswer(this.#status, this.#headers, pieces);
    // Following it would carry a token to wherever the answer says.
    if (this.#status >= 300 && this.#status < 400) this.#settle.reject(redirected(answer));
    else this.#settle.resolve(answer);
  }
}

/**
 * Its body becomes text when it is asked for, which is once: whoever waits for the answer keeps it for longer than it
 * is needed, and large texts that are kept are what the garbage collector spends its time on.
 */
class ReceivedAnswer implements RemoteAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  #pieces: Pieces;

  constructor(status: number, headers: Record<string, string>, pieces: Pieces) {
    this.status = status;
    this.headers = headers;
    this.#pieces = pieces;
  }

  get body(): string {
    return toText(this.#pieces);
  }

  letGo(): void {
    this.#pieces = NOTHING;
  }
}

function redirected({ status, headers }: RemoteAnswer): CrossbookError {
  const detail = 'The provider sent the call elsewhere with a redirect, which is never followed.';
  // Its page may repeat what was sent, and says nothing that the status does not.
  const remote = toRemoteCause({ status, headers, body: '' });
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, { remote });
}

/** The object is this answer's own, so it is changed in place: only repeated headers are lists. */
function flatten(headers: WireHeaders): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'object') headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}

const NOTHING: Pieces = [];

type WireHeaders = Record<string, string | string[] | undefined>;

interface Settle {
  resolve(answer: RemoteAnswer): void;
  reject(error: unknown): void;
}
