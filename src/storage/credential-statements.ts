/**
 * Both touch the connection before its credentials, as an upsert does, so that none of them can deadlock. Both look at
 * the generation in the row that they have locked: one that an upsert has just replaced is not theirs to change.
 */
const LOCK_CURRENT = `
with connection as (
  select id from crossbook.connections
  where application_id = $1::uuid and id = $2::uuid for no key update
), current as (
  select kept.connection_id from crossbook.credentials as kept join connection on connection.id = kept.connection_id
  where kept.generation = $3::int and kept.sealed is not null for no key update of kept
)`;

export const REPLACE = {
  name: 'replace_credentials',
  text: `${LOCK_CURRENT}, replaced as (
  update crossbook.credentials as kept
  set sealed = $4::text, key_id = $5::text, generation = kept.generation + 1, updated_at = $7::timestamptz
  from current where kept.connection_id = current.connection_id
  returning kept.connection_id, kept.generation
), linked as (
  update crossbook.connections as kept set instance_url = $6::text, status = 'connected'
  from replaced where kept.id = replaced.connection_id
)
select generation from replaced`,
};

export const MARK_REFUSED = {
  name: 'mark_credentials_refused',
  text: `${LOCK_CURRENT}
update crossbook.connections as kept set status = 'reauthorize'
from current where kept.id = current.connection_id`,
};
