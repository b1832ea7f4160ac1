import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import type {
  IncompleteRecords,
  SyncConfigurationInput,
  SyncError,
  SyncKind,
  SyncPauseReason,
  SyncPosition,
  TablePlace,
} from '../domain/sync.ts';
import type { EdgeTable } from '../domain/synced-records.ts';
import {
  connections,
  crossbook,
  momentColumn,
  ofApplication,
  providerNameColumn,
  updatedAt,
} from './schema.ts';

/** The PostgreSQL that an application's syncs write to. */
export const syncDestinations = crossbook.table(
  'sync_destinations',
  {
    applicationId: ofApplication().primaryKey(),
    host: text('host').notNull(),
    port: integer('port').notNull(),
    databaseName: text('database_name').notNull(),
    userName: text('user_name').notNull(),
    schemaName: text('schema_name').notNull(),
    caCertificate: text('ca_certificate'),
    sealedPassword: text('sealed_password').notNull(),
    keyId: text('key_id').notNull(),
    version: integer('version').notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [index('sync_destinations_by_key').on(table.keyId)],
);

export const syncConfigurations = crossbook.table(
  'sync_configurations',
  {
    applicationId: ofApplication(),
    providerName: providerNameColumn().notNull(),
    configuration: jsonb('configuration').$type<SyncConfigurationInput>().notNull(),
    version: integer('version').notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.applicationId, table.providerName] })],
);

/** The unit of work of the sync workers: a connection, with the lease of the process that runs its syncs. */
export const syncPlans = crossbook.table(
  'sync_plans',
  {
    applicationId: uuid('application_id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    /** The configuration and the state of the connection that its syncs were planned for. */
    plannedFor: text('planned_for').notNull(),
    /** The earliest next run of its syncs. */
    dueAt: momentColumn('due_at'),
    lease: uuid('lease'),
    leasedUntil: momentColumn('leased_until'),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.connectionId] }),
    index('sync_plans_by_due').on(table.applicationId, table.dueAt),
    foreignKey({
      name: 'sync_plans_connection',
      columns: [table.connectionId, table.applicationId],
      foreignColumns: [connections.id, connections.applicationId],
    }).onDelete('cascade'),
  ],
);

export const syncs = crossbook.table(
  'syncs',
  {
    applicationId: uuid('application_id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    kind: text('kind').$type<SyncKind>().notNull(),
    object: text('object').notNull(),
    /** The order in the configuration. */
    place: integer('place').notNull(),
    schemaName: text('schema_name'),
    tableName: text('table_name').notNull(),
    /** Of the edges that its records have, or are the end of. */
    edgeTables: jsonb('edge_tables').$type<readonly EdgeTable[]>().notNull().default([]),
    intervalSeconds: integer('interval_seconds').notNull(),
    /** Paused by the application. */
    isPaused: boolean('is_paused').notNull().default(false),
    pauseReason: text('pause_reason').$type<SyncPauseReason>(),
    /** It cannot run until the configuration is changed. */
    problem: jsonb('problem').$type<SyncError>(),
    nextRunAt: momentColumn('next_run_at').notNull(),
    /** A run was requested: one that has begun before does not count for it. */
    isRequested: boolean('is_requested').notNull().default(false),
    wantsFull: boolean('wants_full').notNull().default(false),
    /** The run that has begun: its position, and what it has written. */
    position: jsonb('position').$type<SyncPosition>(),
    startedAt: momentColumn('started_at'),
    records: integer('records').notNull().default(0),
    deleted: integer('deleted').notNull().default(0),
    syncedUntil: momentColumn('synced_until'),
    fullAt: momentColumn('full_at'),
    /** The `contentKey` of the last complete full run. The column keeps the property's earlier name. */
    contentKey: text('columns_key'),
    /** Records that were copied without some fields, as of the last successful run. */
    incomplete: jsonb('incomplete').$type<IncompleteRecords>(),
    /** Consecutive failed runs. */
    failures: integer('failures').notNull().default(0),
  },
  (table) => [
    primaryKey({
      name: 'syncs_pk',
      columns: [table.applicationId, table.connectionId, table.kind, table.object],
    }),
    index('syncs_by_lag')
      .on(table.intervalSeconds, table.syncedUntil)
      .where(
        sql`not ${table.isPaused} and ${table.pauseReason} is null and ${table.problem} is null`,
      )
      .concurrently(),
    index('syncs_failed').on(table.applicationId).where(sql`${table.failures} > 0`).concurrently(),
    foreignKey({
      name: 'syncs_plan',
      columns: [table.applicationId, table.connectionId],
      foreignColumns: [syncPlans.applicationId, syncPlans.connectionId],
    }).onDelete('cascade'),
  ],
);

export const syncRuns = crossbook.table(
  'sync_runs',
  {
    applicationId: uuid('application_id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    kind: text('kind').$type<SyncKind>().notNull(),
    object: text('object').notNull(),
    startedAt: momentColumn('started_at').notNull(),
    finishedAt: momentColumn('finished_at').notNull(),
    isFull: boolean('is_full').notNull(),
    records: integer('records').notNull(),
    deleted: integer('deleted').notNull(),
    error: jsonb('error').$type<SyncError>(),
  },
  (table) => [
    primaryKey({
      name: 'sync_runs_pk',
      columns: [
        table.applicationId,
        table.connectionId,
        table.kind,
        table.object,
        table.finishedAt,
      ],
    }),
    foreignKey({
      name: 'sync_runs_sync',
      columns: [table.applicationId, table.connectionId, table.kind, table.object],
      foreignColumns: [syncs.applicationId, syncs.connectionId, syncs.kind, syncs.object],
    }).onDelete('cascade'),
  ],
);

/** The tables that have rows of a customer, until it is deleted. */
export const customerSyncTables = crossbook.table(
  'customer_sync_tables',
  {
    applicationId: ofApplication(),
    customerId: text('customer_id').notNull(),
    destination: text('destination').notNull(),
    schemaName: text('schema_name').notNull(),
    tableName: text('table_name').notNull(),
  },
  (table) => [
    primaryKey({
      name: 'customer_sync_tables_pk',
      columns: [
        table.applicationId,
        table.customerId,
        table.destination,
        table.schemaName,
        table.tableName,
      ],
    }),
  ],
);

/** Rows of deleted customers that have to be deleted at a destination. */
export const rowRemovals = crossbook.table(
  'row_removals',
  {
    applicationId: ofApplication(),
    id: uuid('id').notNull(),
    customerId: text('customer_id').notNull(),
    tables: jsonb('tables').$type<readonly TablePlace[]>().notNull(),
    createdAt: momentColumn('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: momentColumn('next_attempt_at').notNull(),
    deletedRows: integer('deleted_rows').notNull().default(0),
    lease: uuid('lease'),
    leasedUntil: momentColumn('leased_until'),
  },
  (table) => [
    primaryKey({ columns: [table.applicationId, table.id] }),
    index('row_removals_by_age').on(table.createdAt).concurrently(),
    index('row_removals_by_attempt').on(table.nextAttemptAt),
    index('row_removals_by_customer').on(table.applicationId, table.customerId),
  ],
);
