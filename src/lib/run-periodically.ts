import { backgroundClock } from './clock.ts';

/** Does a piece of work again and again, never two at once, until it is stopped. It keeps no process alive. */
export function runPeriodically({
  intervalMs,
  work,
  onError,
  schedule = backgroundClock.schedule,
}: PeriodicTaskOptions): PeriodicTask {
  let isOver = false;
  let running = Promise.resolve();
  let cancel = schedule(intervalMs, turn);

  return {
    async stop() {
      isOver = true;
      cancel();
      await running;
    },
  };

  function turn(): void {
    running = work()
      .catch(onError)
      .then(() => {
        if (!isOver) cancel = schedule(intervalMs, turn);
      });
  }
}

export interface PeriodicTask {
  /** Resolves when what runs has finished. */
  stop(): Promise<void>;
}

export interface PeriodicTaskOptions {
  /** From the end of one to the beginning of the next. */
  readonly intervalMs: number;
  work(): Promise<unknown>;
  onError(error: unknown): void;
  /** Calls back once, after the delay; the answer calls it off. */
  readonly schedule?: ((delayMs: number, callback: () => void) => () => void) | undefined;
}
