import type { EventType } from '../domain/event.ts';
import { CONNECTION_DATA, recordEvents } from './event-statements.ts';

/**
 * Both touch the connection before its credentials, as an upsert does, so that none of them can deadlock. Both look at
 * the generation in the row that they have locked: one that an upsert has just replaced is not theirs to change.
 */
const LOCK_CURRENT = `
with connection as (
  select id, status from crossbook.connections
  where application_id = $1::uuid and id = $2::uuid for no key update
), current as (
  select kept.connection_id, connection.status from crossbook.credentials as kept join connection on connection.id = kept.connection_id
  where kept.generation = $3::int and kept.sealed is not null for no key update of kept
)`;

/** Of a connection's row that is locked, so that its status before and its sequence are the true ones. */
const toEvent = (type: EventType) => `
  select gen_random_uuid() as id, customer_id, id as connection_id, '${type}' as type, event_sequence as sequence,
    ${CONNECTION_DATA} as data`;

export const REPLACE = {
  name: 'replace_credentials',
  text: `${LOCK_CURRENT}, replaced as (
  update crossbook.credentials as kept
  set sealed = $4::text, key_id = $5::text, generation = kept.generation + 1, updated_at = $7::timestamptz
  from current where kept.connection_id = current.connection_id
  returning kept.connection_id, kept.generation, current.status
), linked as (
  update crossbook.connections as kept
  set instance_url = $6::text, status = 'connected', status_reason = null,
    status_changed_at = case when kept.status = 'connected' then kept.status_changed_at else $7::timestamptz end,
    event_sequence = kept.event_sequence + case when replaced.status = 'reauthorize' then 1 else 0 end
  from replaced where kept.id = replaced.connection_id
  returning kept.*, replaced.status as status_before
), ${recordEvents(
    `${toEvent('connection.recovered')} from linked where status_before = 'reauthorize'`,
    '$7::timestamptz',
  )}
select generation from replaced`,
};

/**
 * One process at a time refreshes a generation, and holds neither a lock nor a connection meanwhile: it leaves its name. A
 * lease counts until its time is up by the database's clock, or until $6 says that it has been watched for that long.
 */
export const TAKE_LEASE = {
  name: 'take_refresh_lease',
  text: `
update crossbook.credentials
set refresh_lease = $4::uuid, refreshing_generation = generation,
  refreshing_until = clock_timestamp() + $5::int * interval '1 millisecond'
where application_id = $1::uuid and connection_id = $2::uuid and generation = $3::int and sealed is not null
  and (refresh_lease is null or refresh_lease = $4::uuid or refreshing_generation is distinct from generation
    or refreshing_until <= clock_timestamp() or refresh_lease = $6::uuid)
returning refresh_lease`,
};

export const RELEASE_LEASE = {
  name: 'release_refresh_lease',
  text: `
update crossbook.credentials set refresh_lease = null
where application_id = $1::uuid and connection_id = $2::uuid and refresh_lease = $3::uuid`,
};

export const MARK_REFUSED = {
  name: 'mark_credentials_refused',
  text: `${LOCK_CURRENT}, refused as (
  update crossbook.connections as kept
  set status = 'reauthorize', status_reason = $4::text, status_changed_at = $5::timestamptz,
    event_sequence = kept.event_sequence + case when current.status = 'reauthorize' then 0 else 1 end
  from current where kept.id = current.connection_id
    and (kept.status, kept.status_reason) is distinct from ('reauthorize', $4::text)
  returning kept.*, current.status as status_before
), ${recordEvents(
    `${toEvent('connection.reauthorize')} from refused where status_before <> 'reauthorize'`,
    '$5::timestamptz',
  )}
select from refused`,
};
