import { and, eq, gte, sql } from 'drizzle-orm';
import { type ContactCache, LARGE_ENTRY } from '../domain/contact-cache.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { CacheRow } from './contact-cache-writer.ts';
import { createContactCacheWriter, type WaitingEntry } from './contact-cache-writer.ts';
import type { Engine } from './engine/engine.ts';
import { connections, contactCache } from './schema.ts';

/** Prepares the statement once; what it returns opens the cache for one application. */
export function createContactCache(deps: Deps): ContactCaches {
  const { engine, sealer, hash, maxEntryBytes } = deps;
  const select = prepareSelect(engine);
  const writer = createContactCacheWriter({ engine, seal, keyOf, delayMs: deps.delayMs });
  return {
    flush: writer.flush,
    forApplication: (applicationId) => ({
      read: async (connectionId, filterKey, takeTurn) => {
        const key = toKey(applicationId, connectionId, filterKey);
        await writer.settle(key);
        const keyHash = hash(key);
        const [row] = await engine.repeatable(() => select.execute({ applicationId, keyHash }));
        if (!row) return undefined;
        if (row.sealed.length > LARGE_ENTRY) await takeTurn?.();
        const payload = sealer.open(row.sealed, bindingOf(keyHash));
        return payload === undefined ? undefined : { payload, fetchedAt: row.fetchedAt };
      },
      write: (entry) => {
        const waiting = { applicationId, ...entry };
        const written = writer.add(waiting);
        if (entry.isUrgent) void writer.settle(keyOf(waiting));
        return written;
      },
    }),
  };

  function seal(key: string, entry: WaitingEntry): CacheRow | undefined {
    const payload = entry.payload();
    // Sealed it is longer: what is too long now need not be sealed.
    if (payload.length > maxEntryBytes) return undefined;
    const keyHash = hash(key);
    const sealed = sealer.seal(payload, bindingOf(keyHash));
    if (sealed.length > maxEntryBytes) return undefined;
    const { applicationId, connectionId, fetchedAt } = entry;
    const place = { application_id: applicationId, key_hash: keyHash, connection_id: connectionId };
    return { ...place, sealed, fetched_at: fetchedAt };
  }
}

function keyOf({ applicationId, connectionId, filterKey }: WaitingEntry): string {
  return toKey(applicationId, connectionId, filterKey());
}

function toKey(applicationId: string, connectionId: string, filterKey: string): string {
  return `${JSON.stringify([applicationId, connectionId])}${filterKey}`;
}

/** What was fetched before the connection was last changed is not the connection's answer any more. */
function prepareSelect({ orm }: Engine) {
  return orm
    .select({ sealed: contactCache.sealed, fetchedAt: contactCache.fetchedAt })
    .from(contactCache)
    .innerJoin(
      connections,
      and(
        eq(connections.id, contactCache.connectionId),
        eq(connections.applicationId, contactCache.applicationId),
      ),
    )
    .where(
      and(
        eq(contactCache.applicationId, sql.placeholder('applicationId')),
        eq(contactCache.keyHash, sql.placeholder('keyHash')),
        gte(contactCache.fetchedAt, connections.updatedAt),
      ),
    )
    .prepare('read_contact_cache');
}

/** The hash is the row's key: an answer opens only where it was put. */
function bindingOf(keyHash: string): string {
  return `contact_cache.sealed ${keyHash}`;
}

export interface ContactCaches {
  forApplication(applicationId: string): ContactCache;
  /** What waits to be written is written at once. */
  flush(): Promise<void>;
}

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly hash: (value: string) => string;
  readonly maxEntryBytes: number;
  /** How long an answer waits for others that are written with it. */
  readonly delayMs: number;
}
