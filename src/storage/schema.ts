import { getTableColumns, isNotNull, sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type {
  ConnectionStatus,
  ConnectionSyncConfig,
  EntityMapping,
  SchemaMappingsConfig,
  StatusReason,
} from '../domain/connection.ts';
import type { GivenFieldMapping, MappingProblemKind } from '../domain/custom-field.ts';
import type { CustomField } from '../domain/custom-fields.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { RecordType } from '../domain/records/record-type.ts';

import type { RecentError, UsageTallies } from '../domain/usage.ts';

/** A separate schema, because a shared PostgreSQL may have other tables of these names. */
export const crossbook = pgSchema('crossbook');

export const momentColumn = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
export const createdAt = () => momentColumn('created_at').notNull().defaultNow();
export const updatedAt = () => momentColumn('updated_at').notNull().defaultNow();
/** A list of texts, which is empty by default. */
export const textsColumn = (name: string) =>
  text(name).array().$type<readonly string[]>().notNull().default([]);
export const recordTypesColumn = (name: string, byDefault: RecordType[]) =>
  text(name).array().$type<readonly RecordType[]>().notNull().default(byDefault);
export const recordColumn = () => text('record').$type<RecordType>();
export const providerNameColumn = () => text('provider_name').$type<ProviderName>();
/** Deleted with its application. */
export const ofApplication = () =>
  uuid('application_id')
    .notNull()
    .references(() => applications.id, { onDelete: 'cascade' });

export const applications = crossbook.table('applications', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  /** Web origins that may call for this application (CORS). */
  origins: textsColumn('origins'),
  createdAt: createdAt(),
  /** Marked for deletion: it does not exist for callers any more, and a job deletes its data in batches. */
  deletedAt: momentColumn('deleted_at'),
});

export const apiKeys = crossbook.table(
  'api_keys',
  {
    publicId: text('public_id').primaryKey(),
    applicationId: ofApplication(),
    name: text('name').notNull(),
    secretHash: text('secret_hash').notNull(),
    /**
     * A constant, encrypted with the key ring: it shows that a ring has other bytes for the id of a key, where nothing
     * else is encrypted. Null of keys that were created before this column.
     */
    sealedCheck: text('sealed_check'),
    keyId: text('key_id'),
    createdAt: createdAt(),
    revokedAt: momentColumn('revoked_at'),
  },
  (table) => [
    index('api_keys_by_application').on(table.applicationId),
    index('api_keys_by_key').on(table.keyId).concurrently(),
    // Unique among keys without an end: a rotated key leaves its name to its successor.
    uniqueIndex('api_keys_active_name')
      .on(table.applicationId, table.name)
      .where(sql`${table.revokedAt} is null`),
  ],
);

export const customers = crossbook.table(
  'customers',
  {
    applicationId: ofApplication(),
    customerId: text('customer_id').notNull(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    version: integer('version').notNull(),
    tokenGeneration: integer('token_generation').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.customerId] }),
    // For the console: `like` and the order of a page use these.
    index('customers_by_id_prefix')
      .on(table.applicationId, sql`(lower(${table.customerId}) collate "C")`, table.customerId)
      .concurrently(),
    index('customers_by_name')
      .on(table.applicationId, sql`(lower(${table.name}) collate "C")`, table.customerId)
      .concurrently(),
    index('customers_by_email').on(
      table.applicationId,
      sql`lower(${table.email})`,
      table.customerId,
    ),
  ],
);

/** Deleted with its customer. */
export const ofCustomer = (
  name: string,
  { applicationId, customerId }: Record<'applicationId' | 'customerId', AnyPgColumn>,
) =>
  foreignKey({
    name,
    columns: [applicationId, customerId],
    foreignColumns: [customers.applicationId, customers.customerId],
  }).onDelete('cascade');

export const connections = crossbook.table(
  'connections',
  {
    id: uuid('id').notNull(),
    applicationId: uuid('application_id').notNull(),
    customerId: text('customer_id').notNull(),
    providerName: providerNameColumn().notNull(),
    providerId: uuid('provider_id').notNull(),
    instanceUrl: text('instance_url'),
    schemaMappingsConfig: jsonb('schema_mappings_config').$type<SchemaMappingsConfig>(),
    entityMappings: jsonb('entity_mappings').$type<readonly EntityMapping[]>(),
    connectionSyncConfig: jsonb('connection_sync_config').$type<ConnectionSyncConfig>(),
    /** Mappings of custom fields of contacts, which previous versions read as well. */
    contactFieldMappings: jsonb('contact_field_mappings').$type<readonly GivenFieldMapping[]>(),
    /** Those of the other types of records, by type. */
    recordFieldMappings: jsonb('record_field_mappings').$type<FieldMappingsByRecord>(),
    status: text('status').$type<ConnectionStatus>().notNull(),
    statusReason: text('status_reason').$type<StatusReason>(),
    statusChangedAt: momentColumn('status_changed_at').notNull().defaultNow(),
    /** The account at the provider, set by a connect link. */
    accountId: text('account_id'),
    accountName: text('account_name'),
    accountUrl: text('account_url'),
    accountUserId: text('account_user_id'),
    grantedScopes: textsColumn('granted_scopes'),
    /** What may be read and changed. Of connections from before these columns: contacts may be read. */
    readableRecords: recordTypesColumn('readable_records', ['CONTACT']),
    writableRecords: recordTypesColumn('writable_records', []),
    /**
     * Incremented where credentials are set, replaced or cleared. A refresh leaves it unchanged, and so do credentials
     * that are given again.
     */
    credentialsVersion: integer('credentials_version').notNull().default(0),
    /**
     * `<credentials version>.<keyed hash>` of the credentials of the last upsert. Where the version has moved on since,
     * for example by a connect link, it matches nothing.
     */
    credentialsFingerprint: text('credentials_fingerprint'),
    /**
     * Bytes of the three upserted configurations as text, known before they are read. Null: not written since this
     * column exists.
     */
    configurationBytes: integer('configuration_bytes'),
    /** The provider refused to let contacts be read. What was read before is not served from the cache. */
    refusedAt: momentColumn('refused_at'),
    /** Records were written. What was read before is not served from the cache. */
    writtenAt: momentColumn('written_at'),
    /** The sequence number of its last event. Stored in the row, so that concurrent changes count without gaps. */
    eventSequence: integer('event_sequence').notNull().default(0),
    lastEventId: uuid('last_event_id'),
    createdAt: createdAt(),
    /**
     * Time of the last upsert or change of mappings. A change of status leaves it unchanged, so that cached contacts
     * stay valid.
     */
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ name: 'connections_pk', columns: [table.applicationId, table.id] }),
    unique('connections_of_customer').on(table.applicationId, table.customerId, table.providerName),
    unique('connections_in_application').on(table.id, table.applicationId),
    index('connections_by_provider').on(table.applicationId, table.providerName, table.customerId),
    index('connections_by_status').on(table.applicationId, table.status, table.customerId),
    index('connections_by_account').on(table.providerName, table.accountId),
    check(
      'connections_status',
      sql`${table.status} in ('connected', 'reauthorize', 'unauthorized')`,
    ),
    ofCustomer('connections_customer', table),
  ],
);

export type FieldMappingsByRecord = Readonly<
  Partial<Record<RecordType, readonly GivenFieldMapping[]>>
>;

/** The columns of a connection. */
export const CONNECTION_COLUMNS = pickConnectionColumns();
function pickConnectionColumns() {
  const {
    credentialsFingerprint,
    configurationBytes,
    refusedAt,
    writtenAt,
    eventSequence,
    lastEventId,
    createdAt,
    updatedAt,
    ...columns
  } = getTableColumns(connections);
  return columns;
}

/** Deleted with its connection. */
const ofConnection = (
  name: string,
  { applicationId, connectionId }: Record<'applicationId' | 'connectionId', AnyPgColumn>,
) =>
  foreignKey({
    name,
    columns: [connectionId, applicationId],
    foreignColumns: [connections.id, connections.applicationId],
  }).onDelete('cascade');

export const credentials = crossbook.table(
  'credentials',
  {
    connectionId: uuid('connection_id').notNull(),
    applicationId: uuid('application_id').notNull(),
    /** Null after clearing: the row stays, so that a generation is never reused. */
    sealed: text('sealed'),
    keyId: text('key_id'),
    generation: integer('generation').notNull(),
    /** The OAuth client that they were granted to; null if set by an upsert. */
    oauthClientId: text('oauth_client_id'),
    /** The refresh lease: its holder, the generation, and its expiry by the database's clock. */
    refreshLease: uuid('refresh_lease'),
    refreshingGeneration: integer('refreshing_generation'),
    refreshingUntil: momentColumn('refreshing_until'),
    updatedAt: updatedAt(),
    /**
     * When they expire, where they cannot be refreshed. A hint: a process of an earlier version leaves it as it was, so
     * the sweep looks at the credentials themselves.
     */
    expiresAt: momentColumn('expires_at'),
    /** Treated as the last use: set by an attempt to refresh an idle refresh token, or if there is none. */
    idleSince: momentColumn('idle_since'),
  },
  (table) => [
    primaryKey({ name: 'credentials_pk', columns: [table.applicationId, table.connectionId] }),
    // For statements of the previous version.
    uniqueIndex('credentials_of_connection').on(table.connectionId).concurrently(),
    index('credentials_by_key').on(table.keyId),
    index('credentials_by_expiry')
      .on(table.expiresAt)
      .where(isNotNull(table.expiresAt))
      .concurrently(),
    index('credentials_by_idleness').on(sql`greatest(${table.updatedAt}, ${table.idleSince})`),
    ofConnection('credentials_connection', table),
  ],
);

/** Leases of jobs that one process at a time runs; they expire by the database's clock. */
export const jobLeases = crossbook.table('job_leases', {
  job: text('job').primaryKey(),
  holder: uuid('holder').notNull(),
  until: momentColumn('until').notNull(),
});

export const contactCache = crossbook.table(
  'contact_cache',
  {
    applicationId: uuid('application_id').notNull(),
    keyHash: text('key_hash').notNull(),
    connectionId: uuid('connection_id').notNull(),
    sealed: text('sealed').notNull(),
    bytes: integer('bytes').notNull(),
    fetchedAt: momentColumn('fetched_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.keyHash] }),
    index('contact_cache_by_connection').on(table.connectionId),
    index('contact_cache_by_age').on(table.fetchedAt),
    ofConnection('contact_cache_connection', table),
  ],
);

const declaration = () => ({
  version: integer('version').notNull(),
  fields: jsonb('fields').$type<readonly CustomField[]>().notNull(),
  typedSchema: boolean('typed_schema').notNull().default(false),
  updatedAt: updatedAt(),
});

/** The custom fields of contacts of an application: one row, read as a whole. */
export const contactFields = crossbook.table('contact_fields', {
  applicationId: uuid('application_id')
    .primaryKey()
    .references(() => applications.id, { onDelete: 'cascade' }),
  ...declaration(),
});

/**
 * The same for the other types of records. They are in a table of their own, because previous versions know one row for
 * each application.
 */
export const recordFields = crossbook.table(
  'record_fields',
  { applicationId: ofApplication(), record: recordColumn().notNull(), ...declaration() },
  (table) => [primaryKey({ columns: [table.applicationId, table.record] })],
);

/** What an application's customers see of it: one row. The logo is a PNG in base64. */
export const branding = crossbook.table('branding', {
  applicationId: uuid('application_id')
    .primaryKey()
    .references(() => applications.id, { onDelete: 'cascade' }),
  displayName: text('display_name'),
  accentColor: text('accent_color'),
  logo: text('logo'),
  updatedAt: updatedAt(),
});

/** Not used any more: previous versions keep here which mappings of contacts cannot be used. */
export const mappingProblems = crossbook.table(
  'mapping_problems',
  {
    applicationId: uuid('application_id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    ...problem(),
  },
  (table) => [
    primaryKey({
      name: 'mapping_problems_pk',
      columns: [table.applicationId, table.connectionId, table.field, table.source, table.problem],
    }),
    // For statements of the previous version.
    uniqueIndex('mapping_problems_of_connection')
      .on(table.connectionId, table.field, table.source, table.problem)
      .concurrently(),
    ofConnection('mapping_problems_connection', table),
  ],
);

/** Mappings of custom fields that cannot be used. An empty record: the mapping is of an object that none is read from. */
export const recordMappingProblems = crossbook.table(
  'record_mapping_problems',
  {
    applicationId: uuid('application_id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    record: text('record').$type<RecordType | ''>().notNull(),
    ...problem(),
  },
  (table) => [
    primaryKey({
      name: 'record_mapping_problems_pk',
      columns: [
        table.applicationId,
        table.connectionId,
        table.record,
        table.field,
        table.source,
        table.problem,
      ],
    }),
    ofConnection('record_mapping_problems_connection', table),
  ],
);

function problem() {
  return {
    field: text('field').notNull(),
    source: text('source').notNull(),
    problem: text('problem').$type<MappingProblemKind>().notNull(),
    /** The record whose value shows it. */
    remoteId: text('remote_id'),
    since: momentColumn('since').notNull(),
    seenAt: momentColumn('seen_at').notNull(),
    /** Time of its last event. */
    reportedAt: momentColumn('reported_at').notNull(),
  };
}

const counter = (name: string) => bigint(name, { mode: 'number' }).notNull();

/**
 * What applications and their customers have used, by the hour. An empty customer id stands for all requests that
 * concern no customer, several, or one that does not exist or was deleted. It has no foreign key to customers: deleting
 * one moves its counts to that row.
 */
export const usage = crossbook.table(
  'usage',
  {
    applicationId: ofApplication(),
    customerId: text('customer_id').notNull(),
    hour: momentColumn('hour').notNull(),
    requests: counter('requests'),
    errors: counter('errors'),
    providerCalls: counter('provider_calls'),
    cost: counter('cost'),
    /** See `UsageTallies`. Null: counted by an earlier version. */
    tallies: jsonb('tallies').$type<UsageTallies>(),
    recentErrors: jsonb('recent_errors').$type<readonly RecentError[]>(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.customerId, table.hour] }),
    index('usage_by_hour').on(table.hour, table.applicationId),
  ],
);

/**
 * What operators did in the console, for 90 days, also of applications that were deleted since. Its ids are in order of
 * time. Entries that concern no application have the nil UUID.
 */
export const operatorAudit = crossbook.table(
  'operator_audit',
  {
    applicationId: uuid('application_id').notNull(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    action: text('action').notNull(),
    customerId: text('customer_id'),
    subject: text('subject'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.id] }),
    index('operator_audit_by_id').on(table.id),
    index('operator_audit_by_age').on(table.createdAt),
    index('operator_audit_of_session').on(table.sessionId, table.action),
  ],
);
