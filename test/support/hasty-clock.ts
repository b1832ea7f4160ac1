import type { Clock } from '../../src/lib/clock.ts';

/**
 * Waits take no time: a timer fires immediately, and the clock advances by its delay. Nothing else advances the
 * clock, so the number of retries does not depend on the machine. Timers of the deadline and beyond never fire.
 */
export function createHastyClock(
  deadlineMs: number,
  wallStart = Date.UTC(2026, 10, 20, 12),
): Clock {
  let now = 0;
  return {
    now: () => now,
    wall: () => wallStart + now,
    schedule(delayMs, callback) {
      const at = now + Math.max(0, delayMs);
      if (at >= deadlineMs) return () => {};
      const timer = setImmediate(() => {
        now = Math.max(now, at);
        callback();
      });
      return () => clearImmediate(timer);
    },
  };
}
