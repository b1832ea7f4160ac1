/**
 * Preloaded into the product: reports over IPC the longest piece of work of its event loop, and how much memory it
 * holds. It also closes listeners, so that another process can take the ports of the CRMs: the product accepts no other
 * loopback address than its own sandbox's.
 */
import { Server } from 'node:net';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

const histogram = monitorEventLoopDelay({ resolution: 10 });
histogram.enable();

/** Pauses of the garbage collector, which are no work of a piece. They are reported some time after they end. */
const pauses = [];
const observer = new PerformanceObserver((list) => keep(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });
const keep = (entries) => {
  for (const { startTime, duration } of entries)
    pauses.push({ from: startTime, to: startTime + duration });
};

/** Pieces of some length: short ones are not looked at. */
let pieces = [];

let since = now();
// An immediate in each iteration of the loop: between two of them there is what one iteration does.
function look() {
  const at = now();
  // A process that gets no processor time is late too, and other threads work meanwhile: the less of both counts.
  const ms = Math.min(at.wall - since.wall, at.spent - since.spent);
  if (ms > SHORT_MS) pieces.push({ from: since.wall, to: at.wall, ms });
  since = now();
  setImmediate(look).unref();
}
setImmediate(look).unref();

function now() {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), spent: (user + system) / 1_000 };
}

/** The longest piece since the last reading, without garbage collection. */
function readLongest() {
  keep(observer.takeRecords());
  let longest = 0;
  for (const { from, to, ms } of pieces) {
    const collected = pauses.reduce(
      (sum, pause) => sum + Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)),
      0,
    );
    longest = Math.max(longest, ms - collected);
  }
  pieces = [];
  pauses.splice(0);
  return longest;
}

/** What the machine does in the time that a piece has, as long as nothing else runs: strings, objects and maps. */
function calibrate() {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const before = now();
    let sum = 0;
    for (let n = 0; n < 32_000; n += 1) {
      const text = `name${n % 1_000}`;
      const seen = new Map();
      for (let at = 0; at < text.length; at += 1) seen.set(text[at], { at, text });
      for (const { at } of seen.values()) sum += text.charCodeAt(at);
    }
    const after = now();
    if (sum > 0) least = Math.min(least, after.wall - before.wall, after.spent - before.spent);
  }
  return least;
}

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
  // Garbage collections are observed a moment after they end.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const loop = {
    longestMs: readLongest(),
    lateMs: histogram.max / 1e6,
    rss: process.memoryUsage.rss(),
  };
  if (ask === 'calibrate') loop.calibrationMs = calibrate();
  if (ask === 'collect') {
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    Object.assign(loop, { held: heapUsed + external });
  }
  pieces = [];
  since = now();
  histogram.reset();
  process.send(loop);
});
process.channel?.unref();

const SHORT_MS = 5;
