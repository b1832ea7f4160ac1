import { and, eq, gte, sql } from 'drizzle-orm';
import type { ContactCache } from '../domain/contact-cache.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { Engine } from './engine/engine.ts';
import { connections, contactCache } from './schema.ts';

/** Prepares the statement once; the function that it returns opens the cache for one application. */
export function createContactCache(deps: Deps): (applicationId: string) => ContactCache {
  const { engine, sealer, hash } = deps;
  const select = prepareSelect(engine);
  return (applicationId) => {
    const keyOf = (connectionId: string, filterKey: string) =>
      hash(JSON.stringify([applicationId, connectionId, filterKey]));
    return {
      read: async (connectionId, filterKey) => {
        const keyHash = keyOf(connectionId, filterKey);
        const [row] = await engine.repeatable(() => select.execute({ applicationId, keyHash }));
        if (!row) return undefined;
        const payload = sealer.open(row.sealed, bindingOf(keyHash));
        return payload === undefined ? undefined : { payload, fetchedAt: row.fetchedAt };
      },
      write: async ({ connectionId, filterKey, payload, fetchedAt }) => {
        const keyHash = keyOf(connectionId, filterKey);
        const sealed = sealer.seal(payload, bindingOf(keyHash));
        if (sealed.length > deps.maxEntryBytes) return;
        const values = [applicationId, keyHash, connectionId, sealed, sealed.length, fetchedAt.toISOString()];
        await engine.repeatable(() => engine.query(WRITE, values));
      },
    };
  };
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

/** Selected from the connection, so that nothing is kept for one that is gone, or is another application's. */
const WRITE = {
  name: 'write_contact_cache',
  text: `
insert into crossbook.contact_cache as kept
  (application_id, key_hash, connection_id, sealed, bytes, fetched_at)
select application_id, $2::text, id, $4::text, $5::int, $6::timestamptz
from crossbook.connections where application_id = $1::uuid and id = $3::uuid
  and updated_at <= $6::timestamptz for key share
on conflict (application_id, key_hash) do update
  set sealed = excluded.sealed, bytes = excluded.bytes, fetched_at = excluded.fetched_at
  where kept.fetched_at <= excluded.fetched_at`,
};

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly hash: (value: string) => string;
  readonly maxEntryBytes: number;
}
