-- upsert_always
with written as (
  insert into crossbook.customers as stored
    (application_id, customer_id, name, email, version, created_at, updated_at)
  select $1::uuid, customer_id, name, email, 1, $3::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as given (customer_id text, name text, email text)
  order by customer_id
  on conflict (application_id, customer_id) do update
    set name = excluded.name, email = excluded.email, version = stored.version + 1, updated_at = excluded.updated_at
  returning stored.customer_id, stored.version, stored.name, stored.email
), 
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select (lpad(to_hex(floor(extract(epoch from $3::timestamptz) * 1000)::bigint), 12, '0')
    || '7' || right(replace(id::text, '-', ''), 19))::uuid, $1::uuid, customer_id, connection_id, type, sequence, data, $3::timestamptz
  from (
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and (endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))
)
select written.customer_id as "customerId", written.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = written.customer_id
), 0) as "versionBefore", (
  select case when coalesce(sum(((512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))
  + coalesce(configuration_bytes, coalesce(octet_length(schema_mappings_config::text), 0) + coalesce(octet_length(entity_mappings::text), 0) + coalesce(octet_length(connection_sync_config::text), 0)) + coalesce(octet_length(contact_field_mappings::text), 0) + coalesce(octet_length(record_field_mappings::text), 0))), 0) <= 65536 then coalesce(json_agg(json_build_object('id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name, 'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config, 'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'contactFieldMappings', contact_field_mappings, 'recordFieldMappings', record_field_mappings, 'status', status, 'statusReason', status_reason, 'statusChangedAt', status_changed_at, 'accountId', account_id, 'accountName', account_name, 'accountUrl', account_url, 'accountUserId', account_user_id, 'grantedScopes', granted_scopes, 'readableRecords', readable_records, 'writableRecords', writable_records, 'credentialsVersion', credentials_version)), '[]') end
  from ((
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = written.customer_id
  order by provider_name
)) as connection
) as connections from written;

-- upsert_absent
with written as (
  insert into crossbook.customers as stored
    (application_id, customer_id, name, email, version, created_at, updated_at)
  select $1::uuid, customer_id, name, email, 1, $3::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as given (customer_id text, name text, email text)
  order by customer_id
  on conflict (application_id, customer_id) do nothing
  returning stored.customer_id, stored.version, stored.name, stored.email
), 
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select (lpad(to_hex(floor(extract(epoch from $3::timestamptz) * 1000)::bigint), 12, '0')
    || '7' || right(replace(id::text, '-', ''), 19))::uuid, $1::uuid, customer_id, connection_id, type, sequence, data, $3::timestamptz
  from (
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and (endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))
)
select written.customer_id as "customerId", written.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = written.customer_id
), 0) as "versionBefore", (
  select case when coalesce(sum(((512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))
  + coalesce(configuration_bytes, coalesce(octet_length(schema_mappings_config::text), 0) + coalesce(octet_length(entity_mappings::text), 0) + coalesce(octet_length(connection_sync_config::text), 0)) + coalesce(octet_length(contact_field_mappings::text), 0) + coalesce(octet_length(record_field_mappings::text), 0))), 0) <= 65536 then coalesce(json_agg(json_build_object('id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name, 'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config, 'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'contactFieldMappings', contact_field_mappings, 'recordFieldMappings', record_field_mappings, 'status', status, 'statusReason', status_reason, 'statusChangedAt', status_changed_at, 'accountId', account_id, 'accountName', account_name, 'accountUrl', account_url, 'accountUserId', account_user_id, 'grantedScopes', granted_scopes, 'readableRecords', readable_records, 'writableRecords', writable_records, 'credentialsVersion', credentials_version)), '[]') end
  from ((
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = written.customer_id
  order by provider_name
)) as connection
) as connections from written;

-- upsert_present
with written as (
  update crossbook.customers as stored
  set name = ($2::json -> 0 ->> 'name'), email = ($2::json -> 0 ->> 'email'), version = stored.version + 1, updated_at = $3::timestamptz
  where application_id = $1::uuid and customer_id = ($2::json -> 0 ->> 'customer_id')
    and version = ($2::json -> 0 ->> 'expected_version')::bigint
  returning stored.customer_id, stored.version, stored.name, stored.email
), 
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select (lpad(to_hex(floor(extract(epoch from $3::timestamptz) * 1000)::bigint), 12, '0')
    || '7' || right(replace(id::text, '-', ''), 19))::uuid, $1::uuid, customer_id, connection_id, type, sequence, data, $3::timestamptz
  from (
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and (endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))
)
select written.customer_id as "customerId", written.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = written.customer_id
), 0) as "versionBefore", (
  select case when coalesce(sum(((512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))
  + coalesce(configuration_bytes, coalesce(octet_length(schema_mappings_config::text), 0) + coalesce(octet_length(entity_mappings::text), 0) + coalesce(octet_length(connection_sync_config::text), 0)) + coalesce(octet_length(contact_field_mappings::text), 0) + coalesce(octet_length(record_field_mappings::text), 0))), 0) <= 65536 then coalesce(json_agg(json_build_object('id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name, 'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config, 'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'contactFieldMappings', contact_field_mappings, 'recordFieldMappings', record_field_mappings, 'status', status, 'statusReason', status_reason, 'statusChangedAt', status_changed_at, 'accountId', account_id, 'accountName', account_name, 'accountUrl', account_url, 'accountUserId', account_user_id, 'grantedScopes', granted_scopes, 'readableRecords', readable_records, 'writableRecords', writable_records, 'credentialsVersion', credentials_version)), '[]') end
  from ((
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = written.customer_id
  order by provider_name
)) as connection
) as connections from written;

-- upsert_linked_always
with written as (
  insert into crossbook.customers as stored
    (application_id, customer_id, name, email, version, created_at, updated_at)
  select $1::uuid, customer_id, name, email, 1, $3::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as given (customer_id text, name text, email text)
  order by customer_id
  on conflict (application_id, customer_id) do update
    set name = excluded.name, email = excluded.email, version = stored.version + 1, updated_at = excluded.updated_at
  returning stored.customer_id, stored.version, stored.name, stored.email
), linked as (
  insert into crossbook.connections as stored
    (id, application_id, customer_id, provider_name, provider_id, instance_url, schema_mappings_config, entity_mappings, connection_sync_config, readable_records, writable_records,
     configuration_bytes, status, status_reason, status_changed_at, credentials_version,
     credentials_fingerprint, event_sequence, last_event_id,
     created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, customer_id, provider_name, (entry ->> 'providerId')::uuid,
    entry ->> 'instanceUrl', nullif(entry -> 'schemaMappingsConfig', 'null'), nullif(entry -> 'entityMappings', 'null'), nullif(entry -> 'connectionSyncConfig', 'null'), coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{CONTACT}'), case when entry ->> 'access' = 'READ_WRITE' then coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{CONTACT}') else '{}' end,
    coalesce(octet_length((nullif(entry -> 'schemaMappingsConfig', 'null'))::text), 0) + coalesce(octet_length((nullif(entry -> 'entityMappings', 'null'))::text), 0) + coalesce(octet_length((nullif(entry -> 'connectionSyncConfig', 'null'))::text), 0),
    entry ->> 'status', entry ->> 'statusReason', $3::timestamptz, 1, '1.' || (entry ->> 'fingerprint'),
    case when entry ->> 'sealed' is null then 0 else 1 end,
    case when entry ->> 'sealed' is not null then (entry ->> 'eventId')::uuid end,
    $3::timestamptz, $3::timestamptz
  from written cross join jsonb_each($4::jsonb -> customer_id) as given (provider_name, entry)
  on conflict (application_id, customer_id, provider_name) do update set
    instance_url = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'instanceUrl' then excluded.instance_url else stored.instance_url end, schema_mappings_config = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'schemaMappingsConfig' then excluded.schema_mappings_config else stored.schema_mappings_config end, entity_mappings = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'entityMappings' then excluded.entity_mappings else stored.entity_mappings end, connection_sync_config = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'connectionSyncConfig' then excluded.connection_sync_config else stored.connection_sync_config end, readable_records = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' and not (stored.account_id is not null and not ($4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed')) then excluded.readable_records
      else stored.readable_records end, writable_records = case when stored.account_id is not null and not ($4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed') then stored.writable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'access' and $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' then excluded.writable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'access' = 'READ_WRITE' then stored.readable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'access' = 'READ' then '{}'
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' then array(
        select type from unnest(stored.writable_records) as type where type = any (excluded.readable_records))
      else stored.writable_records end,
    configuration_bytes = coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'schemaMappingsConfig' then excluded.schema_mappings_config else stored.schema_mappings_config end)::text), 0) + coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'entityMappings' then excluded.entity_mappings else stored.entity_mappings end)::text), 0) + coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'connectionSyncConfig' then excluded.connection_sync_config else stored.connection_sync_config end)::text), 0),
    status = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then excluded.status else stored.status end,
    status_reason = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then case when excluded.status = 'unauthorized' then case when stored.status = 'unauthorized' then stored.status_reason else 'credentials_cleared' end else excluded.status_reason end else stored.status_reason end,
    status_changed_at = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then case when stored.status = excluded.status and (excluded.status = 'unauthorized' or stored.status_reason = excluded.status_reason)
      then stored.status_changed_at else excluded.status_changed_at end else stored.status_changed_at end,
    account_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_id end, account_name = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_name end, account_url = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_url end, account_user_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_user_id end, granted_scopes = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then '{}' else stored.granted_scopes end,
    credentials_version = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then stored.credentials_version + 1 else stored.credentials_version end,
    credentials_fingerprint = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then stored.credentials_version + 1 || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint') else stored.credentials_fingerprint end,
    event_sequence = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and excluded.status <> stored.status then stored.event_sequence + 1 else stored.event_sequence end,
    last_event_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and excluded.status <> stored.status then ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'eventId')::uuid else stored.last_event_id end,
    updated_at = excluded.updated_at
  returning stored.*
), secured as (
  insert into crossbook.credentials as stored
    (connection_id, application_id, sealed, key_id, expires_at, generation, updated_at)
  select id, $1::uuid, $4::jsonb -> linked.customer_id -> linked.provider_name ->> 'sealed', $4::jsonb -> linked.customer_id -> linked.provider_name ->> 'keyId',
    ($4::jsonb -> linked.customer_id -> linked.provider_name ->> 'expiresAt')::timestamptz, 1, $3::timestamptz
  from linked where $4::jsonb -> linked.customer_id -> linked.provider_name ? 'sealed'
  on conflict (application_id, connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, expires_at = excluded.expires_at,
    generation = stored.generation + 1, oauth_client_id = null, updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id = any (array(select id from linked))
), 
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select (lpad(to_hex(floor(extract(epoch from $3::timestamptz) * 1000)::bigint), 12, '0')
    || '7' || right(replace(id::text, '-', ''), 19))::uuid, $1::uuid, customer_id, connection_id, type, sequence, data, $3::timestamptz
  from (
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true union all 
  select last_event_id, customer_id, id,
    case status when 'connected' then 'connection.connected'
      when 'reauthorize' then 'connection.reauthorize' else 'connection.disconnected' end,
    event_sequence, jsonb_build_object('provider_name', provider_name, 'status', status,
  'status_reason', status_reason)
  from linked where last_event_id = ($4::jsonb -> linked.customer_id -> linked.provider_name ->> 'eventId')::uuid) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and (endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))
)
select written.customer_id as "customerId", written.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = written.customer_id
), 0) as "versionBefore", (
  select case when coalesce(sum(((512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))
  + coalesce(configuration_bytes, coalesce(octet_length(schema_mappings_config::text), 0) + coalesce(octet_length(entity_mappings::text), 0) + coalesce(octet_length(connection_sync_config::text), 0)) + coalesce(octet_length(contact_field_mappings::text), 0) + coalesce(octet_length(record_field_mappings::text), 0))), 0) <= 65536 then coalesce(json_agg(json_build_object('id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name, 'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config, 'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'contactFieldMappings', contact_field_mappings, 'recordFieldMappings', record_field_mappings, 'status', status, 'statusReason', status_reason, 'statusChangedAt', status_changed_at, 'accountId', account_id, 'accountName', account_name, 'accountUrl', account_url, 'accountUserId', account_user_id, 'grantedScopes', granted_scopes, 'readableRecords', readable_records, 'writableRecords', writable_records, 'credentialsVersion', credentials_version)), '[]') end
  from (
    select * from linked where linked.customer_id = written.customer_id
    union all (
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = written.customer_id and ($4::jsonb -> connections.customer_id -> connections.provider_name) is null
  order by provider_name
)) as connection
) as connections
from written;

-- upsert_linked_absent
with written as (
  insert into crossbook.customers as stored
    (application_id, customer_id, name, email, version, created_at, updated_at)
  select $1::uuid, customer_id, name, email, 1, $3::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as given (customer_id text, name text, email text)
  order by customer_id
  on conflict (application_id, customer_id) do nothing
  returning stored.customer_id, stored.version, stored.name, stored.email
), linked as (
  insert into crossbook.connections as stored
    (id, application_id, customer_id, provider_name, provider_id, instance_url, schema_mappings_config, entity_mappings, connection_sync_config, readable_records, writable_records,
     configuration_bytes, status, status_reason, status_changed_at, credentials_version,
     credentials_fingerprint, event_sequence, last_event_id,
     created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, customer_id, provider_name, (entry ->> 'providerId')::uuid,
    entry ->> 'instanceUrl', nullif(entry -> 'schemaMappingsConfig', 'null'), nullif(entry -> 'entityMappings', 'null'), nullif(entry -> 'connectionSyncConfig', 'null'), coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{CONTACT}'), case when entry ->> 'access' = 'READ_WRITE' then coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{CONTACT}') else '{}' end,
    coalesce(octet_length((nullif(entry -> 'schemaMappingsConfig', 'null'))::text), 0) + coalesce(octet_length((nullif(entry -> 'entityMappings', 'null'))::text), 0) + coalesce(octet_length((nullif(entry -> 'connectionSyncConfig', 'null'))::text), 0),
    entry ->> 'status', entry ->> 'statusReason', $3::timestamptz, 1, '1.' || (entry ->> 'fingerprint'),
    case when entry ->> 'sealed' is null then 0 else 1 end,
    case when entry ->> 'sealed' is not null then (entry ->> 'eventId')::uuid end,
    $3::timestamptz, $3::timestamptz
  from written cross join jsonb_each($4::jsonb -> customer_id) as given (provider_name, entry)
  on conflict (application_id, customer_id, provider_name) do update set
    instance_url = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'instanceUrl' then excluded.instance_url else stored.instance_url end, schema_mappings_config = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'schemaMappingsConfig' then excluded.schema_mappings_config else stored.schema_mappings_config end, entity_mappings = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'entityMappings' then excluded.entity_mappings else stored.entity_mappings end, connection_sync_config = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'connectionSyncConfig' then excluded.connection_sync_config else stored.connection_sync_config end, readable_records = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' and not (stored.account_id is not null and not ($4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed')) then excluded.readable_records
      else stored.readable_records end, writable_records = case when stored.account_id is not null and not ($4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed') then stored.writable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'access' and $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' then excluded.writable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'access' = 'READ_WRITE' then stored.readable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'access' = 'READ' then '{}'
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' then array(
        select type from unnest(stored.writable_records) as type where type = any (excluded.readable_records))
      else stored.writable_records end,
    configuration_bytes = coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'schemaMappingsConfig' then excluded.schema_mappings_config else stored.schema_mappings_config end)::text), 0) + coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'entityMappings' then excluded.entity_mappings else stored.entity_mappings end)::text), 0) + coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'connectionSyncConfig' then excluded.connection_sync_config else stored.connection_sync_config end)::text), 0),
    status = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then excluded.status else stored.status end,
    status_reason = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then case when excluded.status = 'unauthorized' then case when stored.status = 'unauthorized' then stored.status_reason else 'credentials_cleared' end else excluded.status_reason end else stored.status_reason end,
    status_changed_at = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then case when stored.status = excluded.status and (excluded.status = 'unauthorized' or stored.status_reason = excluded.status_reason)
      then stored.status_changed_at else excluded.status_changed_at end else stored.status_changed_at end,
    account_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_id end, account_name = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_name end, account_url = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_url end, account_user_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_user_id end, granted_scopes = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then '{}' else stored.granted_scopes end,
    credentials_version = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then stored.credentials_version + 1 else stored.credentials_version end,
    credentials_fingerprint = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then stored.credentials_version + 1 || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint') else stored.credentials_fingerprint end,
    event_sequence = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and excluded.status <> stored.status then stored.event_sequence + 1 else stored.event_sequence end,
    last_event_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and excluded.status <> stored.status then ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'eventId')::uuid else stored.last_event_id end,
    updated_at = excluded.updated_at
  returning stored.*
), secured as (
  insert into crossbook.credentials as stored
    (connection_id, application_id, sealed, key_id, expires_at, generation, updated_at)
  select id, $1::uuid, $4::jsonb -> linked.customer_id -> linked.provider_name ->> 'sealed', $4::jsonb -> linked.customer_id -> linked.provider_name ->> 'keyId',
    ($4::jsonb -> linked.customer_id -> linked.provider_name ->> 'expiresAt')::timestamptz, 1, $3::timestamptz
  from linked where $4::jsonb -> linked.customer_id -> linked.provider_name ? 'sealed'
  on conflict (application_id, connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, expires_at = excluded.expires_at,
    generation = stored.generation + 1, oauth_client_id = null, updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id = any (array(select id from linked))
), 
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select (lpad(to_hex(floor(extract(epoch from $3::timestamptz) * 1000)::bigint), 12, '0')
    || '7' || right(replace(id::text, '-', ''), 19))::uuid, $1::uuid, customer_id, connection_id, type, sequence, data, $3::timestamptz
  from (
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true union all 
  select last_event_id, customer_id, id,
    case status when 'connected' then 'connection.connected'
      when 'reauthorize' then 'connection.reauthorize' else 'connection.disconnected' end,
    event_sequence, jsonb_build_object('provider_name', provider_name, 'status', status,
  'status_reason', status_reason)
  from linked where last_event_id = ($4::jsonb -> linked.customer_id -> linked.provider_name ->> 'eventId')::uuid) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and (endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))
)
select written.customer_id as "customerId", written.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = written.customer_id
), 0) as "versionBefore", (
  select case when coalesce(sum(((512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))
  + coalesce(configuration_bytes, coalesce(octet_length(schema_mappings_config::text), 0) + coalesce(octet_length(entity_mappings::text), 0) + coalesce(octet_length(connection_sync_config::text), 0)) + coalesce(octet_length(contact_field_mappings::text), 0) + coalesce(octet_length(record_field_mappings::text), 0))), 0) <= 65536 then coalesce(json_agg(json_build_object('id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name, 'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config, 'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'contactFieldMappings', contact_field_mappings, 'recordFieldMappings', record_field_mappings, 'status', status, 'statusReason', status_reason, 'statusChangedAt', status_changed_at, 'accountId', account_id, 'accountName', account_name, 'accountUrl', account_url, 'accountUserId', account_user_id, 'grantedScopes', granted_scopes, 'readableRecords', readable_records, 'writableRecords', writable_records, 'credentialsVersion', credentials_version)), '[]') end
  from (
    select * from linked where linked.customer_id = written.customer_id
    union all (
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = written.customer_id and ($4::jsonb -> connections.customer_id -> connections.provider_name) is null
  order by provider_name
)) as connection
) as connections
from written;

-- upsert_linked_present
with written as (
  update crossbook.customers as stored
  set name = ($2::json -> 0 ->> 'name'), email = ($2::json -> 0 ->> 'email'), version = stored.version + 1, updated_at = $3::timestamptz
  where application_id = $1::uuid and customer_id = ($2::json -> 0 ->> 'customer_id')
    and version = ($2::json -> 0 ->> 'expected_version')::bigint
  returning stored.customer_id, stored.version, stored.name, stored.email
), linked as (
  insert into crossbook.connections as stored
    (id, application_id, customer_id, provider_name, provider_id, instance_url, schema_mappings_config, entity_mappings, connection_sync_config, readable_records, writable_records,
     configuration_bytes, status, status_reason, status_changed_at, credentials_version,
     credentials_fingerprint, event_sequence, last_event_id,
     created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, customer_id, provider_name, (entry ->> 'providerId')::uuid,
    entry ->> 'instanceUrl', nullif(entry -> 'schemaMappingsConfig', 'null'), nullif(entry -> 'entityMappings', 'null'), nullif(entry -> 'connectionSyncConfig', 'null'), coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{CONTACT}'), case when entry ->> 'access' = 'READ_WRITE' then coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{CONTACT}') else '{}' end,
    coalesce(octet_length((nullif(entry -> 'schemaMappingsConfig', 'null'))::text), 0) + coalesce(octet_length((nullif(entry -> 'entityMappings', 'null'))::text), 0) + coalesce(octet_length((nullif(entry -> 'connectionSyncConfig', 'null'))::text), 0),
    entry ->> 'status', entry ->> 'statusReason', $3::timestamptz, 1, '1.' || (entry ->> 'fingerprint'),
    case when entry ->> 'sealed' is null then 0 else 1 end,
    case when entry ->> 'sealed' is not null then (entry ->> 'eventId')::uuid end,
    $3::timestamptz, $3::timestamptz
  from written cross join jsonb_each($4::jsonb -> customer_id) as given (provider_name, entry)
  on conflict (application_id, customer_id, provider_name) do update set
    instance_url = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'instanceUrl' then excluded.instance_url else stored.instance_url end, schema_mappings_config = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'schemaMappingsConfig' then excluded.schema_mappings_config else stored.schema_mappings_config end, entity_mappings = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'entityMappings' then excluded.entity_mappings else stored.entity_mappings end, connection_sync_config = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'connectionSyncConfig' then excluded.connection_sync_config else stored.connection_sync_config end, readable_records = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' and not (stored.account_id is not null and not ($4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed')) then excluded.readable_records
      else stored.readable_records end, writable_records = case when stored.account_id is not null and not ($4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed') then stored.writable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'access' and $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' then excluded.writable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'access' = 'READ_WRITE' then stored.readable_records
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'access' = 'READ' then '{}'
      when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'records' then array(
        select type from unnest(stored.writable_records) as type where type = any (excluded.readable_records))
      else stored.writable_records end,
    configuration_bytes = coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'schemaMappingsConfig' then excluded.schema_mappings_config else stored.schema_mappings_config end)::text), 0) + coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'entityMappings' then excluded.entity_mappings else stored.entity_mappings end)::text), 0) + coalesce(octet_length((case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'connectionSyncConfig' then excluded.connection_sync_config else stored.connection_sync_config end)::text), 0),
    status = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then excluded.status else stored.status end,
    status_reason = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then case when excluded.status = 'unauthorized' then case when stored.status = 'unauthorized' then stored.status_reason else 'credentials_cleared' end else excluded.status_reason end else stored.status_reason end,
    status_changed_at = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then case when stored.status = excluded.status and (excluded.status = 'unauthorized' or stored.status_reason = excluded.status_reason)
      then stored.status_changed_at else excluded.status_changed_at end else stored.status_changed_at end,
    account_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_id end, account_name = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_name end, account_url = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_url end, account_user_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then null else stored.account_user_id end, granted_scopes = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then '{}' else stored.granted_scopes end,
    credentials_version = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then stored.credentials_version + 1 else stored.credentials_version end,
    credentials_fingerprint = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and (stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint')) is not true
    then stored.credentials_version + 1 || '.' || ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'fingerprint') else stored.credentials_fingerprint end,
    event_sequence = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and excluded.status <> stored.status then stored.event_sequence + 1 else stored.event_sequence end,
    last_event_id = case when $4::jsonb -> excluded.customer_id -> excluded.provider_name ? 'sealed' and excluded.status <> stored.status then ($4::jsonb -> excluded.customer_id -> excluded.provider_name ->> 'eventId')::uuid else stored.last_event_id end,
    updated_at = excluded.updated_at
  returning stored.*
), secured as (
  insert into crossbook.credentials as stored
    (connection_id, application_id, sealed, key_id, expires_at, generation, updated_at)
  select id, $1::uuid, $4::jsonb -> linked.customer_id -> linked.provider_name ->> 'sealed', $4::jsonb -> linked.customer_id -> linked.provider_name ->> 'keyId',
    ($4::jsonb -> linked.customer_id -> linked.provider_name ->> 'expiresAt')::timestamptz, 1, $3::timestamptz
  from linked where $4::jsonb -> linked.customer_id -> linked.provider_name ? 'sealed'
  on conflict (application_id, connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, expires_at = excluded.expires_at,
    generation = stored.generation + 1, oauth_client_id = null, updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id = any (array(select id from linked))
), 
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select (lpad(to_hex(floor(extract(epoch from $3::timestamptz) * 1000)::bigint), 12, '0')
    || '7' || right(replace(id::text, '-', ''), 19))::uuid, $1::uuid, customer_id, connection_id, type, sequence, data, $3::timestamptz
  from (
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true union all 
  select last_event_id, customer_id, id,
    case status when 'connected' then 'connection.connected'
      when 'reauthorize' then 'connection.reauthorize' else 'connection.disconnected' end,
    event_sequence, jsonb_build_object('provider_name', provider_name, 'status', status,
  'status_reason', status_reason)
  from linked where last_event_id = ($4::jsonb -> linked.customer_id -> linked.provider_name ->> 'eventId')::uuid) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, $3::timestamptz, $3::timestamptz
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and (endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))
)
select written.customer_id as "customerId", written.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = written.customer_id
), 0) as "versionBefore", (
  select case when coalesce(sum(((512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))
  + coalesce(configuration_bytes, coalesce(octet_length(schema_mappings_config::text), 0) + coalesce(octet_length(entity_mappings::text), 0) + coalesce(octet_length(connection_sync_config::text), 0)) + coalesce(octet_length(contact_field_mappings::text), 0) + coalesce(octet_length(record_field_mappings::text), 0))), 0) <= 65536 then coalesce(json_agg(json_build_object('id', id, 'applicationId', application_id, 'customerId', customer_id, 'providerName', provider_name, 'providerId', provider_id, 'instanceUrl', instance_url, 'schemaMappingsConfig', schema_mappings_config, 'entityMappings', entity_mappings, 'connectionSyncConfig', connection_sync_config, 'contactFieldMappings', contact_field_mappings, 'recordFieldMappings', record_field_mappings, 'status', status, 'statusReason', status_reason, 'statusChangedAt', status_changed_at, 'accountId', account_id, 'accountName', account_name, 'accountUrl', account_url, 'accountUserId', account_user_id, 'grantedScopes', granted_scopes, 'readableRecords', readable_records, 'writableRecords', writable_records, 'credentialsVersion', credentials_version)), '[]') end
  from (
    select * from linked where linked.customer_id = written.customer_id
    union all (
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = written.customer_id and ($4::jsonb -> connections.customer_id -> connections.provider_name) is null
  order by provider_name
)) as connection
) as connections
from written;
