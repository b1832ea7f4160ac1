import { setTimeout as wait } from 'node:timers/promises';
import { createSingleFlight } from '../lib/cache.ts';
import {
  type Clock,
  type PeriodicTask,
  type PeriodicTaskOptions,
  runPeriodically,
  systemClock,
} from '../lib/clock.ts';
import { findPending } from './engine/migrate.ts';
import type { Engine } from './engine/open.ts';

/** Drops cached contacts that are too old, then of each application the oldest above its share. Returns how many. */
export function createCacheSweep(engine: Engine) {
  const count = async (statement: typeof SWEEP_AGED, value: unknown) => {
    const [row] = await engine.query<{ count: number }>(statement, [value]);
    return row?.count ?? 0;
  };
  return async ({ olderThan, maxBytesPerApplication }: CacheBounds) => {
    const aged = await count(SWEEP_AGED, olderThan.toISOString());
    return aged + (await count(EVICT_OVER_QUOTA, maxBytesPerApplication));
  };
}

const counting = (change: string) =>
  `with changed as (${change} returning 1) select count(*)::int as count from changed`;

const SWEEP_AGED = {
  name: 'sweep_aged',
  text: counting('delete from crossbook.contact_cache where fetched_at < $1::timestamptz'),
};

/** Of each application's answers, newest first, those that no longer fit into its share. */
const EVICT_OVER_QUOTA = {
  name: 'sweep_surplus',
  text: counting(`
delete from crossbook.contact_cache where (application_id, key_hash) in (
  select application_id, key_hash from (
    select application_id, key_hash,
      sum(bytes) over (partition by application_id order by fetched_at desc, key_hash) as total
    from crossbook.contact_cache
  ) as ranked where total > $1::bigint
)`),
};

/**
 * Keeps the contact cache within its bounds: nothing is served when it is a day old, and no application fills the disk.
 * The same round ends connect links whose time is up, and removes old ones.
 */
export function sweepContactCache(
  { maintenance, sweepConnectLinks }: Swept,
  { maxBytesPerApplication, onError, schedule, clock }: SweepOptions,
): PeriodicTask {
  return runPeriodically({
    intervalMs: CACHE_SWEEP_EVERY_MS,
    async work() {
      await sweepConnectLinks();
      await maintenance.sweepContactCache({
        olderThan: new Date(clock.wall() - CACHE_ENTRY_MAX_AGE_MS),
        maxBytesPerApplication,
      });
    },
    onError,
    schedule,
  });
}

const CACHE_SWEEP_EVERY_MS = 5 * 60_000;
const CACHE_ENTRY_MAX_AGE_MS = 24 * 60 * 60_000;

/**
 * Readiness: can this process do its work with this database? Load balancers ask every few seconds. A full pool and a
 * locked table are no reason to send requests elsewhere: other processes have the same database.
 */
export function createReadiness({ engine, findUnreadableKeys }: ReadinessDeps) {
  // As the start has left them. Where they cannot be looked at, they are as they were last seen.
  const last = { migrations: true, keys: true, keysCheckedAt: Number.NEGATIVE_INFINITY };
  // Probes that come at the same time share one check: a database that hangs is not asked once more by each.
  const checking = createSingleFlight<Awaited<ReturnType<typeof check>>>();
  const learning = createSingleFlight<void>();
  return () => checking(check);

  async function check() {
    const state = await withDeadline(PING_MS, engine.ping());
    if (!state || state.isReadOnly) return { database: false, migrations: false, keys: false };
    await withDeadline(LEARN_MS, learning(learn));
    const { migrations, keys } = last;
    return {
      /** It answers, and can be written to. */
      database: true,
      /** It has every table that this version needs. */
      migrations,
      /** What is sealed in it can be opened. */
      keys: migrations && keys,
    };
  }

  async function learn(): Promise<void> {
    last.migrations = (await findPending(engine)).length === 0;
    const now = systemClock.now();
    if (!last.migrations || now - last.keysCheckedAt < KEYS_EVERY_MS) return;
    // Another process, with a newer ring, may have sealed what this one cannot open.
    last.keys = (await findUnreadableKeys()).length === 0;
    last.keysCheckedAt = now;
  }
}

/** Undefined where it fails or takes longer. */
function withDeadline<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work.catch(() => undefined), wait(ms, undefined, { ref: false })]);
}

/** Both together: shorter than the timeout of usual readiness probes. */
const PING_MS = 1_500;
const LEARN_MS = 500;
const KEYS_EVERY_MS = 30_000;

interface CacheBounds {
  readonly olderThan: Date;
  readonly maxBytesPerApplication: number;
}

interface Swept {
  readonly maintenance: { sweepContactCache(bounds: CacheBounds): Promise<unknown> };
  sweepConnectLinks(): Promise<unknown>;
}

interface SweepOptions
  extends Pick<PeriodicTaskOptions, 'onError' | 'schedule'>,
    Pick<CacheBounds, 'maxBytesPerApplication'> {
  /** What is stored has its time of day. */
  readonly clock: Pick<Clock, 'wall'>;
}

interface ReadinessDeps {
  readonly engine: Engine;
  findUnreadableKeys(): Promise<readonly string[]>;
}
