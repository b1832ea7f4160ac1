import { CrossbookError } from '../domain/errors.ts';
import type { BulkReader, RecordPage, RecordsAsk } from '../domain/provider.ts';
import type { SyncPosition, SyncProgress, SyncRows, SyncTable } from '../domain/sync.ts';
import { isStorable } from '../lib/text.ts';
import { noteIncomplete } from './incomplete-records.ts';

/**
 * The pages of a run from a position on, in batches that are written in one transaction. While one is written, the next
 * one is read and converted. A batch is valid until the next one is taken.
 */
export async function* readBatches(
  deps: BatchDeps,
  asked: Asked,
  from: SyncPosition,
): AsyncGenerator<Batch> {
  let isEnded = false;
  const isOver = () => isEnded || deps.isOver();
  let reading: Promise<Batch> | undefined = readBatch({ ...deps, isOver }, asked, from);
  try {
    while (reading) {
      const batch: Batch = await reading;
      reading = batch.next && readBatch({ ...deps, isOver }, asked, batch.next);
      // The error is thrown when the batch is taken.
      reading?.catch(() => undefined);
      yield batch;
    }
  } finally {
    isEnded = true;
  }
}

async function readBatch(deps: BatchDeps, asked: Asked, position: SyncPosition): Promise<Batch> {
  const { records, readBytes } = deps.openRecords();
  const most = Math.min(BATCH_RECORDS, Math.ceil(BATCH_VALUES / Math.max(1, asked.fields.length)));
  const until = deps.wall() + BATCH_MS;
  const rows: SyncRows[] = [];
  const removed: string[] = [];
  let { after, lastId, progress, incomplete } = position;
  let count = 0;
  do {
    const page = await readPage(records, asked, { ...position, after }).catch((error) => {
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
    count += page.records.length + page.removed.length;
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
  return {
    position: noted,
    rows,
    removed,
    next: toNext(withProgress({ ...noted, after, lastId }, progress)),
    records,
  };
}

/** Fewer where records have many fields, because they are in memory. */
const BATCH_RECORDS = 1_000;
const BATCH_VALUES = 40_000;
/** Large records end a batch, because they are in memory. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Progress is recorded even when the CRM is slow. */
const BATCH_MS = 2_000;

function readPage(
  records: BulkReader,
  asked: Asked,
  { step, since, until, after }: SyncPosition,
): Promise<RecordPage> {
  const window = { from: new Date(since ?? 0), to: new Date(until) };
  switch (step) {
    case 'records':
      return records.readAll({ ...asked, after });
    case 'changes':
      return records.readChanges({ ...asked, after, window });
    case 'deletions':
      return records.readDeleted({ ...asked, after, window });
  }
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
  { records, removed }: RecordPage,
  after: string,
): SyncProgress {
  const pages = before + 1;
  if (before > 0 && after === mark) throw refused('repeats the pages of its list.');
  const empty = records.length + removed.length === 0 ? emptyBefore + 1 : 0;
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

/** Undefined: there is none. */
function toNext(position: SyncPosition): SyncPosition | undefined {
  if (position.after !== null) return position;
  if (position.step !== 'changes') return undefined;
  return { ...position, step: 'deletions', lastId: null };
}

/** Some pages that were read one after the other. */
export interface Batch {
  /** Where it begins. */
  readonly position: SyncPosition;
  readonly rows: readonly SyncRows[];
  /** Ids of records that were deleted, or merged into others. */
  readonly removed: readonly string[];
  /** Where the next one begins. Undefined: the run ends with this one. */
  readonly next: SyncPosition | undefined;
  readonly records: BulkReader;
}

/** What is read in all pages of a run. */
export type Asked = Omit<RecordsAsk, 'after'>;

export interface OpenedRecords {
  readonly records: BulkReader;
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
