import type { CacheEntry, ContactCache } from '../../src/domain/tenant.ts';

/** One application's cache, in memory. */
export function createFakeContactCache(): ContactCache {
  const entries = new Map<string, CacheEntry>();
  return {
    async read(connectionId, filterKey) {
      const entry = entries.get(`${connectionId} ${filterKey}`);
      return (
        entry && {
          fetchedAt: entry.fetchedAt,
          payload: entry.payload(Number.POSITIVE_INFINITY) ?? '',
        }
      );
    },
    async write(entry) {
      entries.set(`${entry.connectionId} ${entry.filterKey()}`, entry);
    },
    async refuse(connectionId) {
      for (const [key, entry] of entries)
        if (entry.connectionId === connectionId) entries.delete(key);
    },
  };
}
