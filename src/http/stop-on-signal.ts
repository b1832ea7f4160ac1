import type { Listener } from './listen.ts';

/** The first signal lets what runs finish; a second one does not wait. Exits with 1 where something was cut off. */
export function stopOnSignal({ listener, close, withinMs, fail }: Running): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    // What is still in somebody's hands then is not worth the operator's patience.
    setTimeout(() => process.exit(1), withinMs + CLOSING_MS).unref();
    listener
      .close(withinMs)
      .then(async (isWhole) => {
        await close();
        process.exit(isWhole ? 0 : 1);
      })
      .catch(fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** For the pools, after the last answer. */
const CLOSING_MS = 10_000;

interface Running {
  readonly listener: Listener;
  /** Of everything behind the listener. */
  close(): Promise<void>;
  readonly withinMs: number;
  readonly fail: (error: unknown) => void;
}
