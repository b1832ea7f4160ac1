import { setTimeout as wait } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { BreakerPool, createCircuitBreaker } from './circuit-breaker.ts';
import { classifyError, createOutageReports, type OnOutage } from './failures.ts';
import type { Engine, RunSql } from './open.ts';
import { createProbe } from './probe.ts';

/** PostgreSQL over a pool. Nothing is connected before it is needed. */
export function openPostgres(url: string, options: PostgresOptions): Engine {
  const { deadlineMs, clock } = options;
  const pool = guard(new BreakerPool(toSettings(url, options), clock), options);
  const probe = createProbe(url, clock);
  const breaker = createCircuitBreaker({ probe, clock, patienceMs: deadlineMs / 2 });
  const { mayWait } = breaker;
  const holders: pg.Client[] = [];
  const report = createOutageReports(options.onOutage, options.clock);
  return {
    orm: drizzle(pool),
    query: async (statement, values) => (await pool.query({ ...statement, values: [...values] })).rows,
    repeatable: (work) =>
      breaker.run(() => attempt(work, { repeatable: true, deadlineMs, mayWait })).catch(report),
    once: (work) =>
      breaker.run(() => attempt(work, { repeatable: false, deadlineMs, mayWait })).catch(report),
    alone: (work) => workAlone(url, options, work),
    holdShared: async (key) => void holders.push(await holdShared(url, key)),
    ping: () => attempt(breaker.look, { repeatable: false, deadlineMs: 0, mayWait }),
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      breaker.close();
      await Promise.all([pool.end(), probe.close(), ...holders.map((client) => client.end())]);
    },
  };
}

async function workAlone<T>(
  url: string,
  { onMigrationWait }: Pick<PostgresOptions, 'onMigrationWait'>,
  work: (run: RunSql) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossbook migrations',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined); // the query that is under way rejects with it
  try {
    await client.connect();
    await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0');
    const { rows } = await client.query(`select pg_try_advisory_xact_lock(${ALONE}) as "isMine"`);
    if (!rows[0].isMine) {
      onMigrationWait();
      await client.query(`select pg_advisory_xact_lock(${ALONE})`);
    }
    const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
    await client.query('commit');
    return result;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const ALONE = `hashtextextended('crossbook:alone', 0)`;

/** In a transaction that stays open: behind a pooler a connection is only kept for one. */
async function holdShared(url: string, key: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossbook sandbox',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined); // the lock is gone with the server, which nobody else has then either
  await client.connect();
  await client.query('begin; set local idle_in_transaction_session_timeout = 0');
  await client.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [key]);
  return client;
}

/** Outside the pool. */
const CONNECT_MS = 10_000;

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
    query_timeout: options.statementTimeoutMs + 2_000,
    keepAlive: true,
    // Parameters of a session would be those of whoever has the connection next: there the role has them.
    ...(options.pooled ? { Client: NamelessClient } : toSessionSettings(options)),
  };
}

function toSessionSettings({ statementTimeoutMs, lockTimeoutMs }: PostgresOptions) {
  return {
    statement_timeout: statementTimeoutMs,
    // What waits longer would keep a connection from all others. For a row it tries again, for a table it does not.
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: 120_000,
  };
}

/** Outlasts a failover or a deadlock: tries again until the deadline, then says that the database is away. */
async function attempt<T>(work: () => Promise<T>, options: AttemptOptions): Promise<T> {
  const giveUpAt = systemClock.now() + options.deadlineMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (thrown) {
      const { repeat, error } = classifyError(thrown);
      const mayRepeat = repeat === 'always' || (repeat === 'reads' && options.repeatable);
      if (!mayRepeat || !options.mayWait() || systemClock.now() + pause > giveUpAt) throw error;
    }
    // Rivals that failed together must not come back together.
    await wait(pause * (0.5 + Math.random() / 2));
  }
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/** Prepares nothing by name: behind a pooler the next statement may meet another connection, which knows other names. */
class NamelessClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has fifteen overloads, and all of them pass through here.
  override query(...given: any[]): any {
    const [statement, ...rest] = given;
    // A copy: statements are constants.
    const nameless = hasName(statement) ? { ...statement, name: undefined } : statement;
    return Reflect.apply(super.query, this, [nameless, ...rest]);
  }
}

function hasName(statement: unknown): statement is object {
  return typeof statement === 'object' && statement !== null && 'name' in statement && 'text' in statement;
}

interface PostgresOptions {
  /** Behind a pooler that gives a connection away after each transaction. */
  readonly pooled: boolean;
  readonly poolSize: number;
  readonly connectionTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  readonly onOutage: OnOutage;
  readonly onMigrationWait: () => void;
}

interface AttemptOptions {
  readonly repeatable: boolean;
  readonly deadlineMs: number;
  /** Else it is tried once. */
  mayWait(): boolean;
}
