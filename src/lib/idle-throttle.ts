import { performance } from 'node:perf_hooks';

/**
 * For background work: how long it pauses after a piece of work that took so long. It gets a quarter of the time in which
 * the event loop is idle, and a hundredth of all time where it never is.
 */
export function createIdleThrottle(): IdleThrottle {
  let before = performance.eventLoopUtilization();
  return {
    pauseAfter(tookMs) {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      const share = Math.max(LEAST_SHARE, (1 - utilization) * SHARE_OF_THE_REST);
      return tookMs * (1 / share - 1);
    },
  };
}

const SHARE_OF_THE_REST = 1 / 4;
const LEAST_SHARE = 1 / 100;

export interface IdleThrottle {
  pauseAfter(tookMs: number): number;
}
