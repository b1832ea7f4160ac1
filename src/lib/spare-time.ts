import { performance } from 'node:perf_hooks';

/**
 * For work that must not be felt: how long it has to rest after it took so long. It gets a quarter of the time that the
 * process has left over, and where nothing is left over it still gets a little.
 */
export function createSpareTime(): SpareTime {
  let before = performance.eventLoopUtilization();
  return {
    restAfter(tookMs) {
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

export interface SpareTime {
  restAfter(tookMs: number): number;
}
