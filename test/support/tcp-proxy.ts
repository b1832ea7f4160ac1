import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { findFreePorts } from './free-ports.ts';

/**
 * A TCP proxy between a client and a loopback server, which can be cut. While it is cut, no one gets its port by chance:
 * it is not an ephemeral one.
 */
export async function openTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let server: Server;
  let isFrozen = false;
  const port = await findFreePorts();
  const listen = async () => {
    server = createServer((client) => {
      const upstream = connect(target);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket
          .on('error', () => undefined)
          .on('close', () => {
            sockets.delete(socket);
            client.destroy();
            upstream.destroy();
          });
      }
      client.pipe(upstream).pipe(client);
      if (isFrozen) pauseAll(client, upstream);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const freeze = () => {
    isFrozen = true;
    pauseAll(...sockets);
  };
  const thaw = () => {
    isFrozen = false;
    for (const socket of sockets) socket.resume();
  };
  return { port, cut, freeze, thaw, mend: listen };
}

function pauseAll(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.pause();
}

export interface TcpProxy {
  readonly port: number;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Forwards nothing any more, without closing connections. */
  freeze(): void;
  thaw(): void;
}
