import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that is free, as is the one above it: the sandbox takes two. */
export async function findFreePorts(): Promise<number> {
  for (;;) {
    const lower = await listen(0);
    const { port } = lower.address() as AddressInfo;
    const upper = await listen(port + 1).catch(() => undefined);
    for (const server of [lower, upper]) server?.close();
    if (upper) return port;
  }
}

async function listen(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
