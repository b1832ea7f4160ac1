import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { RejectedRequest } from '../domain/log.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { JsonBytes } from '../lib/response-body.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/**
 * Writes responses with backpressure. Short unread responses are counted here; longer ones were counted by the request
 * handler. Clients that read slower than a minimum rate are disconnected: an idle timeout alone would restart
 * with every byte that they read.
 */
export function createResponseSender({ unread: held, now, onRefused }: SenderOptions) {
  const unread = new Set<UnreadResponse>();
  const timer = setInterval(cutSlowReaders, CHECK_EVERY_MS);
  timer.unref();

  return {
    send(response: ServerResponse, { status, headers, body, application }: SentResponse): void {
      response.writeHead(status, headers);
      // Text bodies are short: the request handler encodes long ones.
      if (body !== null && typeof body !== 'string' && body.length > SLICE_BYTES) {
        watch(new UnreadResponse(response, body.length, undefined)).write(toSlices(body));
        return;
      }
      endWith(response, body);
      // Usually the socket has taken everything by now, and nothing has to be counted. (Before Node 24
      // `writableFinished` was equivalent.)
      if (response.writableLength > 0) holdUnread(response, body?.length ?? 0, application);
    },
    /** Passes a long response on that another worker has made. */
    stream(response: ServerResponse, { status, headers, body, length }: StreamedResponse): void {
      response.writeHead(status, headers);
      const unread = watch(new UnreadResponse(response, length, undefined));
      response.once('close', () => body.destroy());
      body.on('error', (error) => response.destroy(error));
      unread.pass(body);
    },
    /** Called by a timer and by tests. */
    cutSlowReaders,
    close: () => clearInterval(timer),
  };

  /** The response is written already: where too much is unread, the connection is closed. */
  function holdUnread(
    response: ServerResponse,
    bytes: number,
    application: string | undefined,
  ): void {
    const release = held.hold(application, bytes + RESPONSE_BYTES);
    if (release) watch(new UnreadResponse(response, bytes, release));
    else cut(response, 'RESPONSE_MEMORY_FULL');
  }

  function watch(one: UnreadResponse): UnreadResponse {
    one.startWindow(now());
    unread.add(one);
    one.response.once('close', () => {
      unread.delete(one);
      one.release?.();
    });
    return one;
  }

  function cutSlowReaders(): void {
    const moment = now();
    for (const one of unread) {
      if (moment - one.since < WINDOW_MS) continue;
      if (one.isSlow()) cut(one.response, 'RESPONSE_READ_TOO_SLOWLY');
      else one.startWindow(moment);
    }
  }

  function cut(response: ServerResponse, code: string): void {
    response.destroy();
    onRefused({ status: undefined, code });
  }
}

class UnreadResponse {
  readonly response: ServerResponse;
  readonly release: (() => void) | undefined;
  /** The start of the current window, and the unread bytes at that moment. */
  since = 0;
  #unreadThen = 0;
  #unread: number;
  #inSocket = 0;

  constructor(response: ServerResponse, bytes: number, release: (() => void) | undefined) {
    this.response = response;
    this.release = release;
    this.#unread = bytes;
  }

  /** Hands the next slice to the socket when the previous one has left it. */
  write(slices: Iterator<Uint8Array>): void {
    const { response } = this;
    const next = () => {
      for (;;) {
        this.#count();
        const { done, value } = slices.next();
        if (done) {
          response.end();
          return;
        }
        this.#inSocket = value.length;
        if (!response.write(value)) return;
      }
    };
    response.on('drain', next);
    next();
  }

  /** The same for a body that arrives. */
  pass(body: Readable): void {
    body.on('data', (chunk: Buffer) => {
      this.#inSocket += chunk.length;
      if (response.write(chunk)) this.#count();
      else body.pause();
    });
    const { response } = this;
    response.on('drain', () => {
      this.#count();
      body.resume();
    });
    body.once('end', () => {
      this.#count();
      response.end();
    });
  }

  #count(): void {
    this.#unread -= this.#inSocket;
    this.#inSocket = 0;
  }

  startWindow(moment: number): void {
    this.since = moment;
    this.#unreadThen = this.#unread;
  }

  /** Progress is measured in whole slices, so one slice of tolerance is allowed. */
  isSlow(): boolean {
    const least = Math.min(this.#unreadThen, LEAST_BYTES_PER_WINDOW - SLICE_BYTES);
    return this.#unread === 0 || this.#unreadThen - this.#unread < least;
  }
}

/** Sends headers and body in one write, whatever the body is made of. */
function endWith(response: ServerResponse, body: HttpResponse['body']): void {
  if (body instanceof JsonBytes) {
    response.cork();
    for (const piece of body.take()) response.write(piece);
    response.end();
  } else response.end(body ?? undefined);
}

function* toSlices(body: Uint8Array | JsonBytes): Generator<Uint8Array, undefined> {
  const pieces = body instanceof JsonBytes ? body.take() : [body];
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += SLICE_BYTES)
      yield piece.subarray(at, at + SLICE_BYTES);
  }
}

/** The slice size: the unit of writes and of measured progress. */
export const SLICE_BYTES = 64 * 1024;
/** The minimum rate, 16 KiB a second, which slow mobile connections exceed. */
const LEAST_BYTES_PER_WINDOW = 160 * 1024;
const WINDOW_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
/** What a response and its request take in addition to the body. */
const RESPONSE_BYTES = 4 * 1024;

interface StreamedResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Readable;
  /** Bytes of the body. */
  readonly length: number;
}

export interface OwnedResponse extends HttpResponse {
  /** The application of the caller, for which the response counts while it is unread. */
  readonly application?: string | undefined;
}

type SentResponse = Omit<OwnedResponse, 'headers'> & { readonly headers: OutgoingHttpHeaders };

interface SenderOptions {
  readonly unread: UnreadBytes;
  /** Monotonic, in milliseconds. */
  now(): number;
  onRefused(refusal: RejectedRequest): void;
}
