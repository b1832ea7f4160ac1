import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ContenderReady } from '../contenders/serve.ts';
import type { LoadRequest, LoadResult } from '../load/main.ts';
import { toCapacitySection } from '../report/capacity.ts';
import { writeBetweenMarks } from '../report/documents.ts';
import { type Environment, readEnvironment } from '../report/environment.ts';
import { writeResult } from '../report/results.ts';
import { type Crossbook, startCrossbook, toHeaders } from '../support/crossbook.ts';
import { type CrossbookStage, openCrossbookStage } from '../support/crossbook-stage.ts';
import type { Options } from '../support/options.ts';
import { scriptOf } from '../support/paths.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';
import { findPostmaster, readCpuMs } from '../support/processor-time.ts';
import { say, showProgress } from '../support/progress.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';
import { CUSTOMERS, toCustomerRequests } from '../workload/customers.ts';
import { type DayOfCustomer, toRotation } from '../workload/day-of-customer.ts';
import { measureSyncCost, type SyncCost } from './sync.ts';

/**
 * What a request, a webhook delivery and a sync cost: processor time of Crossbook and PostgreSQL, calls to the CRM and
 * transactions, with one, two and four workers at the same rate in total, and with one at twice that rate. Also a mix of
 * requests, whose cost is also predicted from those of its parts. `scale 300`: requests a second in total.
 */
export async function measureScale(options: Options): Promise<void> {
  const { databaseUrl, rest, node, quick } = options;
  if (databaseUrl === undefined) {
    say('scale: skipped, DATABASE_URL names no PostgreSQL server.');
    return;
  }
  const rate = Number(rest[0] ?? RATE);
  const server = { url: databaseUrl, pid: await findPostmaster(databaseUrl) };
  const load = await startProcess<object>({ script: scriptOf('load/main'), node });
  const bench = { ...options, server, load };
  const columns: Column[] = [];
  for (const workers of WORKERS) columns.push(...(await measureColumns(bench, workers, rate)));
  const result: ScaleResult = {
    environment: readEnvironment(node),
    columns,
    bareUpsert: await withDatabase(bench, (url) =>
      measureBareUpsert(bench, { rate, databaseUrl: url }),
    ),
    delivery: await withDatabase(bench, (url) => measureDelivery(bench, url)),
    sync: await measureSyncCost(options, databaseUrl),
  };
  await load.stop();
  writeResult(quick ? 'scale-quick.json' : 'scale.json', `${JSON.stringify(result, null, 1)}\n`);
  showScale(result, quick);
}

/** Prints the tables; those of a complete run are shown in the document. */
export function showScale(result: ScaleResult, isQuick: boolean): void {
  const section = toCapacitySection(result);
  say(section);
  if (!isQuick && writeBetweenMarks(DOCUMENT, 'scale', section)) say(`${DOCUMENT} shows it.`);
}

/** One start of Crossbook, at one rate or two. */
async function measureColumns(
  bench: Bench,
  workers: number,
  rate: number,
): Promise<readonly Column[]> {
  showProgress(`scale: ${workers} workers`);
  return withDatabase(bench, async (databaseUrl) => {
    const stage = await openCrossbookStage({ node: bench.node, workers, databaseUrl });
    const all = toCustomerRequests(stage.crossbook);
    const cases = { ...all, mix: toRotation(all) };
    for (const requests of Object.values(cases)) await warmUp(bench, stage.crossbook, requests);
    const columns: Column[] = [];
    for (const perSecond of workers === 1 ? [2 * rate, rate] : [rate]) {
      const costs: Record<string, RequestCost> = {};
      for (const [name, requests] of Object.entries(cases)) {
        showProgress(`scale: ${workers} workers, ${perSecond}/s, ${name}`);
        costs[name] = await measure(bench, { stage, databaseUrl, requests, perSecond });
      }
      columns.push({ workers, perSecond, costs: costs as Column['costs'], idle: NOTHING });
    }
    showProgress(`scale: ${workers} workers, idle`);
    const idle = await measureIdle(bench, stage.crossbook);
    await stage.close();
    return columns.map((column) => ({ ...column, idle }));
  });
}

async function withDatabase<T>(
  { server }: Bench,
  work: (databaseUrl: string) => Promise<T>,
): Promise<T> {
  const database = await openTemporaryDatabase(server.url);
  try {
    return await work(database.url);
  } finally {
    await database.drop();
  }
}

/** As fast as it can: what V8 compiles is compiled. */
async function warmUp(
  { load, warmUps }: Bench,
  { url }: Pick<Crossbook, 'url'>,
  requests: readonly LoadRequest[],
): Promise<void> {
  const seconds = WARM_UP_SECONDS * Math.min(1, warmUps / 10);
  await load.call<LoadResult>('run', { url, connections: CONNECTIONS, seconds, requests });
}

async function measure(bench: Bench, work: Work): Promise<RequestCost> {
  const { stage, databaseUrl, requests, perSecond } = work;
  const { crossbook, upstream } = stage;
  const seconds = bench.seconds * 2;
  const before = readProcessors(bench, crossbook);
  const callsBefore = await upstream.call<number>('calls');
  const transactions = countTransactions(bench.server.url, databaseUrl, seconds);
  const { answers, p99 } = await bench.load.call<LoadResult>('run', {
    url: crossbook.url,
    connections: CONNECTIONS,
    seconds,
    requests,
    perSecond,
  });
  const spent = since(bench, crossbook, before);
  return {
    product: spent.product / answers,
    postgres: spent.postgres / answers,
    calls: ((await upstream.call<number>('calls')) - callsBefore) / answers,
    transactions: (await transactions) / (answers / seconds),
    p99,
  };
}

/**
 * Transactions a second of that database, during the load: a connection reports them once a second, so that the first and
 * the last second are left out.
 */
async function countTransactions(
  serverUrl: string,
  databaseUrl: string,
  seconds: number,
): Promise<number> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const read = async () => {
    const { rows } = await client.query(
      'select xact_commit::float8 as count from pg_stat_database where datname = $1',
      [new URL(databaseUrl).pathname.slice(1)],
    );
    return Number(rows[0].count);
  };
  const edge = Math.min(1_200, seconds * 250);
  await sleep(edge);
  const first = await read();
  const from = performance.now();
  await sleep(seconds * 1_000 - 2 * edge);
  const count = (await read()) - first;
  const took = (performance.now() - from) / 1_000;
  await client.end();
  return count / took;
}

async function measureIdle(bench: Bench, crossbook: Crossbook): Promise<Cost> {
  await sleep(1_000);
  const seconds = bench.seconds * 2;
  const before = readProcessors(bench, crossbook);
  await sleep(seconds * 1_000);
  const { product, postgres } = since(bench, crossbook, before);
  return { product: product / seconds, postgres: postgres / seconds };
}

/** Node's HTTP server and one statement for each request: what the figures of another machine can be compared with. */
async function measureBareUpsert(
  bench: Bench,
  { rate, databaseUrl }: BareUpsert,
): Promise<readonly BareCost[]> {
  const bare = await startProcess<ContenderReady>({
    script: scriptOf('contenders/bare-upsert'),
    args: [databaseUrl, '10'],
    node: bench.node,
  });
  const requests = CUSTOMERS.map((customerId) => ({
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customerId }),
  }));
  const { url } = bare.ready;
  await warmUp(bench, { url }, requests);
  const costs: BareCost[] = [];
  for (const perSecond of [2 * rate, rate]) {
    showProgress(`scale: a bare upsert, ${perSecond}/s`);
    const before = readProcessors(bench, bare);
    const { answers } = await bench.load.call<LoadResult>('run', {
      url,
      connections: CONNECTIONS,
      seconds: bench.seconds * 2,
      requests,
      perSecond,
    });
    const { product, postgres } = since(bench, bare, before);
    costs.push({ perSecond, product: product / answers, postgres: postgres / answers });
  }
  await bare.stop();
  return costs;
}

/** What a delivery to a webhook endpoint costs: upserts with and without one. */
async function measureDelivery(bench: Bench, databaseUrl: string): Promise<Cost> {
  // Only outside of production may an endpoint be on this machine.
  const env = { DATABASE_URL: databaseUrl, NODE_ENV: 'development' };
  const crossbook = await startCrossbook({ node: bench.node, env });
  const { upsert: requests } = toCustomerRequests(crossbook);
  let received = 0;
  const endpoint = createServer((request, response) => {
    request.resume();
    received += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const run = async () => {
    const before = readProcessors(bench, crossbook);
    const seconds = bench.seconds * 2;
    const load = { url: crossbook.url, connections: CONNECTIONS, perSecond: DELIVERIES };
    const { answers } = await bench.load.call<LoadResult>('run', { ...load, seconds, requests });
    return { answers, spent: () => since(bench, crossbook, before) };
  };
  showProgress('scale: webhook deliveries');
  await warmUp(bench, crossbook, requests);
  const without = await run();
  const bare = without.spent();
  const { port } = endpoint.address() as AddressInfo;
  await createEndpoint(crossbook, `http://127.0.0.1:${port}/`);
  const drain = async () => {
    for (let seen = -1; seen !== received; await sleep(DRAINED_MS)) seen = received;
  };
  await run();
  await drain();
  received = 0;
  const subscribed = await run();
  await drain();
  const all = subscribed.spent();
  endpoint.closeAllConnections();
  endpoint.close();
  await crossbook.stop();
  // An upsert that comes after another one with the same name records no event.
  if (received < subscribed.answers / 2)
    throw new Error(`${received} events of ${subscribed.answers} upserts were delivered.`);
  const extra = (name: keyof Cost) =>
    (all[name] - (bare[name] / without.answers) * subscribed.answers) / received;
  return { product: extra('product'), postgres: extra('postgres') };
}

async function createEndpoint(crossbook: Crossbook, url: string): Promise<void> {
  const query =
    'mutation ($url: String!) { createWebhookEndpoint(input: { url: $url }) { clientMutationId } }';
  const response = await fetch(`${crossbook.url}/graphql`, {
    method: 'POST',
    headers: toHeaders(crossbook, 'demo'),
    body: JSON.stringify({ query, variables: { url } }),
  });
  const { errors } = (await response.json()) as { errors?: unknown };
  if (errors) throw new Error(`There is no endpoint: ${JSON.stringify(errors)}`);
}

function readProcessors({ server }: Bench, { pid }: Pick<Crossbook, 'pid'>): Cost {
  return { product: readCpuMs(pid), postgres: readCpuMs(server.pid) };
}

function since(bench: Bench, process: Pick<Crossbook, 'pid'>, before: Cost): Cost {
  const now = readProcessors(bench, process);
  return { product: now.product - before.product, postgres: now.postgres - before.postgres };
}

const WORKERS = [1, 2, 4];
const RATE = 300;
const DELIVERIES = 100;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
const DRAINED_MS = 1_000;
const NOTHING: Cost = { product: 0, postgres: 0 };
const DOCUMENT = 'docs/performance.md';

/** Milliseconds of a processor. */
export interface Cost {
  readonly product: number;
  /** Of all processes of the server. */
  readonly postgres: number;
}

export interface RequestCost extends Cost {
  /** To the CRM. */
  readonly calls: number;
  readonly transactions: number;
  readonly p99: number;
}

interface BareCost extends Cost {
  readonly perSecond: number;
}

export interface Column {
  readonly workers: number;
  /** Of all workers together. */
  readonly perSecond: number;
  readonly costs: Readonly<
    Record<keyof DayOfCustomer['requests'] | 'searchOfOne' | 'mix', RequestCost>
  >;
  /** A second without requests. */
  readonly idle: Cost;
}

export interface ScaleResult {
  readonly environment: Environment;
  readonly columns: readonly Column[];
  readonly bareUpsert: readonly BareCost[];
  readonly delivery: Cost;
  readonly sync: SyncCost;
}

interface Bench extends Options {
  readonly server: { readonly url: string; readonly pid: number };
  readonly load: BenchProcess<object>;
}

interface BareUpsert {
  readonly rate: number;
  readonly databaseUrl: string;
}

interface Work {
  readonly stage: CrossbookStage;
  readonly databaseUrl: string;
  readonly requests: readonly LoadRequest[];
  readonly perSecond: number;
}
