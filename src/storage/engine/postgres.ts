import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { attempt } from './attempt.ts';
import type { Engine, RunSql } from './engine.ts';

/** PostgreSQL over a pool. Nothing is connected before it is needed. */
export function openPostgres(url: string, options: PostgresOptions): Engine {
  const settings = toSettings(url, options);
  const pool = guard(new pg.Pool({ ...settings, statement_timeout: options.statementTimeoutMs }), options);
  // Who waits for a lock keeps a connection busy: those are set apart, so that they cannot use up the others.
  const locks = guard(
    new pg.Pool({ ...settings, max: LOCK_CONNECTIONS, idleTimeoutMillis: 10_000 }),
    options,
  );
  const { deadlineMs } = options;
  return {
    kind: 'postgres',
    orm: drizzle(pool),
    query: async (statement, values) => (await pool.query({ ...statement, values: [...values] })).rows,
    repeatable: (work) => attempt(work, { repeatable: true, deadlineMs }),
    once: (work) => attempt(work, { repeatable: false, deadlineMs }),
    exclusively: (key, work) => holdLock(locks, { key, work, deadlineMs }),
    alone: (work) => workAlone(url, work),
    ping: () =>
      attempt(() => pool.query('select 1'), { repeatable: false, deadlineMs: 0 }).then(() => undefined),
    connections: () => ({
      open: pool.totalCount + locks.totalCount,
      idle: pool.idleCount + locks.idleCount,
      waiting: pool.waitingCount + locks.waitingCount,
    }),
    close: async () => {
      await Promise.all([pool.end(), locks.end()]);
    },
  };
}

/** The lock belongs to a transaction, so that it goes with the process that held it, and passes through a pooler. */
async function holdLock<T>(locks: pg.Pool, { key, work, deadlineMs }: Lock<T>): Promise<T> {
  const client = await attempt(() => takeLock(locks, key), { repeatable: true, deadlineMs });
  try {
    return await work();
  } finally {
    await letGo(client);
  }
}

async function takeLock(locks: pg.Pool, key: string): Promise<pg.PoolClient> {
  const client = await locks.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`crossbook:${key}`]);
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
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

/** A connection that is broken has let go already: what was done under the lock is not undone by that. */
async function letGo(client: pg.PoolClient): Promise<void> {
  await client.query('commit').then(
    () => client.release(),
    () => client.release(true),
  );
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
    // The server's own timeout comes first; this one is for a network that swallows answers.
    query_timeout: Math.max(options.statementTimeoutMs, LOCK_TIMEOUT_MS) + 5_000,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 2 * LOCK_TIMEOUT_MS,
    keepAlive: true,
  };
}

const LOCK_CONNECTIONS = 5;
/** Longer than a provider may take to refresh a token. */
const LOCK_TIMEOUT_MS = 60_000;

interface Lock<T> {
  readonly key: string;
  readonly work: () => Promise<T>;
  readonly deadlineMs: number;
}

export interface PostgresOptions {
  readonly poolSize: number;
  readonly connectionTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly deadlineMs: number;
  readonly onError: (error: Error) => void;
}
