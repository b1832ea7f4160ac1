import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAKETIME } from './machine.ts';

/** A wall clock for one process, which is set while that runs; its monotonic clock goes on, as the kernel's does. */
export function createSteppedClock(folder: string): SteppedClock {
  const file = join(folder, 'clock');
  const set = (hours: number) => writeFileSync(file, `${hours < 0 ? '-' : '+'}${Math.abs(hours)}h\n`);
  set(0);
  return {
    env: {
      ...{ LD_PRELOAD: FAKETIME ?? '', FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' },
      // Node's timers hang otherwise.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}

export interface SteppedClock {
  /** For the process. */
  readonly env: Readonly<Record<string, string>>;
  /** So many hours before or after the right time. */
  set(hours: number): void;
}
