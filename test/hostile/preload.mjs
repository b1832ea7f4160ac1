/**
 * Loaded into the product before it starts: tells the test, over IPC, how long its event loop was held and what it holds.
 * And it closes listeners, so that another process can be the CRMs: nothing but its own sandbox's address may be on loopback.
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

// A process that other processes keep from running is late too: only what its thread has spent itself counts as held.
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
  // To collect holds the loop as well: that is not what is asked for.
  last = look();
  histogram.reset();
  heldMs = 0;
  process.send(loop);
});
process.channel?.unref();

function look() {
  return { at: performance.now(), spent: readSpent() };
}

/** In milliseconds. Linux keeps it for each thread. */
function readOfThread() {
  return Number(readFileSync(OWN_TIME, 'latin1').split(' ')[0]) / 1e6;
}

/** All threads together, so that some of it may have been beside the loop. */
function readOfProcess() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
