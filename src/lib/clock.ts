import { performance } from 'node:perf_hooks';
import type { Signal } from './signal.ts';

/** The clock is injected, so that tests can advance time by hand. */
export interface Clock {
  /** Monotonic milliseconds, for durations. It never steps, and has no meaning in another process. */
  now(): number;
  /** Wall-clock milliseconds since 1970, which may step: only for what is stored or leaves the process. */
  wall(): number;
  /** Calls back once after the delay; the returned function cancels. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** The maximum of Node's timers: a longer delay overflows and fires at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback);
    return () => clearTimeout(timer);
  },
};

/** A clock whose timers do not keep the process alive. */
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

/**
 * Calls back once: at the deadline, or earlier with `true` when the client has disconnected. The returned function
 * cancels.
 */
export function whenOver(
  { clock, deadline, signal }: Wait,
  callback: (hasGone: boolean) => void,
): () => void {
  const stop = () => {
    cancel();
    signal?.remove(abort);
  };
  const cancel = clock.schedule(deadline - clock.now(), () => {
    stop();
    callback(false);
  });
  const abort = () => {
    stop();
    callback(true);
  };
  signal?.add(abort);
  return stop;
}

/**
 * Rejects if the work exceeds its timeout. Time in which this process was blocked or stopped is added, because
 * data that arrived meanwhile is read only after the timers.
 */
export function withLimit<T>(work: Promise<T>, { limitMs, clock }: Limit): Promise<T> {
  const began = clock.now();
  return new Promise((resolve, reject) => {
    let cancel = clock.schedule(limitMs, () => {
      const lateMs = clock.now() - began - limitMs;
      const end = () => reject(new TimeLimitError('timeout expired'));
      cancel = clock.schedule(Math.min(lateMs, limitMs) + GRACE_MS, end);
    });
    work.then(resolve, reject).finally(() => cancel());
  });
}

/** The error of `withLimit`. */
export class TimeLimitError extends Error {}

const GRACE_MS = 50;

interface Limit {
  readonly limitMs: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}

export interface Wait {
  readonly clock: Clock;
  /** The deadline in monotonic time. */
  readonly deadline: number;
  /** Aborted when the client of the waiting request disconnects. */
  readonly signal?: Signal | undefined;
}

/** Background tasks, which outlive the response. Only the shutdown waits for them. */
export function createBackground(onError: (error: unknown) => void) {
  // Counts instead of listing: a long-lived list would keep the results of finished tasks from being collected.
  let running = 0;
  let drained = () => {};
  return {
    run(work: Promise<unknown>): void {
      running += 1;
      const end = () => {
        running -= 1;
        if (running === 0) drained();
      };
      void work.then(end, (error) => {
        onError(error);
        end();
      });
    },
    /** Resolves when no task is running. */
    drain: () =>
      new Promise<void>((resolve) => {
        drained = resolve;
        if (running === 0) resolve();
      }),
  };
}

/**
 * Runs a task periodically, and soon after `wake`, but never twice at once, until it is stopped. Its timer does not
 * keep the process alive.
 */
export function runPeriodically({
  intervalMs,
  work,
  onError,
  schedule = backgroundClock.schedule,
}: PeriodicTaskOptions) {
  let isOver = false;
  let isSoon = false;
  let isRunning = false;
  let running = Promise.resolve();
  let cancel = schedule(intervalMs, runOnce);

  return {
    wake(): void {
      if (isOver || isSoon) return;
      isSoon = true;
      // The current run schedules the next one at its end.
      if (isRunning) return;
      cancel();
      cancel = schedule(GATHER_MS, runOnce);
    },
    isOver: () => isOver,
    /** Resolves when the current run has finished. No other follows. */
    async stop(): Promise<void> {
      isOver = true;
      cancel();
      await running;
    },
  };

  function runOnce(): void {
    isSoon = false;
    isRunning = true;
    running = work()
      .catch(onError)
      .then(() => {
        isRunning = false;
        if (!isOver) cancel = schedule(isSoon ? GATHER_MS : intervalMs, runOnce);
      });
  }
}

/** A delay in which changes are gathered for one run. */
const GATHER_MS = 50;

/** The time since each task was last done. */
export function createTaskAges({ now }: Pick<Clock, 'now'>) {
  const since = new Map<string, number>();
  return {
    /** The task begins, or is done. */
    restart(name: string): void {
      since.set(name, now());
    },
    list: () => [...since].map(([name, at]) => ({ name, seconds: (now() - at) / 1_000 })),
  };
}

export interface PeriodicTaskOptions {
  /** From the end of a run to the start of the next. */
  readonly intervalMs: number;
  work(): Promise<unknown>;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'] | undefined;
}

/**
 * Throttles background work: returns the pause after a piece of work of a given duration. Background work gets a
 * quarter of the time in which the event loop is idle, and at least a hundredth of all time.
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
