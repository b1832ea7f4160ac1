import { charge, type Memory, type MemoryOwner } from './memory.ts';
import type { Releasable } from './work.ts';

/**
 * The memory of things that several requests use at once, such as a document: each is charged to an application once,
 * from its first use until the last request that uses it has ended, whether or not a cache still has it.
 */
export class SharedHolds {
  readonly #memory: Memory;
  readonly #uses = new WeakMap<object, Map<string | undefined, Use>>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Throws a 503 where the share of the application is in use. */
  use(shared: object, bytes: number, { application }: MemoryOwner): Releasable {
    const uses = this.#uses.get(shared) ?? new Map<string | undefined, Use>();
    const use = uses.get(application) ?? this.#open(bytes, application);
    use.count += 1;
    this.#uses.set(shared, uses.set(application, use));
    return {
      release: () => {
        use.count -= 1;
        if (use.count > 0) return;
        use.hold.release();
        uses.delete(application);
      },
    };
  }

  #open(bytes: number, application: string | undefined): Use {
    const hold = this.#memory.open({ application }, 'operation');
    charge(hold, bytes);
    return { hold, count: 0 };
  }
}

interface Use {
  readonly hold: Releasable;
  /** The requests that use it. */
  count: number;
}
