import type { Clock } from './clock.ts';

/**
 * Decides which items leave together, and when. The items of a group queue in the order in which they were added. A batch
 * leaves as soon as fewer than `maxConcurrent` of its group are in flight and the policy asks for no pause: the busier it
 * gets, the larger the batches. Results are the affair of `run`, so that the batcher makes no promise for an item.
 */
export function createBatcher<Item>(policy: BatchPolicy<Item>) {
  const { clock, maxConcurrent, maxItems = Infinity, maxSize = Infinity } = policy;
  const groups = new Map<string, Group<Item>>();
  /** They stand first in their queues. */
  const hurried = new Set<Item>();

  return {
    /** The queue has no bound of its own: what adds to it has one, in its own unit. */
    add(item: Item, name = ''): void {
      const group = groups.get(name) ?? openGroup(name);
      group.queue.add(item);
      if (group.isDeferred) return;
      if (policy.defer) dispatchLater(group, policy.defer);
      else dispatch(group);
    },

    /** False: the item is not in the queue, because its batch has left. */
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

    /** The item leaves with the next batch, without a pause. */
    hurry(item: Item, name = ''): void {
      const group = groups.get(name);
      if (!group?.queue.has(item)) return;
      group.queue = new Set([item, ...group.queue]);
      hurried.add(item);
      dispatch(group);
    },

    /** Nothing is queued or in flight. */
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

  /** What is added until then leaves with it. */
  function dispatchLater(group: Group<Item>, defer: (callback: () => void) => unknown): void {
    group.isDeferred = true;
    defer(() => {
      group.isDeferred = false;
      dispatch(group);
    });
  }

  function dispatch(group: Group<Item>): void {
    for (const next of group.queue) {
      if (group.inFlight - group.overdue >= maxConcurrent) return;
      if (!hurried.has(next) && isPaused(group, next)) return;
      const batch = takeBatch(group);
      // Each item waits for the batch that its key is in.
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

  /** An item larger than `maxSize` leaves alone. */
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

/** A list in pieces of at most `size`, in order. */
export function chunk<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

export interface BatchPolicy<Item> {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Settles every item of the batch, also where it fails: it never rejects. */
  run(batch: readonly Item[], group: string): Promise<void>;
  /** Batches of a group that are in flight. */
  readonly maxConcurrent: number;
  readonly maxItems?: number;
  readonly maxSize?: number;
  /** Begins a batch: what each item adds to its size, in order. Absent: only items are counted. */
  createSizer?(): (item: Item) => number;
  /** Of one key at most one item of a group is in flight. Absent: any number. */
  keyOf?(item: Item): string;
  /** Calls back when what was added at the same moment may leave, e.g. `setImmediate`. Absent: items leave as they come. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /** How long the next batch has to wait for more items, by the length of the queue and its first item. */
  pauseMs?(queued: number, next: Item): number;
  /** A batch that is in flight for longer does not count for `maxConcurrent` any more. Its keys stay taken. */
  readonly overdueMs?: number | undefined;
}

interface Group<Item> {
  readonly name: string;
  queue: Set<Item>;
  /** Of the items in flight. */
  readonly keys: Set<string> | undefined;
  inFlight: number;
  overdue: number;
  /** A dispatch is scheduled by the policy's `defer`. */
  isDeferred: boolean;
  /** Cancels the timer at the end of a pause. */
  wake: (() => void) | undefined;
}
