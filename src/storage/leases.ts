import type { Statements } from './engine/statements.ts';

/**
 * Leases, which expire by the database's clock. Work that is rows of a table (webhook endpoints, connections to sync,
 * removals) has its lease in the columns `lease` and `leased_until` of the row. A job that one process at a time runs
 * has a row in `job_leases`.
 */

/** Whether no process has the row: `row` is its alias. */
export const isFree = (row: string) =>
  `(${row}.leased_until is null or ${row}.leased_until <= clock_timestamp())`;

/** Takes or extends the lease of a row, in an update. Both are parameters. */
export const takeRow = (lease: string, leaseMs: string) =>
  `lease = ${lease}::uuid, leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'`;

/** Releases a row, in an update; the time stays as the time of its last service. */
export const RELEASE_ROW = 'lease = null, leased_until = clock_timestamp()';

/**
 * Whether a due row may be claimed by the rule of `shareOf`: twice of what its application holds (`place - 1`) is less
 * than what is free by then (`free - position + 1`).
 */
export const isWithinShare = (free: string) => `2 * (place - 1) <= ${free}::int - position`;

/** Takes or extends the lease of a job, which one process holds at a time. False: another process holds it. */
export async function acquireJobLease(
  engine: Statements,
  { job, holder, leaseMs }: Lease,
): Promise<boolean> {
  const taken = await engine.query(TAKE_LEASE, [job, holder, leaseMs]);
  return taken.length > 0;
}

const TAKE_LEASE = {
  name: 'take_job_lease',
  text: `
insert into crossbook.job_leases as stored (job, holder, until)
values ($1::text, $2::uuid, clock_timestamp() + $3::int * interval '1 millisecond')
on conflict (job) do update set holder = excluded.holder, until = excluded.until
  where stored.holder = excluded.holder or stored.until <= clock_timestamp()
returning holder`,
};

/** A process that does jobs renews this, and says so to all others. It belongs to no process alone. */
export async function beatJobs(engine: Statements): Promise<void> {
  await acquireJobLease(engine, HEARTBEAT);
}

/** The seconds since the last heartbeat of a process that does jobs. Undefined: there was none. */
export async function readJobsAge(engine: Statements): Promise<number | undefined> {
  const [row] = await engine.query<{ seconds: number }>(READ_JOBS_AGE, [HEARTBEAT.job]);
  return row && row.seconds + HEARTBEAT.leaseMs / 1_000;
}

const HEARTBEAT = {
  job: 'heartbeat of jobs',
  holder: '00000000-0000-0000-0000-000000000000',
  leaseMs: 60_000,
};

const READ_JOBS_AGE = {
  name: 'read_jobs_age',
  text: `
select extract(epoch from clock_timestamp() - until)::float8 as seconds
from crossbook.job_leases where job = $1::text`,
};

export interface Lease {
  readonly job: string;
  /** The UUID of this process. */
  readonly holder: string;
  readonly leaseMs: number;
}
