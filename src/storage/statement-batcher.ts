import { createBatcher } from '../lib/batcher.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { isStorable } from '../lib/text.ts';
import { isUnavailable, toUnavailable } from './engine/failures.ts';

/**
 * Statements for many items of one application. While two of its statements are in flight, what comes meanwhile shares the
 * next one: the other connections of the pool are there for other applications.
 */
export function createStatementBatcher<Item, Result>(
  options: StatementOptions<Item, Result>,
): (applicationId: string, item: Item) => Promise<Result> {
  const { sizeOf, keyOf, isShared, clock = systemClock } = options;
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
      for (const { reject } of batch) reject(error);
      if (!keyOf || !isShared?.(error)) return;
      // These wait for a key that has failed, and would wait as long again for the same error.
      const failed = new Set(items.map(keyOf));
      const followers = batcher.removeWhere(({ item }) => failed.has(keyOf(item)), applicationId);
      for (const { reject } of followers) reject(error);
    }
  }
}

/**
 * Reads of one application that come at the same time are one statement. Each request has an error of its own. What is
 * found may hold what others asked for at the same time.
 */
export function createReadBatcher<Key, Found>({ keyOf, read }: ReadOptions<Key, Found>) {
  const find = createStatementBatcher<readonly Key[], ReadonlyMap<string, Found>>({
    sizeOf: (keys) => keys.reduce((size, key) => size + keyOf(key).length, 0),
    async execute(applicationId, lists) {
      const unique = new Map(lists.flatMap((keys) => keys.map((key) => [keyOf(key), key])));
      const found = await read(applicationId, [...unique.values()]);
      return lists.map(() => found);
    },
  });
  return async (applicationId: string, keys: readonly Key[]): Promise<ReadonlyMap<string, Found>> => {
    const storable = keys.filter((key) => isStorable(keyOf(key)));
    if (storable.length === 0) return new Map();
    try {
      return await find(applicationId, storable);
    } catch (error) {
      throw isUnavailable(error) ? toUnavailable((error as Error).cause) : error;
    }
  };
}

/** Two: what comes while one is in flight need not wait for it. */
const MAX_CONCURRENT = 2;
const MAX_ITEMS = 50;
/** In characters. */
const MAX_SIZE = 256 * 1024;
/** One that is held up, by a lock for instance, holds up no other item of its application. */
const OVERDUE_MS = 50;

interface StatementOptions<Item, Result> {
  /** In characters. */
  sizeOf(item: Item): number;
  /** Of one key at most one item is in flight. Absent: any number. */
  readonly keyOf?: (item: Item) => string;
  /** A result for each item, in their order. */
  execute(applicationId: string, items: readonly Item[]): Promise<readonly (Result | Promise<Result>)[]>;
  /** Is the error also that of items which wait for the same key? */
  readonly isShared?: (error: unknown) => boolean;
  readonly clock?: Pick<Clock, 'schedule'>;
}

interface Queued<Item, Result> {
  readonly item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface ReadOptions<Key, Found> {
  /** Names the record within its application. */
  keyOf(key: Key): string;
  /** By their keys; what is not there is missing. */
  read(applicationId: string, keys: readonly Key[]): Promise<ReadonlyMap<string, Found>>;
}
