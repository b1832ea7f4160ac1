import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Clock } from '../../lib/clock.ts';
import { attempt } from './attempt.ts';
import type { Engine, RunSql } from './engine.ts';
import { createOutageReports, type OnOutage } from './outage-reports.ts';

/** PostgreSQL over a pool. Nothing is connected before it is needed. */
export function openPostgres(url: string, options: PostgresOptions): Engine {
  const pool = guard(new pg.Pool(toSettings(url, options)), options);
  const { deadlineMs } = options;
  const holders: pg.Client[] = [];
  const report = createOutageReports(options.onOutage, options.clock);
  return {
    orm: drizzle(pool),
    query: async (statement, values) => (await pool.query({ ...statement, values: [...values] })).rows,
    repeatable: (work) => attempt(work, { repeatable: true, deadlineMs }).catch(report),
    once: (work) => attempt(work, { repeatable: false, deadlineMs }).catch(report),
    alone: (work) => workAlone(url, work),
    holdShared: async (key) => void holders.push(await holdShared(url, key)),
    ping: () =>
      attempt(() => pool.query('select 1'), { repeatable: false, deadlineMs: 0 }).then(() => undefined),
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      await Promise.all([pool.end(), ...holders.map((client) => client.end())]);
    },
  };
}

async function workAlone<T>(url: string, work: (run: RunSql) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossbook migrations',
    keepAlive: true,
  });
  client.on('error', () => undefined); // the query that is under way rejects with it
  try {
    await client.connect();
    await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0');
    await client.query(`select pg_advisory_xact_lock(hashtextextended('crossbook:alone', 0))`);
    const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
    await client.query('commit');
    return result;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function holdShared(url: string, key: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossbook sandbox',
    keepAlive: true,
  });
  client.on('error', () => undefined); // the lock is gone with the server, which nobody else has then either
  await client.connect();
  await client.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [key]);
  return client;
}

/** A connection that dies while nobody uses it would otherwise end the process. */
function guard(pool: pg.Pool, { onError }: PostgresOptions): pg.Pool {
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('error', () => undefined);
  return pool;
}

function toSettings(url: string, options: PostgresOptions): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: 'crossbook',
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeoutMs,
    idleTimeoutMillis: options.idleTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // The server's own timeout comes first; this one is for a network that swallows answers.
    query_timeout: options.statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: 120_000,
    keepAlive: true,
  };
}

export interface PostgresOptions {
  readonly poolSize: number;
  readonly connectionTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  readonly onOutage: OnOutage;
}
