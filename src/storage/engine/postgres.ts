import { setTimeout as wait } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { createProbe, holdShared, workAlone } from './client.ts';
import { classifyError, createOutageReports, isTableLocked, toUnavailable } from './failures.ts';
import type { DatabaseState, Engine, Tuning, UrlTarget } from './open.ts';

/** PostgreSQL over a pool, with retries and circuit breakers. Nothing is connected before it is needed. */
export function openPostgres({ url, pooled = false }: UrlTarget, tuning: Tuning): Engine {
  const { clock = systemClock, deadlineMs = 5_000, onError = ignore, onOutage = ignore } = tuning;
  const pool = new BreakerPool(toPoolConfig(url, pooled, tuning), clock);
  // A connection that dies while nobody uses it would otherwise end the process.
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('error', ignore);
  const probe = createProbe(url, clock);
  const breaker = createDatabaseBreaker({ probe, clock, patienceMs: deadlineMs / 2 });
  const holders: pg.Client[] = [];
  const report = createOutageReports(onOutage, clock);
  return {
    orm: drizzle(pool),
    query: ({ name, text, isOnce }, values) =>
      run(async () => (await pool.query({ name, text, values: [...values] })).rows, !isOnce),
    repeatable: (work) => run(work, true),
    once: (work) => run(work, false),
    alone: (work) => workAlone(url, work, tuning.onMigrationWait ?? ignore),
    holdShared: async (key) => void holders.push(await holdShared(url, key)),
    ping: () =>
      breaker.look().catch((thrown) => {
        throw classifyError(thrown).error;
      }),
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      breaker.close();
      probe.close();
      await Promise.all([pool, ...holders].map((one) => one.end()));
    },
  };

  function run<T>(work: () => Promise<T>, isRepeatable: boolean): Promise<T> {
    return breaker.run(() => attempt(work, isRepeatable)).catch(report);
  }

  /** Outlasts a failover or a deadlock: tries again until the deadline, then says that the database is away. */
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
      // Rivals that failed together must not come back together.
      await wait(pause * (0.5 + Math.random() / 2));
    }
  }
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

function ignore(): void {}

function toPoolConfig(url: string, pooled: boolean, tuning: Tuning): pg.PoolConfig {
  const { statementTimeoutMs = 10_000, lockTimeoutMs = 500 } = tuning;
  return {
    connectionString: url,
    application_name: 'crossbook',
    max: tuning.poolSize ?? 10,
    connectionTimeoutMillis: tuning.connectionTimeoutMs ?? 10_000,
    idleTimeoutMillis: tuning.idleTimeoutMs ?? 30_000,
    // The server's own timeout comes first; this one is for a network that swallows answers.
    query_timeout: statementTimeoutMs + 2_000,
    keepAlive: true,
    // Parameters of a session would be those of whoever has the connection next: there the role has them.
    ...(pooled
      ? { Client: NamelessClient }
      : {
          statement_timeout: statementTimeoutMs,
          // What waits longer would keep a connection from all others. For a row it tries again, for a table it does not.
          lock_timeout: lockTimeoutMs,
          idle_in_transaction_session_timeout: 120_000,
        }),
  };
}

/** Prepares nothing by name: behind a pooler the next statement may meet another connection, which knows other names. */
class NamelessClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has fifteen overloads, and all of them pass through here.
  override query(...[statement, ...rest]: any[]): any {
    // A copy: statements are constants.
    const nameless = statement?.name ? { ...statement, name: undefined } : statement;
    return Reflect.apply(super.query, this, [nameless, ...rest]);
  }
}

/** Statements that wait for a locked table do not take its connections from all others. */
class BreakerPool extends pg.Pool {
  readonly #breakers: ReturnType<typeof createStatementBreakers>;

  constructor(settings: pg.PoolConfig, clock: Pick<Clock, 'now'>) {
    super(settings);
    this.#breakers = createStatementBreakers(clock);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has eight overloads; Drizzle and we pass an object with the text.
  override query(...given: any[]): any {
    return this.#breakers.run(given[0].text, () => Reflect.apply(super.query, this, given));
  }
}

/**
 * A circuit breaker for each statement that has waited in vain for the lock of a table. While the table is locked one at a
 * time tries, and then none for a moment. All others fail at once with the error of the last one that tried: they would
 * only keep connections from statements that need other tables.
 */
export function createStatementBreakers({ now }: Pick<Clock, 'now'>) {
  /** When one may try again is infinite while one tries. */
  const open = new Map<string, { readonly cause: unknown; tryAt: number }>();

  return {
    async run<T>(text: string, query: () => Promise<T>): Promise<T> {
      const breaker = open.get(text);
      if (breaker) {
        if (now() < breaker.tryAt) throw breaker.cause;
        breaker.tryAt = Number.POSITIVE_INFINITY;
      }
      try {
        const result = await query();
        open.delete(text);
        return result;
      } catch (cause) {
        if (isTableLocked(cause)) open.set(text, { cause, tryAt: now() + LOCKED_TABLE_PAUSE_MS });
        else open.delete(text);
        throw cause;
      }
    },
  };
}

const LOCKED_TABLE_PAUSE_MS = 500;

/**
 * A circuit breaker between the stores and the database. While work waits for long, a probe looks again and again. Where
 * it finds nobody for as long as patience lasts, and nobody else was answered either, all that waits is refused, and what
 * comes after it at once, until the probe is answered. Where it finds a database that only reads, and for a moment after
 * work was given up, all is tried, but once.
 */
export function createDatabaseBreaker({ probe, clock, patienceMs }: BreakerOptions) {
  const lookAfterMs = Math.min(LOOK_AFTER_MS, patienceMs);
  /** In the order in which they began. */
  const waiting = new Set<{ readonly since: number; reject(error: unknown): void }>();
  let outage: { readonly cause: unknown } | undefined;
  /** Of the last look, where nobody has been answered since. */
  let failure: typeof outage;
  let isReadOnly = false;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let gaveUpAt = Number.NEGATIVE_INFINITY;
  let cancelLook: (() => void) | undefined;
  let cancelRefusal: (() => void) | undefined;
  let isClosed = false;

  return {
    /** Rejects at once while the database is away, and early where that comes out meanwhile. */
    run<T>(work: () => Promise<T>): Promise<T> {
      if (outage) return Promise.reject(toUnavailable(outage.cause));
      return new Promise((resolve, reject) => {
        const one = { since: clock.now(), reject };
        waiting.add(one);
        lookIn(lookAfterMs);
        work().then(
          (value) => {
            waiting.delete(one);
            answeredAt = clock.now();
            outage = failure = undefined;
            resolve(value);
          },
          (error) => {
            waiting.delete(one);
            const now = clock.now();
            if (now - one.since >= patienceMs || now - gaveUpAt < HURRY_MS) gaveUpAt = now;
            reject(error);
          },
        );
      });
    },

    /** May what has failed be tried again? */
    mayWait: () => !outage && !isReadOnly && clock.now() - gaveUpAt >= HURRY_MS,

    /** Looks at once. Rejects with the driver's error where the database cannot be reached. */
    async look() {
      const state = await probe.look();
      found(state);
      return state;
    },

    close() {
      isClosed = true;
      cancelLook?.();
      cancelRefusal?.();
    },
  };

  function lookIn(ms: number): void {
    if (isClosed) return;
    cancelLook ??= clock.schedule(ms, () => {
      cancelLook = undefined;
      void look();
    });
  }

  async function look(): Promise<void> {
    if (!outage && !isReadOnly) {
      const [oldest] = waiting;
      if (!oldest) return;
      const waitedMs = clock.now() - oldest.since;
      if (waitedMs < lookAfterMs) return lookIn(lookAfterMs - waitedMs);
    }
    await probe.look().then(found, (cause) => {
      failure = { cause };
      refuseExhausted();
    });
    lookIn(PAUSE_MS);
  }

  function found(state: DatabaseState): void {
    outage = failure = undefined;
    isReadOnly = state.isReadOnly;
  }

  /** The next look may take long where the server is frozen: patience ends by its own timer. */
  function refuseExhausted(): void {
    if (!failure || isClosed) return;
    if (!outage) {
      const [oldest] = waiting;
      if (!oldest) return;
      const leftMs = Math.max(oldest.since, answeredAt) + patienceMs - clock.now();
      if (leftMs > 0) {
        cancelRefusal ??= clock.schedule(leftMs, () => {
          cancelRefusal = undefined;
          refuseExhausted();
        });
        return;
      }
    }
    outage = failure;
    for (const { reject } of waiting) reject(toUnavailable(failure.cause));
    waiting.clear();
  }
}

const LOOK_AFTER_MS = 1_000;
const PAUSE_MS = 500;
/** For so long after work was given up nothing is tried again: what it waited for keeps others waiting as well. */
const HURRY_MS = 1_000;

interface BreakerOptions {
  readonly probe: { look(): Promise<DatabaseState> };
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** How long work may wait before the database counts as away. */
  readonly patienceMs: number;
}
