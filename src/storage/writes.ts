import { KEYS_KEPT_MS, WRITES_KEPT_MS } from '../domain/records/write.ts';
import type {
  BegunWrite,
  StoredItems,
  StoredWrite,
  WriteQueue,
  WriteStore,
} from '../domain/writing.ts';
import { digest } from '../lib/digest.ts';
import { isStorable, isUuid } from '../lib/text.ts';
import type { Engine } from './engine/postgres.ts';
import { recordEvents } from './events.ts';
import { isFree, takeRow } from './leases.ts';
import type { VersionedHash } from './signing.ts';
import type { SharedStoreDeps, StoreDeps } from './store-deps.ts';
import { inBatches } from './sweeps.ts';

/** The writes of one application. */
export function createWrites(
  { engine, secrets, now, onAppended }: StoreDeps,
  applicationId: string,
  hashes: VersionedHash,
): WriteStore {
  const { query } = engine;
  const place = (id: string) => [applicationId, id] as const;
  const seal = (id: string, items: StoredItems) =>
    secrets.writeItems.seal(JSON.stringify(items), ...place(id));
  const toStored = (row: WriteRow): StoredWrite => toWrite(secrets, row);
  return {
    hash: hashes.hash,
    isHashOf: hashes.isHashOf,

    async begin({ id, lease, leaseMs, input, items, ...write }): Promise<BegunWrite> {
      const { sealed, keyId } = seal(id, items);
      const keyHash =
        write.idempotencyKey === null
          ? null
          : digest(JSON.stringify([write.connectionId, write.operation, write.idempotencyKey]));
      const values = [
        applicationId,
        id,
        write.customerId,
        write.connectionId,
        write.provider,
        write.operation,
        write.credentialId,
        keyHash,
        hashes.hash(input),
        sealed,
        keyId,
        now().toISOString(),
        lease,
        leaseMs,
      ];
      const leased = { lease, leaseMs };
      const [made] = await query<WriteRow>(INSERT_WRITE, values);
      if (made) return { kind: 'claimed', write: { ...toStored(made), ...leased }, isNew: true };
      const [known] = await query<KeyedRow>(FIND_BY_KEY, [applicationId, keyHash]);
      if (!known) return { kind: 'gone' };
      // The statement was repeated, because its first response was lost.
      if (known.id === id)
        return { kind: 'claimed', write: { ...toStored(known), ...leased }, isNew: true };
      if (!hashes.isHashOf(known.inputHash, input)) return { kind: 'other input' };
      if (!known.isFree) return { kind: 'running' };
      if (!known.isOpen) return { kind: 'complete', write: toStored(known) };
      const [taken] = await query<WriteRow>(TAKE_WRITE, [applicationId, known.id, lease, leaseMs]);
      if (!taken) return { kind: 'running' };
      return { kind: 'claimed', write: { ...toStored(taken), ...leased }, isNew: false };
    },

    async progress({ id, lease, leaseMs }, items) {
      const { sealed, keyId } = seal(id, items);
      const values = [applicationId, id, lease, leaseMs, sealed, keyId];
      return (await query(STORE_PROGRESS, values)).length > 0;
    },

    async finish(write, items, { isComplete, isOpen, lookAgainAt, hasSent, isSettled }) {
      const { id, lease } = write;
      const { sealed, keyId } = seal(id, items);
      const at = now().toISOString();
      const values = [
        applicationId,
        id,
        lease,
        sealed,
        keyId,
        isComplete ? at : null,
        isOpen,
        lookAgainAt?.toISOString() ?? null,
        at,
        hasSent,
        isSettled,
        JSON.stringify(countOutcomes(items)),
      ];
      const ended = await query(FINISH_WRITE, values);
      if (isSettled) onAppended();
      return ended.length > 0;
    },

    async forget({ id, lease }) {
      await query(FORGET_WRITE, [applicationId, id, lease]);
    },

    async find(id) {
      if (!isUuid(id)) return undefined;
      const [row] = await query<WriteRow>(FIND_WRITE, [applicationId, id]);
      return row && toStored(row);
    },

    async list({ customerId, after, limit }) {
      if (!isStorable(customerId)) return [];
      const from = after ? [after.createdAt.toISOString(), after.id] : [null, null];
      const rows = await query<WriteRow>(LIST_WRITES, [applicationId, customerId, ...from, limit]);
      return rows.map(toStored);
    },
  };
}

/** The writes of all applications whose outcome is to be looked up. */
export function createWriteQueue({ engine, secrets, now }: SharedStoreDeps): WriteQueue {
  return {
    async claim(lease, leaseMs) {
      const values = [now().toISOString(), lease, leaseMs];
      const [row] = await engine.query<WriteRow>(CLAIM_WRITE, values);
      return row && { ...toWrite(secrets, row), lease, leaseMs };
    },
  };
}

/** Expires idempotency keys, and deletes old writes. */
export function createWriteSweep(engine: Engine) {
  return async function* (now: number, batch = BATCH) {
    const before = (ms: number) => new Date(now - ms).toISOString();
    const run = (statement: typeof EXPIRE_KEYS, olderThan: string) =>
      inBatches(batch, async () => {
        const [row] = await engine.query<{ count: number }>(statement, [olderThan, batch]);
        return row?.count ?? 0;
      });
    yield* run(EXPIRE_KEYS, before(KEYS_KEPT_MS));
    yield* run(SWEEP_WRITES, before(WRITES_KEPT_MS));
  };
}

const BATCH = 1_000;

function toWrite(secrets: StoreDeps['secrets'], { sealed, ...row }: WriteRow): StoredWrite {
  const opened = secrets.writeItems.open(sealed, row.applicationId, row.id);
  return { ...row, items: opened === undefined ? undefined : (JSON.parse(opened) as StoredItems) };
}

/** For the event: how many records have each outcome. */
function countOutcomes({ items }: StoredItems): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { result } of items) {
    const name = (result?.outcome ?? 'UNKNOWN').toLowerCase();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const columnsOf = (row: string) => `
${row}.application_id as "applicationId", ${row}.id, ${row}.customer_id as "customerId",
  ${row}.connection_id as "connectionId", ${row}.provider_name as provider, ${row}.operation,
  ${row}.credential_id as "credentialId", ${row}.created_at as "createdAt", ${row}.completed_at as "completedAt",
  ${row}.is_open as "isOpen", ${row}.sealed, ${row}.attempts`;

const LEASE_TAKEN = (lease: string, leaseMs: string) =>
  `${takeRow(lease, leaseMs)}, look_again_at = clock_timestamp() + ${leaseMs}::int * interval '2 milliseconds'`;

/** Nothing, where a write has the key, or the connection is gone. */
const INSERT_WRITE = {
  name: 'insert_write',
  text: `
insert into crossbook.writes as stored
  (application_id, id, customer_id, connection_id, provider_name, operation, credential_id, key_hash, input_hash,
    sealed, key_id, created_at, is_open, lease, leased_until, look_again_at)
select $1::uuid, $2::uuid, connection.customer_id, connection.id, $5::text, $6::text, $7::text, $8::text, $9::text,
  $10::text, $11::text, $12::timestamptz, true, $13::uuid,
  clock_timestamp() + $14::int * interval '1 millisecond', clock_timestamp() + $14::int * interval '2 milliseconds'
from crossbook.connections as connection
where connection.application_id = $1::uuid and connection.id = $4::uuid and connection.customer_id = $3::text
on conflict do nothing
returning ${columnsOf('stored')}`,
};

const FIND_BY_KEY = {
  name: 'find_write_by_key',
  text: `
select ${columnsOf('stored')}, stored.input_hash as "inputHash", ${isFree('stored')} as "isFree"
from crossbook.writes as stored where application_id = $1::uuid and key_hash = $2::text`,
};

const TAKE_WRITE = {
  name: 'take_write',
  text: `
update crossbook.writes as stored set ${LEASE_TAKEN('$3', '$4')}, attempts = attempts + 1
where application_id = $1::uuid and id = $2::uuid and ${isFree('stored')} and is_open
returning ${columnsOf('stored')}`,
  isOnce: true,
};

const STORE_PROGRESS = {
  name: 'store_write_progress',
  text: `
update crossbook.writes as stored set ${LEASE_TAKEN('$3', '$4')}, sealed = $5::text, key_id = $6::text
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid
returning 1`,
};

/** $10: whether records were sent, so that what was fetched before is not served from the cache any more. */
const FINISH_WRITE = {
  name: 'finish_write',
  text: `
with ended as (
  update crossbook.writes as stored
  set sealed = $4::text, key_id = $5::text, completed_at = $6::timestamptz, is_open = $7::boolean,
    look_again_at = $8::timestamptz, lease = null, leased_until = null
  where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid
  returning stored.id, customer_id, connection_id, operation
), counted as (
  update crossbook.connections as stored
  set written_at = case when $10::boolean then $9::timestamptz else stored.written_at end,
    event_sequence = stored.event_sequence + case when $11::boolean then 1 else 0 end
  from ended where stored.application_id = $1::uuid and stored.id = ended.connection_id
    and ($10::boolean or $11::boolean)
  returning stored.id, stored.event_sequence
), ${recordEvents(
    `select gen_random_uuid() as id, ended.customer_id, ended.connection_id, 'write.completed' as type,
    counted.event_sequence as sequence,
    jsonb_build_object('write_id', ended.id, 'operation', ended.operation, 'outcomes', $12::jsonb) as data
  from ended join counted on counted.id = ended.connection_id where $11::boolean`,
    '$9::timestamptz',
  )}
select 1 from ended`,
};

const FORGET_WRITE = {
  name: 'forget_write',
  text: `
delete from crossbook.writes where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid`,
};

const FIND_WRITE = {
  name: 'find_write',
  text: `
select ${columnsOf('stored')} from crossbook.writes as stored
where application_id = $1::uuid and id = $2::uuid`,
};

const LIST_WRITES = {
  name: 'list_writes',
  text: `
select ${columnsOf('stored')} from crossbook.writes as stored
where application_id = $1::uuid and customer_id = $2::text
  and ($3::timestamptz is null or (created_at, id) < ($3::timestamptz, $4::uuid))
order by created_at desc, id desc limit $5::int`,
};

const CLAIM_WRITE = {
  name: 'claim_write',
  isOnce: true,
  text: `
update crossbook.writes as stored set ${LEASE_TAKEN('$2', '$3')}, attempts = attempts + 1
from (
  select application_id, id from crossbook.writes as due
  where look_again_at <= $1::timestamptz and ${isFree('due')}
  order by look_again_at limit 1 for no key update skip locked
) as due
where stored.application_id = due.application_id and stored.id = due.id
returning ${columnsOf('stored')}`,
};

const EXPIRE_KEYS = {
  name: 'expire_idempotency_keys',
  text: `
with expired as (
  update crossbook.writes set key_hash = null where (application_id, id) in (
    select application_id, id from crossbook.writes
    where created_at < $1::timestamptz and key_hash is not null order by created_at limit $2::int
  ) returning 1
)
select count(*)::int as count from expired`,
};

const SWEEP_WRITES = {
  name: 'sweep_writes',
  text: `
with deleted as (
  delete from crossbook.writes where (application_id, id) in (
    select application_id, id from crossbook.writes
    where created_at < $1::timestamptz order by created_at limit $2::int
  ) returning 1
)
select count(*)::int as count from deleted`,
};

interface WriteRow extends Omit<StoredWrite, 'items'> {
  readonly sealed: string;
  readonly isOpen: boolean;
}

interface KeyedRow extends WriteRow {
  readonly inputHash: string;
  readonly isFree: boolean;
}
