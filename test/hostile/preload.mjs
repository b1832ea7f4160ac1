/**
 * Preloaded into the product: reports over IPC how long its event loop was blocked and how much memory it holds. It
 * also closes listeners, so that another process can take the ports of the CRMs: the product accepts no other
 * loopback address than its own sandbox's.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const EVERY_MS = 10;
const OWN_TIME = `/proc/self/task/${process.pid}/schedstat`;
const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });
histogram.enable();
const readSpent = existsSync(OWN_TIME) ? readOfThread : readOfProcess;
let heldMs = 0;
let last = look();

// A process that gets no CPU time is late too: only the thread's own CPU time counts as blocking.
setInterval(() => {
  const now = look();
  heldMs = Math.max(heldMs, Math.min(now.at - last.at - EVERY_MS, now.spent - last.spent));
  last = now;
}, EVERY_MS).unref();

const servers = new Set();
const listen = Server.prototype.listen;
Server.prototype.listen = function remembered(...options) {
  servers.add(this);
  return listen.apply(this, options);
};

process.on('message', async ({ ask, ports }) => {
  if (ask === 'close') {
    const closed = [...servers].filter((server) => ports.includes(server.address()?.port));
    await Promise.all(closed.map((server) => new Promise((resolve) => server.close(resolve))));
  }
  const loop = { heldMs, lateMs: histogram.max / 1e6, rss: process.memoryUsage.rss() };
  if (ask === 'collect') {
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    Object.assign(loop, { held: heapUsed + external });
  }
  // Garbage collection also blocks the loop: that is not what is measured.
  last = look();
  histogram.reset();
  heldMs = 0;
  process.send(loop);
});
process.channel?.unref();

function look() {
  return { at: performance.now(), spent: readSpent() };
}

/** In milliseconds. Linux records it per thread. */
function readOfThread() {
  return Number(readFileSync(OWN_TIME, 'latin1').split(' ')[0]) / 1e6;
}

/** Of all threads, so it can include work outside the event loop. */
function readOfProcess() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
