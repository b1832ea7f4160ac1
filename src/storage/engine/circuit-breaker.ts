import pg from 'pg';
import type { Clock } from '../../lib/clock.ts';
import { isTableLocked, toUnavailable } from './failures.ts';
import type { DatabaseState, Probe } from './probe.ts';

/** Statements that wait for a locked table do not take its connections from all others. */
export class BreakerPool extends pg.Pool {
  readonly #breakers: StatementBreakers;

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
export function createStatementBreakers({ now }: Pick<Clock, 'now'>): StatementBreakers {
  const open = new Map<string, OpenBreaker>();

  return {
    async run(text, query) {
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
export function createCircuitBreaker({ probe, clock, patienceMs }: BreakerOptions): CircuitBreaker {
  const lookAfterMs = Math.min(LOOK_AFTER_MS, patienceMs);
  /** In the order in which they began. */
  const waiting = new Set<Waiting>();
  let outage: Failure | undefined;
  /** Of the last look, where nobody has been answered since. */
  let failure: Failure | undefined;
  let isReadOnly = false;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let gaveUpAt = Number.NEGATIVE_INFINITY;
  let cancelLook: (() => void) | undefined;
  let cancelRefusal: (() => void) | undefined;
  let isClosed = false;

  return {
    run(work) {
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

    mayWait: () => !outage && !isReadOnly && clock.now() - gaveUpAt >= HURRY_MS,

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
    const waitedMs = longestWait();
    const isWell = !outage && !isReadOnly;
    if (isWell && waitedMs === undefined) return;
    if (isWell && waitedMs !== undefined && waitedMs < lookAfterMs) return lookIn(lookAfterMs - waitedMs);
    await probe.look().then(found, failed);
    lookIn(PAUSE_MS);
  }

  function found(state: DatabaseState): void {
    outage = failure = undefined;
    isReadOnly = state.isReadOnly;
  }

  function failed(cause: unknown): void {
    failure = { cause };
    refuseExhausted();
  }

  /** The next look may take long where the server is frozen: patience ends by its own timer. */
  function refuseExhausted(): void {
    if (!failure || isClosed) return;
    if (!outage) {
      const [oldest] = waiting;
      if (!oldest) return;
      const leftMs = Math.max(oldest.since, answeredAt) + patienceMs - clock.now();
      if (leftMs > 0) {
        refuseIn(leftMs);
        return;
      }
    }
    outage = failure;
    for (const { reject } of waiting) reject(toUnavailable(failure.cause));
    waiting.clear();
  }

  function refuseIn(ms: number): void {
    cancelRefusal ??= clock.schedule(ms, () => {
      cancelRefusal = undefined;
      refuseExhausted();
    });
  }

  function longestWait(): number | undefined {
    const [oldest] = waiting;
    return oldest && clock.now() - oldest.since;
  }
}

const LOOK_AFTER_MS = 1_000;
const PAUSE_MS = 500;
/** For so long after work was given up nothing is tried again: what it waited for keeps others waiting as well. */
const HURRY_MS = 1_000;

interface StatementBreakers {
  run<T>(text: string, query: () => Promise<T>): Promise<T>;
}

interface OpenBreaker {
  readonly cause: unknown;
  /** By the monotonic clock; infinite while one tries. */
  tryAt: number;
}

interface CircuitBreaker {
  /** Rejects at once while the database is away, and early where that comes out meanwhile. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** May what has failed be tried again? */
  mayWait(): boolean;
  /** Looks at once. Rejects with the driver's error where the database cannot be reached. */
  look(): Promise<DatabaseState>;
  close(): void;
}

interface Failure {
  readonly cause: unknown;
}

interface Waiting {
  readonly since: number;
  reject(error: unknown): void;
}

interface BreakerOptions {
  readonly probe: Pick<Probe, 'look'>;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** How long work may wait before the database counts as away. */
  readonly patienceMs: number;
}
