import { setTimeout as wait } from 'node:timers/promises';
import { toReason } from '../../lib/to-reason.ts';
import type { Server } from './server.ts';
import type { EmbeddedLog } from './start.ts';

/** Starts the server again when it dies, with longer and longer pauses. Returns what ends it for good. */
export function supervise(first: Server, { start, log }: SuperviseOptions): () => Promise<void> {
  const stopping = new AbortController();
  let server = first;
  const running = keep();
  return async () => {
    stopping.abort();
    server.stop();
    await running;
  };

  async function keep(): Promise<void> {
    for (;;) {
      const code = await server.ended;
      if (stopping.signal.aborted) return;
      log('error', `The embedded database ended with ${code}. It is started again.`);
      if (!(await startAgain())) return;
    }
  }

  async function startAgain(): Promise<boolean> {
    for (
      let pause = FIRST_PAUSE_MS;
      !stopping.signal.aborted;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    ) {
      try {
        server = await start();
        if (stopping.signal.aborted) server.stop();
        return true;
      } catch (error) {
        log('error', toReason(error));
      }
      await wait(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return false;
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

interface SuperviseOptions {
  readonly start: () => Promise<Server>;
  readonly log: EmbeddedLog;
}
