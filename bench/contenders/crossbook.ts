import { Server } from 'node:net';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
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

let delays: IntervalHistogram | undefined;

startWorker(
  {},
  {
    async watchDelay() {
      delays ??= monitorEventLoopDelay({ resolution: 1 });
      delays.enable();
      delays.reset();
    },
    /** How late timers of a millisecond were, in milliseconds. */
    async delay() {
      delays?.disable();
      return { p99: (delays?.percentile(99) ?? 0) / 1e6, max: (delays?.max ?? 0) / 1e6 };
    },
    /** After a collection, where the process was started with --expose-gc. */
    async heap() {
      await globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    },
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
