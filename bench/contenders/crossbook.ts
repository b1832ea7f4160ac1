import { Server } from 'node:net';
import { startWorker } from '../support/worker.ts';

/**
 * Imported before the product's own main.js, which runs as shipped. Its sandbox lives in the same process, and the
 * product accepts no other loopback address than that of the sandbox: so the sandbox's ports are closed once it
 * listens, and the CRM of the bench listens there, in another process.
 */
const listening = new Set<Server>();
const listen = Server.prototype.listen as (this: Server, ...options: unknown[]) => Server;
Server.prototype.listen = function remembered(this: Server, ...options: unknown[]) {
  listening.add(this);
  return listen.apply(this, options);
} as typeof Server.prototype.listen;

startWorker(
  {},
  {
    async release(ports: readonly number[]) {
      for (const server of listening) {
        const address = server.address();
        if (address === null || typeof address === 'string' || !ports.includes(address.port))
          continue;
        await new Promise((resolve) => server.close(resolve));
      }
    },
  },
);
