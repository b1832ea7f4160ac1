/**
 * Fair queuing of CPU time (time slices). Work is split into pieces, each of which calls `take` before it runs, so that
 * the event loop can serve others in between. Each iteration of the loop runs pieces until its time slice is used up;
 * the slice is shorter while several applications have work. Further pieces queue per application and are served round
 * robin, whatever the queue lengths. Begun work comes before new work, so that an overloaded application finishes what
 * it has begun.
 */
export function createFairScheduler({
  now,
  defer = setImmediate,
  most = MOST,
}: FairSchedulerOptions) {
  /** Queues per application, the least recently served first. */
  const queues = new Map<string, Record<'begun' | 'new', (() => void)[]>>();
  let waiting = 0;
  /** Start of the time slice of this iteration of the event loop. */
  let sliceSince: number | undefined;
  let isDeferred = false;
  let latest: string | undefined;
  /** The application that was served last. */
  let served: string | undefined;
  let sharedAt = Number.NEGATIVE_INFINITY;

  return {
    /** Call before a piece of work. Undefined: run at once; a promise: wait. New work is work that has not begun. */
    take(application: string, isNew = false): Promise<void> | undefined {
      if (application !== latest) {
        if (latest !== undefined) sharedAt = now();
        latest = application;
      }
      // With an empty queue work continues; otherwise only that of the last served application, while its slice
      // lasts.
      if (waiting === 0 && sliceSince === undefined) {
        sliceSince = now();
        if (!isDeferred) defer(endSlice);
        isDeferred = true;
        return undefined;
      }
      if ((waiting === 0 || application === served) && hasTime()) return undefined;
      return new Promise((resolve) => {
        const queue = queues.get(application) ?? { begun: [], new: [] };
        queues.set(application, queue);
        queue[isNew ? 'new' : 'begun'].push(resolve);
        waiting += 1;
      });
    },

    /** The queued new work of an application. */
    countNew: (application: string): number => queues.get(application)?.new.length ?? 0,
  };

  function hasTime(): boolean {
    const time = now();
    const sliceMs = time - sharedAt < most.sharedForMs ? most.sharedMs : most.aloneMs;
    return sliceSince !== undefined && time - sliceSince < sliceMs;
  }

  /** Runs at the end of an iteration of the loop. Queued work is served in the next one. */
  function endSlice(): void {
    sliceSince = undefined;
    isDeferred = waiting > 0;
    for (let piece = Math.min(waiting, MOST_PIECES); piece > 0; piece -= 1) defer(serve);
    if (isDeferred) defer(endSlice);
  }

  function serve(): void {
    sliceSince ??= now();
    const [next] = queues;
    if (!next || !hasTime()) return;
    const [application, queue] = next;
    const resume = queue.begun.shift() ?? queue.new.shift();
    queues.delete(application);
    if (queue.begun.length + queue.new.length > 0) queues.set(application, queue);
    waiting -= 1;
    served = application;
    resume?.();
  }
}

/**
 * Time slices in milliseconds for all pieces of one iteration, measured before the last one begins: the delay that
 * others see.
 */
const MOST = { aloneMs: 5, sharedMs: 1, sharedForMs: 1_000 };
/** The maximum of queued pieces that one iteration runs. */
const MOST_PIECES = 64;

export type FairScheduler = ReturnType<typeof createFairScheduler>;

interface FairSchedulerOptions {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back in the next iteration of the event loop. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /**
   * Time slices: with one application, with several, and how long after the last change of application the latter
   * applies.
   */
  readonly most?: typeof MOST;
}
