import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { recordStatements, type SentStatement } from '../storage/list-statements.ts';
import { openCluster } from './cluster.ts';
import { fillTables } from './fill-tables.ts';

/**
 * `npm run large`: what background jobs and requests send to a large database, and what PostgreSQL reads for each
 * statement (EXPLAIN ANALYZE). Exits with 1 where one reads more pages than its bound.
 */
const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    deliveries: { type: 'string', default: '1000000' },
  },
});
const MAX_PAGES = 100_000;
const KEYS = `k:${Buffer.alloc(32, 'k').toString('base64')}`;
const APPLICATION = '00000000-0000-4000-8000-000000000001';
const BUSY = '00000000-0000-4000-8000-000000000002';

/** Endpoints, one application that syncs, cached contacts and usage. */
const MORE = [
  `insert into crossbook.webhook_endpoints (id, application_id, url, event_types, enabled, sealed_secret, key_id)
  select id, id, 'https://hooks.example', '{}', true, '', 'k' from crossbook.applications`,
  // One endpoint has a backlog, and another one has a few deliveries that came later.
  `insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at)
  select '${BUSY}', id, '${BUSY}', created_at from crossbook.events
  order by created_at limit ${Number(values.deliveries)}`,
  `insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at)
  select application_id, id, application_id, created_at from crossbook.events
  where application_id = '${APPLICATION}' order by created_at desc limit 200`,
  `insert into crossbook.sync_configurations (application_id, provider_name, configuration, version, updated_at)
  values ('${APPLICATION}', 'hubspot', '{"objects": []}', 1, now())`,
  `insert into crossbook.sync_plans (application_id, connection_id, planned_for, due_at)
  select application_id, id, concat_ws(' ', 1, 0, extract(epoch from updated_at), status, credentials_version), now() + interval '1 hour'
  from crossbook.connections where application_id = '${APPLICATION}' and provider_name = 'hubspot'`,
  `insert into crossbook.syncs (application_id, connection_id, kind, object, place, schema_name, table_name, interval_seconds, next_run_at, synced_until)
  select application_id, connection_id, 'common', object, 1, 'public', object, 3600, now() + interval '1 hour', now()
  from crossbook.sync_plans cross join (values ('contacts'), ('companies'), ('deals')) as of (object)`,
  `insert into crossbook.sync_runs (application_id, connection_id, kind, object, started_at, finished_at, is_full, records, deleted)
  select application_id, connection_id, kind, object, at, at, false, 10, 0
  from (select * from crossbook.syncs limit 10000) as sync
  cross join generate_series(now() - interval '29 hours', now(), interval '1 hour') as at`,
  `insert into crossbook.contact_cache (application_id, key_hash, connection_id, sealed, bytes, fetched_at)
  select application_id, md5(id::text), id, repeat('x', 1000), 1000, now() - random() * interval '2 days'
  from crossbook.connections limit 200000`,
  `insert into crossbook.usage (application_id, customer_id, hour, requests, errors, provider_calls, cost)
  select application_id, customer_id, date_trunc('hour', now()) - h * interval '1 hour', 1, 0, 1, 1
  from crossbook.customers cross join generate_series(0, 1) as h`,
];

async function measure(): Promise<boolean> {
  const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: cluster.url, CROSSBOOK_KEYS: KEYS };
  execFileSync('dist/crossbook', ['migrate'], { env, stdio: 'ignore' });
  await fillTables(cluster.url, {
    customers: Number(values.customers),
    events: Number(values.events),
    deliveries: 0,
    keyId: 'k',
    more: MORE,
  });
  const client = new pg.Client(cluster.url);
  await client.connect();
  const { rows } = await client.query(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  say(`${values.customers} customers, ${values.events} events, ${rows[0].size}\n`);
  await sayGrowth(client);
  say(
    '| work | statement begins with | time | rows | pages | plan | most rows by |\n|---|---|---:|---:|---:|---|---|',
  );
  const { openWork } = await bundleWork();
  const opened = await openWork({ url: cluster.url, keys: KEYS, applicationId: APPLICATION });
  let isBounded = true;
  for (const [name, run] of Object.entries(opened.work)) {
    // The texts are not sealed: what opens them fails after its statement.
    const sent = await recordStatements(() => run().catch(() => undefined));
    for (const statement of sent.filter(({ text }) => /crossbook/.test(text))) {
      const { ms, most, pages, kind, how } = await explain(client, statement);
      isBounded &&= pages <= MAX_PAGES;
      say(
        `| ${name} | ${toTitle(statement)} | ${ms.toFixed(1)} ms | ${most} | ${pages} | ${kind} | ${how} |`,
      );
    }
  }
  await opened.close();
  await client.end();
  return isBounded;
}

/** What a row of each table takes, with its indexes. */
async function sayGrowth(client: pg.Client): Promise<void> {
  say('| table | rows | bytes of a row | of these in indexes |\n|---|---:|---:|---:|');
  const { rows: tables } = await client.query(
    `select relname as name, pg_total_relation_size(oid) as bytes, pg_indexes_size(oid) as indexes
    from pg_class where relnamespace = 'crossbook'::regnamespace and relkind = 'r' order by bytes desc`,
  );
  for (const { name, bytes, indexes } of tables) {
    const { rows } = await client.query(`select count(*)::float8 as count from crossbook.${name}`);
    const { count } = rows[0];
    if (count < 1_000) continue;
    say(`| ${name} | ${count} | ${Math.round(bytes / count)} | ${Math.round(indexes / count)} |`);
  }
  say('');
}

/**
 * In a transaction that is rolled back, and executed twice: the second execution finds the pages in memory. It is prepared
 * and planned as often as it takes PostgreSQL to decide whether it keeps one plan for all values (a generic plan).
 */
async function explain(client: pg.Client, { text, values: given }: SentStatement) {
  const execute = `execute explained${given.length > 0 ? `(${given.map(toLiteral).join(', ')})` : ''}`;
  await client.query(`prepare explained as ${text}`);
  for (let time = 0; time < 6; time += 1) await client.query(`explain ${execute}`);
  let plan: Plan = {};
  let ms = 0;
  for (let time = 0; time < 2; time += 1) {
    await client.query('begin');
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${execute}`);
    await client.query('rollback');
    const [explained] = rows[0]['QUERY PLAN'];
    plan = explained.Plan;
    ms = explained['Execution Time'];
  }
  const { rows: kinds } = await client.query(
    "select generic_plans > 0 as generic from pg_prepared_statements where name = 'explained'",
  );
  await client.query('deallocate explained');
  const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  const [largest] = listParts(plan)
    .filter((part) => part['Relation Name'])
    .sort((a, b) => countRows(b) - countRows(a));
  return {
    ms,
    pages,
    most: Math.max(...listParts(plan).map(countRows)),
    kind: kinds[0].generic ? 'generic' : 'custom',
    how: largest
      ? `${largest['Node Type']}, ${largest['Index Name'] ?? largest['Relation Name']}`
      : '',
  };
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return toLiteral(value.toISOString());
  if (Array.isArray(value))
    return toLiteral(`{${value.map((one) => JSON.stringify(one)).join(',')}}`);
  return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function listParts(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(listParts)];
}

/** The rows that a part of the plan has read, including those that it did not use. */
function countRows(plan: Plan): number {
  const unused = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  return ((plan['Actual Rows'] ?? 0) + unused) * (plan['Actual Loops'] ?? 1);
}

interface Plan {
  readonly 'Node Type'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Plan[];
}

function toTitle({ text }: SentStatement): string {
  return `\`${text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', ' ').slice(0, 50)}\``;
}

async function bundleWork(): Promise<WorkModule> {
  const installed = pathToFileURL(join(process.cwd(), 'build/installed.mjs')).href;
  const { INSTALLED } = await import(installed);
  const outfile = join(folder, 'work.mjs');
  buildSync({
    entryPoints: ['test/storage/large-work.ts'],
    outfile,
    bundle: true,
    external: INSTALLED,
    format: 'esm',
    platform: 'node',
  });
  return import(pathToFileURL(outfile).href);
}

interface WorkModule {
  openWork(opening: {
    readonly url: string;
    readonly keys: string;
    readonly applicationId: string;
  }): Promise<{
    readonly work: Readonly<Record<string, () => Promise<unknown>>>;
    close(): Promise<void>;
  }>;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const cluster = await openCluster({
  max_wal_size: '8GB',
  shared_buffers: '1GB',
  fsync: 'off',
  full_page_writes: 'off',
});
const folder = join(process.cwd(), 'test-results', `large-${process.pid}`);
try {
  process.exitCode = (await measure()) ? 0 : 1;
} finally {
  cluster.close();
  rmSync(folder, { recursive: true, force: true });
}
