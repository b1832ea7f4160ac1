import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Forwarded } from '../http/node-handler.ts';
import { SLICE_BYTES } from '../http/send-response.ts';

/** The response of another worker: a short one is read, a long one is passed on as it arrives. */
export class ForwardedResponse implements Dispatcher.DispatchHandler {
  /** Rejects if the other worker does not begin to respond. */
  readonly received: Promise<Received>;
  /** Whether the other worker may have read the request. */
  wasSent = false;
  readonly #fullHeader: string;
  #settle: { resolve(received: Received): void; reject(error: Error): void } = {
    resolve: () => {},
    reject: () => {},
  };
  #controller: Dispatcher.DispatchController | undefined;
  #isAborted = false;
  #status = 0;
  #headers: OutgoingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #stream: Readable | undefined;

  constructor(fullHeader: string) {
    this.#fullHeader = fullHeader;
    this.received = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** The client has disconnected. */
  abort(): void {
    this.#isAborted = true;
    this.#settle.resolve({ kind: 'gone' });
    this.#controller?.abort(new Error('The client has disconnected.'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) controller.abort(new Error('The client has disconnected.'));
    else this.wasSent = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    for (const name in headers)
      if (!HOP_BY_HOP.has(name) && headers[name] !== undefined) this.#headers[name] = headers[name];
    const length = Number(this.#headers['content-length'] ?? 0);
    if (length <= SLICE_BYTES) return;
    const body = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (!body.readableEnded)
          controller.abort(error ?? new Error('The client has disconnected.'));
        done(error);
      },
    });
    this.#stream = body;
    this.#settle.resolve({ kind: 'streamed', status, headers: this.#headers, body, length });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#stream) this.#chunks.push(chunk);
    else if (!this.#stream.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#stream) {
      this.#stream.push(null);
      return;
    }
    const [first = NO_BODY, ...others] = this.#chunks;
    const body = others.length === 0 ? first : Buffer.concat(this.#chunks);
    const { [this.#fullHeader]: full, ...headers } = this.#headers;
    if (full !== undefined) this.#settle.resolve({ kind: 'full' });
    else this.#settle.resolve({ kind: 'answered', status: this.#status, headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#stream?.destroy(error);
    this.#settle.reject(error);
  }
}

/** Headers of one connection, which are not passed on. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'date',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const NO_BODY = Buffer.alloc(0);

/** `full`: the other worker has not looked at the request. */
type Received = Exclude<Forwarded, { kind: 'here' | 'failed' }> | { readonly kind: 'full' };
