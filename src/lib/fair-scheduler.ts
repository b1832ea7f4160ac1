/**
 * Fair queuing for the processor (time slices). Work comes in pieces, each of which asks first: between two pieces the event
 * loop serves everybody else. One iteration of the loop runs pieces until its time slice is used up, which is shorter where
 * several applications have work; what comes then queues by application, and these are served in turn, however much each of
 * them has queued. Work that has begun comes before new work, so that an application with too much of it finishes what it began.
 */
export function createFairScheduler({ now, defer = setImmediate, most = MOST }: FairSchedulerOptions) {
  /** The application that was served longest ago is the first. */
  const queues = new Map<string, Record<'begun' | 'new', (() => void)[]>>();
  let waiting = 0;
  /** When the time slice of this iteration of the event loop began. */
  let sliceSince: number | undefined;
  let isDeferred = false;
  let latest: string | undefined;
  /** The application that was served last. */
  let served: string | undefined;
  let sharedAt = Number.NEGATIVE_INFINITY;

  return {
    /** Before a piece of work. Undefined: at once. A promise: later. New is what has not begun yet. */
    take(application: string, isNew = false): Promise<void> | undefined {
      if (application !== latest) {
        if (latest !== undefined) sharedAt = now();
        latest = application;
      }
      // With nothing queued work goes on; else that of the application which was served last, while its slice lasts.
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

    /** How much new work of the application is queued. */
    countNew: (application: string): number => queues.get(application)?.new.length ?? 0,
  };

  function hasTime(): boolean {
    const time = now();
    const sliceMs = time - sharedAt < most.sharedForMs ? most.sharedMs : most.aloneMs;
    return sliceSince !== undefined && time - sliceSince < sliceMs;
  }

  /** The last of an iteration of the loop. What is queued is served in the next one. */
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

/** For the pieces of one iteration of the loop together, before the last of them has begun: what others wait meanwhile. */
const MOST = { aloneMs: 5, sharedMs: 1, sharedForMs: 1_000 };
/** In one iteration of the loop, of those that were queued. */
const MOST_PIECES = 64;

export type FairScheduler = ReturnType<typeof createFairScheduler>;

interface FairSchedulerOptions {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back in the next iteration of the event loop. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /** While one application is the only one; while several have work; and how long after the last change of application. */
  readonly most?: typeof MOST;
}
