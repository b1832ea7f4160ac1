/** Work that goes on after its answer was given. Nothing waits for it but the end of the process. */
export function createBackground(onError: (error: unknown) => void): Background {
  // Counted and not listed: a list that comes and goes would keep the collector from letting go what was on it.
  let running = 0;
  let drained = () => {};
  return {
    run(work) {
      running += 1;
      void work.catch(onError).then(() => {
        running -= 1;
        if (running === 0) drained();
      });
    },
    drain: () =>
      new Promise((resolve) => {
        drained = resolve;
        if (running === 0) resolve();
      }),
  };
}

export interface Background {
  run(work: Promise<unknown>): void;
  /** Resolves when nothing runs any more. */
  drain(): Promise<void>;
}
