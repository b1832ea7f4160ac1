import { Server } from 'node:net';
import { startWorker } from '../support/worker.ts';

/**
 * Imported in front of the product's own main.js, which runs as it ships. Its sandbox lives in the same process, and
 * nothing but that sandbox's address may be on loopback: so its ports are released once it listens, and whoever is to be
 * the CRM listens there, in another process.
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
        if (address === null || typeof address === 'string' || !ports.includes(address.port)) continue;
        await new Promise((resolve) => server.close(resolve));
      }
    },
  },
);
