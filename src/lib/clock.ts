import { performance } from 'node:perf_hooks';

/** Time is passed in: what waits for seconds in production is moved by hand in tests. */
export interface Clock {
  /** Milliseconds of a monotonic clock: for durations. It never steps, and means nothing to another process. */
  now(): number;
  /** Milliseconds since 1970, which may step either way: only for what is stored, or leaves the process. */
  wall(): number;
  /** Calls back once, after the delay; the answer calls it off. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** A longer delay would overflow the timer and fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback);
    return () => clearTimeout(timer);
  },
};

/** Its timers keep no process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback).unref();
    return () => clearTimeout(timer);
  },
};

function startTimer(delayMs: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(callback, Math.min(Math.max(delayMs, 0), LONGEST_DELAY_MS));
}

/** Calls back once: at the deadline, or with `true` where the client has gone before it. The returned function calls it off. */
export function whenOver(
  { clock, deadline, permit }: Wait,
  callback: (hasGone: boolean) => void,
): () => void {
  let forget: (() => void) | undefined;
  const cancel = clock.schedule(deadline - clock.now(), () => {
    forget?.();
    callback(false);
  });
  forget = permit?.whenGone(() => {
    cancel();
    callback(true);
  });
  return () => {
    cancel();
    forget?.();
  };
}

export interface Wait {
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** By the monotonic clock. */
  readonly deadline: number;
  /** Of the request that waits. */
  readonly permit?: { whenGone(callback: () => void): () => void } | undefined;
}

/** Work that goes on after its answer was given. Nothing waits for it but the end of the process. */
export function createBackground(onError: (error: unknown) => void) {
  // Counted and not listed: a list that comes and goes would keep the collector from letting go what was on it.
  let running = 0;
  let drained = () => {};
  return {
    run(work: Promise<unknown>): void {
      running += 1;
      void work.catch(onError).then(() => {
        running -= 1;
        if (running === 0) drained();
      });
    },
    /** Resolves when nothing runs any more. */
    drain: () =>
      new Promise<void>((resolve) => {
        drained = resolve;
        if (running === 0) resolve();
      }),
  };
}

/** Does a piece of work again and again, never two at once, until it is stopped. It keeps no process alive. */
export function runPeriodically({
  intervalMs,
  work,
  onError,
  schedule = backgroundClock.schedule,
}: PeriodicTaskOptions) {
  let isOver = false;
  let running = Promise.resolve();
  let cancel = schedule(intervalMs, runOnce);

  return {
    /** Resolves when what runs has finished. */
    async stop(): Promise<void> {
      isOver = true;
      cancel();
      await running;
    },
  };

  function runOnce(): void {
    running = work()
      .catch(onError)
      .then(() => {
        if (!isOver) cancel = schedule(intervalMs, runOnce);
      });
  }
}

export type PeriodicTask = ReturnType<typeof runPeriodically>;

export interface PeriodicTaskOptions {
  /** From the end of one to the beginning of the next. */
  readonly intervalMs: number;
  work(): Promise<unknown>;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'] | undefined;
}

/**
 * For background work: how long it pauses after a piece of work that took so long. It gets a quarter of the time in which
 * the event loop is idle, and a hundredth of all time where it never is.
 */
export function createIdleThrottle() {
  let before = performance.eventLoopUtilization();
  return {
    pauseAfter(tookMs: number): number {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      const share = Math.max(LEAST_SHARE, (1 - utilization) * SHARE_OF_THE_REST);
      return tookMs * (1 / share - 1);
    },
  };
}

const SHARE_OF_THE_REST = 1 / 4;
const LEAST_SHARE = 1 / 100;
