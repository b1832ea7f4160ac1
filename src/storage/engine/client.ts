import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createSingleFlight } from '../../lib/cache.ts';
import { type Clock, withLimit } from '../../lib/clock.ts';
import { containFaults } from '../../lib/postgres-messages.ts';
import { ConnectError, hasTooManyConnections } from './failures.ts';
import type { Primary, Source } from './primary.ts';
import type { DatabaseState, RunSql } from './statements.ts';

/**
 * The driver's client. What fails is the statement that is under way, or `connect`, which rejects with a `ConnectError`
 * for whatever reason. With several servers it connects to the primary.
 */
export class DatabaseClient extends pg.Client {
  readonly #primary: Primary | undefined;

  constructor(config: DatabaseClientConfig = {}) {
    super(config);
    this.#primary = config.primary;
    containFaults(this);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#connectToPrimary().catch((cause: unknown) => {
      // The server may keep a connection that it has refused.
      this.connection.stream.destroy();
      throw new ConnectError(cause);
    });
    if (!callback) return connected;
    // The driver's pool calls back without an error when it is connected.
    connected.then(() => Reflect.apply(callback, undefined, []), callback);
    return undefined;
  }

  async #connectToPrimary(): Promise<pg.Client> {
    await this.#primary?.locate(this);
    // A server can end the session in the same packet in which it accepts it.
    let failure: Error | undefined;
    this.once('error', (error) => {
      failure = error;
    });
    const client = await super.connect();
    if (failure) throw failure;
    return client;
  }
}

export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Undefined: the URL names one server. */
  readonly primary?: Primary | undefined;
}

/** Creates a connection outside of the pool. `purpose` is its name in `pg_stat_activity`. */
export function createClient(
  { url, primary }: Source,
  purpose: string,
  settings: pg.ClientConfig = {},
): DatabaseClient {
  return new DatabaseClient({
    connectionString: url,
    application_name: `crossbook ${purpose}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    primary,
    ...settings,
  });
}

/** Implements `Engine.session`. */
export async function withSession<T>(
  source: Source,
  work: (run: RunSql) => Promise<T>,
): Promise<T> {
  const client = createClient(source, 'maintenance');
  try {
    await client.connect();
    // Behind a pooler the setting would stay on a connection that others use.
    if (source.pooler !== 'transaction')
      await client.query('set statement_timeout = 0; set lock_timeout = 0');
    return await work(async (text, values = []) => (await client.query(text, [...values])).rows);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Runs the work in a transaction of the session, without a limit for a statement. */
export async function inTransaction<T>(
  run: RunSql,
  work: () => Promise<T>,
  { lockTimeoutMs = 0, mode = '' } = {},
): Promise<T> {
  await run(`begin ${mode}`);
  try {
    await run('set local statement_timeout = 0');
    await run(`set local lock_timeout = ${lockTimeoutMs}`);
    const result = await work();
    await run('commit');
    return result;
  } catch (error) {
    await run('rollback').catch(() => undefined);
    throw error;
  }
}

/**
 * Implements `Engine.withMigrationLock`. The lock is held in an open transaction of its own, because a pooler keeps a
 * connection only for its duration. It is polled: a waiting statement would be a transaction for which CREATE INDEX
 * CONCURRENTLY waits.
 */
export async function withMigrationLock<T>(
  source: Source,
  work: (run: RunSql) => Promise<T>,
  onWait: () => void,
): Promise<T> {
  const client = createClient(source, 'migration lock');
  try {
    await client.connect();
    for (let tries = 0; ; tries += 1) {
      await client.query('begin; set local idle_in_transaction_session_timeout = 0');
      const { rows } = await client.query(TRY_MIGRATION_LOCK);
      if (rows[0].isMine) return await withSession(source, work);
      await client.query('rollback');
      if (tries === 0) onWait();
      await wait(LOCK_POLL_MS);
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

const TRY_MIGRATION_LOCK = `select pg_try_advisory_xact_lock(hashtextextended('crossbook:alone', 0)) as "isMine"`;
const LOCK_POLL_MS = 250;

/**
 * Implements `Engine.holdSharedLock` in an open transaction, because a pooler keeps a connection only for its
 * duration. A statement with parameters would keep its snapshot until the next one, and CREATE INDEX CONCURRENTLY waits
 * for snapshots.
 */
export async function holdSharedLock(source: Source, key: string): Promise<pg.Client> {
  const client = createClient(source, 'sandbox');
  await client.connect();
  await client.query('begin; set local idle_in_transaction_session_timeout = 0');
  const name = client.escapeLiteral(key);
  await client.query(`select pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`);
  return client;
}

/**
 * Probes the database over a connection of the pool, or a separate one while all of them are in use, so that neither a
 * full pool nor a locked table looks like an outage. A server without a free connection counts as reachable. One probe
 * at a time, each with a timeout, so that a frozen server is detected too.
 */
export function createProbe({ pool, source, clock }: ProbeOptions) {
  const singleFlight = createSingleFlight<DatabaseState>();
  let last: DatabaseState = { isReadOnly: false };

  return {
    /** Rejects if the database is unreachable. */
    look: () => singleFlight(look),
  };

  async function look(): Promise<DatabaseState> {
    const isFree = pool.idleCount > 0 || pool.totalCount < pool.options.max;
    try {
      const limits = { limitMs: PROBE_LIMIT_MS, clock };
      const { rows } = await withLimit(
        isFree ? pool.query({ ...LOOK }) : lookAlone(source),
        limits,
      );
      last = rows[0] ?? last;
    } catch (error) {
      if (!hasTooManyConnections(error)) throw error;
    }
    return last;
  }
}

/** The current state, even on a connection from before a failover. */
const LOOK = {
  name: 'look_at_database',
  text: `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
};

async function lookAlone(source: Source): Promise<pg.QueryResult<DatabaseState>> {
  // Longer than the timeout of the probe: these only close the connection.
  const limits = { connectionTimeoutMillis: 2 * PROBE_LIMIT_MS, query_timeout: 2 * PROBE_LIMIT_MS };
  const client = createClient(source, 'probe', limits);
  try {
    await client.connect();
    return await client.query<DatabaseState>(LOOK.text);
  } finally {
    client.end().catch(() => undefined);
  }
}

const PROBE_LIMIT_MS = 1_500;

interface ProbeOptions {
  readonly pool: pg.Pool;
  readonly source: Source;
  readonly clock: Clock;
}
