import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { NodeHandler } from '../http/node-handler.ts';
import { withErrorListener } from '../lib/error-listener.ts';
import { CLIENT_ADDRESS, FULL } from './forwarding.ts';

/**
 * Receives the requests that other workers forward. The socket is in a folder that only the user of the processes may
 * enter, so its requests may say for which client they are sent.
 */
export async function listenPrivately({ socket, handler, hasRoom }: PrivateListenerOptions) {
  const server = withErrorListener(
    createServer(
      {
        // The header of the address comes in addition to those that the client sent.
        maxHeaderSize: 32 * 1024,
        requireHostHeader: false,
        // The worker that forwards has received the request in time, and closes idle connections.
        headersTimeout: 0,
        requestTimeout: 0,
        keepAliveTimeout: 0,
      },
      (message, response) => {
        const address = message.headers[CLIENT_ADDRESS];
        delete message.headers[CLIENT_ADDRESS];
        if (hasRoom())
          handler.handle(message, response, { address: address ? String(address) : undefined });
        else {
          message.resume();
          response.writeHead(503, { [FULL]: '1', 'content-length': '0' }).end();
        }
      },
    ),
  );
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve, reject) => {
    // `exclusive`: otherwise Node shares the socket with the other workers.
    server.once('error', reject).listen({ path: socket, exclusive: true }, resolve);
  });
  chmodSync(socket, 0o600);

  return {
    /** Refuses new connections. Running requests are finished. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}

interface PrivateListenerOptions {
  readonly socket: string;
  readonly handler: Pick<NodeHandler, 'handle'>;
  /** Whether a request can begin soon. */
  hasRoom(): boolean;
}
