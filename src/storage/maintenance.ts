import { type Clock, type PeriodicTask, type PeriodicTaskOptions, runPeriodically } from '../lib/clock.ts';
import { type CredentialKey, sealCredentials, tryOpenCredentials } from './credentials.ts';
import type { Engine } from './engine/open.ts';
import type { SealCounts, SealedTable } from './sealed-table.ts';
import type { KeyRing } from './sealing/key-ring.ts';
import type { Sealer } from './sealing/seal.ts';

/** What is done to the database as a whole, beside the requests. */
export function createMaintenance({ engine, sealer, ring, sealedTables }: Deps): Maintenance {
  const count = async (statement: { name: string; text: string }, value: unknown) => {
    const [row] = await engine.repeatable(() => engine.query<{ count: number }>(statement, [value]));
    return row?.count ?? 0;
  };
  return {
    sweepContactCache: async ({ olderThan, maxBytesPerApplication }) => {
      const aged = await count(SWEEP_AGED, olderThan.toISOString());
      return aged + (await count(EVICT_OVER_QUOTA, maxBytesPerApplication));
    },
    findUnreadableKeys: async () => {
      const rows = await engine.repeatable(() => engine.query<SealedRow>(SAMPLE_KEYS, []));
      const readable = new Set(rows.filter((row) => toOpened(sealer, row)).map(({ keyId }) => keyId));
      const unreadable = rows.map(({ keyId }) => keyId).filter((keyId) => !readable.has(keyId));
      const others = await Promise.all(sealedTables.map((table) => table.findUnreadableKeys()));
      return [...new Set([...unreadable, ...others.flat()])];
    },
    rotateSeals: async (batchSize = 200) => {
      await count(DELETE_STALE_KEYS, ring.current.id);
      const total = { resealed: 0, unreadable: 0 };
      for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
        const values: readonly unknown[] = [ring.current.id, after, batchSize];
        const rows = await engine.repeatable(() => engine.query<SealedRow>(WITH_OTHER_KEYS, values));
        const resealed = rows.flatMap((row) => reseal(sealer, row));
        await count(RESEAL, JSON.stringify(resealed));
        total.resealed += resealed.length;
        total.unreadable += rows.length - resealed.length;
        after = rows.at(-1)?.connectionId;
      }
      for (const table of sealedTables) {
        const { resealed, unreadable } = await table.rotate(ring.current.id, batchSize);
        total.resealed += resealed;
        total.unreadable += unreadable;
      }
      return total;
    },
  };
}

function reseal(sealer: Sealer, row: SealedRow) {
  const opened = toOpened(sealer, row);
  if (!opened) return [];
  const { connectionId, generation } = row;
  return [{ connectionId, generation, ...sealCredentials(sealer, row, opened) }];
}

function toOpened(sealer: Sealer, row: SealedRow) {
  return tryOpenCredentials(sealer, row, row.sealed);
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

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

/** Their hashes are those of another key: nobody finds these answers any more. */
const DELETE_STALE_KEYS = {
  name: 'forget_other_keys',
  text: counting(`delete from crossbook.contact_cache where split_part(sealed, '.', 1) <> $1::text`),
};

const SEALED_ROW = `kept.connection_id as "connectionId", kept.key_id as "keyId", kept.sealed, kept.generation,
  named.application_id as "applicationId", named.customer_id as "customerId", named.provider_name as "providerName"`;

/** Three of each key, so that one damaged row does not speak against its key. */
const SAMPLE_KEYS = {
  name: 'sample_keys',
  text: `
select ${SEALED_ROW}
from (select distinct key_id from crossbook.credentials where sealed is not null) as used
cross join lateral (
  select * from crossbook.credentials where key_id = used.key_id and sealed is not null limit 3
) as kept
join crossbook.connections as named on named.id = kept.connection_id`,
};

const WITH_OTHER_KEYS = {
  name: 'with_other_keys',
  text: `
select ${SEALED_ROW}
from crossbook.credentials as kept join crossbook.connections as named on named.id = kept.connection_id
where kept.sealed is not null and kept.key_id <> $1::text and kept.connection_id > $2::uuid
order by kept.connection_id limit $3::int`,
};

/** A row that was stored anew meanwhile has another generation, and is sealed with the current key already. */
const RESEAL = {
  name: 'reseal',
  text: counting(`
update crossbook.credentials as kept set sealed = given.sealed, key_id = given."keyId"
from jsonb_to_recordset($1::jsonb) as given("connectionId" uuid, generation int, sealed text, "keyId" text)
where kept.connection_id = given."connectionId" and kept.generation = given.generation`),
};

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

export interface Maintenance {
  /** Drops what is too old, then of each application's the oldest above its share. Says how many. */
  sweepContactCache(bounds: { olderThan: Date; maxBytesPerApplication: number }): Promise<number>;
  /** Ids of keys that something stored was sealed with, and that the ring does not have or has another key for. */
  findUnreadableKeys(): Promise<readonly string[]>;
  /** Seals everything with the ring's first key, batch after batch, while requests go on. */
  rotateSeals(batchSize?: number): Promise<SealCounts>;
}

interface SealedRow extends CredentialKey {
  readonly connectionId: string;
  readonly keyId: string;
  readonly sealed: string;
  readonly generation: number;
}

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly ring: KeyRing;
  /** What is sealed beside credentials and cached answers. */
  readonly sealedTables: readonly SealedTable[];
}

interface Swept {
  readonly maintenance: Pick<Maintenance, 'sweepContactCache'>;
  sweepConnectLinks(): Promise<unknown>;
}

interface SweepOptions extends Pick<PeriodicTaskOptions, 'onError' | 'schedule'> {
  readonly maxBytesPerApplication: number;
  /** What is stored has its time of day. */
  readonly clock: Pick<Clock, 'wall'>;
}
