import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HeldBytes } from '../domain/held-bytes.ts';

/**
 * HTTP/1.1 clients may send requests before the last one is answered. Node's server would start all of them and keep
 * their responses: here one starts when the response before it has gone out, and until then nothing more is read.
 */
export function createPipelining({ heldBytes, onRefused }: PipeliningOptions): Pipelining {
  const queued = new WeakMap<Socket, number>();

  return {
    waitForTurn(message, response, { address, start }) {
      const { socket } = message;
      const length = (queued.get(socket) ?? 0) + 1;
      const hold = length <= MAX_QUEUED ? heldBytes.acquire({ address }, 'queue', REQUEST_BYTES) : undefined;
      if (!hold) {
        socket.destroy();
        onRefused({ status: undefined, code: 'PIPELINE_FULL' });
        return;
      }
      queued.set(socket, length);
      // Node starts reading again when it has parsed all of this request: it is stopped after that.
      process.nextTick(() => {
        if ((queued.get(socket) ?? 0) > 0) socket.pause();
      });
      message.once('close', hold.release.bind(hold));
      // Node gives a response its socket when it is that response's turn.
      response.once('socket', () => {
        hold.release();
        const left = (queued.get(socket) ?? 1) - 1;
        queued.set(socket, left);
        if (left === 0) socket.resume();
        start();
      });
    },
  };
}

/** No client is known to send more ahead. What comes in one read of the socket is parsed before reading stops. */
const MAX_QUEUED = 100;
/** A request that waits, with its headers. */
const REQUEST_BYTES = 8 * 1024;

export interface Pipelining {
  /** For a request whose response has no socket yet. `start` is called when it has, or never. */
  waitForTurn(
    message: IncomingMessage,
    response: ServerResponse,
    request: { readonly address: string | undefined; start(): void },
  ): void;
}

interface PipeliningOptions {
  readonly heldBytes: HeldBytes;
  onRefused(refusal: { readonly status: undefined; readonly code: string }): void;
}
