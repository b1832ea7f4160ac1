import { randomUUID } from 'node:crypto';
import { EVENTS_KEPT_MS, RESPONSES_KEPT_MS } from '../domain/event.ts';
import { AUDIT_KEPT_MS } from '../domain/operator.ts';
import { CACHE_ENTRY_MAX_AGE_MS } from '../domain/tenant.ts';
import { USAGE_KEPT_MS } from '../domain/usage.ts';
import {
  type Clock,
  createTaskAges,
  type PeriodicTaskOptions,
  runPeriodically,
} from '../lib/clock.ts';
import type { Engine } from './engine/postgres.ts';
import type { Lease } from './leases.ts';

/**
 * Deletes expired cache entries, then evicts each application's oldest entries above its quota. Yields the number of
 * deleted rows after each statement, all of which are bounded.
 */
export function createCacheSweep(engine: Engine) {
  return async function* ({ olderThan, maxBytesPerApplication, batch = BATCH }: CacheBounds) {
    yield* inBatches(batch, () => deleteAged(engine, olderThan, batch));
    // From the newest entry to the oldest: an entry is evicted where the newer ones fill the quota.
    const bytes: Record<string, number> = {};
    let after: string | null = null;
    for (;;) {
      const values: readonly unknown[] = [
        after,
        batch,
        JSON.stringify(bytes),
        maxBytesPerApplication,
      ];
      const [page]: readonly EvictedPage[] = await engine.query(EVICT_OVER_QUOTA, values);
      if (!page) return;
      Object.assign(bytes, page.bytes);
      yield page.deleted;
      if (page.rows < batch) return;
      after = page.last;
    }
  };
}

async function deleteAged(engine: Engine, olderThan: Date, batch: number): Promise<number> {
  const [row] = await engine.query<{ count: number }>(SWEEP_AGED, [olderThan.toISOString(), batch]);
  return row?.count ?? 0;
}

/** Repeats a deletion until it finds fewer rows than a batch. */
export async function* inBatches(batch: number, deleteBatch: () => Promise<number>) {
  for (let count = batch; count >= batch; ) {
    count = await deleteBatch();
    yield count;
  }
}

const BATCH = 2_000;

const SWEEP_AGED = {
  name: 'sweep_aged',
  text: `
with deleted as (
  delete from crossbook.contact_cache where fetched_at < $1::timestamptz and (application_id, key_hash) in (
    select application_id, key_hash from crossbook.contact_cache where fetched_at < $1::timestamptz
    order by fetched_at limit $2::int
  ) returning 1
)
select count(*)::int as count from deleted`,
};

/**
 * One page of all entries, by their age. $1: the last entry of the page before, as "time application hash"; $3: the
 * bytes of each application's newer entries.
 */
const EVICT_OVER_QUOTA = {
  name: 'evict_over_quota',
  text: `
with page as materialized (
  select application_id, key_hash, bytes, fetched_at from crossbook.contact_cache
  where $1::jsonb is null or (
    fetched_at <= ($1::jsonb ->> 0)::timestamptz and (fetched_at, application_id, key_hash)
      < (($1::jsonb ->> 0)::timestamptz, ($1::jsonb ->> 1)::uuid, $1::jsonb ->> 2)
  )
  order by fetched_at desc, application_id desc, key_hash desc limit $2::int
), ranked as (
  select *, coalesce(($3::jsonb ->> application_id::text)::bigint, 0) + sum(bytes) over (
    partition by application_id order by fetched_at desc, key_hash desc
  ) as total from page
), deleted as (
  delete from crossbook.contact_cache as stored using ranked
  where stored.application_id = ranked.application_id and stored.key_hash = ranked.key_hash
    and stored.fetched_at = ranked.fetched_at and ranked.total > $4::bigint
  returning 1
)
select (select count(*)::int from page) as rows, (select count(*)::int from deleted) as deleted,
  (select json_object_agg(application_id, total) from (
    select application_id, max(total) as total from ranked group by application_id
  ) as totals) as bytes,
  (select json_build_array(fetched_at, application_id, key_hash)::text from page
    order by fetched_at, application_id, key_hash limit 1) as last`,
};

/**
 * Runs all sweeps every five minutes, in the one process that holds the lease. The others take over when it ends. A
 * failure of one sweep does not keep the others from running.
 */
export function startSweeps(
  { acquireJobLease, sweeps }: Swept,
  { maxBytesPerApplication, onError, schedule, clock }: SweepOptions,
) {
  const lease = { job: 'sweeps', holder: randomUUID(), leaseMs: LEASE_MS };
  const ages = createTaskAges(clock);
  for (const name of SWEEPS) ages.restart(name);
  const task = runPeriodically({ intervalMs: SWEEP_EVERY_MS, work: runAll, onError, schedule });
  return {
    /** Seconds since this process has finished each sweep, or has found that another one runs them. */
    ages: ages.list,
    /** Resolves when the statement that is running has finished. */
    stop: task.stop,
  };

  async function runAll(): Promise<void> {
    for (const name of SWEEPS) {
      try {
        if (await run(start(name))) ages.restart(name);
      } catch (error) {
        onError(error);
      }
    }
  }

  /** False if it was stopped before its end. The lease is extended before each statement. */
  async function run(sweep: AsyncIterator<unknown>): Promise<boolean> {
    while (await acquireJobLease(lease)) {
      if (task.isOver()) return false;
      if ((await sweep.next()).done) return true;
    }
    return true;
  }

  function start(name: (typeof SWEEPS)[number]): AsyncIterator<unknown> {
    if (name === 'expired_tokens') return sweeps.expiredTokens();
    if (name === 'connect_links') return sweeps.connectLinks();
    if (name === 'responses') return sweeps.responses(new Date(clock.wall() - RESPONSES_KEPT_MS));
    if (name === 'audit') return sweeps.audit(new Date(clock.wall() - AUDIT_KEPT_MS));
    if (name === 'writes') return sweeps.writes(clock.wall());
    if (name === 'usage') return sweeps.usage(new Date(clock.wall() - USAGE_KEPT_MS));
    if (name === 'events') return sweeps.events(new Date(clock.wall() - EVENTS_KEPT_MS));
    return sweeps.contactCache({
      olderThan: new Date(clock.wall() - CACHE_ENTRY_MAX_AGE_MS),
      maxBytesPerApplication,
    });
  }
}

const SWEEPS = [
  'expired_tokens',
  'connect_links',
  'events',
  'usage',
  'audit',
  'responses',
  'writes',
  'contact_cache',
] as const;
const SWEEP_EVERY_MS = 5 * 60_000;
/** Longer than the interval, so that the process that holds it keeps it, and short enough to be taken over soon. */
const LEASE_MS = 6 * 60_000;

interface EvictedPage {
  readonly rows: number;
  readonly deleted: number;
  readonly bytes: Record<string, number> | null;
  readonly last: string | null;
}

interface CacheBounds {
  readonly olderThan: Date;
  readonly maxBytesPerApplication: number;
  /** Rows per statement. */
  readonly batch?: number;
}

interface Swept {
  acquireJobLease(lease: Lease): Promise<boolean>;
  readonly sweeps: {
    expiredTokens(): AsyncIterator<unknown>;
    connectLinks(): AsyncIterator<unknown>;
    events(olderThan: Date): AsyncIterator<unknown>;
    usage(olderThan: Date): AsyncIterator<unknown>;
    audit(olderThan: Date): AsyncIterator<unknown>;
    responses(olderThan: Date): AsyncIterator<unknown>;
    writes(now: number): AsyncIterator<unknown>;
    contactCache(bounds: CacheBounds): AsyncIterator<unknown>;
  };
}

interface SweepOptions
  extends Pick<PeriodicTaskOptions, 'onError' | 'schedule'>,
    Pick<CacheBounds, 'maxBytesPerApplication'> {
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}
