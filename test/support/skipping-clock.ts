import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** The clock of the machine, which a test can set forward: timers that are due then fire at once. */
export function createSkippingClock(): SkippingClock {
  let skipped = 0;
  const timers = new Set<Timer>();
  const clock: SkippingClock = {
    now: () => systemClock.now() + skipped,
    wall: () => systemClock.wall() + skipped,
    schedule(delayMs, callback) {
      const cancel = () => {
        timers.delete(timer);
        cancelTimer();
      };
      const timer: Timer = {
        at: clock.now() + delayMs,
        fire() {
          cancel();
          callback();
        },
      };
      const cancelTimer = systemClock.schedule(delayMs, timer.fire);
      timers.add(timer);
      return cancel;
    },
    skip(byMs) {
      skipped += byMs;
      const due = [...timers].filter(({ at }) => at <= clock.now());
      for (const timer of due.sort((one, other) => one.at - other.at))
        if (timers.has(timer)) timer.fire();
    },
  };
  return clock;
}

export interface SkippingClock extends Clock {
  skip(byMs: number): void;
}

interface Timer {
  readonly at: number;
  fire(): void;
}
