import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAKETIME } from '../support/machine.ts';

/**
 * A wall clock for one process that can be set while the process runs; its monotonic clock is not affected, like
 * the kernel's.
 */
export function createSteppedClock(folder: string): SteppedClock {
  const file = join(folder, 'clock');
  const set = (hours: number) =>
    writeFileSync(file, `${hours < 0 ? '-' : '+'}${Math.abs(hours)}h\n`);
  set(0);
  return {
    env: {
      LD_PRELOAD: FAKETIME ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Otherwise Node's timers hang.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}

export interface SteppedClock {
  /** For the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Offset from the real time, in hours. */
  set(hours: number): void;
}
