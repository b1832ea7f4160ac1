import { backgroundClock, type Clock } from './clock.ts';

/** Runs work every few seconds, and soon after `wake`, but never twice at once. */
export function openPolling({
  work,
  onError,
  schedule = backgroundClock.schedule,
}: PollingOptions): Polling {
  let isOver = false;
  let isSoon = false;
  let isRunning = false;
  let running = Promise.resolve();
  let cancel = schedule(POLL_MS, poll);

  return {
    wake(): void {
      if (isOver || isSoon) return;
      isSoon = true;
      // A running poll schedules the next one at its end.
      if (isRunning) return;
      cancel();
      cancel = schedule(GATHER_MS, poll);
    },
    isOver: () => isOver,
    async stop(): Promise<void> {
      isOver = true;
      cancel();
      await running;
    },
  };

  function poll(): void {
    isSoon = false;
    isRunning = true;
    running = work()
      .catch(onError)
      .then(() => {
        isRunning = false;
        if (!isOver) cancel = schedule(isSoon ? GATHER_MS : POLL_MS, poll);
      });
  }
}

export const POLL_MS = 3_000;
/** A delay in which changes are gathered for one poll. */
const GATHER_MS = 50;

export interface Polling {
  /** Polls soon. */
  wake(): void;
  isOver(): boolean;
  /** Resolves when the running poll has ended. No other follows. */
  stop(): Promise<void>;
}

interface PollingOptions {
  work(): Promise<void>;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'] | undefined;
}
