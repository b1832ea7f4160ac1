import type { Clock } from '../../lib/clock.ts';
import { isTableLocked } from './failures.ts';

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
        if (isTableLocked(cause)) open.set(text, { cause, tryAt: now() + PAUSE_MS });
        else open.delete(text);
        throw cause;
      }
    },
  };
}

const PAUSE_MS = 500;

export interface StatementBreakers {
  run<T>(text: string, query: () => Promise<T>): Promise<T>;
}

interface OpenBreaker {
  readonly cause: unknown;
  /** By the monotonic clock; infinite while one tries. */
  tryAt: number;
}
