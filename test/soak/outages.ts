import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { findFreePorts } from '../support/free-ports.ts';
import { startProduct } from '../support/start-product.ts';
import { openCluster } from './cluster.ts';
import { type Answer, measureReturn, startOutageLoad } from './outage-load.ts';
import { openRedis } from './redis.ts';

/** `npm run outages`: each outage of PostgreSQL and Redis under load, and a row with what clients saw meanwhile. */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string' } },
});
const PER_SECOND = 40;
const REFUSED_P99_MS = 1_000;
/** The time until the outage is detected. */
const GRACE_MS = 3_000;

const cluster = await openCluster({ max_connections: '30' });
const redis = await openRedis();
if (!redis) throw new Error('There is no redis-server on the path.');
const data = mkdtempSync(join(tmpdir(), 'crossbook-outages-'));
const product = await startProduct({
  DATABASE_URL: cluster.url,
  REDIS_URL: redis.url,
  CROSSBOOK_SANDBOX: 'on',
  CROSSBOOK_DATA: data,
  CROSSBOOK_SANDBOX_PORT: String(await findFreePorts()),
  LOG_LEVEL: 'error',
  CROSSBOOK_PROVIDER_DEADLINE_MS: '10000',
});

const connect = async () => {
  const client = new pg.Client(cluster.url);
  client.on('error', () => undefined);
  await client.connect();
  return client;
};
const query = async (text: string, parameters: readonly unknown[] = []) => {
  const client = await connect();
  try {
    return (await client.query(text, [...parameters])).rows;
  } finally {
    await client.end();
  }
};
const setReadOnly = async (value: string) => {
  await query(`alter system set default_transaction_read_only = ${value}`);
  await query('select pg_reload_conf()');
};
const OTHERS = `from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`;
const held: pg.Client[] = [];
const release = async () => void (await Promise.all(held.splice(0).map((client) => client.end())));

/** How it begins and ends, and whether the process stays ready meanwhile (undefined: either). */
const OUTAGES: readonly Outage[] = [
  { name: 'stopped', begin: cluster.stop, end: cluster.start },
  { name: 'frozen', begin: cluster.freeze, end: cluster.thaw },
  {
    name: 'crashed',
    async begin() {
      const [row] = await query(`select pid ${OTHERS} limit 1`);
      process.kill(row.pid, 'SIGKILL');
    },
  },
  { name: 'restarted', begin: cluster.restart },
  {
    name: 'connections killed',
    async begin() {
      for (let n = 0; n < 10; n++) await query(`select pg_terminate_backend(pid) ${OTHERS}`);
    },
  },
  {
    name: 'connections exhausted',
    async begin() {
      for (;;) {
        const client = await connect().catch(() => undefined);
        if (!client) return;
        held.push(client);
      }
    },
    end: release,
  },
  {
    name: 'table locked',
    async begin() {
      const client = await connect();
      held.push(client);
      await client.query('begin; lock table crossbook.customers');
    },
    end: release,
  },
  { name: 'read-only', begin: () => setReadOnly('on'), end: endReadOnly },
  { name: 'Redis killed', begin: redis.stop, end: redis.start, isRight: true },
  { name: 'Redis frozen', begin: redis.freeze, end: redis.thaw, isRight: true },
];

async function endReadOnly(): Promise<void> {
  const client = await connect();
  await client.query('set default_transaction_read_only = off');
  await client.query('alter system reset default_transaction_read_only');
  await client.query('select pg_reload_conf()');
  await client.end();
}

let isWell = true;
try {
  for (const outage of OUTAGES.filter(({ name }) => !values.only || name === values.only)) {
    const { text, problems } = await measure(outage);
    process.stdout.write(
      `${problems.length === 0 ? 'holds ' : 'BROKEN'} ${outage.name.padEnd(22)} ${text}\n`,
    );
    for (const problem of problems) process.stdout.write(`         ${problem}\n`);
    isWell &&= problems.length === 0;
  }
} finally {
  await product.stop();
  await redis.stop();
  cluster.close();
  rmSync(data, { recursive: true, force: true });
}
process.exitCode = isWell ? 0 : 1;

async function measure({ begin, end, isRight }: Outage) {
  const load = startOutageLoad(product, PER_SECOND);
  await wait(1_000);
  await begin();
  const from = performance.now();
  await wait(Number(values.seconds) * 1_000);
  const to = performance.now();
  await end?.();
  const returnMs = await measureReturn(product);
  await wait(1_000);
  await load.stop();
  const { answers, upserts, acknowledged, readiness } = load;
  const refused = answers.filter(({ status }) => status === 503);
  const strange = answers.filter(({ status }) => status !== 200 && status !== 503);
  const late = refused.filter(({ sentAt }) => sentAt >= from + GRACE_MS && sentAt <= to);
  const p99 = toPercentile(late, 0.99);
  // The version counts the writes of a customer, and each was sent one.
  const written = await query(
    'select customer_id, version from crossbook.customers where customer_id = any($1)',
    [upserts],
  );
  const versions = new Map(written.map(({ customer_id, version }) => [customer_id, version]));
  const lost = acknowledged.filter((id) => !versions.has(id));
  const twice = written.filter(({ version }) => version !== 1);
  // Responses after the end of the outage may already reflect it.
  const samples = readiness.filter(
    ({ sentAt, ms }) => sentAt >= from + GRACE_MS && sentAt + ms <= to,
  );
  const wrongReadiness = samples.filter(({ status }) => status !== 200);
  const problems = [
    ...(strange.length > 0
      ? [`${strange.length} answers are neither 200 nor 503: ${strange[0]?.status}`]
      : []),
    ...(isRight && refused.length > 0 ? [`${refused.length} were refused.`] : []),
    ...(p99 > REFUSED_P99_MS
      ? [`Refused after ${toSeconds(p99)} (p99, begun after the first 3 s).`]
      : []),
    ...(lost.length > 0 ? [`${lost.length} acknowledged upserts are lost.`] : []),
    ...(twice.length > 0 ? [`${twice.length} upserts were written more than once.`] : []),
    ...(wrongReadiness.length > 0
      ? [`/readyz was wrong ${wrongReadiness.length} of ${samples.length} times.`]
      : []),
    ...(returnMs === undefined ? ['It is not ready again.'] : []),
  ];
  const text =
    `${answers.length - refused.length} right, ${refused.length} refused (p99 ${toSeconds(p99)}), slowest ` +
    `${toSeconds(toPercentile(answers, 1))}, ${acknowledged.length} upserts acknowledged, ${written.length} written, ready again after ${toSeconds(returnMs ?? 0)}`;
  return { text, problems };
}

function toPercentile(answers: readonly Answer[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

interface Outage {
  readonly name: string;
  begin(): void | Promise<void>;
  end?(): void | Promise<void>;
  /** Whether no request may be rejected. */
  readonly isRight?: boolean;
}
