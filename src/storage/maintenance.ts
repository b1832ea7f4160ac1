import { setTimeout as wait } from 'node:timers/promises';
import { CACHE_ENTRY_MAX_AGE_MS } from '../domain/tenant.ts';
import { createSingleFlight } from '../lib/cache.ts';
import {
  type Clock,
  type PeriodicTask,
  type PeriodicTaskOptions,
  runPeriodically,
} from '../lib/clock.ts';
import { findPending } from './engine/migrate.ts';
import type { Engine } from './engine/open.ts';

/**
 * Deletes expired cache entries, then evicts each application's oldest entries above its quota. Returns the number of
 * rows.
 */
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

/** Evicts the oldest entries of each application above its quota. */
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
 * Periodic sweep of the contact cache: deletes entries older than a day, and enforces the quota per application. Also
 * ends expired connect links and deletes old ones.
 */
export function startSweeps(
  { maintenance, sweepConnectLinks }: Swept,
  { maxBytesPerApplication, onError, schedule, clock }: SweepOptions,
): PeriodicTask {
  return runPeriodically({
    intervalMs: CACHE_SWEEP_EVERY_MS,
    async work() {
      // A failure of one must not keep the other from being swept.
      await sweepConnectLinks().catch(onError);
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

/**
 * The state of what all processes share, for the body of `/readyz`. A full pool or a locked table is no failure. A
 * check that cannot run keeps its last result.
 */
export function createSharedChecks({ engine, clock, findUnreadableKeys, ...deps }: CheckDeps) {
  const last = { migrations: true, keys: true, keysCheckedAt: Number.NEGATIVE_INFINITY };
  // Concurrent probes share one check (single flight), so that they do not pile up on a hanging database.
  const checking = createSingleFlight<Awaited<ReturnType<typeof check>>>();
  const learning = createSingleFlight<void>();
  return () => checking(check);

  async function check() {
    const state = await withDeadline(PING_MS, engine.ping());
    if (state) await withDeadline(LEARN_MS, learning(learn));
    return {
      /** It responds. */
      database: state !== undefined,
      writable: state?.isReadOnly === false,
      /** All migrations of this version are applied. */
      migrations: last.migrations,
      /** The key ring can decrypt its data. */
      keys: last.keys,
    };
  }

  async function learn(): Promise<void> {
    last.migrations = (await findPending(engine)).length === 0;
    const now = clock.now();
    if (!last.migrations || now - last.keysCheckedAt < KEYS_EVERY_MS) return;
    // Another process may have encrypted data with a newer ring.
    const unreadable = await findUnreadableKeys();
    if (unreadable.length > 0 && last.keys) deps.onUnreadableKeys?.(unreadable);
    last.keys = unreadable.length === 0;
    last.keysCheckedAt = now;
  }
}

/** Undefined where it fails or times out. */
function withDeadline<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work.catch(() => undefined), wait(ms, undefined, { ref: false })]);
}

/** Together shorter than the usual timeout of readiness probes. */
const PING_MS = 1_500;
const LEARN_MS = 500;
const KEYS_EVERY_MS = 30_000;

interface CheckDeps {
  readonly engine: Pick<Engine, 'ping' | 'query'>;
  readonly clock: Pick<Clock, 'now'>;
  findUnreadableKeys(): Promise<readonly string[]>;
  /** Called once when data was found that no key of the ring can decrypt. */
  readonly onUnreadableKeys?: ((keyIds: readonly string[]) => void) | undefined;
}

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
  /** Wall-clock time, as for stored timestamps. */
  readonly clock: Pick<Clock, 'wall'>;
}
