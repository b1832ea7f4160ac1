import { AbandonedError } from '../domain/errors.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * Remembers of which connections and types of records the list of the CRM’s fields was refreshed in the last ten seconds. Customers with
 * a mapping link can request a refresh too, and each is a call within the rate limit of the connection.
 */
export function createFieldRefreshes({ now }: Pick<Clock, 'now'>): FieldRefreshes {
  const recent = createTtlCache<true>({
    maxAgeMs: REFRESH_INTERVAL_MS,
    maxEntries: 10_000,
    isAbandoned: (error) => error instanceof AbandonedError,
    now,
  });
  return {
    async refreshOnce(connectionId, record, refresh) {
      await recent.find(`${connectionId} ${record}`, async () => {
        await refresh();
        return true;
      });
    },
  };
}

const REFRESH_INTERVAL_MS = 10_000;

export interface FieldRefreshes {
  /** Runs the refresh, or waits for the one that is running. Does nothing within ten seconds of the last one. */
  refreshOnce(
    connectionId: string,
    record: RecordType,
    refresh: () => Promise<void>,
  ): Promise<void>;
}
