import type { Clock } from '../../src/lib/clock.ts';

/** A fake clock that a test advances. Its monotonic clock and its wall clock are independent, like real ones. */
export function createFakeClock(start = Date.parse('2026-11-20T12:00:00.000Z')): FakeClock {
  let now = 5_000;
  let wallAhead = start - now;
  let timers: Timer[] = [];

  return {
    now: () => now,
    wall: () => now + wallAhead,

    step(byMs) {
      wallAhead += byMs;
    },

    schedule(delayMs, callback) {
      const timer = { at: now + Math.max(0, delayMs), callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },

    get pending() {
      return timers.length;
    },

    async advance(byMs) {
      const until = now + byMs;
      await settle();
      for (let due = next(until); due; due = next(until)) {
        timers = timers.filter((one) => one !== due);
        now = Math.max(now, due.at);
        due.callback();
        await settle();
      }
      now = until;
      await settle();
    },
  };

  function next(until: number): Timer | undefined {
    return timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}

/** Runs everything that is ready to run (microtasks and immediates). */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export interface FakeClock extends Clock {
  advance(byMs: number): Promise<void>;
  /** Sets the wall clock; the monotonic clock does not change. */
  step(byMs: number): void;
  /** The timers that were not cancelled: a test asserts that none is left. */
  readonly pending: number;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}
