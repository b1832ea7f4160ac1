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
 */
export function upsertStatement(mode: keyof typeof WRITE_CUSTOMER) {
  return { name: `upsert_customer_${mode}`, text: TEXT.replace('{write customer}', WRITE_CUSTOMER[mode]) };
}

const INSERT_CUSTOMER = `
  insert into crossbook.customers as kept
    (application_id, customer_id, name, email, version, created_at, updated_at)
  values ($1::uuid, $2::text, $3::text, $4::text, 1, $6::timestamptz, $6::timestamptz)
  on conflict (application_id, customer_id)`;

const SET_CUSTOMER = `set name = $3::text, email = $4::text, version = kept.version + 1, updated_at = $6::timestamptz`;

/** $7 is the expected version, which may be larger than any that a version can reach. */
const WRITE_CUSTOMER = {
  always: `${INSERT_CUSTOMER} do update ${SET_CUSTOMER} where $7::bigint is null`,
  absent: `${INSERT_CUSTOMER} do update ${SET_CUSTOMER} where kept.version = $7::bigint`,
  present: `
  update crossbook.customers as kept ${SET_CUSTOMER}
  where application_id = $1::uuid and customer_id = $2::text and version = $7::bigint`,
};

/** A field is given when its key is there; a null in it clears. */
const given = (field: string) =>
  `(select entry ? '${field}' from given where given.provider_name = excluded.provider_name)`;
const setIfGiven = (column: string, field: string) =>
  `${column} = case when ${given(field)} then excluded.${column} else kept.${column} end`;
const json = (field: string) => `nullif(entry -> '${field}', 'null')`;

const TEXT = `
with given as (
  select entry, entry ->> 'providerName' as provider_name from jsonb_array_elements($5::jsonb) as entry
), before as (
  select version from crossbook.customers where application_id = $1::uuid and customer_id = $2::text
), written as ({write customer}
  returning version
), linked as (
  insert into crossbook.connections as kept
    (id, application_id, customer_id, provider_name, provider_id, instance_url, schema_mappings_config,
     entity_mappings, connection_sync_config, status, created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, $2::text, provider_name, (entry ->> 'providerId')::uuid,
    entry ->> 'instanceUrl', ${json('schemaMappingsConfig')}, ${json('entityMappings')},
    ${json('connectionSyncConfig')},
    case when entry ->> 'sealed' is null then 'unauthorized' else 'connected' end,
    $6::timestamptz, $6::timestamptz
  from written cross join given
  on conflict (application_id, customer_id, provider_name) do update set
    ${setIfGiven('instance_url', 'instanceUrl')},
    ${setIfGiven('schema_mappings_config', 'schemaMappingsConfig')},
    ${setIfGiven('entity_mappings', 'entityMappings')},
    ${setIfGiven('connection_sync_config', 'connectionSyncConfig')},
    ${setIfGiven('status', 'sealed')},
    updated_at = excluded.updated_at
  returning kept.*
), secured as (
  insert into crossbook.credentials as kept
    (connection_id, application_id, sealed, key_id, generation, updated_at)
  select linked.id, $1::uuid, entry ->> 'sealed', entry ->> 'keyId', 1, $6::timestamptz
  from linked join given using (provider_name) where entry ? 'sealed'
  on conflict (connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, generation = kept.generation + 1,
    updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id in (select id from linked)
), now_there as (
  select * from linked
  union all
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = $2::text
    and provider_name not in (select provider_name from given)
)
select written.version, coalesce((select version from before), 0) as "versionBefore",
  (select coalesce(json_agg(json_build_object(
    'id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name,
    'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config,
    'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'status', status
  )), '[]') from now_there) as connections
from written`;
