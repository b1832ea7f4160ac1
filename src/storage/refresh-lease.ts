import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CrossbookError } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import type { Engine } from './engine/open.ts';

/**
 * Does the work when this process has the lease on what was found, over all processes that share the database; what it
 * holds meanwhile is a name in a row. Undefined when there is nothing left to do, because another process has done it.
 * A lease whose holder died is taken over when its time is up by the database's clock, or has passed while it was watched:
 * clocks may step.
 */
export async function underRefreshLease<Found extends Leased, Result>(
  { engine, leaseMs, applicationId, connectionId, find }: LeaseOptions<Found>,
  work: (found: Found) => Promise<Result>,
): Promise<Result | undefined> {
  const lease = randomUUID();
  const giveUpAt = systemClock.now() + 2 * leaseMs;
  let watched: { readonly lease: string | null; readonly since: number } | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const found = await find();
    if (!found) return undefined;
    const now = systemClock.now();
    if (watched?.lease !== found.lease) watched = { lease: found.lease, since: now };
    const expired = now - watched.since >= leaseMs ? found.lease : null;
    const place = [applicationId, connectionId];
    const values = [...place, found.stored.generation, lease, leaseMs, expired];
    const taken = await engine.repeatable(() => engine.query(TAKE_LEASE, values));
    if (taken.length > 0) {
      try {
        return await work(found);
      } finally {
        // Who waits need not wait for its end. Where the database is away, it ends by itself.
        await engine.once(() => engine.query(RELEASE_LEASE, [...place, lease])).catch(() => undefined);
      }
    }
    if (now > giveUpAt) throw tooLong();
    await wait(pause * (0.5 + Math.random() / 2));
  }
}

function tooLong(): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_TIMEOUT',
    'The access token is being renewed by other processes, none of which has finished in time.',
    { retryAfterMs: 1_000 },
  );
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * One process at a time refreshes a generation, and holds neither a lock nor a connection meanwhile: it leaves its name. A
 * lease counts until its time is up by the database's clock, or until $6 says that it has been watched for that long.
 */
export const TAKE_LEASE = {
  name: 'take_refresh_lease',
  text: `
update crossbook.credentials
set refresh_lease = $4::uuid, refreshing_generation = generation,
  refreshing_until = clock_timestamp() + $5::int * interval '1 millisecond'
where application_id = $1::uuid and connection_id = $2::uuid and generation = $3::int and sealed is not null
  and (refresh_lease is null or refresh_lease = $4::uuid or refreshing_generation is distinct from generation
    or refreshing_until <= clock_timestamp() or refresh_lease = $6::uuid)
returning refresh_lease`,
};

const RELEASE_LEASE = {
  name: 'release_refresh_lease',
  text: `
update crossbook.credentials set refresh_lease = null
where application_id = $1::uuid and connection_id = $2::uuid and refresh_lease = $3::uuid`,
};

interface Leased {
  readonly stored: { readonly generation: number };
  /** Of whoever refreshes it; null where nobody does. */
  readonly lease: string | null;
}

interface LeaseOptions<Found> {
  readonly engine: Engine;
  /** Longer than a refresh may take, with its answer's way into the database. */
  readonly leaseMs: number;
  readonly applicationId: string;
  readonly connectionId: string;
  /** Undefined where there is nothing to refresh, or no more. */
  find(): Promise<Found | undefined>;
}
