import type { Connection, ConnectionFacts, Learnt } from '../domain/connection.ts';
import { CACHE_ENTRY_MAX_AGE_MS, type ContactCache } from '../domain/tenant.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock, Wait } from '../lib/clock.ts';
import { withDeadline } from './send.ts';

/** Facts about one connection, stored with its cached contacts for all processes and cached in memory for a minute. */
export function createFactsCache(connectionId: Connection['id'], clock: Clock) {
  const remembered = createTtlCache<Known>({
    maxAgeMs: FACTS_MEMORY_TTL_MS,
    maxEntries: 1,
    now: clock.now,
  });
  let learning: Promise<boolean> | undefined;
  let timesForgotten = 0;

  return {
    of: (cache: FactsStore, wait: Wait): ConnectionFacts => ({
      async read() {
        const known = remembered.find(connectionId, () => readStored(cache));
        return (known instanceof Promise ? await withDeadline(wait, known) : known)?.facts;
      },
      async learn(seen, work) {
        // Where the caller that was loading has failed or disconnected, the next one loads.
        if (learning && (await withDeadline(wait, learning))) return undefined;
        const running = learn(cache, seen, work);
        const hasLearnt = running.then(
          () => true,
          () => false,
        );
        learning = hasLearnt;
        try {
          return await running;
        } finally {
          if (learning === hasLearnt) learning = undefined;
        }
      },
    }),

    /** Clears the memory after the connection was changed. */
    forget(): void {
      timesForgotten += 1;
      remembered.forget(connectionId);
    },
  };

  async function learn<Result>(
    cache: FactsStore,
    seen: string | undefined,
    work: () => Promise<Learnt<Result>>,
  ): Promise<Result | undefined> {
    const known = await remembered.find(connectionId, () => readStored(cache));
    if (known?.facts !== seen) return undefined;
    const stored = await readStored(cache);
    if (stored.facts !== undefined && stored.facts !== seen) {
      remember(stored);
      return undefined;
    }
    const fetchedAt = new Date(clock.wall());
    const before = timesForgotten;
    const { facts, result } = await work();
    if (before !== timesForgotten) return result;
    remember({ facts });
    await cache
      .write({
        connectionId,
        weight: 0,
        fetchedAt,
        isUrgent: true,
        outlivesWrites: true,
        filterKey: () => FACTS_KEY,
        payload: () => facts,
      })
      .catch(() => undefined);
    return result;
  }

  async function readStored(cache: FactsStore): Promise<Known> {
    const entry = await cache
      .read(connectionId, FACTS_KEY, { outlivesWrites: true })
      .catch(() => undefined);
    const isTooOld =
      entry && Math.abs(clock.wall() - entry.fetchedAt.getTime()) > CACHE_ENTRY_MAX_AGE_MS;
    return { facts: isTooOld ? undefined : entry?.payload };
  }

  function remember(known: Known): void {
    remembered.forget(connectionId);
    void remembered.find(connectionId, async () => known);
  }
}

/** Short, because other processes may learn facts and change connections. */
const FACTS_MEMORY_TTL_MS = 60_000;
/** No search has this cache key. */
const FACTS_KEY = 'connection facts';

type FactsStore = Pick<ContactCache, 'read' | 'write'>;

interface Known {
  readonly facts: string | undefined;
}
