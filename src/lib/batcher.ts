import type { Clock } from './clock.ts';

/**
 * Forms batches (group commit, micro-batching): which items are dispatched together, and when. Items of a group queue
 * in order. A batch is dispatched as soon as fewer than `maxConcurrent` of its group are in flight and the policy
 * asks for no pause, so batches grow with the load. `run` delivers the results; the batcher creates no promise per
 * item.
 */
export function createBatcher<Item>(policy: BatchPolicy<Item>) {
  const { clock, maxConcurrent, maxItems = Infinity, maxSize = Infinity } = policy;
  const groups = new Map<string, Group<Item>>();
  /** Items that skip the pause. They are first in their queues. */
  const hurried = new Set<Item>();

  return {
    /** Adds an item. The queue is unbounded; callers limit it in their own unit. */
    add(item: Item, name = ''): void {
      const group = groups.get(name) ?? openGroup(name);
      group.queue.add(item);
      if (group.isDeferred) return;
      if (policy.defer) dispatchLater(group, policy.defer);
      else dispatch(group);
    },

    /** Removes a queued item. False: its batch was dispatched already. */
    remove(item: Item, name = ''): boolean {
      const group = groups.get(name);
      if (!group?.queue.delete(item)) return false;
      hurried.delete(item);
      closeIfIdle(group);
      return true;
    },

    removeWhere(matches: (item: Item) => boolean, name = ''): readonly Item[] {
      const group = groups.get(name);
      if (!group) return [];
      const removed = [...group.queue].filter(matches);
      for (const item of removed) {
        group.queue.delete(item);
        hurried.delete(item);
      }
      closeIfIdle(group);
      return removed;
    },

    /** Puts the item into the next batch, which skips the pause. */
    hurry(item: Item, name = ''): void {
      const group = groups.get(name);
      if (!group?.queue.has(item)) return;
      group.queue = new Set([item, ...group.queue]);
      hurried.add(item);
      dispatch(group);
    },

    /** Whether nothing is queued or in flight. */
    isIdle: () => groups.size === 0,
  };

  function openGroup(name: string): Group<Item> {
    const group: Group<Item> = {
      name,
      queue: new Set(),
      keys: policy.keyOf && new Set(),
      inFlight: 0,
      overdue: 0,
      isDeferred: false,
      wake: undefined,
    };
    groups.set(name, group);
    return group;
  }

  function closeIfIdle(group: Group<Item>): void {
    if (group.inFlight > 0 || group.queue.size > 0 || group.isDeferred) return;
    group.wake?.();
    groups.delete(group.name);
  }

  /** Items that are added until then join the batch. */
  function dispatchLater(group: Group<Item>, defer: (callback: () => void) => unknown): void {
    group.isDeferred = true;
    defer(() => {
      group.isDeferred = false;
      dispatch(group);
    });
  }

  function dispatch(group: Group<Item>): void {
    for (const next of group.queue) {
      if (group.inFlight >= maxConcurrent + Math.min(group.overdue, 1)) return;
      if (!hurried.has(next) && isPaused(group, next)) return;
      const batch = takeBatch(group);
      // Every queued item has a key in flight, and waits for that batch.
      if (batch.length === 0) return;
      void runBatch(group, batch);
    }
    closeIfIdle(group);
  }

  function isPaused(group: Group<Item>, next: Item): boolean {
    const pauseMs = policy.pauseMs?.(group.queue.size, next) ?? 0;
    if (pauseMs <= 0) return false;
    group.wake ??= clock.schedule(pauseMs, () => {
      group.wake = undefined;
      dispatch(group);
    });
    return true;
  }

  /** An item larger than `maxSize` gets a batch of its own. */
  function takeBatch(group: Group<Item>): readonly Item[] {
    const sizeOf = policy.createSizer?.();
    const batch: Item[] = [];
    let size = 0;
    for (const item of group.queue) {
      const key = policy.keyOf?.(item);
      if (key !== undefined && group.keys?.has(key)) continue;
      if (sizeOf) size += sizeOf(item);
      if (batch.length > 0 && (batch.length >= maxItems || size > maxSize)) break;
      if (key !== undefined) group.keys?.add(key);
      group.queue.delete(item);
      hurried.delete(item);
      batch.push(item);
    }
    return batch;
  }

  async function runBatch(group: Group<Item>, batch: readonly Item[]): Promise<void> {
    group.inFlight++;
    let isOverdue = false;
    const { overdueMs } = policy;
    const cancel =
      overdueMs !== undefined &&
      clock.schedule(overdueMs, () => {
        isOverdue = true;
        group.overdue++;
        dispatch(group);
      });
    try {
      await policy.run(batch, group.name);
    } finally {
      if (cancel) cancel();
      if (isOverdue) group.overdue--;
      group.inFlight--;
      if (policy.keyOf) for (const item of batch) group.keys?.delete(policy.keyOf(item));
      dispatch(group);
    }
  }
}

/** Splits a list into pieces of at most `size`, in order. */
export function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

export interface BatchPolicy<Item> {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Must settle every item of the batch, even on failure, and never reject. */
  run(batch: readonly Item[], group: string): Promise<void>;
  /** The maximum of batches in flight per group. */
  readonly maxConcurrent: number;
  readonly maxItems?: number;
  readonly maxSize?: number;
  /**
   * Called per batch; the returned function gives the size that each item adds, in order. Absent: only items are
   * counted.
   */
  createSizer?(): (item: Item) => number;
  /** At most one item of a key is in flight per group. Absent: any number. */
  keyOf?(item: Item): string;
  /**
   * Delays the dispatch, so that items of the same moment share a batch, e.g. `setImmediate`. Absent: dispatches at
   * once.
   */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /** How long the next batch waits for more items, given the queue length and its first item. */
  pauseMs?(queued: number, next: Item): number;
  /** While a batch is in flight for longer, one more than `maxConcurrent` may be. Its keys stay taken. */
  readonly overdueMs?: number | undefined;
}

interface Group<Item> {
  readonly name: string;
  queue: Set<Item>;
  /** The keys of the items in flight. */
  readonly keys: Set<string> | undefined;
  inFlight: number;
  overdue: number;
  /** A dispatch is scheduled by the policy's `defer`. */
  isDeferred: boolean;
  /** Cancels the timer at the end of a pause. */
  wake: (() => void) | undefined;
}
