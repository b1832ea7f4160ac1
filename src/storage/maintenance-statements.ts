const counting = (change: string) =>
  `with changed as (${change} returning 1) select count(*)::int as count from changed`;

export const SWEEP_AGED = {
  name: 'sweep_aged',
  text: counting('delete from crossbook.contact_cache where fetched_at < $1::timestamptz'),
};

/** Of each application's answers, newest first, those that no longer fit into its share. */
export const SWEEP_SURPLUS = {
  name: 'sweep_surplus',
  text: counting(`
delete from crossbook.contact_cache where (application_id, key_hash) in (
  select application_id, key_hash from (
    select application_id, key_hash,
      sum(bytes) over (partition by application_id order by fetched_at desc, key_hash) as total
    from crossbook.contact_cache
  ) as ranked where total > $1::bigint
)`),
};

/** Their hashes are those of another key: nobody finds these answers any more. */
export const FORGET_OTHER_KEYS = {
  name: 'forget_other_keys',
  text: counting(`delete from crossbook.contact_cache where split_part(sealed, '.', 1) <> $1::text`),
};

const SEALED_ROW = `kept.connection_id as "connectionId", kept.key_id as "keyId", kept.sealed, kept.generation,
  named.application_id as "applicationId", named.customer_id as "customerId", named.provider_name as "providerName"`;

/** Three of each key, so that one damaged row does not speak against its key. */
export const SAMPLE_KEYS = {
  name: 'sample_keys',
  text: `
select ${SEALED_ROW}
from (select distinct key_id from crossbook.credentials where sealed is not null) as used
cross join lateral (
  select * from crossbook.credentials where key_id = used.key_id and sealed is not null limit 3
) as kept
join crossbook.connections as named on named.id = kept.connection_id`,
};

export const WITH_OTHER_KEYS = {
  name: 'with_other_keys',
  text: `
select ${SEALED_ROW}
from crossbook.credentials as kept join crossbook.connections as named on named.id = kept.connection_id
where kept.sealed is not null and kept.key_id <> $1::text and kept.connection_id > $2::uuid
order by kept.connection_id limit $3::int`,
};

/** A row that was stored anew meanwhile has another generation, and is sealed with the current key already. */
export const RESEAL = {
  name: 'reseal',
  text: counting(`
update crossbook.credentials as kept set sealed = given.sealed, key_id = given."keyId"
from jsonb_to_recordset($1::jsonb) as given("connectionId" uuid, generation int, sealed text, "keyId" text)
where kept.connection_id = given."connectionId" and kept.generation = given.generation`),
};
