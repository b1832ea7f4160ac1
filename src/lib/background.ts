/** Work that goes on after its answer was given. Nothing waits for it but the end of the process. */
export function createBackground(onError: (error: unknown) => void): Background {
  const running = new Set<Promise<unknown>>();
  return {
    run(work) {
      const settled = work.catch(onError).finally(() => running.delete(settled));
      running.add(settled);
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

export interface Background {
  run(work: Promise<unknown>): void;
  /** Resolves when nothing runs any more. */
  drain(): Promise<void>;
}
