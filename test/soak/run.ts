import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePorts } from '../support/free-ports.ts';
import { type Product, startProduct } from '../support/product.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { startFaults } from './faults.ts';
import { startLoad, type Tally } from './load.ts';
import { type Accounts, createOperations, toUpsert } from './operations.ts';
import { openDatabase } from './outage.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '300' },
  },
});
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);

/** Longer than a pooled connection is kept. */
const QUIET_MS = 35_000;
/** Longer than any is kept alive. */
const PATIENCE_SECONDS = 80;

/** Everything goes wrong that can, for minutes: and then nothing is wrong, nothing is left, nothing was said that is false. */
const data = mkdtempSync(join(tmpdir(), 'crossbook-soak-'));
const database = await openDatabase(process.env['TEST_DATABASE_URL']);
const port = await findFreePorts();
const product = await startProduct(
  {
    ...{ CROSSBOOK_DATA: data, CROSSBOOK_SANDBOX_PORT: String(port), LOG_LEVEL: 'error' },
    ...{ CROSSBOOK_PROVIDER_DEADLINE_MS: '5000', ...(database && { DATABASE_URL: database.url }) },
  },
  ['--expose-gc', '--import', './test/soak/preload.mjs'],
);
const problems: string[] = [];
try {
  await soak(product);
} finally {
  const code = await product.stop();
  if (code !== 0) problems.push(`The product ended with ${code}.`);
  await database?.drop();
  rmSync(data, { recursive: true, force: true });
}
const unhandled = [product.complaints(), ...product.lines()].filter((text) => text !== '');
if (unhandled.length > 0) problems.push(`${unhandled.length} unhandled: ${unhandled[0]?.slice(0, 2_000)}`);
say(problems.length === 0 ? 'Nothing wrong, nothing left.' : `NOT WELL:\n${problems.join('\n')}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function soak(running: Product): Promise<void> {
  const faults = await startFaults({ port, countCalls: () => countCalls(running) });
  const [hubspot, salesforce] = faults.accounts as Accounts[keyof Accounts][];
  if (!hubspot || !salesforce) throw new Error('The sandbox is off.');
  const accounts = { hubspot, salesforce };
  for (let n = 0; n < 20; n++) await upsert(running, accounts, `soak-${n}`);
  const load = () => startLoad({ ...running, operations: createOperations(accounts), perSecond });

  const warmUp = load();
  await wait(Math.max(10, seconds / 6) * 1_000);
  await warmUp.stop();
  await wait(QUIET_MS);
  const before = await measure(running);

  const real = load();
  await wait((seconds / 2) * 1_000);
  await database?.cut();
  say(database ? 'Every connection to the database was ended.' : 'On the embedded database: no outage.');
  await wait((seconds / 2) * 1_000);
  await real.stop();
  await faults.stop();
  report(real.tally);
  const isClosed = await closesAllBut(before.descriptors + 5, running);
  if (!isClosed) problems.push('Descriptors are left.');
  compare(before, await measure(running));
}

function report({ right, codes, wrong, skipped }: Tally): void {
  say(`${right} right, ${JSON.stringify(codes)}, ${skipped} not sent, ${wrong.length} wrong`);
  if (wrong.length > 0) problems.push(`${wrong.length} wrong answers: ${wrong.slice(0, 3).join('\n')}`);
  const said = Object.values(codes).reduce((sum, count) => sum + count, 0);
  if (right < said) problems.push('More was refused than answered: the CRMs fail in one call of ten.');
}

function compare(before: Measures, after: Measures): void {
  const growth = after.held / before.held - 1;
  say(
    `memory ${toMegabytes(before.held)} → ${toMegabytes(after.held)} MB, descriptors ${before.descriptors} → ${after.descriptors}`,
  );
  if (growth > 0.1) problems.push(`Memory has grown by ${Math.round(growth * 100)} %.`);
}

/** Sockets that nobody uses any more are kept for a while, as long as the other side offers. */
async function closesAllBut(count: number, { child }: Product): Promise<boolean> {
  for (let left = PATIENCE_SECONDS; left > 0; left--) {
    if (countDescriptors(child.pid) <= count) return true;
    await wait(1_000);
  }
  return false;
}

async function measure({ child }: Product): Promise<Measures> {
  child.send('measure');
  const [{ held }] = (await once(child, 'message')) as [{ held: number }];
  return { held, descriptors: countDescriptors(child.pid) };
}

function countDescriptors(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function countCalls({ url }: Product): Promise<Record<string, number>> {
  const read = readMetrics(await (await fetch(`${url}/metrics`)).text());
  const calls: Record<string, number> = {};
  for (const [labels, count] of Object.entries(read('crossbook_provider_calls_total'))) {
    const provider = /provider="(\w+)"/.exec(labels)?.[1] ?? '';
    calls[provider] = (calls[provider] ?? 0) + count;
  }
  return calls;
}

async function upsert({ url, headers }: Product, accounts: Accounts, customerId: string): Promise<void> {
  const { method, path, body } = toUpsert(customerId, accounts);
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Measures {
  readonly held: number;
  readonly descriptors: number;
}
