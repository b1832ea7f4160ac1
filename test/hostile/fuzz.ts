import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readMetrics } from '../support/read-metrics.ts';
import { createWorkers, type Finding, type Worker } from './fuzz/workers.ts';
import { startBystander } from './target/bystander.ts';
import { openPrepared } from './target/prepare.ts';
import { send } from './target/send.ts';

/** `npm run fuzz -- --seconds 600 --seed 7`: random documents, bytes and faults against the whole product. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    // On a busy machine the same work blocks the event loop for longer.
    'held-ms': { type: 'string', default: '250' },
  },
});
const mostHeldMs = Number(values['held-ms']);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const endAt = performance.now() + Number(values.seconds) * 1_000;
/** The maximum growth of caches, which have bounds of their own. */
const GROWTH_BYTES = 64 * 1024 * 1024;
say(`seed ${seed}`);

const problems: string[] = [];
let requests = 0;
const prepared = await openPrepared({
  CROSSBOOK_PROVIDER_DEADLINE_MS: '5000',
  CROSSBOOK_HEADERS_TIMEOUT_MS: '2000',
  CROSSBOOK_REQUEST_TIMEOUT_MS: '3000',
});
const { target, judge } = prepared;
const workers = createWorkers(prepared, seed);
// After this, one-time compilation is done: it no longer adds memory or blocks the event loop.
let isWarm = false;
await Promise.all(workers.map((worker) => run(worker, performance.now() + 5_000)));
isWarm = true;
const before = await collect();
const bystander = startBystander(target);
await Promise.all(workers.map((worker) => run(worker, endAt)));
const { served, failures } = await bystander.stop();
problems.push(...failures.map((failure) => `another application was not served: ${failure}`));
if (target.isAlive()) {
  const after = await collect();
  say(
    `${requests} requests, ${served} of another application; memory ${toMegabytes(before)} → ${toMegabytes(after)} MB`,
  );
  if (after - before > GROWTH_BYTES)
    problems.push(`Memory has grown by ${toMegabytes(after - before)} MB, and stays.`);
  problems.push(...(await findHeld()));
}
const code = await target.close();
if (code !== 0)
  problems.push(`The product ended with ${code}: ${target.product.complaints().slice(0, 500)}`);
const leaks = target.product.lines().filter((line) => judge.findSecret(line));
problems.push(...leaks.map((line) => `a secret in the log: ${line}`));
say(
  problems.length === 0
    ? 'Nothing wrong.'
    : `${problems.length} PROBLEMS with seed ${seed}:\n${problems.slice(0, 40).join('\n')}`,
);
process.exit(problems.length === 0 ? 0 : 1);

async function run(worker: Worker, until: number): Promise<void> {
  while (performance.now() < until && target.isAlive()) {
    requests += 1;
    const { problems: found, sent } = await worker().catch((error) => ({
      problems: [String(error)],
      sent: {},
    }));
    const loop = await target.monitor.read().catch(() => undefined);
    const heldMs = loop?.longestMs ?? 0;
    // Requests run concurrently: the blocking one is most likely the one that just got its response.
    const late =
      isWarm && heldMs > mostHeldMs ? [`the event loop was held for ${Math.round(heldMs)} ms`] : [];
    if (found.length + late.length > 0) keep({ problems: [...found, ...late], sent });
  }
}

/** Places that are still taken, and bytes that count as unread, seconds after the last request. */
async function findHeld(): Promise<readonly string[]> {
  let held: readonly string[] = [];
  for (let tries = 0; tries < 100; tries++) {
    const numbers = readMetrics((await send(target.url, { method: 'GET', path: '/metrics' })).text);
    const counts = ['crossbook_heavy_requests', 'crossbook_unread_bytes'].flatMap((name) =>
      Object.entries(numbers(name)).map(([labels, count]) => ({
        name: `${name} ${labels}`,
        count,
      })),
    );
    held = counts.filter(({ count }) => count > 0).map(({ name, count }) => `${name}: ${count}`);
    if (held.length === 0 && counts.length > 0) return [];
    await wait(100);
  }
  return [`no request is left, but still: ${held.join('; ')}`];
}

function keep({ problems: found, sent }: Finding): void {
  mkdirSync('test-results', { recursive: true });
  const file = `test-results/fuzz-${seed}-${problems.length}.json`;
  writeFileSync(file, JSON.stringify({ problems: found, sent }, null, 1));
  problems.push(`${found.join('; ').slice(0, 600)} (${file})`);
}

async function collect(): Promise<number> {
  return (await target.monitor.collect()).held;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
