import { setTimeout as wait } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { Places } from '../../admission/places.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { withErrorListener } from '../../lib/error-listener.ts';
import { createDatabaseBreaker, createStatementBreakers } from './circuit-breaker.ts';
import {
  createProbe,
  DatabaseClient,
  type DatabaseClientConfig,
  holdSharedLock,
  withMigrationLock,
  withSession,
} from './client.ts';
import { classifyError, createOutageReports, toUnavailable } from './failures.ts';
import { openSource, type Source } from './primary.ts';
import type { DatabaseState, RunSql, Statements } from './statements.ts';
import type { Tuning, UrlTarget } from './tuning.ts';

/** PostgreSQL over a connection pool, with retries and circuit breakers. Connects lazily. */
export function openPostgres(target: UrlTarget, tuning: Tuning) {
  const { clock = systemClock, deadlineMs = 5_000, onError = ignore, onOutage = ignore } = tuning;
  const source = openSource(target, clock);
  const settings = toPoolConfig(source, tuning);
  // Of an idle connection: the statement that is under way rejects with an error of another.
  const pool = withErrorListener(new BreakerPool(settings, clock));
  const queue = new Places({
    max: settings.max,
    maxWaitMs: deadlineMs,
    clock,
    toRefusal: tooManyStatements,
  });
  pool.on('connect', (client) => client.on('error', onError));
  const probe = createProbe({ pool, source, clock });
  const breaker = createDatabaseBreaker({ probe, clock, patienceMs: deadlineMs / 2 });
  const holders: pg.Client[] = [];
  const report = createOutageReports(onOutage, clock);
  const orm = drizzle(pool);
  return {
    ...openStatements(OWN_WORK),
    /** The statements of an application share the connections of the pool fairly with those of others. */
    forApplication: openStatements,
    /** Runs the work on a separate connection without timeouts. */
    session: <T>(work: (run: RunSql) => Promise<T>) => withSession(source, work),
    /** Like `session`, while no other process has this lock. For what changes tables. */
    withMigrationLock: <T>(work: (run: RunSql) => Promise<T>) =>
      withMigrationLock(source, work, tuning.onMigrationWait ?? ignore),
    /** Takes a shared lock on a separate connection, until the engine is closed or the process ends. */
    holdSharedLock: async (key: string) => void holders.push(await holdSharedLock(source, key)),
    /** Probes now. Rejects while the database is unreachable. Never retries, because it is called often. */
    ping: (): Promise<DatabaseState> =>
      breaker.look().catch((thrown) => {
        throw toUnavailable(thrown);
      }),
    /** The counts of the pool. `waiting`: callers that wait for a connection. */
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: queue.counts().waiting + pool.waitingCount,
    }),
    close: async (): Promise<void> => {
      breaker.close();
      await Promise.all([pool, ...holders].map((one) => one.end()));
      await source.primary?.close();
    },
  };

  function openStatements(owner: string): Statements {
    // Statements queue outside of the circuit breaker, which opens only where the database itself is slow.
    const run = <T>(work: () => Promise<T>, isRepeatable: boolean): Promise<T> =>
      queue.run(owner, () => breaker.run(() => attempt(work, isRepeatable)).catch(report));
    return {
      orm,
      query: ({ name, text, isOnce }, values) =>
        run(async () => (await pool.query({ name, text, values: [...values] })).rows, !isOnce),
      repeatable: (work) => run(work, true),
      once: (work) => run(work, false),
    };
  }

  /** Retries through failovers and deadlocks until the deadline, then reports the database as unavailable. */
  async function attempt<T>(work: () => Promise<T>, isRepeatable: boolean): Promise<T> {
    const giveUpAt = systemClock.now() + deadlineMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (thrown) {
        const { repeat, error } = classifyError(thrown);
        const mayRepeat = repeat === 'always' || (repeat === 'reads' && isRepeatable);
        if (!mayRepeat || !breaker.mayWait() || systemClock.now() + pause > giveUpAt) throw error;
      }
      // Jitter, so that callers that failed together do not retry together.
      await wait(pause * (0.5 + Math.random() / 2));
    }
  }
}

/** Stands for background jobs and look-ups of callers: no application has this id. */
const OWN_WORK = '';

function tooManyStatements(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'More database statements of this application are waiting than can be executed in time: send fewer requests at once.',
    { retryAfterMs: 1_000 },
  );
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

function ignore(): void {}

function toPoolConfig({ url, pooler = 'none', primary }: Source, tuning: Tuning): PoolConfig {
  const { statementTimeoutMs = 10_000, lockTimeoutMs = 500 } = tuning;
  const config: PoolConfig = {
    connectionString: url,
    application_name: 'crossbook',
    max: tuning.poolSize ?? 10,
    connectionTimeoutMillis: tuning.connectionTimeoutMs ?? 10_000,
    idleTimeoutMillis: 30_000,
    // The server's timeout comes first; this one is for lost responses.
    query_timeout: statementTimeoutMs + 2_000,
    keepAlive: true,
    Client: DatabaseClient,
    primary,
  };
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    // Longer waits would block connections. Row locks are retried, table locks are not.
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  // Session parameters would leak to other users of the connection: they are set on the role instead.
  if (pooler === 'transaction') return { ...config, Client: NamelessClient };
  if (pooler === 'none') return { ...config, ...timeouts };
  // PgBouncer refuses these as startup parameters, and resets them when the session ends.
  const text = Object.entries(timeouts).map(([name, ms]) => `set ${name} = ${ms}`);
  return { ...config, onConnect: async (client) => void (await client.query(text.join('; '))) };
}

const IDLE_IN_TRANSACTION_MS = 120_000;

type PoolConfig = pg.PoolConfig & DatabaseClientConfig & { readonly max: number };

/**
 * Uses no named prepared statements: behind a pooler the next statement may use another connection, which lacks them.
 */
class NamelessClient extends DatabaseClient {
  // biome-ignore lint/suspicious/noExplicitAny: all fifteen overloads of the driver pass through here.
  override query(...[statement, ...rest]: any[]): any {
    // Copied, because statements are constants.
    const nameless = statement?.name ? { ...statement, name: undefined } : statement;
    return Reflect.apply(super.query, this, [nameless, ...rest]);
  }
}

/** Circuit breakers keep statements on a locked table from taking all connections. */
class BreakerPool extends pg.Pool {
  readonly #breakers: ReturnType<typeof createStatementBreakers>;

  constructor(settings: pg.PoolConfig, clock: Pick<Clock, 'now'>) {
    super(settings);
    this.#breakers = createStatementBreakers(clock);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver has eight overloads; Drizzle and we pass an object.
  override query(...given: any[]): any {
    return this.#breakers.run(given[0].text, () => Reflect.apply(super.query, this, given));
  }
}

/** The database access of all stores. */
export type Engine = ReturnType<typeof openPostgres>;
