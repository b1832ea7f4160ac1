import type { Log } from '../domain/log.ts';
import { toCommand } from './cors.ts';

/**
 * A page that may not call fails in a browser, where nobody sees why: the log says which origin it was, and the command that
 * lets it call. A stranger chooses what is said here, so that it is said once a minute of each origin, and of few.
 */
export function createOriginWarning({ log, now }: Options): (origin: string) => void {
  const saidAt = new Map<string, number>();
  return (origin) => {
    const moment = now();
    for (const [said, at] of saidAt) if (moment - at >= WHILE_MS) saidAt.delete(said);
    if (saidAt.has(origin) || saidAt.size >= MOST) return;
    saidAt.set(origin, moment);
    log.warn({ origin, command: toCommand(origin) }, 'a page may not call: no application names its origin');
  };
}

const WHILE_MS = 60_000;
/** Origins in a minute. */
const MOST = 20;

interface Options {
  readonly log: Pick<Log, 'warn'>;
  /** Monotonic, in milliseconds. */
  now(): number;
}
