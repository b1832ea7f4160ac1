import { createBatcher } from '../lib/batcher.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { isStorable } from '../lib/text.ts';
import { isUnavailable, toUnavailable } from './engine/failures.ts';

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

/** Batches concurrent reads of one application into one statement. Each request gets one result per key, in order. */
export function createReadBatcher<Key, Found>({ keyOf, read }: ReadOptions<Key, Found>) {
  const find = createStatementBatcher<readonly Key[], readonly (Found | undefined)[]>({
    sizeOf: (keys) => keys.reduce((size, key) => size + keyOf(key).length, 0),
    async execute(applicationId, lists) {
      const unique = new Map(lists.flat().map((key) => [keyOf(key), key]));
      const storable = [...unique.values()].filter((key) => isStorable(keyOf(key)));
      const found = await read(applicationId, storable);
      return lists.map((keys) => keys.map((key) => found.get(keyOf(key))));
    },
  });
  return async (applicationId: string, keys: readonly Key[]) => {
    if (!keys.some((key) => isStorable(keyOf(key)))) return keys.map(() => undefined);
    return find(applicationId, keys);
  };
}

/** Two, so that items that arrive during one statement need not wait for it. */
const MAX_CONCURRENT = 2;
const MAX_ITEMS = 50;
/** The maximum size of a batch in characters. */
const MAX_SIZE = 256 * 1024;
/**
 * While a statement takes longer, e.g. because of a lock, a third one may run, so that it does not block other items of
 * its application. No more: with three batchers (customers, connections, upserts) that is nine connections of ten.
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
  /** Results by key; missing records are omitted. */
  read(applicationId: string, keys: readonly Key[]): Promise<ReadonlyMap<string, Found>>;
}
