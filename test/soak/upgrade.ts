import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { findFreePorts } from '../support/free-ports.ts';
import { PREVIOUS, unpackVersion } from '../support/previous-version.ts';
import { spawnProduct, startProduct } from '../support/start-product.ts';
import { openCluster } from './cluster.ts';
import { fillTables } from './fill-tables.ts';
import { type Answer, type OutageLoad, startOutageLoad } from './outage-load.ts';

/**
 * `npm run upgrade`: the previous version serves requests while this one migrates a large database alongside a long
 * reader, and afterwards both serve. Prints the slowest wait for a lock and what was refused.
 */
const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    deliveries: { type: 'string', default: '100000' },
    reader: { type: 'string', default: '25' },
    rate: { type: 'string', default: '40' },
  },
});
const MAX_WAIT_MS = 2_000;
const SAMPLE_MS = 20;
const BOTH_MS = 5_000;

if (!PREVIOUS) throw new Error('The previous version is not in this clone: fetch its history.');
const previous = unpackVersion(PREVIOUS);
const cluster = await openCluster({
  max_connections: '60',
  max_wal_size: '8GB',
  shared_buffers: '1GB',
});
const data = mkdtempSync(join(tmpdir(), 'crossbook-upgrade-'));
const env = {
  PATH: process.env['PATH'] ?? '',
  DATABASE_URL: cluster.url,
  CROSSBOOK_KEYS: `k:${Buffer.alloc(32, 'k').toString('base64')}`,
  CROSSBOOK_DATA: data,
  LOG_LEVEL: 'error',
};
/** Those of the pool: migrations have connections of another name. */
const WAITING = `select pid || ' ' || query_start as statement from pg_stat_activity
where application_name = 'crossbook' and wait_event_type = 'Lock'`;
const stopping: (() => Promise<unknown> | undefined)[] = [];

async function measure(): Promise<boolean> {
  say(`previous version: ${PREVIOUS}`);
  execFileSync(process.execPath, ['build/ensure.mjs'], { cwd: previous.folder, stdio: 'ignore' });
  run(previous.folder, 'migrate');
  const customers = Number(values.customers);
  await fillTables(cluster.url, { customers, deliveries: Number(values.deliveries) });
  const [{ size }] = await query(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  say(`${customers} customers, ${size}`);
  const { id } = JSON.parse(run(previous.folder, 'apps', 'create', 'load', '--json'));
  const { key } = JSON.parse(run(previous.folder, 'keys', 'create', id, '--json'));

  const sandboxPort = String(await findFreePorts());
  const old = await startProduct(
    { ...env, CROSSBOOK_SANDBOX: 'on', CROSSBOOK_SANDBOX_PORT: sandboxPort },
    [],
    join(previous.folder, 'dist/main.js'),
  );
  stopping.push(old.stop);
  await holdDemo();
  const load = startOutageLoad(old, Number(values.rate));
  const waits = await watchLocks();
  await wait(2_000);
  const reader = read(Number(values.reader) * 1_000);
  const began = performance.now();
  await migrate();
  const migrationMs = performance.now() - began;
  await reader;

  const port = String(await findFreePorts());
  const child = spawnProduct({ ...env, PORT: port, CROSSBOOK_SANDBOX: 'off' });
  stopping.push(() => (child.kill('SIGTERM') ? once(child, 'exit') : undefined));
  const young = {
    ...old,
    url: `http://127.0.0.1:${port}`,
    headers: { 'content-type': 'application/json', 'x-api-key': key as string },
  };
  await untilReady(young.url);
  const both = startOutageLoad(young, Number(values.rate), 'upserts');
  await wait(BOTH_MS);
  await Promise.all([load.stop(), both.stop()]);
  const slowestWaitMs = await waits.stop();

  const answers = [...load.answers, ...both.answers];
  const refused = answers.filter(({ status }) => status !== 200);
  const acknowledged = [...load.acknowledged, ...both.acknowledged];
  const [{ count: written }] = await query(
    'select count(*)::int from crossbook.customers where customer_id = any ($1)',
    [acknowledged],
  );
  const rows: readonly (readonly [string, string])[] = [
    ['migrations, alongside the reader', toSeconds(migrationMs)],
    ['requests to the previous version', String(load.answers.length)],
    ['requests to this version', String(both.answers.length)],
    ['refused', `${refused.length} ${describeStatuses(refused)}`],
    ['slowest request, to the previous version and to this one', describeSlowest(load, both)],
    ['slowest wait of a statement for a lock', toSeconds(slowestWaitMs)],
    ['upserts acknowledged, and found', `${acknowledged.length}, ${written}`],
  ];
  for (const [name, text] of rows) say(`| ${name} | ${text} |`);
  return refused.length === 0 && slowestWaitMs <= MAX_WAIT_MS && written === acknowledged.length;
}

/** The longest time that a statement of the product was seen to wait for a lock. */
async function watchLocks() {
  const client = await connect();
  let slowest = 0;
  let isOver = false;
  const watching = (async () => {
    const since = new Map<string, number>();
    while (!isOver) {
      const { rows } = await client.query(WAITING);
      const now = performance.now();
      const seen = new Set(rows.map(({ statement }) => statement as string));
      for (const statement of since.keys()) if (!seen.has(statement)) since.delete(statement);
      for (const statement of seen) {
        if (!since.has(statement)) since.set(statement, now);
        slowest = Math.max(slowest, now - (since.get(statement) ?? now) + SAMPLE_MS);
      }
      await wait(SAMPLE_MS);
    }
  })();
  return {
    async stop(): Promise<number> {
      isOver = true;
      await watching;
      await client.end();
      return slowest;
    },
  };
}

/**
 * Keeps the demo's data from being deleted by a process without the sandbox, in place of the previous version, whose
 * session keeps a snapshot, for which CREATE INDEX CONCURRENTLY would wait.
 */
async function holdDemo(): Promise<void> {
  const client = await connect();
  stopping.push(() => client.end());
  await client.query('begin');
  await client.query(
    `select pg_advisory_xact_lock_shared(hashtextextended('crossbook:demo data', 0))`,
  );
  await query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'crossbook sandbox'`,
  );
}

/** Holds a lock on every table, as a report or a dump does. */
async function read(ms: number): Promise<void> {
  const client = await connect();
  await client.query('begin isolation level repeatable read');
  const { rows } = await client.query(
    `select tablename from pg_tables where schemaname = 'crossbook'`,
  );
  for (const { tablename } of rows)
    await client.query(`select from crossbook.${tablename} limit 1`);
  await wait(ms);
  await client.query('commit');
  await client.end();
}

async function migrate(): Promise<void> {
  const child = spawn('dist/crossbook', ['migrate'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The migration ended with ${code}.`);
}

function run(folder: string, ...args: readonly string[]): string {
  return execFileSync(join(folder, 'dist/crossbook'), args, { env, encoding: 'utf8' });
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await wait(50);
  }
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(cluster.url);
  await client.connect();
  return client;
}

async function query(text: string, parameters: readonly unknown[] = []) {
  const client = await connect();
  try {
    return (await client.query(text, [...parameters])).rows;
  } finally {
    await client.end();
  }
}

function describeStatuses(refused: readonly Answer[]): string {
  return [...new Set(refused.map(({ status }) => status))].join(', ');
}

function describeSlowest(...loads: readonly OutageLoad[]): string {
  return loads.map(({ answers }) => toSeconds(Math.max(...answers.map(({ ms }) => ms)))).join(', ');
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = (await measure()) ? 0 : 1;
} finally {
  for (const stop of stopping.reverse()) await stop();
  cluster.close();
  previous.remove();
  rmSync(data, { recursive: true, force: true });
}
