import type { RequestWork } from '../admission/work.ts';
import { createBatcher } from '../lib/batcher.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { isStorable } from '../lib/text.ts';
import { isUnavailable, toUnavailable } from './engine/failures.ts';
import type { Sized } from './read-bounds.ts';

/**
 * Batches items of one application into statements. While two statements of an application are in flight, three where
 * one is slow, further items share the next one, so that other applications find free connections in the pool.
 */
export function createStatementBatcher<Item, Result>(
  options: StatementOptions<Item, Result>,
): (applicationId: string, item: Item) => Promise<Result> {
  const { sizeOf, keyOf, clock = systemClock } = options;
  const batcher = createBatcher<Queued<Item, Result>>({
    clock,
    run,
    maxConcurrent: MAX_CONCURRENT,
    maxItems: MAX_ITEMS,
    maxSize: MAX_SIZE,
    createSizer: () => (queued) => sizeOf(queued.item),
    ...(keyOf && { keyOf: (queued) => keyOf(queued.item) }),
    overdueMs: OVERDUE_MS,
  });
  return (applicationId, item) =>
    new Promise((resolve, reject) => batcher.add({ item, resolve, reject }, applicationId));

  async function run(batch: readonly Queued<Item, Result>[], applicationId: string): Promise<void> {
    const items = batch.map(({ item }) => item);
    try {
      const results = await options.execute(applicationId, items);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      rejectAll(batch, error);
      if (!keyOf || !isUnavailable(error)) return;
      // While the database is unavailable, items queued for a failed key would wait as long for the same error.
      const failed = new Set(items.map(keyOf));
      const followers = batcher.removeWhere(({ item }) => failed.has(keyOf(item)), applicationId);
      rejectAll(followers, error);
    }
  }
}

/** Each request gets its own error instance, so that the log has each one under its id. */
function rejectAll(
  queued: readonly Pick<Queued<unknown, unknown>, 'reject'>[],
  error: unknown,
): void {
  for (const { reject } of queued) {
    reject(isUnavailable(error) ? toUnavailable((error as Error).cause) : error);
  }
}

/**
 * Batches concurrent reads of one application into one statement, and continues in further ones where the records are
 * large. Each request gets one result per key, in order, and its records are counted after each statement: one that
 * reads too much, or gets no heavy place, is rejected, and its remaining records are not read.
 */
export function createReadBatcher<Key, Found>({ keyOf, read }: ReadOptions<Key, Found>) {
  const find = createStatementBatcher<Wanted<Key>, readonly (Found | undefined)[]>({
    sizeOf: ({ keys }) => keys.reduce((size, key) => size + keyOf(key).length, 0),
    async execute(applicationId, lists) {
      const found = new Map<string, Found>();
      const refused = new Map<Wanted<Key>, unknown>();
      let left = uniqueKeys(lists);
      while (left.length > 0) {
        const { records, unread } = await read(applicationId, left);
        for (const [key, { record }] of records) found.set(key, record);
        await Promise.all(lists.map((list) => count(list, records, refused)));
        const wanted = uniqueKeys(lists.filter((list) => !refused.has(list)));
        const names = new Set(wanted.map(keyOf));
        left = unread.filter((key) => names.has(keyOf(key)));
      }
      return lists.map((list) =>
        refused.has(list)
          ? Promise.reject(refused.get(list))
          : list.keys.map((key) => found.get(keyOf(key))),
      );
    },
  });
  return async (applicationId: string, keys: readonly Key[], work: Reserving) => {
    if (!keys.some((key) => isStorable(keyOf(key)))) return keys.map(() => undefined);
    return find(applicationId, { keys, work });
  };

  /** Counts the records for their request. */
  async function count(
    list: Wanted<Key>,
    records: ReadonlyMap<string, Sized<Found>>,
    refused: Map<Wanted<Key>, unknown>,
  ): Promise<void> {
    if (refused.has(list)) return;
    const bytes = list.keys.reduce((sum, key) => sum + (records.get(keyOf(key))?.bytes ?? 0), 0);
    try {
      await list.work.read(bytes);
    } catch (error) {
      refused.set(list, error);
    }
  }

  function uniqueKeys(lists: readonly Wanted<Key>[]): readonly Key[] {
    const all = lists.flatMap(({ keys }) => keys);
    const unique = new Map(all.map((key) => [keyOf(key), key]));
    return [...unique.values()].filter((key) => isStorable(keyOf(key)));
  }
}

/** Two, so that items that arrive during one statement need not wait for it. */
const MAX_CONCURRENT = 2;
const MAX_ITEMS = 50;
/** The maximum size of a batch in characters. */
const MAX_SIZE = 256 * 1024;
/**
 * While a statement takes longer, e.g. because of a lock, a third one may run, so that it does not block other items of
 * its application.
 */
const OVERDUE_MS = 50;

interface StatementOptions<Item, Result> {
  /** The size in characters. */
  sizeOf(item: Item): number;
  /** At most one item of a key is in flight. Absent: any number. */
  readonly keyOf?: (item: Item) => string;
  /** Returns a result per item, in order. */
  execute(
    applicationId: string,
    items: readonly Item[],
  ): Promise<readonly (Result | Promise<Result>)[]>;
  readonly clock?: Pick<Clock, 'schedule'>;
}

interface Queued<Item, Result> {
  readonly item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface ReadOptions<Key, Found> {
  /** A unique name of the record in its application. */
  keyOf(key: Key): string;
  /** One statement, which returns at most `STATEMENT_BYTES` or one record. */
  read(applicationId: string, keys: readonly Key[]): Promise<ReadRecords<Key, Found>>;
}

interface ReadRecords<Key, Found> {
  /** By key; missing records are omitted. */
  readonly records: ReadonlyMap<string, Sized<Found>>;
  /** The keys of records that did not fit into the statement. */
  readonly unread: readonly Key[];
}

/** The keys that one request reads. */
interface Wanted<Key> {
  readonly keys: readonly Key[];
  readonly work: Reserving;
}

/** The request that reads, which is charged for it. */
export type Reserving = Pick<RequestWork, 'read'>;
