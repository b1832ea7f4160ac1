import type { FairScheduler } from '../../src/lib/fair-scheduler.ts';

/** For tests of something else: every task runs immediately. */
export const NO_SCHEDULING: FairScheduler = { take: () => undefined, countNew: () => 0 };
