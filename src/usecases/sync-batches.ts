import { CrossbookError } from '../domain/errors.ts';
import type { BulkReader, RecordPage, RecordsRequest } from '../domain/provider.ts';
import type { LinkRequest, LinksById } from '../domain/records/link.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import type {
  RecordEdges,
  SyncPosition,
  SyncProgress,
  SyncRows,
  SyncTable,
} from '../domain/sync.ts';
import {
  EDGE_TABLES,
  type EdgeTable,
  SYNCED_RECORDS,
  type SyncedKind,
} from '../domain/synced-records.ts';
import { isStorable } from '../lib/text.ts';
import { noteIncomplete } from './incomplete-records.ts';

/**
 * The pages of a run from a position on, in batches that are written in one transaction. While one is written, the next
 * one is read and converted. A batch is valid until the next one is taken.
 */
export async function* readBatches(
  deps: BatchDeps,
  plan: ReadPlan,
  from: SyncPosition,
): AsyncGenerator<Batch> {
  let isEnded = false;
  const isOver = () => isEnded || deps.isOver();
  let reading: Promise<Batch> | undefined = readBatch({ ...deps, isOver }, plan, from);
  try {
    while (reading) {
      const batch: Batch = await reading;
      reading = batch.next && readBatch({ ...deps, isOver }, plan, batch.next);
      // The error is thrown when the batch is taken.
      reading?.catch(() => undefined);
      yield batch;
    }
  } finally {
    isEnded = true;
  }
}

async function readBatch(deps: BatchDeps, plan: ReadPlan, position: SyncPosition): Promise<Batch> {
  const { records, readBytes, readLinks } = deps.openRecords();
  const most = Math.min(BATCH_RECORDS, Math.ceil(BATCH_VALUES / Math.max(1, plan.fields.length)));
  const until = deps.wall() + BATCH_MS;
  const rows: SyncRows[] = [];
  const removed: string[] = [];
  const relinked: string[] = [];
  let { after, lastId, progress, incomplete } = position;
  let count = 0;
  do {
    const page = await readPage(records, plan, { ...position, after }).catch((error) => {
      // What was read before is recorded, and the next batch begins with this page.
      if (after === position.after) throw error;
      return undefined;
    });
    if (!page) break;
    checkPage(page);
    // Page by page: records take more memory than rows, and what lives on makes the pauses of garbage collections
    // longer.
    rows.push(deps.table.toRows(page.records));
    for (const id of page.removed) if (isId(id)) removed.push(id);
    for (const id of page.relinked ?? []) if (isId(id)) relinked.push(id);
    count += countOf(page);
    incomplete = noteIncomplete(incomplete, page);
    lastId = page.records.at(-1)?.id ?? lastId;
    after = page.next;
    progress = after === null ? undefined : toProgress(progress, page, after);
  } while (
    after !== null &&
    count < most &&
    readBytes() < BATCH_BYTES &&
    deps.wall() < until &&
    !deps.isOver()
  );
  const { incomplete: _, ...begun } = position;
  const noted = {
    ...begun,
    until: deps.boundUntil(position),
    ...(incomplete && { incomplete }),
  };
  const ids = [...rows.flatMap((page) => page.ids), ...relinked];
  return {
    position: noted,
    rows,
    removed,
    edges: await readEdges(readLinks, plan, ids),
    next: toNext(withProgress({ ...noted, after, lastId }, progress), plan),
    records,
    readLinks,
  };
}

/** The edges of these records in the tables that their sync writes. They are read after the records: they are no older. */
export async function readEdges(
  readLinks: OpenedRecords['readLinks'],
  { edgeTables }: Pick<ReadPlan, 'edgeTables'>,
  recordIds: readonly string[],
): Promise<readonly RecordEdges[]> {
  const ids = [...new Set(recordIds)];
  const [first] = edgeTables;
  if (first === undefined || ids.length === 0) return [];
  const requests = edgeTables.map((table) => ({ to: toRecordType(table), ids }));
  const found = await readLinks(EDGE_TABLES[first].from, requests);
  return edgeTables.map((table, index) => {
    const links = found[index];
    if (links === undefined || links instanceof Error)
      throw links ?? new Error('A request for links has no result');
    const toStorable = (id: string) => links.get(id)?.filter((one) => isId(one.remoteId)) ?? [];
    return { table, links: new Map(ids.map((id) => [id, toStorable(id)])) };
  });
}

export function toRecordType(table: EdgeTable): RecordType {
  return SYNCED_RECORDS[EDGE_TABLES[table].to].type;
}

/** Fewer where records have many fields, because they are in memory. */
const BATCH_RECORDS = 1_000;
const BATCH_VALUES = 40_000;
/** Large records end a batch, because they are in memory. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Progress is recorded even when the CRM is slow. */
const BATCH_MS = 2_000;

async function readPage(
  records: BulkReader,
  { edgeTables, ...plan }: ReadPlan,
  { step, since, until, after }: SyncPosition,
): Promise<ReadPage> {
  const window = { from: new Date(since ?? 0), to: new Date(until) };
  switch (step) {
    case 'records':
      return records.readAll({ ...plan, after });
    case 'changes':
      return records.readChanges({ ...plan, after, window });
    case 'deletions':
      return records.readDeleted({ ...plan, after, window });
    case 'links': {
      const to = edgeTables.map(toRecordType);
      const { ids, next } = await records.readRelinked({ ...plan, to, after, window });
      return { records: [], removed: [], relinked: ids, next };
    }
  }
}

function countOf({ records, removed, relinked = [] }: ReadPage): number {
  return records.length + removed.length + relinked.length;
}

/** What is stored has to be short: of all syncs of a connection, the positions are read at once. */
function checkPage({ records, next }: RecordPage): void {
  if (next !== null && (next.length > MAX_CURSOR || !isStorable(next)))
    throw refused('sent a cursor that is too long, or has characters that cannot be stored.');
  if (!records.every(({ id }) => isId(id)))
    throw refused('sent an id that is too long, or has characters that cannot be stored.');
}

/** No row has another one, because an index of PostgreSQL takes no long keys. */
function isId(id: string): boolean {
  return id.length <= MAX_ID && isStorable(id);
}

const MAX_ID = 255;
const MAX_CURSOR = 2_048;

/**
 * Throws where the CRM goes in a circle, or sends nothing but empty pages. The mark moves to the pages 1, 2, 4, 8 and so
 * on, so that a circle of any length meets it (Brent's algorithm).
 */
function toProgress(
  { pages: before, mark, empty: emptyBefore }: SyncProgress = NO_PROGRESS,
  page: ReadPage,
  after: string,
): SyncProgress {
  const pages = before + 1;
  if (before > 0 && after === mark) throw refused('repeats the pages of its list.');
  const empty = countOf(page) === 0 ? emptyBefore + 1 : 0;
  if (empty > MAX_EMPTY) throw refused(`sent more than ${MAX_EMPTY} empty pages in a row.`);
  return { pages, mark: Number.isInteger(Math.log2(pages)) ? after : mark, empty };
}

const NO_PROGRESS: SyncProgress = { pages: 0, mark: '', empty: 0 };
const MAX_EMPTY = 100;

function refused(what: string): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', `The CRM ${what}`, {
    origin: 'remote-provider',
  });
}

function withProgress(
  { progress: _, ...position }: SyncPosition,
  progress: SyncProgress | undefined,
): SyncPosition {
  return progress ? { ...position, progress } : position;
}

/** The position after this one. Returns undefined at the end of the run. */
function toNext(position: SyncPosition, { edgeTables }: ReadPlan): SyncPosition | undefined {
  if (position.after !== null) return position;
  if (position.step === 'changes') return { ...position, step: 'deletions', lastId: null };
  if (position.step === 'deletions' && edgeTables.length > 0)
    return { ...position, step: 'links', lastId: null };
  return undefined;
}

/** Some pages that were read one after the other. */
export interface Batch {
  /** Where it begins. */
  readonly position: SyncPosition;
  readonly rows: readonly SyncRows[];
  /** Ids of records that were deleted, or merged into others. */
  readonly removed: readonly string[];
  /** Those of the rows, and of records whose edges have changed without them. */
  readonly edges: readonly RecordEdges[];
  /** Where the next one begins. Undefined: the run ends with this one. */
  readonly next: SyncPosition | undefined;
  readonly records: BulkReader;
  readonly readLinks: OpenedRecords['readLinks'];
}

/** What is read in all pages of a run. */
export interface ReadPlan extends Omit<RecordsRequest, 'after'> {
  /** The tables of edges that are written with the records. */
  readonly edgeTables: readonly EdgeTable[];
}

interface ReadPage extends RecordPage {
  /** Records whose edges have changed. */
  readonly relinked?: readonly string[];
}

export interface OpenedRecords {
  readonly records: BulkReader;
  /** The links of records of a type. */
  readLinks(
    from: SyncedKind,
    requests: readonly LinkRequest[],
  ): Promise<readonly (LinksById | Error)[]>;
  /** The bytes that were read so far. */
  readBytes(): number;
}

interface BatchDeps {
  readonly table: Pick<SyncTable, 'toRows'>;
  openRecords(): OpenedRecords;
  /** The end of the changes that the run reads, as far as it is known after a batch. */
  boundUntil(position: SyncPosition): string;
  isOver(): boolean;
  wall(): number;
}
