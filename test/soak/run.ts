import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePorts } from '../support/free-ports.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { MEASURABLE, type Product, startProduct } from '../support/start-product.ts';
import { startFaults } from './faults.ts';
import { type Interrupted, interrupt } from './interrupt.ts';
import { createJudge, type Tally } from './judge.ts';
import { startLoad } from './load.ts';
import { closesAllBut, countDescriptors, measureMemory } from './measure.ts';
import { type Accounts, createOperations, toUpsert } from './operations.ts';
import { openDatabase } from './outage.ts';
import { openRedis } from './redis.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '300' },
  },
});
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);

const ROOM = 1_000;
const WARM_UP_MS = 20_000;
/** Longer than the last requests take. */
const SETTLE_MS = 6_000;
const AWAY_MS = Math.min(20_000, (seconds / 12) * 1_000);
/** A request can be coalesced with an earlier one that failed while the database was away. */
const GRACE_MS = 5_000;
/** Depends on whether the database was already used when the product became ready. */
const MORE_DESCRIPTORS = 5;

/**
 * Injects every fault for minutes, and then verifies that the product recovered, leaked nothing and gave no wrong
 * response.
 */
const data = mkdtempSync(join(tmpdir(), 'crossbook-soak-'));
const [database, redis] = [await openDatabase(process.env['TEST_DATABASE_URL']), await openRedis()];
if (!database)
  say('TEST_DATABASE_URL names no server: on the embedded database, which nobody can stop.');
if (!redis) say('There is no redis-server on the path: without a Redis.');
const port = await findFreePorts();
const product = await startProduct(
  {
    CROSSBOOK_DATA: data,
    CROSSBOOK_SANDBOX_PORT: String(port),
    LOG_LEVEL: 'error',
    CROSSBOOK_PROVIDER_DEADLINE_MS: '5000',
    CROSSBOOK_HEADERS_TIMEOUT_MS: '20000',
    CROSSBOOK_REQUEST_TIMEOUT_MS: '30000',
    CROSSBOOK_SHUTDOWN_MS: '20000',
    ...(database && { DATABASE_URL: database.url, CROSSBOOK_SANDBOX: 'on' }),
    ...(redis && { REDIS_URL: redis.url }),
  },
  MEASURABLE,
);
const problems: string[] = [];
try {
  await soak(product);
} catch (error) {
  // What the product itself says comes with it.
  problems.push(String(error));
} finally {
  const code = await product.stop();
  if (code !== 0) problems.push(`The product ended with ${code}.`);
  await Promise.all([database?.drop(), redis?.stop()]);
  rmSync(data, { recursive: true, force: true });
}
const unhandled = [product.complaints(), ...product.lines()].filter((text) => text !== '');
if (unhandled.length > 0)
  problems.push(`${unhandled.length} unhandled: ${unhandled[0]?.slice(0, 2_000)}`);
say(problems.length === 0 ? 'Nothing wrong, nothing left.' : `NOT WELL:\n${problems.join('\n')}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function soak(running: Product): Promise<void> {
  const descriptors = countDescriptors(running);
  const faults = await startFaults({ port, countCalls: () => countCalls(running) });
  const [hubspot, salesforce] = faults.accounts as Accounts[keyof Accounts][];
  if (!hubspot || !salesforce) throw new Error('The sandbox is off.');
  const accounts = { hubspot, salesforce };
  for (let n = 0; n < 20; n++) await upsert(running, accounts, `soak-${n}`);
  let outage: Pick<Interrupted, 'from' | 'to'> | undefined;
  const judge = createJudge(
    ({ sentAt, answeredAt }) =>
      outage !== undefined && answeredAt >= outage.from && sentAt <= outage.to + GRACE_MS,
  );
  const load = () =>
    startLoad({ ...running, operations: createOperations(accounts), perSecond, room: ROOM, judge });

  const warmUp = load();
  await wait(WARM_UP_MS);
  await warmUp.stop();
  await wait(SETTLE_MS);
  await faults.forgetCalls();
  const before = await measureMemory(running);

  const real = load();
  const endAt = performance.now() + seconds * 1_000;
  await wait(seconds * 250);
  if (redis)
    conclude(await interrupt({ ...redis, name: 'Redis', forMs: AWAY_MS, isThere: hasRedis }));
  await wait(endAt - performance.now() - seconds * 500);
  if (database) {
    outage = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    outage = conclude(
      await interrupt({ ...database, name: 'database', forMs: AWAY_MS, isThere: hasDatabase }),
    );
  }
  await wait(endAt - performance.now());
  await real.stop();
  await faults.stop();
  await faults.forgetCalls();
  report(judge.tally);
  const isClosed = await closesAllBut(descriptors + MORE_DESCRIPTORS, running);
  if (!isClosed) problems.push('Descriptors are left.');
  say(`descriptors ${descriptors} → ${countDescriptors(running)}`);
  compare(before, await measureMemory(running));
}

function conclude(interrupted: Interrupted): Interrupted {
  say(interrupted.text);
  problems.push(...interrupted.problems);
  return interrupted;
}

function report({ right, refusals, wrong, skipped }: Tally): void {
  say(`${right} right, ${wrong.length} wrong, ${skipped} not sent`);
  let fromCrms = 0;
  for (const [reason, byOperation] of [...refusals].sort()) {
    const total = [...byOperation.values()].reduce((sum, { count }) => sum + count, 0);
    if (reason.startsWith('REMOTE_')) fromCrms += total;
    const parts = [...byOperation].map(
      ([name, { count, longestMs }]) => `${name} ${count}, ${toSeconds(longestMs)}`,
    );
    say(`${total} ${reason} (${parts.join('; ')})`);
  }
  if (wrong.length > 0) problems.push(`${wrong.length} wrong answers:`, ...wrong.slice(0, 20));
  if (right < fromCrms)
    problems.push('More was refused than answered: the CRMs fail in one call of ten.');
}

function compare(before: number, after: number): void {
  const growth = after / before - 1;
  say(`memory ${toMegabytes(before)} → ${toMegabytes(after)} MB`);
  if (growth > 0.1) problems.push(`Memory has grown by ${Math.round(growth * 100)} %.`);
}

async function hasRedis(): Promise<boolean> {
  return (await readNumbers(product))('crossbook_redis_connected')[''] === 1;
}

async function hasDatabase(): Promise<boolean> {
  const { ok } = (await (await fetch(`${product.url}/readyz`)).json()) as { ok: boolean };
  return ok;
}

async function countCalls(running: Product): Promise<Record<string, number>> {
  const calls: Record<string, number> = {};
  for (const [labels, count] of Object.entries(
    (await readNumbers(running))('crossbook_provider_calls_total'),
  )) {
    const provider = /provider="(\w+)"/.exec(labels)?.[1] ?? '';
    calls[provider] = (calls[provider] ?? 0) + count;
  }
  return calls;
}

async function readNumbers({ url }: Product) {
  return readMetrics(await (await fetch(`${url}/metrics`)).text());
}

async function upsert(
  { url, headers }: Product,
  accounts: Accounts,
  customerId: string,
): Promise<void> {
  const { method, path, body } = toUpsert(customerId, accounts);
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

/** The maximum duration. */
function toSeconds(ms: number): string {
  return `≤ ${(ms / 1_000).toFixed(1)} s`;
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
