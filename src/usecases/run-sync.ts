import type { CustomFieldsByRecord, FoundProblem } from '../domain/custom-fields.ts';
import { CrossbookError } from '../domain/errors.ts';
import { type CrmAccess, MAX_FOUND_RECORDS } from '../domain/provider.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import {
  type BegunRun,
  type Destinations,
  type DueSync,
  identityOf,
  type KeyRange,
  type SyncError,
  type SyncErrorCode,
  type SyncedRecord,
  SyncFailure,
  type SyncOutcome,
  type SyncPosition,
  type SyncQueue,
  type SyncTable,
  type TableOfSync,
} from '../domain/sync.ts';
import {
  EDGE_TABLES,
  type EdgeTable,
  findSyncedRecord,
  listOwnEdges,
  type SyncedKind,
} from '../domain/synced-records.ts';
import { backoff } from '../lib/backoff.ts';
import { digest } from '../lib/digest.ts';
import { quote } from '../lib/text.ts';
import { selectCustomFields } from './select-custom-fields.ts';
import {
  type Batch,
  type OpenedRecords,
  type ReadPlan,
  readBatches,
  readEdges,
} from './sync-batches.ts';

/**
 * Runs a sync: first everything, then changes. Some pages are read, written and committed at the destination, and then
 * recorded. A process may be killed anywhere in between: they are then read again, and written without an effect.
 */
export async function runSync(deps: RunDeps, due: DueSync): Promise<SyncResult> {
  const outcome = await attempt(deps, due);
  if (outcome === undefined) return { kind: 'lost' };
  if (!(await deps.queue.finish(due, outcome))) return { kind: 'lost' };
  return outcome;
}

/** Undefined: another process has the sync now. */
async function attempt(deps: RunDeps, due: DueSync): Promise<SyncOutcome | undefined> {
  try {
    return await run(deps, due);
  } catch (error) {
    if (!deps.lease.isHeld()) return undefined;
    const retryAfterMs = error instanceof CrossbookError ? (error.retryAfterMs ?? 0) : 0;
    // Our own database, the memory limit or that of waiting operations: the run continues later.
    if (error instanceof CrossbookError && error.code === 'SERVICE_UNAVAILABLE')
      return { kind: 'yielded', retryAfterMs: Math.max(retryAfterMs, LEAST_PAUSE_MS) };
    return {
      kind: 'failed',
      error: toSyncError(deps, error),
      retryAfterMs: Math.max(retryAfterMs, toPause(due)),
    };
  }
}

async function run(deps: RunDeps, planned: DueSync): Promise<SyncOutcome | undefined> {
  const due = { ...planned, edgeTables: planned.edgeTables.filter((one) => isReadable(deps, one)) };
  const destination = await deps.queue.findDestination(due.claimed.applicationId);
  if (!destination)
    throw new SyncFailure('CONFIGURATION', 'The application has no sync destination.');
  const { selection, madeOf } = await toSelection(deps, due);
  const fields = await describe(deps, due);
  const { schema } = due;
  for (const name of [due.table, ...due.edgeTables]) {
    const noted = { destination: identityOf(destination), schema, table: name };
    if (!(await deps.queue.noteTable(due, noted))) return undefined;
  }
  const opening = deps.destinations.open(destination).openTable(toTable(due));
  const table = toWaitingTable(await deps.waitFor(opening), deps);
  // Without edges it is what earlier versions had.
  const parts = [table.identity, madeOf, ...due.edgeTables];
  const contentKey = toContentKey(due, identityOf(destination), parts);
  const begun = beginOrContinue(deps, due, contentKey);
  if (!(await deps.queue.begin(due, begun))) return undefined;
  const { kind, object } = due;
  const edgeTables = listOwnEdges(due.edgeTables, kind);
  const plan = { source: { kind, object }, fields, selection, edgeTables };
  const reading = {
    ...deps,
    table,
    openRecords: () => open(deps, due),
    boundUntil: (position: SyncPosition) => boundUntil(deps, due, position),
  };
  for await (const batch of readBatches(reading, plan, begun.position)) {
    const { position, next } = batch;
    const written = await writeBatch({ deps, due, table, plan }, batch);
    const recorded = await deps.queue.advance(due, { position: next ?? position, ...written });
    deps.onWritten(written);
    if (!recorded) return undefined;
    if (next === undefined) {
      if (position.isFull) await table.analyzeNew();
      return { kind: 'completed', position };
    }
    if (deps.isOver() || !recorded.isRunnable) break;
  }
  return { kind: 'yielded', retryAfterMs: 0 };
}

/** Whether the connection may read the records at both ends. */
function isReadable({ mayRead }: RunDeps, table: EdgeTable): boolean {
  const { from, to } = EDGE_TABLES[table];
  return mayRead(from) && mayRead(to);
}

/** A destination that does not respond must not keep others from the slot of this sync. */
function toWaitingTable(table: SyncTable, { waitFor }: Pick<RunDeps, 'waitFor'>): SyncTable {
  return {
    ...table,
    write: (page) => waitFor(table.write(page)),
    listOthers: (...range) => waitFor(table.listOthers(...range)),
    analyzeNew: () => waitFor(table.analyzeNew()),
  };
}

function open(deps: RunDeps, due: DueSync): OpenedRecords {
  const opened = deps.openRecords(due);
  if (opened) return opened;
  throw new SyncFailure('NOT_IMPLEMENTED', `${due.connection.providerName} cannot be synced.`);
}

const LEAST_PAUSE_MS = 1_000;

/**
 * Where the run begins. One that was interrupted goes on, unless a full run was requested meanwhile. Changes are read
 * if everything was read within a day. Both only if the rows are still made of the same, and in the same place.
 */
function beginOrContinue(deps: RunDeps, due: DueSync, key: string): BegunRun {
  const { position, wantsFull, syncedUntil, fullAt, incomplete } = due;
  if (position && !wantsFull && position.contentKey === key) return { position, isNew: false };
  const now = deps.wall();
  const isFull =
    wantsFull ||
    syncedUntil === null ||
    due.contentKey !== key ||
    now - (fullAt?.getTime() ?? 0) >= FULL_EVERY_MS;
  const until = latestEnd(deps, due, now);
  // Where a clock has turned out to be behind, the table has changes up to an earlier time than was known before.
  const since = isFull ? null : Math.min(syncedUntil.getTime() - OVERLAP_MS, until);
  return {
    isNew: true,
    position: {
      isFull,
      step: isFull ? 'records' : 'changes',
      beganAt: new Date(now).toISOString(),
      since: since === null ? null : new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      after: null,
      lastId: null,
      contentKey: key,
      // A full run finds them again.
      ...(!isFull && incomplete && { incomplete }),
    },
  };
}

/** The end of the changes that the CRM's search has at a time of our clock, by the earlier of both clocks. */
function latestEnd(deps: RunDeps, due: DueSync, at: number): number {
  return at - deps.searchLagMs(due) - deps.clockBehindMs();
}

/** The end of a run's changes, with what the CRM's responses have shown of its clock since the start of the run. */
function boundUntil(deps: RunDeps, due: DueSync, { until, beganAt }: SyncPosition): string {
  const latest = latestEnd(deps, due, Date.parse(beganAt));
  return new Date(Math.min(Date.parse(until), latest)).toISOString();
}

/** A full run compares all keys, and catches deletions that no list reported. */
const FULL_EVERY_MS = 24 * 60 * 60_000;
/** Windows overlap by more than clocks differ. */
const OVERLAP_MS = 2 * 60_000;

async function describe(deps: RunDeps, due: DueSync): Promise<readonly string[]> {
  const fields = await open(deps, due).records.describe(due);
  if (fields) return fields;
  throw new SyncFailure(
    'OBJECT_UNKNOWN',
    `The CRM has no object ${quote(due.object)}, or does not show it to the connected user. Names are case-sensitive.`,
  );
}

async function writeBatch(writing: Writing, batch: Batch) {
  const { deps, due, table, plan } = writing;
  const { position } = batch;
  const gone = position.step === 'records' ? await findGone(writing, batch) : NOTHING_GONE;
  const removed = [...batch.removed, ...gone.removed];
  const found = batch.rows.some(({ ids }) => ids.length > 0) || batch.edges.length > 0;
  const hasOrphans = position.step === 'records' && plan.edgeTables.length > 0;
  if (!found && !hasOrphans && gone.alive.length + removed.length === 0) return NOTHING_WRITTEN;
  const aliveIds = gone.alive.map(({ id }) => id);
  const isReported = findSyncedRecord(due.kind) !== undefined && !position.isFull;
  const beganAt = new Date(position.beganAt);
  return table.write({
    rows: [...batch.rows, table.toRows(gone.alive)],
    removed,
    edges: [...batch.edges, ...(await readEdges(batch.readLinks, plan, aliveIds))],
    orphansIn: hasOrphans ? toRange(batch) : undefined,
    syncedAt: new Date(Math.max(deps.wall(), beganAt.getTime())),
    reportSince: isReported ? beganAt : undefined,
    mayCommit: deps.lease.isHeld,
  });
}

/**
 * Rows in the key range of a batch that the batch does not have. Their records are read by id before they count as
 * deleted, because a list may be incomplete.
 */
async function findGone({ table, plan }: Writing, batch: Batch) {
  const { rows, next, records } = batch;
  const ids = rows.flatMap((page) => page.ids);
  if (next !== undefined && ids.length === 0) return NOTHING_GONE;
  const range = toRange(batch);
  const alive: SyncedRecord[] = [];
  const removed: string[] = [];
  for (;;) {
    const known = [...ids, ...alive.map(({ id }) => id), ...removed];
    const others = await table.listOthers(range, known, MAX_FOUND_RECORDS);
    if (others.length === 0) return { alive, removed };
    const found = await records.find(plan, others);
    const foundIds = new Set(found.map(({ id }) => id));
    alive.push(...found.filter(({ id }) => others.includes(id)));
    removed.push(...others.filter((id) => !foundIds.has(id)));
    // The rest follows with the next run: a page has a limit, whatever the destination says that it has.
    const count = alive.length + removed.length;
    if (others.length < MAX_FOUND_RECORDS || count >= MAX_GONE) return { alive, removed };
  }
}

/** The keys of a batch of all records. The range of the last one has no end. */
function toRange({ position, next }: Batch): KeyRange {
  return { after: position.lastId, upTo: next === undefined ? null : next.lastId };
}

const MAX_GONE = 20_000;
const NOTHING_GONE = { alive: [], removed: [] };
const NOTHING_WRITTEN = { records: 0, deleted: 0, changedIds: [], deletedIds: [] };

/**
 * Identifies what the rows are made of and where they are. When the database, the table, the CRM account or the fields
 * change, the key changes, and the next run reads everything again.
 */
function toContentKey({ connection }: DueSync, destination: string, madeOf: unknown): string {
  const account = connection.account?.id ?? connection.instanceUrl;
  return `${CONTENT_VERSION} ${digest(JSON.stringify([destination, account, madeOf]))}`;
}

/** Records in the common shape have the raw record, and all custom fields of their type. */
async function toSelection(deps: RunDeps, { kind, connection, claimed }: DueSync) {
  const record = findSyncedRecord(kind);
  if (!record) return { selection: NO_SELECTION, madeOf: null };
  const customFields = await deps.readCustomFields(claimed.applicationId);
  const selection: FieldSelection = await selectCustomFields<FieldSelection>(
    {
      loadCustomFields: async () => customFields,
      noteProblem: (_connection, problem) => deps.noteProblem(connection, problem),
    },
    record,
    { connection, access: deps.access },
    { rawData: true, customFieldNames: 'all' },
  );
  const { schemaMappingsConfig, entityMappings } = connection;
  const { key, names } = selection.customFields ?? {};
  return { selection, madeOf: [key, names, schemaMappingsConfig, entityMappings] };
}

const NO_SELECTION: FieldSelection = { rawData: false };
/** Increment when columns are computed differently: all rows are then written again. */
const CONTENT_VERSION = '2';

function toTable({ kind, schema, table, edgeTables, connection }: DueSync): TableOfSync {
  const { applicationId, customerId, providerName } = connection;
  return { kind, schema, table, edgeTables, applicationId, customerId, providerName };
}

/** In words, without data of the destination; what a provider said was redacted. */
function toSyncError(deps: RunDeps, error: unknown): SyncError {
  if (error instanceof SyncFailure) return { code: error.code, detail: error.message };
  if (error instanceof CrossbookError) {
    const code = PROVIDER_ERRORS[error.code];
    if (code) return { code, detail: error.message.slice(0, MAX_DETAIL) };
  }
  deps.onError(error);
  return { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side. It is logged.' };
}

const MAX_DETAIL = 500;

const PROVIDER_ERRORS: Readonly<Record<string, SyncErrorCode>> = {
  REMOTE_PROVIDER_UNAUTHORIZED: 'PROVIDER_REFUSED',
  REMOTE_PROVIDER_FORBIDDEN: 'PROVIDER_REFUSED',
  REMOTE_PROVIDER_RATE_LIMITED: 'PROVIDER_LIMITED',
  REMOTE_PROVIDER_ERROR: 'PROVIDER_UNAVAILABLE',
  REMOTE_PROVIDER_TIMEOUT: 'PROVIDER_UNAVAILABLE',
  REMOTE_PROVIDER_UNAVAILABLE: 'PROVIDER_UNAVAILABLE',
  REMOTE_PROVIDER_BAD_RESPONSE: 'PROVIDER_UNAVAILABLE',
  NOT_IMPLEMENTED: 'NOT_IMPLEMENTED',
  FORBIDDEN: 'NOT_ALLOWED',
};

/** A minute after the first failure, and at most an hour or the interval. */
function toPause({ failures, intervalSeconds }: DueSync): number {
  return backoff(FIRST_PAUSE_MS, Math.max(LONGEST_PAUSE_MS, intervalSeconds * 1_000), failures);
}

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

interface Writing {
  readonly deps: RunDeps;
  readonly due: DueSync;
  readonly table: SyncTable;
  readonly plan: ReadPlan;
}

/** How a process's part of a run ended. `lost`: another process has the sync now. */
export type SyncResult = SyncOutcome | { readonly kind: 'lost' };

interface RunDeps {
  readonly queue: Pick<SyncQueue, 'findDestination' | 'noteTable' | 'begin' | 'advance' | 'finish'>;
  readonly destinations: Pick<Destinations, 'open'>;
  /** Undefined: the provider cannot be synced. */
  openRecords(due: DueSync): OpenedRecords | undefined;
  /** Whether the connection may read records of a type. */
  mayRead(kind: SyncedKind): boolean;
  searchLagMs(due: DueSync): number;
  /** How far the clock of the CRM is behind ours, as far as its responses have shown it. */
  clockBehindMs(): number;
  /** Called for each batch, for the metrics. */
  onWritten(written: { readonly records: number; readonly deleted: number }): void;
  /** What the provider of the connection can do. */
  readonly access: Pick<CrmAccess, 'records'> | undefined;
  readCustomFields(applicationId: string): Promise<CustomFieldsByRecord>;
  noteProblem(connection: DueSync['connection'], problem: FoundProblem): void;
  readonly lease: { isHeld(): boolean };
  /** Its time is over, or the process stops. */
  isOver(): boolean;
  /** Waits for a response of the destination. */
  waitFor<T>(response: Promise<T>): Promise<T>;
  wall(): number;
  onError(error: unknown): void;
}
