import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** This many consecutive free ports. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  for (;;) {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as AddressInfo;
    const ports = Array.from({ length: count }, (_, index) => port + index);
    const rest = await Promise.all(ports.slice(1).map(isFree));
    await new Promise((resolve) => first.close(resolve));
    if (rest.every(Boolean)) return ports;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
