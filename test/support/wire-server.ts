import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A loopback server with an arbitrary request listener. */
export async function openWireServer(listener: RequestListener): Promise<WireServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface WireServer {
  readonly origin: string;
  close(): Promise<void>;
}
