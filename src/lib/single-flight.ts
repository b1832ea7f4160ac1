/**
 * One run for all callers that come while it is in flight. Its error may be cloned, so that each caller that joined has an
 * instance of its own.
 */
export function createSingleFlight<T>(cloneError = (error: unknown) => error): SingleFlight<T> {
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

type SingleFlight<T> = (run: () => Promise<T>) => Promise<T>;
