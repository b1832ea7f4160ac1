import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { understandFailure } from './failures.ts';

/** Outlasts a failover or a deadlock: tries again until the deadline, then says that the database is away. */
export async function attempt<T>(work: () => Promise<T>, options: AttemptOptions): Promise<T> {
  const giveUpAt = systemClock.now() + options.deadlineMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (thrown) {
      const { repeat, error } = understandFailure(thrown);
      const mayRepeat = repeat === 'always' || (repeat === 'reads' && options.repeatable);
      if (!mayRepeat || !options.mayWait() || systemClock.now() + pause > giveUpAt) throw error;
    }
    // Rivals that failed together must not come back together.
    await wait(pause * (0.5 + Math.random() / 2));
  }
}

interface AttemptOptions {
  readonly repeatable: boolean;
  readonly deadlineMs: number;
  /** Else it is tried once. */
  mayWait(): boolean;
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;
