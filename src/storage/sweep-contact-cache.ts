import type { Clock } from '../lib/clock.ts';
import { type PeriodicTask, type PeriodicTaskOptions, runPeriodically } from '../lib/run-periodically.ts';
import type { Maintenance } from './maintenance.ts';

/**
 * Keeps the contact cache within its bounds: nothing is served when it is a day old, and nobody fills the disk. In the same
 * round connect links whose time is up are ended, and old ones removed.
 */
export function sweepContactCache(
  { maintenance, sweepConnectLinks }: Swept,
  { maxBytesPerApplication, onError, schedule, clock }: SweepOptions,
): PeriodicTask {
  return runPeriodically({
    intervalMs: EVERY_MS,
    async work() {
      await sweepConnectLinks();
      await maintenance.sweepContactCache({
        olderThan: new Date(clock.wall() - MAX_AGE_MS),
        maxBytesPerApplication,
      });
    },
    onError,
    schedule,
  });
}

const EVERY_MS = 5 * 60_000;
const MAX_AGE_MS = 24 * 60 * 60_000;

interface Swept {
  readonly maintenance: Pick<Maintenance, 'sweepContactCache'>;
  sweepConnectLinks(): Promise<unknown>;
}

interface SweepOptions extends Pick<PeriodicTaskOptions, 'onError' | 'schedule'> {
  readonly maxBytesPerApplication: number;
  /** What is stored has its time of day. */
  readonly clock: Pick<Clock, 'wall'>;
}
