/**
 * A customer and its connections in ONE statement, which is its own transaction. Two rules of PostgreSQL shape it:
 *
 * - All parts see the data as it was when the statement began, never each other's writes. So what was written comes
 *   from RETURNING, and what was not touched from the table. A rival that commits while we wait for its row is not in
 *   that picture; `versionBefore` then is not the version before ours, and the caller reads again.
 * - ON CONFLICT sees rows that the picture does not have. So everything that may race is written by it: also clearing
 *   credentials, where a DELETE would miss the ones that a rival has just stored.
 *
 * The customer's row is written first, and is what rivals wait for: they can never deadlock.
 *
 * Most of what a statement costs is the setting up of its parts, so one that names no connection does without theirs.
 */
export function upsertStatement(mode: UpsertMode, { linking }: { readonly linking: boolean }) {
  const write = WRITE_CUSTOMER[mode];
  return linking
    ? { name: `upsert_linked_${mode}`, text: writeLinked(write) }
    : { name: `upsert_${mode}`, text: `${write} returning version, ${VERSION_BEFORE}, ${answer(STORED)}` };
}

const INSERT_CUSTOMER = `
  insert into crossbook.customers as kept
    (application_id, customer_id, name, email, version, created_at, updated_at)
  values ($1::uuid, $2::text, $3::text, $4::text, 1, $5::timestamptz, $5::timestamptz)
  on conflict (application_id, customer_id)`;

const SET_CUSTOMER = `set name = $3::text, email = $4::text, version = kept.version + 1, updated_at = $5::timestamptz`;

/** $6 is the expected version, which may be larger than any that a version can reach. */
const WRITE_CUSTOMER = {
  always: `${INSERT_CUSTOMER} do update ${SET_CUSTOMER} where $6::bigint is null`,
  absent: `${INSERT_CUSTOMER} do update ${SET_CUSTOMER} where kept.version = $6::bigint`,
  present: `
  update crossbook.customers as kept ${SET_CUSTOMER}
  where application_id = $1::uuid and customer_id = $2::text and version = $6::bigint`,
};

const VERSION_BEFORE = `coalesce(
  (select version from crossbook.customers where application_id = $1::uuid and customer_id = $2::text), 0
) as "versionBefore"`;

const STORED =
  'select * from crossbook.connections where application_id = $1::uuid and customer_id = $2::text';

const answer = (rows: string) => `(
  select coalesce(json_agg(json_build_object(
    'id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name,
    'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config,
    'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'status', status
  )), '[]') from (${rows}) as connection
) as connections`;

/** $7 has an entry for each provider. A field is given when its key is there; a null in it clears. */
const setIfGiven = (column: string, field: string) => `
    ${column} = case when $7::jsonb -> excluded.provider_name ? '${field}' then excluded.${column} else kept.${column} end`;
const json = (field: string) => `nullif(entry -> '${field}', 'null')`;

const writeLinked = (writeCustomer: string) => `
with written as (${writeCustomer}
  returning version
), linked as (
  insert into crossbook.connections as kept
    (id, application_id, customer_id, provider_name, provider_id, instance_url, schema_mappings_config,
     entity_mappings, connection_sync_config, status, created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, $2::text, provider_name, (entry ->> 'providerId')::uuid,
    entry ->> 'instanceUrl', ${json('schemaMappingsConfig')}, ${json('entityMappings')},
    ${json('connectionSyncConfig')},
    case when entry ->> 'sealed' is null then 'unauthorized' else 'connected' end,
    $5::timestamptz, $5::timestamptz
  from written cross join jsonb_each($7::jsonb) as given (provider_name, entry)
  on conflict (application_id, customer_id, provider_name) do update set
    ${[
      setIfGiven('instance_url', 'instanceUrl'),
      setIfGiven('schema_mappings_config', 'schemaMappingsConfig'),
      setIfGiven('entity_mappings', 'entityMappings'),
      setIfGiven('connection_sync_config', 'connectionSyncConfig'),
      setIfGiven('status', 'sealed'),
    ].join(',')},
    updated_at = excluded.updated_at
  returning kept.*
), secured as (
  insert into crossbook.credentials as kept
    (connection_id, application_id, sealed, key_id, generation, updated_at)
  select id, $1::uuid, $7::jsonb -> provider_name ->> 'sealed', $7::jsonb -> provider_name ->> 'keyId', 1,
    $5::timestamptz
  from linked where $7::jsonb -> provider_name ? 'sealed'
  on conflict (connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, generation = kept.generation + 1,
    updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id = any (array(select id from linked))
)
select version, ${VERSION_BEFORE},
  ${answer(`select * from linked union all ${STORED} and not $7::jsonb ? provider_name`)}
from written`;

export type UpsertMode = keyof typeof WRITE_CUSTOMER;
