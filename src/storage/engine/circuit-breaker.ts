import type { Clock } from '../../lib/clock.ts';
import { isTableLocked, toUnavailable } from './failures.ts';
import type { DatabaseState } from './statements.ts';

/**
 * A circuit breaker between the stores and the database. While work waits for long, a probe runs repeatedly. If it
 * fails for as long as the patience lasts, and no other work succeeds either, all waiting work is rejected, and
 * further work fails at once until the probe succeeds. While the database is read-only, and shortly after work timed
 * out, everything is tried once without retries.
 */
export function createDatabaseBreaker({ probe, clock, patienceMs }: BreakerOptions) {
  const lookAfterMs = Math.min(LOOK_AFTER_MS, patienceMs);
  /** In order of their start. */
  const waiting = new Set<{ readonly since: number; reject(error: unknown): void }>();
  let outage: { readonly cause: unknown } | undefined;
  /** The failure of the last probe, unless work has succeeded since. */
  let failure: typeof outage;
  let isReadOnly = false;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let gaveUpAt = Number.NEGATIVE_INFINITY;
  let cancelLook: (() => void) | undefined;
  let cancelRefusal: (() => void) | undefined;
  let isClosed = false;

  return {
    /** Rejects at once while the breaker is open, and early when it opens meanwhile. */
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

    /** Whether failed work may be retried. */
    mayWait: () => !outage && !isReadOnly && clock.now() - gaveUpAt >= HURRY_MS,

    /** Probes now. Rejects with the driver's error if the database is unreachable. */
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

  /** Patience has its own timer, because a probe may take long on a frozen server. */
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
/** No retries for this long after work timed out, because its cause delays others too. */
const HURRY_MS = 1_000;

/**
 * A circuit breaker per statement that has timed out on a table lock. While the table is locked one attempt runs at a
 * time, with a pause in between. All others fail at once with the last error, because they would only block
 * connections for statements on other tables.
 */
export function createStatementBreakers({ now }: Pick<Clock, 'now'>) {
  /** `tryAt` is infinite while an attempt is running. */
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
  /** How long work may wait before the database counts as unavailable. */
  readonly patienceMs: number;
}
