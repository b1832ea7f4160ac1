import { cloneError } from '../failures.ts';

/** One run for everybody who asks while it is under way. Each gets an error of their own. */
export function createSingleFlight<T>(): SingleFlight<T> {
  let running: Promise<T> | undefined;
  return async (run) => {
    if (running) {
      return running.catch((error: unknown) => {
        throw cloneError(error);
      });
    }
    running = run();
    try {
      return await running;
    } finally {
      running = undefined;
    }
  };
}

export type SingleFlight<T> = (run: () => Promise<T>) => Promise<T>;
