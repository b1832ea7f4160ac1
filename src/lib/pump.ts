/**
 * Claims due work, and starts it. Claims never overlap: one that is requested while another runs follows it, and so
 * does one after each piece of work, because its slot is free then.
 */
export function openPump({ claim, onError }: PumpOptions) {
  const started = new Set<Promise<void>>();
  let running: Promise<void> | undefined;
  let isRequested = false;
  let isStopping = false;

  return {
    pump,
    /** Work that was claimed: it has begun. */
    start(work: Promise<void>): void {
      const ended = work.catch(onError).finally(() => {
        started.delete(ended);
        if (!isStopping) pump().catch(onError);
      });
      started.add(ended);
    },
    isStopping: () => isStopping,
    /** Resolves when all work that was started has ended. */
    async stop(): Promise<void> {
      isStopping = true;
      await running;
      await Promise.all(started);
    },
  };

  /** Resolves when all due work that there is room for has been started. */
  function pump(): Promise<void> {
    isRequested = true;
    running ??= claimAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function claimAll(): Promise<void> {
    while (isRequested && !isStopping) {
      isRequested = false;
      await claim();
    }
  }
}

interface PumpOptions {
  claim(): Promise<void>;
  onError(error: unknown): void;
}
