import type { WriteMode } from '../domain/expected-version.ts';
import { DEFAULT_ACCESS } from '../domain/record-access.ts';
import { CONNECTION_BYTES, CONNECTIONS_JSON, connectionsOf } from './connection-sql.ts';
import { CONNECTION_DATA, recordEvents } from './events.ts';
import { CONNECTION_COLUMNS } from './schema.ts';

/**
 * Customers and their connections in ONE statement, which is its own transaction. Two rules of PostgreSQL shape it:
 * - All CTEs see the snapshot of the statement's start, never each other's writes. So written rows come from
 *   RETURNING, and unchanged ones from the table. A concurrent commit while we wait for its row lock is not in the
 *   snapshot; then `versionBefore` is not the version before ours, and the caller reads again.
 * - ON CONFLICT sees rows outside of the snapshot. So every write that may race uses it, including clearing
 *   credentials, where a DELETE would miss concurrently stored ones.
 *
 * Concurrent writers lock the customers' rows in the same order, and connections are written only under the lock of
 * their customer, so they cannot deadlock. `present` has no order, so it is for one customer at a time.
 *
 * Most of a statement's cost is the setup of its CTEs, so one without connections omits theirs.
 *
 * The statements as they run are printed in `test/storage/upsert.sql`.
 */

/** $1: application, $2: customers, $3: time. */
const INSERT_CUSTOMERS = `
  insert into crossbook.customers as stored
    (application_id, customer_id, name, email, version, created_at, updated_at)
  select $1::uuid, customer_id, name, email, 1, $3::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as given (customer_id text, name text, email text)
  order by customer_id
  on conflict (application_id, customer_id)`;

/** A field of the single customer. Read without a join, so that the cached plan stays good as the table grows. */
const only = (field: string) => `($2::json -> 0 ->> '${field}')`;

/** Cast to bigint: a client's expected version may exceed int. */
const WRITE_CUSTOMERS: Readonly<Record<WriteMode, string>> = {
  always: `${INSERT_CUSTOMERS} do update
    set name = excluded.name, email = excluded.email, version = stored.version + 1, updated_at = excluded.updated_at`,
  absent: `${INSERT_CUSTOMERS} do nothing`,
  present: `
  update crossbook.customers as stored
  set name = ${only('name')}, email = ${only('email')}, version = stored.version + 1, updated_at = $3::timestamptz
  where application_id = $1::uuid and customer_id = ${only('customer_id')}
    and version = ${only('expected_version')}::bigint`,
};

const versionsOf = (row: string) => `${row}.customer_id as "customerId", ${row}.version, coalesce((
  select version from crossbook.customers as before
  where before.application_id = $1::uuid and before.customer_id = ${row}.customer_id
), 0) as "versionBefore"`;

/**
 * The connections with these columns, if they are small. Null: they are read afterwards, because one statement may
 * write fifty customers.
 */
const smallConnections = (rows: string) => `(
  select case when coalesce(sum(${CONNECTION_BYTES}), 0) <= ${SMALL_BYTES} then ${CONNECTIONS_JSON} end
  from (${rows}) as connection
) as connections`;

const SMALL_BYTES = 64 * 1024;

/** $4: an entry per customer, with an entry per provider. */
const entryOf = (row: string) => `$4::jsonb -> ${row}.customer_id -> ${row}.provider_name`;
/** Columns set as given. A present key sets the field, and null clears it. */
const SETTING_COLUMNS = (
  ['instanceUrl', 'schemaMappingsConfig', 'entityMappings', 'connectionSyncConfig'] as const
).map((field) => {
  const column = CONNECTION_COLUMNS[field];
  const isJson = column.getSQLType() === 'jsonb';
  const value = isJson ? `nullif(entry -> '${field}', 'null')` : `entry ->> '${field}'`;
  return { column: column.name, isJson, value, changed: ifGiven(column.name, field) };
});
function ifGiven(column: string, field: string): string {
  return `case when ${entryOf('excluded')} ? '${field}' then excluded.${column} else stored.${column} end`;
}
/** The records of a new connection that are not given. */
const RECORDS = `coalesce(
    (select array_agg(type) from jsonb_array_elements_text(entry -> 'records') as type), '{${DEFAULT_ACCESS.records.join(',')}}')`;
const GIVEN = entryOf('excluded');
/** Of a connection that was made by a connect link, its customer decides, unless other credentials are given. */
const IS_DECIDED = `stored.account_id is not null and not (${GIVEN} ? 'sealed')`;
/** What may be read and changed. Without records, the access is for those of the connection. */
const ACCESS_COLUMNS = [
  {
    column: 'readable_records',
    value: RECORDS,
    changed: `case when ${GIVEN} ? 'records' and not (${IS_DECIDED}) then excluded.readable_records
      else stored.readable_records end`,
  },
  {
    column: 'writable_records',
    value: `case when entry ->> 'access' = 'READ_WRITE' then ${RECORDS} else '{}' end`,
    changed: `case when ${IS_DECIDED} then stored.writable_records
      when ${GIVEN} ? 'access' and ${GIVEN} ? 'records' then excluded.writable_records
      when ${GIVEN} ->> 'access' = 'READ_WRITE' then stored.readable_records
      when ${GIVEN} ->> 'access' = 'READ' then '{}'
      when ${GIVEN} ? 'records' then array(
        select type from unnest(stored.writable_records) as type where type = any (excluded.readable_records))
      else stored.writable_records end`,
  },
];
const SET_COLUMNS = [...SETTING_COLUMNS, ...ACCESS_COLUMNS];
/** Bytes of the configurations, as text. */
function configurationBytes(textOf: (setting: (typeof SETTING_COLUMNS)[number]) => string) {
  return SETTING_COLUMNS.filter(({ isJson }) => isJson)
    .map((setting) => `coalesce(octet_length((${textOf(setting)})::text), 0)`)
    .join(' + ');
}
/**
 * Whether the credentials are those of the last upsert, and in use. Nothing that was read with them becomes invalid
 * then: applications upsert all that they know of a customer, for example at each login.
 */
const SAME_CREDENTIALS = `stored.status = 'connected' and excluded.status = 'connected'
  and stored.credentials_fingerprint = stored.credentials_version || '.' || (${entryOf('excluded')} ->> 'fingerprint')`;
/** Applies where other credentials are given, or cleared by null. */
const ifResealed = (column: string, value: string) =>
  `${column} = case when ${entryOf('excluded')} ? 'sealed' and (${SAME_CREDENTIALS}) is not true
    then ${value} else stored.${column} end`;
const CLEARED = `excluded.status = 'unauthorized'`;
/** Keeps the reason where the credentials were already cleared or never present. */
const CLEARED_REASON = `case when stored.status = 'unauthorized' then stored.status_reason else 'credentials_cleared' end`;
/** A connected account belongs to its credentials: new credentials clear it. */
const FORGET_ACCOUNT = [
  ...['account_id', 'account_name', 'account_url', 'account_user_id'].map((name) =>
    ifResealed(name, 'null'),
  ),
  ifResealed('granted_scopes', `'{}'`),
];

/**
 * An upsert without changes appends no event. After a concurrent upsert it cannot be known whether something changed,
 * so an event is appended. Uses a subselect instead of `not exists`, which may become a join over all
 * customers of the application: the plan is cached while the table grows.
 */
const CUSTOMER_EVENTS = `
  select gen_random_uuid() as id, customer_id, null::uuid as connection_id,
    case when version = 1 then 'customer.created' else 'customer.updated' end as type,
    null::int as sequence, jsonb_build_object('version', version) as data
  from written where (
    select before.version = written.version - 1 and before.name = written.name and before.email = written.email
    from crossbook.customers as before
    where before.application_id = $1::uuid and before.customer_id = written.customer_id
  ) is not true`;

/** A connection's row has the id of its last event. Equal ids mean that this statement changed the status. */
const CONNECTION_EVENTS = `
  select last_event_id, customer_id, id,
    case status when 'connected' then 'connection.connected'
      when 'reauthorize' then 'connection.reauthorize' else 'connection.disconnected' end,
    event_sequence, ${CONNECTION_DATA}
  from linked where last_event_id = (${entryOf('linked')} ->> 'eventId')::uuid`;

const writeUnlinked = (writeCustomers: string) => `
with written as (${writeCustomers}
  returning stored.customer_id, stored.version, stored.name, stored.email
), ${recordEvents(CUSTOMER_EVENTS, '$3::timestamptz')}
select ${versionsOf('written')}, ${smallConnections(connectionsOf('written'))} from written`;

/** Whether the presence of credentials changes. */
const CHANGES_STATUS = `${entryOf('excluded')} ? 'sealed' and excluded.status <> stored.status`;
const ifStatusChanges = (changed: string, same: string) =>
  `case when ${CHANGES_STATUS} then ${changed} else ${same} end`;

const writeLinked = (writeCustomers: string) => `
with written as (${writeCustomers}
  returning stored.customer_id, stored.version, stored.name, stored.email
), linked as (
  insert into crossbook.connections as stored
    (id, application_id, customer_id, provider_name, provider_id, ${SET_COLUMNS.map(({ column }) => column).join(', ')},
     configuration_bytes, status, status_reason, status_changed_at, credentials_version,
     credentials_fingerprint, event_sequence, last_event_id,
     created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, customer_id, provider_name, (entry ->> 'providerId')::uuid,
    ${SET_COLUMNS.map(({ value }) => value).join(', ')},
    ${configurationBytes(({ value }) => value)},
    entry ->> 'status', entry ->> 'statusReason', $3::timestamptz, 1, '1.' || (entry ->> 'fingerprint'),
    case when entry ->> 'sealed' is null then 0 else 1 end,
    case when entry ->> 'sealed' is not null then (entry ->> 'eventId')::uuid end,
    $3::timestamptz, $3::timestamptz
  from written cross join jsonb_each($4::jsonb -> customer_id) as given (provider_name, entry)
  on conflict (application_id, customer_id, provider_name) do update set
    ${SET_COLUMNS.map(({ column, changed }) => `${column} = ${changed}`).join(', ')},
    configuration_bytes = ${configurationBytes(({ changed }) => changed)},
    ${ifResealed('status', 'excluded.status')},
    ${ifResealed('status_reason', `case when ${CLEARED} then ${CLEARED_REASON} else excluded.status_reason end`)},
    ${ifResealed(
      'status_changed_at',
      `case when stored.status = excluded.status and (${CLEARED} or stored.status_reason = excluded.status_reason)
      then stored.status_changed_at else excluded.status_changed_at end`,
    )},
    ${FORGET_ACCOUNT.join(', ')},
    ${ifResealed('credentials_version', 'stored.credentials_version + 1')},
    ${ifResealed('credentials_fingerprint', `stored.credentials_version + 1 || '.' || (${entryOf('excluded')} ->> 'fingerprint')`)},
    event_sequence = ${ifStatusChanges('stored.event_sequence + 1', 'stored.event_sequence')},
    last_event_id = ${ifStatusChanges(`(${entryOf('excluded')} ->> 'eventId')::uuid`, 'stored.last_event_id')},
    updated_at = excluded.updated_at
  returning stored.*
), secured as (
  insert into crossbook.credentials as stored
    (connection_id, application_id, sealed, key_id, expires_at, generation, updated_at)
  select id, $1::uuid, ${entryOf('linked')} ->> 'sealed', ${entryOf('linked')} ->> 'keyId',
    (${entryOf('linked')} ->> 'expiresAt')::timestamptz, 1, $3::timestamptz
  from linked where ${entryOf('linked')} ? 'sealed'
  on conflict (application_id, connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, expires_at = excluded.expires_at,
    generation = stored.generation + 1, oauth_client_id = null, updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id = any (array(select id from linked))
), ${recordEvents(`${CUSTOMER_EVENTS} union all ${CONNECTION_EVENTS}`, '$3::timestamptz')}
select ${versionsOf('written')}, ${smallConnections(`
    select * from linked where linked.customer_id = written.customer_id
    union all ${connectionsOf('written', `(${entryOf('connections')}) is null`)}`)}
from written`;

export const UPSERTS = {
  customerOnly: toStatements('upsert', writeUnlinked),
  linking: toStatements('upsert_linked', writeLinked),
};

function toStatements(name: string, write: (writeCustomers: string) => string) {
  const toStatement = (mode: WriteMode) => ({
    name: `${name}_${mode}`,
    text: write(WRITE_CUSTOMERS[mode]),
    isOnce: true,
  });
  return {
    always: toStatement('always'),
    absent: toStatement('absent'),
    present: toStatement('present'),
  };
}
