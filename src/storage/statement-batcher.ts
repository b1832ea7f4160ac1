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
 * large. Each request gets one result per key, in order. Its records are counted after each statement: one that reads
 * too much is rejected, and one that needs a heavy place leaves the batch until it has one, because the requests that
 * hold these places may be in the same batch.
 */
export function createReadBatcher<Key, Found>({ keyOf, read }: ReadOptions<Key, Found>) {
  type List = Waiting<Key, Found>;
  const find = createStatementBatcher<List, readonly (Found | undefined)[]>({
    sizeOf: ({ left }) => left.reduce((size, key) => size + keyOf(key).length, 0),
    async execute(applicationId, lists) {
      const results = new Map<List, Promise<readonly (Found | undefined)[]>>();
      let left = uniqueKeys(lists);
      while (left.length > 0) {
        const { records, unread } = await read(applicationId, left);
        const isUnread = new Set(unread.map(keyOf));
        for (const list of lists) {
          if (results.has(list)) continue;
          const waiting = take(list, records, isUnread);
          if (!waiting) continue;
          const result = waiting.then(() =>
            list.left.length > 0 ? find(applicationId, list) : pick(list),
          );
          // It is looked at when the batch ends.
          result.catch(() => undefined);
          results.set(list, result);
        }
        left = uniqueKeys(lists.filter((list) => !results.has(list)));
      }
      return lists.map((list) => results.get(list) ?? pick(list));
    },
  });
  return async (applicationId: string, keys: readonly Key[], work: Reserving) => {
    const left = keys.filter((key) => isStorable(keyOf(key)));
    if (left.length === 0) return keys.map(() => undefined);
    return find(applicationId, { keys, left, found: new Map(), work });
  };

  /** Takes the records of a request. A promise: it needs a heavy place, or has read too much. */
  function take(
    list: List,
    records: ReadonlyMap<string, Sized<Found>>,
    isUnread: ReadonlySet<string>,
  ): Promise<void> | undefined {
    let bytes = 0;
    for (const name of new Set(list.left.map(keyOf))) {
      const read = records.get(name);
      if (!read) continue;
      bytes += read.bytes;
      list.found.set(name, read.record);
    }
    list.left = list.left.filter((key) => isUnread.has(keyOf(key)));
    try {
      return list.work.read(bytes);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function pick({ keys, found }: List): readonly (Found | undefined)[] {
    return keys.map((key) => found.get(keyOf(key)));
  }

  function uniqueKeys(lists: readonly List[]): readonly Key[] {
    return [...new Map(lists.flatMap(({ left }) => left.map((key) => [keyOf(key), key]))).values()];
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

/** The records that one request reads. */
interface Waiting<Key, Found> {
  readonly keys: readonly Key[];
  /** Those that have not been read. */
  left: readonly Key[];
  readonly found: Map<string, Found>;
  readonly work: Reserving;
}

/** The request that reads, which is charged for it. */
export type Reserving = Pick<RequestWork, 'read'>;
