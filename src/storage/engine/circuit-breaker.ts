import type { Clock } from '../../lib/clock.ts';
import { isTableLocked, toUnavailable } from './failures.ts';
import type { DatabaseState } from './open.ts';

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

interface BreakerOptions {
  readonly probe: { look(): Promise<DatabaseState> };
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** How long work may wait before the database counts as away. */
  readonly patienceMs: number;
}
