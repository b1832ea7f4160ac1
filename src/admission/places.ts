import type { Clock } from '../lib/clock.ts';
import type { Signal } from '../lib/signal.ts';
import { FairShares, type Share } from './fair-shares.ts';
import { type Defer, PerIteration } from './per-iteration.ts';

/**
 * Places for work of which only so much may be done at once, shared fairly among owners. Work without a place waits
 * with that of its owner, and the owners are served in turn.
 */
export class Places {
  readonly #options: PlaceOptions;
  readonly #shares: FairShares;
  /** The least recently served owner first. */
  readonly #queues = new Map<string, Set<Waiting>>();
  #waiting = 0;
  readonly #perIteration: PerIteration | undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
    this.#shares = new FairShares(options.max);
    const { defer } = options;
    if (defer) this.#perIteration = new PerIteration(1, defer, () => this.#serve());
  }

  /** Undefined: the place is taken. A promise: await it. Throws or rejects with the refusal. */
  take(owner: string, { signal, maxWaiting = Number.POSITIVE_INFINITY }: Wait = {}) {
    const shares = this.#sharesOf(owner);
    if (this.#mayGive() && this.#shares.mayTake(shares)) {
      this.#give(shares);
      return undefined;
    }
    if (this.#waiting >= maxWaiting) throw this.#options.toRefusal();
    return this.#wait(owner, signal);
  }

  release(owner: string): void {
    this.#shares.release(this.#sharesOf(owner));
    this.#serve();
  }

  /** Does the work in a place. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.take(owner);
    if (waiting) await waiting;
    try {
      return await work();
    } finally {
      this.release(owner);
    }
  }

  counts() {
    return { taken: this.#options.max - this.#shares.free, waiting: this.#waiting };
  }

  #sharesOf(owner: string): readonly Share[] {
    return [{ owner, ratio: this.#options.ratio ?? A_THIRD }];
  }

  #wait(owner: string, signal: Signal | undefined): Promise<void> {
    const { clock, maxWaitMs, toRefusal } = this.#options;
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(owner) ?? new Set();
      const leave = () => {
        cancel();
        signal?.remove(refuse);
        queue.delete(waiting);
        if (queue.size === 0 && this.#queues.get(owner) === queue) this.#queues.delete(owner);
        this.#waiting -= 1;
      };
      const refuse = () => {
        leave();
        reject(toRefusal());
      };
      const waiting: Waiting = {
        begin() {
          leave();
          resolve();
        },
      };
      const cancel = clock.schedule(maxWaitMs, refuse);
      this.#queues.set(owner, queue.add(waiting));
      this.#waiting += 1;
      signal?.add(refuse);
    });
  }

  #mayGive(): boolean {
    return this.#perIteration?.hasLeft ?? true;
  }

  #give(shares: readonly Share[]): void {
    this.#shares.take(shares);
    this.#perIteration?.take();
  }

  #serve(): void {
    for (const [owner, queue] of this.#queues) {
      if (!this.#mayGive()) return;
      const [first] = queue;
      const shares = this.#sharesOf(owner);
      if (!first || !this.#shares.mayTake(shares)) continue;
      this.#give(shares);
      first.begin();
      if (queue.size === 0) continue;
      // At the end of the map, which this loop reaches again.
      this.#queues.delete(owner);
      this.#queues.set(owner, queue);
    }
  }
}

/** The ratio with which an owner alone gets a third. */
const A_THIRD = 1 / 2;

interface Waiting {
  begin(): void;
}

interface Wait {
  /** Its abort ends the wait with the refusal. */
  readonly signal?: Signal | undefined;
  /** While so many wait, further work is refused. */
  readonly maxWaiting?: number;
}

export interface PlaceOptions {
  /** The number of places. */
  readonly max: number;
  /** How many an owner may have, in relation to what is free: see `FairShares`. Absent: a third, where it is alone. */
  readonly ratio?: number;
  /** Work that waits for longer is refused. */
  readonly maxWaitMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
  /** One place is given in each iteration of the event loop. Absent: all that are free are given at once. */
  readonly defer?: Defer | undefined;
  /** The error of refused work. */
  toRefusal(): Error;
}
