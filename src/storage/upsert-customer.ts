import { randomUUID } from 'node:crypto';
import { toNewStatus } from '../domain/connection.ts';
import type { ConnectionUpsert, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { uuidV5 } from '../lib/digest.ts';
import { isStorable, isStorableJson } from '../lib/text.ts';
import { CONNECTION_BYTES, CONNECTIONS_JSON, connectionsOf } from './connection-sql.ts';
import { type CredentialKey, sealCredentials } from './credentials.ts';
import type { ConnectionRow } from './customers.ts';
import type { SharedStoreDeps, StoreDeps } from './database.ts';
import { isUnavailable, unstorable } from './engine/failures.ts';
import { CONNECTION_DATA, recordEvents } from './events.ts';
import { CONNECTION_COLUMNS } from './schema.ts';
import { createStatementBatcher } from './statement-batcher.ts';

/**
 * Batches concurrent upserts of one application (group commit), because a commit costs more than its rows. Upserts
 * with an expected version have a statement of their own, and two of one customer never share one.
 */
export function createUpsert(shared: SharedStoreDeps) {
  const openDeps = (applicationId: string): StoreDeps => ({
    ...shared,
    engine: shared.engine.forApplication(applicationId),
  });
  const add = createStatementBatcher<UpsertRow, WrittenRow | undefined>({
    keyOf: ({ customerId }) => customerId,
    sizeOf: ({ customer, entries = '' }) => customer.length + entries.length,
    execute: (applicationId, given) => writeTogether(openDeps(applicationId), given),
  });
  /** Undefined where the customer has another version than expected. */
  return (applicationId: string, upsert: CustomerUpsert): Promise<WrittenRow | undefined> => {
    const mode = toMode(upsert);
    const deps = openDeps(applicationId);
    const given = toUpsertRow(deps, applicationId, upsert);
    return mode === 'always' ? add(applicationId, given) : writeAlone(deps, mode, given);
  };
}

function toMode({ expectedVersion }: CustomerUpsert): UpsertMode {
  if (expectedVersion === undefined) return 'always';
  return expectedVersion === 0 ? 'absent' : 'present';
}

async function writeTogether(deps: StoreDeps, given: readonly UpsertRow[]) {
  try {
    const rows = await write(deps, 'always', given);
    const byCustomer = new Map(rows.map((row) => [row.customerId, row]));
    return given.map(({ customerId }) => byCustomer.get(customerId));
  } catch (error) {
    if (isUnavailable(error) || given.length === 1) throw error;
    // The database rejected the whole batch because of one row and wrote nothing: each is retried in a statement of its own.
    return given.map((one) => writeAlone(deps, 'always', one));
  }
}

async function writeAlone(deps: StoreDeps, mode: UpsertMode, given: UpsertRow) {
  const [row] = await write(deps, mode, [given]);
  return row;
}

/** Writes upserts of one application. If one names a connection all use the longer statement. */
function write({ engine, now }: StoreDeps, mode: UpsertMode, given: readonly UpsertRow[]) {
  const linking = given.filter(({ entries }) => entries !== undefined);
  const customers = `[${given.map(({ customer }) => customer).join(',')}]`;
  const values = [given[0]?.applicationId, customers, now().toISOString()];
  if (linking.length === 0) return engine.query<WrittenRow>(UPSERTS.customerOnly[mode], values);
  const entries = linking.map(
    ({ customerId, entries }) => `${JSON.stringify(customerId)}:${entries}`,
  );
  const all = [...values, `{${entries.join(',')}}`];
  return engine.query<WrittenRow>(UPSERTS.linking[mode], all);
}

/** The row for the statement. Unstorable values are rejected here, before they could fail a batch. */
function toUpsertRow(deps: StoreDeps, applicationId: string, upsert: CustomerUpsert): UpsertRow {
  const { customerId, name, email, expectedVersion, connections = [] } = upsert;
  if (![customerId, name, email].every(isStorable)) throw unstorable();
  if (new Set(connections.map(({ providerName }) => providerName)).size < connections.length) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'A provider is named twice.');
  }
  const entries = connections.map((connection) => [
    connection.providerName,
    toEntry(deps, { ...connection, applicationId, customerId }),
  ]);
  const json = JSON.stringify(Object.fromEntries(entries));
  if (!isStorableJson(json)) throw unstorable();
  return {
    applicationId,
    customerId,
    customer: JSON.stringify({
      customer_id: customerId,
      name,
      email,
      expected_version: expectedVersion,
    }),
    entries: entries.length > 0 ? json : undefined,
  };
}

/** JSON omits undefined and keeps null, which distinguishes unchanged from cleared. */
function toEntry(
  { secrets, fingerprint, now }: StoreDeps,
  connection: ConnectionUpsert & CredentialKey,
) {
  const { applicationId, customerId, providerName, credentials, ...settings } = connection;
  return {
    ...settings,
    id: randomUUID(),
    // The id of the event, if one is appended.
    eventId: credentials === undefined ? undefined : randomUUID(),
    providerId: uuidV5(applicationId, providerName),
    ...(credentials ? toNewStatus(credentials, now()) : NO_CREDENTIALS),
    ...(credentials
      ? {
          ...sealCredentials(secrets, connection, credentials),
          fingerprint: fingerprint(
            JSON.stringify([applicationId, customerId, providerName, credentials]),
          ),
        }
      : { sealed: credentials }),
  };
}

const NO_CREDENTIALS = { status: 'unauthorized', statusReason: 'no_credentials' };

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
const WRITE_CUSTOMERS = {
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
 * The connections with these columns, if they are small. Null: they are read afterwards, because one statement may write
 * fifty customers.
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
/** Bytes of the configurations, as text. */
function configurationBytes(textOf: (setting: (typeof SETTING_COLUMNS)[number]) => string) {
  return SETTING_COLUMNS.filter(({ isJson }) => isJson)
    .map((setting) => `coalesce(octet_length((${textOf(setting)})::text), 0)`)
    .join(' + ');
}
/**
 * Whether the credentials are those of the last upsert, and in use. Nothing that was read with them becomes invalid then:
 * applications upsert all that they know of a customer, for example at each login.
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
    (id, application_id, customer_id, provider_name, provider_id, ${SETTING_COLUMNS.map(({ column }) => column).join(', ')},
     configuration_bytes, status, status_reason, status_changed_at, credentials_version,
     credentials_fingerprint, event_sequence, last_event_id,
     created_at, updated_at)
  select (entry ->> 'id')::uuid, $1::uuid, customer_id, provider_name, (entry ->> 'providerId')::uuid,
    ${SETTING_COLUMNS.map(({ value }) => value).join(', ')},
    ${configurationBytes(({ value }) => value)},
    entry ->> 'status', entry ->> 'statusReason', $3::timestamptz, 1, '1.' || (entry ->> 'fingerprint'),
    case when entry ->> 'sealed' is null then 0 else 1 end,
    case when entry ->> 'sealed' is not null then (entry ->> 'eventId')::uuid end,
    $3::timestamptz, $3::timestamptz
  from written cross join jsonb_each($4::jsonb -> customer_id) as given (provider_name, entry)
  on conflict (application_id, customer_id, provider_name) do update set
    ${SETTING_COLUMNS.map(({ column, changed }) => `${column} = ${changed}`).join(', ')},
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
  on conflict (connection_id) do update set
    sealed = excluded.sealed, key_id = excluded.key_id, expires_at = excluded.expires_at,
    generation = stored.generation + 1, oauth_client_id = null, updated_at = excluded.updated_at
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id = any (array(select id from linked))
), ${recordEvents(`${CUSTOMER_EVENTS} union all ${CONNECTION_EVENTS}`, '$3::timestamptz')}
select ${versionsOf('written')}, ${smallConnections(`
    select * from linked where linked.customer_id = written.customer_id
    union all ${connectionsOf('written')} and (${entryOf('connections')}) is null`)}
from written`;

/**
 * Customers and their connections in ONE statement, which is its own transaction. Two rules of PostgreSQL shape it:
 * - All CTEs see the snapshot of the statement's start, never each other's writes. So written rows come from
 * RETURNING, and unchanged ones from the table. A concurrent commit while we wait for its row lock is not in the
 * snapshot; then `versionBefore` is not the version before ours, and the caller reads again.
 * - ON CONFLICT sees rows outside of the snapshot. So every write that may race uses it, including clearing
 * credentials, where a DELETE would miss concurrently stored ones.
 *
 * Concurrent writers lock the customers' rows in the same order, and connections are written only under the lock of
 * their customer, so they cannot deadlock. `present` has no order, so it is for one customer at a time.
 *
 * Most of a statement's cost is the setup of its CTEs, so one without connections omits theirs.
 */
export const UPSERTS = {
  customerOnly: toStatements('upsert', writeUnlinked),
  linking: toStatements('upsert_linked', writeLinked),
};

function toStatements(name: string, write: (writeCustomers: string) => string) {
  const toStatement = (mode: UpsertMode) => ({
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

interface WrittenRow {
  readonly customerId: string;
  readonly version: number;
  readonly versionBefore: number;
  /** Null where they are too large to be returned. */
  readonly connections: readonly ConnectionRow[] | null;
}

interface UpsertRow {
  readonly applicationId: string;
  readonly customerId: string;
  /** JSON, for the list of customers. */
  readonly customer: string;
  /** JSON: the given fields per provider. Undefined where no connection is named. */
  readonly entries: string | undefined;
}

type UpsertMode = keyof typeof WRITE_CUSTOMERS;
