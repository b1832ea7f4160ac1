/**
 * Joined with the connections, so that nothing is kept for one that is gone, was changed meanwhile, or is another
 * application's. In the order of their keys, so that two processes do not wait for each other.
 */
export const WRITE_CONTACT_CACHE = {
  name: 'write_contact_cache',
  text: `
insert into crossbook.contact_cache as kept
  (application_id, key_hash, connection_id, sealed, bytes, fetched_at)
select fresh.application_id, fresh.key_hash, connections.id, fresh.sealed, length(fresh.sealed), fresh.fetched_at
from json_to_recordset($1::json) as fresh
  (application_id uuid, key_hash text, connection_id uuid, sealed text, fetched_at timestamptz)
join crossbook.connections on connections.id = fresh.connection_id
  and connections.application_id = fresh.application_id and connections.updated_at <= fresh.fetched_at
order by fresh.application_id, fresh.key_hash
for key share of connections
on conflict (application_id, key_hash) do update
  set sealed = excluded.sealed, bytes = excluded.bytes, fetched_at = excluded.fetched_at
  where kept.fetched_at <= excluded.fetched_at`,
};

/** As the statement reads it. */
export interface CacheRow {
  readonly application_id: string;
  readonly key_hash: string;
  readonly connection_id: string;
  readonly sealed: string;
  readonly fetched_at: Date;
}
