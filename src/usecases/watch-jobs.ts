import type { Log } from '../domain/log.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * Whether any process of the installation does jobs. One that does them renews a heartbeat in the database, and all
 * others look at it.
 */
export function createJobsWatch({ doesJobs, heartbeat, clock, log }: JobsWatchDeps) {
  // A process for jobs may still be starting.
  let seenAt = clock.now();
  let isMissing = false;
  const secondsSince = () => (clock.now() - seenAt) / 1_000;
  return {
    async check(): Promise<void> {
      if (doesJobs) await heartbeat.beatJobs();
      const seconds = doesJobs ? 0 : await heartbeat.readJobsAge();
      if (seconds !== undefined) seenAt = Math.max(seenAt, clock.now() - seconds * 1_000);
      const wasMissing = isMissing;
      isMissing = secondsSince() >= JOBS_MISSING_SECONDS;
      if (isMissing && !wasMissing)
        log.warn({ seconds: Math.round(secondsSince()) }, `no process does jobs: ${START_JOBS}`);
      if (wasMissing && !isMissing) log.info({}, 'a process does jobs again');
    },
    /** Since a process was last seen that does jobs. */
    secondsSince,
  };
}

/** Several heartbeats. */
export const JOBS_MISSING_SECONDS = 120;
export const START_JOBS =
  'webhooks are not delivered, nothing is synced, idle tokens expire, and old rows stay. Start `crossbook jobs`, or remove CROSSBOOK_JOBS=off';

interface JobsWatchDeps {
  /** Whether this process does. */
  readonly doesJobs: boolean;
  readonly heartbeat: {
    beatJobs(): Promise<void>;
    /** Undefined: there was no heartbeat yet. */
    readJobsAge(): Promise<number | undefined>;
  };
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}
