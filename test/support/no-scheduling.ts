import type { FairScheduler } from '../../src/lib/fair-scheduler.ts';

/** For tests about something else: whatever comes goes on at once. */
export const NO_SCHEDULING: FairScheduler = { take: () => undefined, countNew: () => 0 };
