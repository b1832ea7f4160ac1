/**
 * Fair queuing for the processor. Work comes in pieces, each of which takes a turn first: between two pieces the event loop
 * sees to everybody else. One turn of the loop does pieces until it has been at it for a while, which is shorter where there
 * are others; what comes then waits, by owner: owners are served one after the other, however much each of them has waiting.
 * What goes on comes before what is new, so that an owner with too much to do finishes what it began.
 */
export function createFairScheduler({
  now,
  defer = setImmediate,
  most = MOST,
}: FairSchedulerOptions): FairScheduler {
  /** The owner that was served longest ago is the first. */
  const queues = new Map<string, Queue>();
  let waiting = 0;
  let began: number | undefined;
  let isTurning = false;
  let latest: string | undefined;
  /** Who had the last turn. */
  let served: string | undefined;
  let sharedAt = Number.NEGATIVE_INFINITY;

  return {
    take(owner, isNew = false) {
      if (owner !== latest) notice(owner);
      if (waiting === 0) {
        if (began === undefined) {
          began = begin();
          return undefined;
        }
        if (hasTime(began)) return undefined;
      } else if (owner === served && began !== undefined && hasTime(began)) {
        // It goes on: its turn is not over yet.
        return undefined;
      }
      return new Promise((resolve) => {
        const queue = queues.get(owner) ?? { under: [], fresh: [] };
        queues.set(owner, queue);
        (isNew ? queue.fresh : queue.under).push(resolve);
        waiting += 1;
      });
    },

    countNew: (owner) => queues.get(owner)?.fresh.length ?? 0,
  };

  function notice(owner: string): void {
    if (latest !== undefined) sharedAt = now();
    latest = owner;
  }

  function hasTime(since: number): boolean {
    const time = now();
    return time - since < (time - sharedAt < most.sharedForMs ? most.sharedMs : most.aloneMs);
  }

  function begin(): number {
    if (!isTurning) defer(turn);
    isTurning = true;
    return now();
  }

  /** The last of a turn of the loop. What waits is served in the next one. */
  function turn(): void {
    began = undefined;
    isTurning = waiting > 0;
    for (let piece = Math.min(waiting, MOST_PIECES); piece > 0; piece -= 1) defer(serve);
    if (isTurning) defer(turn);
  }

  function serve(): void {
    began ??= now();
    if (!hasTime(began)) return;
    const [next] = queues;
    if (!next) return;
    const [owner, queue] = next;
    const resume = queue.under.shift() ?? queue.fresh.shift();
    queues.delete(owner);
    if (queue.under.length + queue.fresh.length > 0) queues.set(owner, queue);
    waiting -= 1;
    served = owner;
    resume?.();
  }
}

/** The pieces of one turn of the loop together, before the last of them has begun: what others wait meanwhile. */
const MOST = { aloneMs: 5, sharedMs: 1, sharedForMs: 1_000 };
/** In one turn of the loop, of those that waited. */
const MOST_PIECES = 64;

export interface FairScheduler {
  /** Before a piece of work. Undefined: at once. A promise: later. New is what is not under way yet. */
  take(owner: string, isNew?: boolean): Promise<void> | undefined;
  /** How much new work of the owner waits for its turn. */
  countNew(owner: string): number;
}

interface Queue {
  readonly under: (() => void)[];
  readonly fresh: (() => void)[];
}

interface FairSchedulerOptions {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back in the next turn of the event loop. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  readonly most?: {
    /** While one owner is the only one. */
    readonly aloneMs: number;
    readonly sharedMs: number;
    /** After the last change of owner. */
    readonly sharedForMs: number;
  };
}
