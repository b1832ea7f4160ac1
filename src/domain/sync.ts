import type { Connection, ConnectionTarget } from './connection.ts';
import { syncedObject } from './connection.ts';
import { EXAMPLE_PROVIDERS, type ProviderName, providerName } from './provider-names.ts';
import type { LinksById } from './records/link.ts';
import type { CrmRecord } from './records/record.ts';
import {
  boolean,
  date,
  field,
  int,
  listOf,
  nullable,
  type Of,
  shape,
  string,
  words,
} from './shape.ts';
import type { EdgeTable } from './synced-records.ts';

export const syncKind = words('SyncKind', 'Kind of what a sync copies.', {
  CONTACTS: 'Contacts in the common shape, with a column for each field.',
  COMPANIES: 'Companies in the common shape, with a column for each field.',
  DEALS: 'Deals in the common shape, with a column for each field.',
  STANDARD: 'A standard object of the provider, with all its fields as JSON.',
  CUSTOM: 'A custom object of the customer, with all its fields as JSON.',
});
export type SyncKind = Of<typeof syncKind>;

const syncStatus = words('SyncStatus', 'Status of a sync.', {
  PENDING: 'It has not run yet.',
  RUNNING: 'It is running.',
  IDLE: 'The last run was successful. It waits for `nextRunAt`.',
  PAUSED: 'It does not run; `pauseReason` has the reason.',
  FAILED:
    'The last run failed, or it cannot run; `error` has the reason. It is retried unless the configuration has to change.',
});
export type SyncStatus = Of<typeof syncStatus>;

const syncPauseReason = words('SyncPauseReason', 'Reason why a sync is paused.', {
  REQUESTED: 'It was paused with `pauseSync`, and runs again after `resumeSync`.',
  DISABLED: 'The sync configuration of the provider is disabled.',
  NOT_CONNECTED: 'The connection has no credentials.',
  REAUTHORIZE:
    'The provider refused the credentials. It runs again when the customer has connected again.',
  NO_DESTINATION: 'The application has no sync destination.',
});
export type SyncPauseReason = Of<typeof syncPauseReason>;

const syncErrorCode = words('SyncErrorCode', 'Kind of an error of a sync.', {
  NOT_IMPLEMENTED: 'The destination or the provider is not supported.',
  CONFIGURATION: 'A name of a table or a schema is invalid, or two syncs have the same table.',
  OBJECT_UNKNOWN: 'The CRM has no such object, or does not show it to the connected user.',
  DESTINATION_UNREACHABLE: 'The destination cannot be reached, or ended the connection.',
  DESTINATION_REFUSED: 'The destination refused the user, the password or the permission.',
  DESTINATION_READ_ONLY: 'The destination is read-only.',
  DESTINATION_FULL: 'The destination has no space or no connections left.',
  DESTINATION_SLOW: 'A statement at the destination took too long, or waited for a lock.',
  DESTINATION_TABLE: 'The schema or the table at the destination does not fit.',
  NOT_ALLOWED: 'The connection may not read these records: extend it with a connect link.',
  PROVIDER_REFUSED: 'The provider refused the credentials or the permission.',
  PROVIDER_LIMITED: 'The provider’s rate limit is reached.',
  PROVIDER_UNAVAILABLE: 'The provider is unavailable, or responded in an unexpected way.',
  INTERNAL_ERROR: 'An error of Crossbook. The log has the details.',
});
export type SyncErrorCode = Of<typeof syncErrorCode>;

export const syncError = shape('SyncError', 'Error of a sync.', {
  code: field(syncErrorCode, 'Kind of the error.'),
  detail: field(string, 'What is wrong and what to do.', {
    example: 'The schema "crm" does not exist: create it, or choose another one.',
  }),
});
export type SyncError = Of<typeof syncError>;

export const syncRun = shape('SyncRun', 'A run of a sync.', {
  startedAt: field(date, 'Time of the start.'),
  finishedAt: field(date, 'Time of the end.'),
  isFull: field(boolean, 'Whether it read all records, and not only changes.'),
  records: field(int, 'Number of rows and edges that were added or changed.'),
  deleted: field(
    int,
    'Number of rows that were marked as deleted, and of edges that were deleted.',
  ),
  error: nullable(syncError, 'Error with which it ended. It is null for a successful run.'),
});
export type SyncRun = Of<typeof syncRun>;

export const syncProgress = shape(
  'SyncProgress',
  'Progress of a run that has begun. After a failure the next run continues it.',
  {
    startedAt: field(date, 'Time of the start.'),
    isFull: field(boolean, 'Whether it reads all records, and not only changes.'),
    records: field(int, 'Number of rows and edges that were added or changed so far.'),
    deleted: field(
      int,
      'Number of rows that were marked as deleted so far, and of edges that were deleted.',
    ),
  },
);

/** The number of records that a status names, and of the fields of each. */
export const MAX_INCOMPLETE_EXAMPLES = 20;
export const MAX_OMITTED_NAMES = 5;

export const incompleteRecord = shape('IncompleteRecord', 'A record that was copied in part.', {
  id: field(string, 'Id of the record in the CRM.', { example: '501' }),
  omittedFields: field(int, 'Number of fields that were left out.'),
  fields: field(
    listOf(string),
    `Names of the longest of them in the CRM, at most ${MAX_OMITTED_NAMES}.`,
    { items: MAX_OMITTED_NAMES, example: ['biography'] },
  ),
});

export const incompleteRecords = shape(
  'IncompleteRecords',
  'Records that were copied without their longest fields, because they are too large.',
  {
    count: field(int, 'Number of these records, as of the last successful run.'),
    examples: field(
      listOf(incompleteRecord),
      `Some of them, at most ${MAX_INCOMPLETE_EXAMPLES}. In the table, the column \`omitted_fields\` has all names.`,
      { items: MAX_INCOMPLETE_EXAMPLES },
    ),
  },
);
export type IncompleteRecords = Of<typeof incompleteRecords>;

/** The number of runs that are kept of each sync. */
export const MAX_RUNS = 30;

export const sync = shape(
  'Sync',
  'Copies one object of a customer’s CRM to a table of the sync destination.',
  {
    kind: field(syncKind, 'Kind of the object.'),
    object: field(
      string,
      'Name of the object at the provider, or of the type of record in the common shape, such as `contacts`.',
      {
        example: 'companies',
      },
    ),
    schema: nullable(
      string,
      'Schema of the table. Null without a destination, and for customer tokens.',
      {
        example: 'crm',
      },
    ),
    table: field(string, 'Name of the table, unique among the syncs of a connection.', {
      example: `${EXAMPLE_PROVIDERS.first}_companies`,
    }),
    edgeTables: field(
      listOf(string),
      'Tables of edges between these records and others, which it writes too: the edges of a record are replaced with its row.',
      { items: 2, leftOutOfRest: true, example: ['contact_companies'] },
    ),
    status: field(syncStatus, syncStatus.description),
    pauseReason: nullable(syncPauseReason, 'Reason why it is paused.'),
    error: nullable(syncError, 'Why it cannot run, or the error of the last run.'),
    lastRun: nullable(syncRun, 'The last run that has ended.'),
    runs: field(listOf(syncRun), `The last ${MAX_RUNS} runs, newest first.`, {
      items: MAX_RUNS,
      leftOutOfRest: true,
    }),
    progress: nullable(syncProgress, 'Progress of the current run.'),
    nextRunAt: nullable(date, 'Time of the next run. Null while it is paused or cannot run.'),
    syncedUntil: nullable(
      date,
      'All changes in the CRM up to this time are in the table. Null before the end of the first run.',
    ),
    incompleteRecords: field(incompleteRecords, incompleteRecords.description),
  },
);
export type Sync = Of<typeof sync>;

/** The largest number of objects in each list of a configuration. */
export const MAX_SYNCED_OBJECTS = 100;
export const DEFAULT_INTERVAL_SECONDS = 900;
export const MIN_INTERVAL_SECONDS = 60;
export const MAX_INTERVAL_SECONDS = 30 * 24 * 60 * 60;

const configured = {
  contacts: field(boolean, 'Whether contacts are synced in the common shape.', {
    defaultValue: false,
  }),
  companies: field(boolean, 'Whether companies are synced in the common shape.', {
    defaultValue: false,
  }),
  deals: field(boolean, 'Whether deals are synced in the common shape.', { defaultValue: false }),
  edges: field(
    boolean,
    'Whether edges are synced, such as those of a contact to its companies: those between types of records that are both synced in the common shape.',
    { defaultValue: false },
  ),
  standardObjects: field(
    listOf(syncedObject),
    `Standard objects of the provider to sync, at most ${MAX_SYNCED_OBJECTS}. A connection’s non-empty list replaces this one.`,
    { items: 10, emptyInGraphQL: true },
  ),
  customObjects: field(
    listOf(syncedObject),
    `Custom objects to sync, at most ${MAX_SYNCED_OBJECTS}. A connection’s non-empty list replaces this one.`,
    { items: 10, emptyInGraphQL: true },
  ),
  intervalSeconds: field(
    int,
    `Seconds between two runs, from ${MIN_INTERVAL_SECONDS} to ${MAX_INTERVAL_SECONDS}.`,
    { defaultValue: DEFAULT_INTERVAL_SECONDS },
  ),
  isEnabled: field(boolean, 'Whether the syncs run.', { defaultValue: true }),
};

export const syncConfiguration = shape(
  'SyncConfiguration',
  'What is synced of all your customers’ connections to one provider.',
  {
    provider: field(providerName, 'The provider.', { restName: 'provider_name' }),
    ...configured,
    updatedAt: field(date, 'Time of the last change.'),
  },
);
export type SyncConfiguration = Of<typeof syncConfiguration>;

export const syncConfigurationInput = shape(
  'SyncConfiguration',
  'What to sync of all your customers’ connections to one provider.',
  configured,
);
export type SyncConfigurationInput = Of<typeof syncConfigurationInput>;

/** Settings that earlier versions did not have. */
const LATER_SETTINGS = { companies: false, deals: false, edges: false };
type LaterSetting = keyof typeof LATER_SETTINGS;

/** A configuration as any version has stored it. */
export type StoredConfiguration = Omit<SyncConfigurationInput, LaterSetting> &
  Partial<Pick<SyncConfigurationInput, LaterSetting>>;

export function withLaterSettings(stored: StoredConfiguration): SyncConfigurationInput {
  return { ...LATER_SETTINGS, ...stored };
}

/** What syncs copy to the application's own database. */
export interface CopiedRecords {
  /** Types of records in the common shape, in the plural. */
  readonly records: readonly string[];
  /** Other objects, as the CRM names them. */
  readonly objects: readonly string[];
}

export const postgresSyncDestination = shape(
  'PostgresSyncDestination',
  'A PostgreSQL database that syncs write to. Its password is never returned.',
  {
    host: field(string, 'Host name.', { example: 'db.example.com' }),
    port: field(int, 'Port.', { example: 5432 }),
    database: field(string, 'Name of the database.', { example: 'warehouse' }),
    user: field(string, 'Name of the user.', { example: 'crossbook' }),
    schema: field(string, 'Schema of the tables.', { example: 'crm' }),
    hasCaCertificate: field(boolean, 'Whether a CA certificate was given.'),
  },
);

export const syncDestination = shape(
  'SyncDestination',
  'The database that the syncs of your application write to.',
  {
    postgres: field(postgresSyncDestination, postgresSyncDestination.description),
    updatedAt: field(date, 'Time of the last change.'),
  },
);
export type SyncDestination = Of<typeof syncDestination>;

export const postgresSyncDestinationInput = shape(
  'PostgresSyncDestination',
  'A PostgreSQL database that syncs write to.',
  {
    url: field(
      string,
      'URL with user, password, host, port and database, e.g. `postgresql://crossbook:secret@db.example.com:5432/warehouse`. Query parameters are refused. It is stored encrypted and never returned.',
      { example: 'postgresql://crossbook:secret@db.example.com:5432/warehouse' },
    ),
    schema: field(string, 'Schema of the tables, which must exist.', { example: 'crm' }),
    caCertificate: nullable(
      string,
      'Certificates that the server’s certificate is verified with, in PEM. Default: the public certificate authorities.',
    ),
  },
);
export type PostgresDestinationInput = Of<typeof postgresSyncDestinationInput>;

/** A checked destination with its secret: everything that is needed to connect. */
export interface DestinationSecret {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly caCertificate: string | null;
}

export interface StoredDestination extends DestinationSecret {
  readonly applicationId: string;
  readonly schema: string;
  /** Increases with every change. */
  readonly version: number;
}

/** Equal for destinations that are the same database. */
export function identityOf({ host, port, database }: DestinationIdentity): string {
  return `${host}:${port}/${database}`;
}

type DestinationIdentity = Pick<DestinationSecret, 'host' | 'port' | 'database'>;

/** Sync settings and states of ONE application. */
export interface SyncStore {
  findDestination(): Promise<SyncDestination | undefined>;
  setDestination(
    destination: DestinationSecret & { readonly schema: string },
  ): Promise<SyncDestination>;
  deleteDestination(): Promise<boolean>;
  listConfigurations(): Promise<readonly SyncConfiguration[]>;
  setConfiguration(
    provider: ProviderName,
    configuration: SyncConfigurationInput,
  ): Promise<SyncConfiguration>;
  /** The syncs of each connection, in order. */
  listSyncs(connectionIds: readonly string[]): Promise<readonly (readonly Sync[])[]>;
  /** Changes the syncs of a connection, or the one with this table. The number of syncs that it found. */
  changeSyncs(target: SyncTarget, change: SyncChange): Promise<number>;
}

interface SyncTarget extends ConnectionTarget {
  /** Undefined: all syncs of the connection. */
  readonly table: string | undefined;
}

export type SyncChange =
  | { readonly to: 'start'; readonly isFull: boolean }
  | { readonly to: 'pause' }
  | { readonly to: 'resume' };

/** What an adapter reads: records of a type in the common shape, or those of an object of the CRM. */
export interface SyncSource {
  readonly kind: SyncKind;
  /** The provider's name of the object; of a type of record, its plural. */
  readonly object: string;
}

/** A record as it is written. Those in the common shape have `record`, all others `data`. */
export interface SyncedRecord {
  readonly id: string;
  /** RFC 3339 in UTC. */
  readonly lastModifiedAt: string | null;
  readonly record?: CrmRecord | undefined;
  readonly data?: Readonly<Record<string, unknown>>;
  /** The names of fields that were left out because the record is too large, the longest first. Absent: none. */
  readonly omittedFields?: readonly string[];
}

/** The position of a run, as it is stored after each page. */
export interface SyncPosition {
  readonly isFull: boolean;
  readonly step: SyncStep;
  /**
   * The start of the run. Rows that it writes have no earlier time, whatever clock the process has that writes them, so
   * that one that continues the run knows them.
   */
  readonly beganAt: string;
  /** A full run: changes are read from this time on afterwards. Otherwise the end of the window. */
  readonly until: string;
  /** The start of the window; null in a full run. */
  readonly since: string | null;
  /** The adapter's position, after the last page. */
  readonly after: string | null;
  /** The last id of the last page, for the comparison by key. */
  readonly lastId: string | null;
  /** Finds a CRM that repeats its pages. Missing in the first page, and where an earlier version stored the position. */
  readonly progress?: SyncProgress;
  /** The records in the table without some fields, with those of the pages before. Absent: none. */
  readonly incomplete?: IncompleteRecords;
  /** What the rows of this run are made of, and their table. If it changes, everything is read again. */
  readonly contentKey: string;
}

export interface SyncProgress {
  /** The pages of this step until now. */
  readonly pages: number;
  /** The position after one of them: a CRM that goes in a circle comes to it again. */
  readonly mark: string;
  /** The empty pages since the last one that was not. */
  readonly empty: number;
}

/**
 * A full run reads `records`. A run of changes reads `changes`, then the CRM's list of deleted records, and at last the
 * records whose edges have changed without them.
 */
type SyncStep = 'records' | 'changes' | 'deletions' | 'links';

/** How long a process has a connection's syncs without recording anything. */
export const SYNC_LEASE_MS = 60_000;

/** The queue of the syncs of all applications. */
export interface SyncQueue {
  /** Whether a connection's syncs, or a removal of rows, are due. Cheap. */
  findDue(): Promise<{ readonly isDue: boolean; readonly isInUse: boolean }>;
  /** Claims connections with due syncs, under a lease for this process. */
  claim(claim: SyncClaim): Promise<readonly ClaimedConnection[]>;
  /** The due syncs of a claimed connection. */
  readDue(claimed: ClaimedConnection): Promise<readonly DueSync[]>;
  /** Extends the lease. False: it was lost. */
  extend(claimed: ClaimedConnection): Promise<boolean>;
  /** Begins or continues a run. False: the lease was lost, or the sync was paused meanwhile. */
  begin(sync: DueSync, run: BegunRun): Promise<boolean>;
  /** Records that a batch is in the table. Undefined: the lease was lost. */
  advance(sync: DueSync, batch: RecordedBatch): Promise<Recorded | undefined>;
  finish(sync: DueSync, outcome: SyncOutcome): Promise<boolean>;
  release(claimed: ClaimedConnection): Promise<void>;
  findDestination(applicationId: string): Promise<StoredDestination | undefined>;
  /** Remembers that the customer has rows in this table, for removals. False: the connection was removed. */
  noteTable(sync: DueSync, table: TablePlace): Promise<boolean>;
  count(): Promise<SyncCounts>;
}

/** The syncs of each connection, which follow from its configuration and its state. */
export interface SyncPlans {
  /**
   * Plans the syncs of these customers' connections, if they have changed. The number of connections that were planned.
   */
  planCustomers(customers: readonly CustomerScope[]): Promise<number>;
  /** Plans the syncs of connections whose configuration or state has changed, in the next part of a walk. */
  planNext(walk: PlanWalk): Promise<PlannedPart>;
}

/** Rows of deleted customers that are to be deleted at the destinations. */
export interface RowRemovals {
  /** Claims a removal that is due. */
  claim(lease: string, leaseMs: number): Promise<ClaimedRemoval | undefined>;
  /** Counts deleted rows, and extends the lease. False: the lease was lost. */
  extend(removal: ClaimedRemoval, rows: number): Promise<boolean>;
  end(removal: ClaimedRemoval, outcome: RemovalOutcome): Promise<void>;
}

/** What was changed, so that syncs may have to be planned: connections of a customer, or settings of an application. */
export type PlanScope = CustomerScope | Pick<CustomerScope, 'applicationId'>;

export interface CustomerScope {
  readonly applicationId: string;
  readonly customerId: string;
}

/** A walk over the connections that are synced, in the order of application, provider and customer. */
export interface PlanWalk {
  /** The last connection that was looked at. */
  readonly after: CustomerScope & { readonly providerName: string };
  /** The application at which the walk ends. */
  readonly lastApplicationId: string;
}

export interface PlannedPart {
  /** The number of connections that were planned. */
  readonly planned: number;
  /** The rest of the walk. Undefined: it has ended. */
  readonly rest: PlanWalk | undefined;
}

interface SyncClaim {
  readonly lease: string;
  readonly leaseMs: number;
  readonly free: number;
  /** The number of connections that this process has claimed of each application. */
  readonly held: ReadonlyMap<string, number>;
}

export interface ClaimedConnection {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly lease: string;
  readonly leaseMs: number;
}

export interface DueSync extends SyncSource {
  readonly claimed: ClaimedConnection;
  readonly connection: Connection;
  readonly schema: string;
  readonly table: string;
  readonly edgeTables: readonly EdgeTable[];
  readonly intervalSeconds: number;
  /** A full run was requested. */
  readonly wantsFull: boolean;
  /** The run that was interrupted. */
  readonly position: SyncPosition | null;
  /** Changes up to this time are in the table. */
  readonly syncedUntil: Date | null;
  /** The start of the last complete full run. */
  readonly fullAt: Date | null;
  /** The `contentKey` of the last complete full run. */
  readonly contentKey: string | null;
  /** Of the last successful run. */
  readonly incomplete: IncompleteRecords | null;
  /** Consecutive failed runs. */
  readonly failures: number;
}

export interface BegunRun {
  readonly position: SyncPosition;
  /** False: a run that was interrupted continues, with its counts. */
  readonly isNew: boolean;
}

export interface Recorded {
  /** False: the sync was paused meanwhile. */
  readonly isRunnable: boolean;
}

export interface RecordedBatch {
  readonly position: SyncPosition;
  readonly records: number;
  readonly deleted: number;
  /** Ids for the event of the type of record, such as `contacts.changed`. */
  readonly changedIds: readonly string[];
  readonly deletedIds: readonly string[];
}

export type SyncOutcome =
  | { readonly kind: 'completed'; readonly position: SyncPosition }
  | { readonly kind: 'failed'; readonly error: SyncError; readonly retryAfterMs: number }
  /** The run continues, after this pause. */
  | { readonly kind: 'yielded'; readonly retryAfterMs: number };

export interface TablePlace {
  /** See `identityOf`. */
  readonly destination: string;
  readonly schema: string;
  readonly table: string;
}

export interface ClaimedRemoval {
  readonly applicationId: string;
  readonly id: string;
  readonly customerId: string;
  readonly lease: string;
  readonly leaseMs: number;
  readonly tables: readonly TablePlace[];
  readonly attempts: number;
  readonly createdAt: Date;
}

type RemovalOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly retryAfterMs: number }
  | { readonly kind: 'given up' };

export const REMOVAL_RETRIES_MS = 30 * 24 * 60 * 60_000;

export interface SyncCounts {
  readonly syncs: number;
  readonly failed: number;
  /** Seconds by which the sync that is furthest behind is late, apart from paused ones. */
  readonly lagSeconds: number;
  /** The age of the oldest removal of rows; 0: there is none. */
  readonly removalSeconds: number;
}

/** The tables at a destination. Errors are `SyncFailure`s. */
export interface Destinations {
  /** Connects, and checks that tables can be created in the schema. */
  check(destination: DestinationSecret & { readonly schema: string }): Promise<void>;
  open(destination: StoredDestination): OpenedDestination;
}

export interface OpenedDestination {
  /** Creates the table or missing columns. */
  openTable(table: TableOfSync): Promise<SyncTable>;
  /** Deletes some rows of a customer; 0: there are none left. */
  deleteRows(table: Pick<TablePlace, 'schema' | 'table'>, owner: RowsOfCustomer): Promise<number>;
}

export interface RowsOfCustomer {
  readonly applicationId: string;
  readonly customerId: string;
}

export interface TableOfSync extends RowsOfCustomer {
  readonly kind: SyncKind;
  readonly schema: string;
  readonly table: string;
  readonly providerName: ProviderName;
  /** In the same schema. */
  readonly edgeTables: readonly EdgeTable[];
}

export interface SyncTable {
  /** Changes when the table, or one of the edges of its records, is dropped and created again. */
  readonly identity: string;
  /** Converts records to what `write` sends. */
  toRows(records: readonly SyncedRecord[]): SyncRows;
  /** Writes a batch in one transaction: `mayCommit` is asked last. */
  write(batch: WrittenBatch): Promise<Written>;
  /** Ids in a range of keys that are not deleted and not among `ids`; at most `limit`. */
  listOthers(range: KeyRange, ids: readonly string[], limit: number): Promise<readonly string[]>;
  /** Lets PostgreSQL gather statistics of tables that have none. The rows are there without it, so that it never fails. */
  analyzeNew(): Promise<void>;
}

/** Rows as they are sent: each piece is one statement, with an array for each column. */
export interface SyncRows {
  readonly ids: readonly string[];
  readonly pieces: readonly (readonly Uint8Array[])[];
}

/** All edges that records have in one table. */
export interface RecordEdges {
  readonly table: EdgeTable;
  /** Of each record, also of those without edges. */
  readonly links: LinksById;
}

export interface WrittenBatch {
  readonly rows: readonly SyncRows[];
  /** Ids of deleted records, whose edges are deleted. */
  readonly removed: readonly string[];
  readonly edges: readonly RecordEdges[];
  /** A range in which edges of records without a row are deleted. */
  readonly orphansIn?: KeyRange | undefined;
  readonly syncedAt: Date;
  /** Also reports rows as changed or deleted that were written since then, by a process that was killed. */
  readonly reportSince?: Date | undefined;
  mayCommit(): boolean;
}

export interface Written {
  /** The number of rows and edges that were added or changed, and of those that were marked as deleted, or deleted. */
  readonly records: number;
  readonly deleted: number;
  /** The ids of the rows, with those since `reportSince`. */
  readonly changedIds: readonly string[];
  readonly deletedIds: readonly string[];
}

/** Ids after `after` up to and including `upTo`: the shorter id is the lower one, then by code unit. */
export interface KeyRange {
  readonly after: string | null;
  readonly upTo: string | null;
}

/**
 * A failure of a sync with a known cause: its configuration, the provider or the destination. The detail is in our own
 * words, without data and secrets.
 */
export class SyncFailure extends Error {
  override readonly name = 'SyncFailure';
  readonly code: SyncErrorCode;

  constructor(code: SyncErrorCode, detail: string, options: ErrorOptions = {}) {
    super(detail, options);
    this.code = code;
  }
}

/** Ids in one event of changed records. */
export const MAX_CHANGED_IDS = 100;
