import type { Statements } from './engine/open.ts';

/** Takes or extends the lease of a job, which one process holds at a time. False: another process holds it. */
export async function holdLease(
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

export interface Lease {
  readonly job: string;
  /** The UUID of this process. */
  readonly holder: string;
  readonly leaseMs: number;
}
