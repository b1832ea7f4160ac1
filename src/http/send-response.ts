import type { ServerResponse } from 'node:http';
import type { HeldBytes, Hold } from '../domain/resources.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { JsonBytes } from '../lib/json-body.ts';

/**
 * Writes responses as fast as they are read. What is small and not read yet is counted here, what is larger was reserved
 * by the request handler. A client that reads more slowly than the least pace is disconnected: a timeout on silence alone
 * would start anew with each byte that it takes.
 */
export function createResponseSender({ heldBytes, now, onRefused }: SenderOptions) {
  const unread = new Set<UnreadResponse>();
  const timer = setInterval(cutSlowReaders, CHECK_EVERY_MS);
  timer.unref();

  return {
    send(
      response: ServerResponse,
      { status, headers, body }: HttpResponse,
      address: string | undefined,
    ): void {
      response.writeHead(status, headers);
      // Text is short: the request handler makes bytes of what is not.
      if (body !== null && typeof body !== 'string' && body.length > SLICE_BYTES) {
        watch(new UnreadResponse(response, body.length, undefined)).write(toSlices(body));
        return;
      }
      endWith(response, body);
      // The socket has nearly always taken all of it by now, and nothing is held. (`writableFinished` says so in time only
      // before Node 24.)
      if (response.writableLength > 0) holdUnread(response, body?.length ?? 0, address);
    },
    /** Called by a timer. */
    cutSlowReaders,
    close: () => clearInterval(timer),
  };

  /** It is written already: where it may not be held, the connection that holds it goes. */
  function holdUnread(response: ServerResponse, bytes: number, address: string | undefined): void {
    const hold = heldBytes.acquire({ address }, 'unread_response', bytes + RESPONSE_BYTES);
    if (hold) watch(new UnreadResponse(response, bytes, hold));
    else cut(response, 'RESPONSE_MEMORY_FULL');
  }

  function watch(one: UnreadResponse): UnreadResponse {
    one.startWindow(now());
    unread.add(one);
    one.response.once('close', () => {
      unread.delete(one);
      one.hold?.release();
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
  readonly hold: Hold | undefined;
  /** When the window began, and what was unread then. */
  since = 0;
  #unreadThen = 0;
  #unread: number;
  #inSocket = 0;

  constructor(response: ServerResponse, bytes: number, hold: Hold | undefined) {
    this.response = response;
    this.hold = hold;
    this.#unread = bytes;
  }

  /** The next slice is handed to the socket when the last one has left it. */
  write(slices: Iterator<Uint8Array>): void {
    const { response } = this;
    const next = () => {
      for (;;) {
        this.#unread -= this.#inSocket;
        this.#inSocket = 0;
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

  startWindow(moment: number): void {
    this.since = moment;
    this.#unreadThen = this.#unread;
  }

  /** Progress shows in whole slices: one may be on its way. */
  isSlow(): boolean {
    const least = Math.min(this.#unreadThen, LEAST_BYTES_PER_WINDOW - SLICE_BYTES);
    return this.#unread === 0 || this.#unreadThen - this.#unread < least;
  }
}

/** In one write with its headers, whatever it is made of. */
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
    for (let at = 0; at < piece.length; at += SLICE_BYTES) yield piece.subarray(at, at + SLICE_BYTES);
  }
}

/** So much goes to the socket at once: progress is measured in it. */
export const SLICE_BYTES = 64 * 1024;
/** 16 KiB a second: a slow mobile connection reads faster. */
const LEAST_BYTES_PER_WINDOW = 160 * 1024;
const WINDOW_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
/** What a response and its request take beside the body. */
const RESPONSE_BYTES = 4 * 1024;

interface SenderOptions {
  readonly heldBytes: HeldBytes;
  /** Monotonic, in milliseconds. */
  now(): number;
  onRefused(refusal: { readonly status: number | undefined; readonly code: string }): void;
}
