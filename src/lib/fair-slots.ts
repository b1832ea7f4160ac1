import type { Clock } from './clock.ts';

/**
 * Shares slots that exist once in the process among owners, such as applications. An owner may take one more while
 * twice of what it holds is less than what is free. So a single owner takes up to a third, several share the rest, and
 * a newcomer finds a free slot however long the others hold theirs.
 */
export class FairSlots {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(max: number) {
    this.#free = max;
  }

  get free(): number {
    return this.#free;
  }

  /** The owners that hold slots, with their number. */
  get held(): ReadonlyMap<string, number> {
    return this.#held;
  }

  mayTake(owner: string): boolean {
    return 2 * (this.#held.get(owner) ?? 0) < this.#free;
  }

  take(owner: string): void {
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
    this.#free -= 1;
  }

  release(owner: string): void {
    const left = (this.#held.get(owner) ?? 0) - 1;
    if (left > 0) this.#held.set(owner, left);
    else this.#held.delete(owner);
    this.#free += 1;
  }
}

/** Runs work in fair slots. Work without a slot queues with its owner, and the owners are served in turn. */
export function createFairQueue({ max, maxWaitMs, clock, toRefusal }: FairQueueOptions) {
  const slots = new FairSlots(max);
  /** The least recently served owner first. */
  const queues = new Map<string, Set<() => void>>();

  return {
    async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
      if (slots.mayTake(owner)) slots.take(owner);
      else await waitForSlot(owner);
      try {
        return await work();
      } finally {
        slots.release(owner);
        serve();
      }
    },
    countWaiting: () => [...queues.values()].reduce((sum, queue) => sum + queue.size, 0),
  };

  /** Resolves with the slot taken. */
  function waitForSlot(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = queues.get(owner) ?? new Set();
      queues.set(owner, queue);
      const start = () => {
        cancel();
        resolve();
      };
      const cancel = clock.schedule(maxWaitMs, () => {
        queue.delete(start);
        if (queue.size === 0) queues.delete(owner);
        reject(toRefusal());
      });
      queue.add(start);
    });
  }

  function serve(): void {
    for (const [owner, queue] of queues) {
      const [start] = queue;
      if (!start || !slots.mayTake(owner)) continue;
      slots.take(owner);
      queue.delete(start);
      queues.delete(owner);
      // At the end of the map, which this loop reaches again.
      if (queue.size > 0) queues.set(owner, queue);
      start();
    }
  }
}

interface FairQueueOptions {
  /** The number of slots. */
  readonly max: number;
  /** Work that queues for longer is refused. */
  readonly maxWaitMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
  /** The error of refused work. */
  toRefusal(): Error;
}
