import { and, eq } from 'drizzle-orm';
import { CHANGED_EVENTS, type ChangedEvent, type NewEvent } from '../domain/event.ts';
import {
  type ClaimedConnection,
  type DueSync,
  MAX_CHANGED_IDS,
  MAX_RUNS,
  type RecordedBatch,
  type StoredDestination,
  type SyncCounts,
  type SyncOutcome,
  type SyncQueue,
} from '../domain/sync.ts';
import { findSyncedRecord } from '../domain/synced-records.ts';
import { chunk } from '../lib/batcher.ts';
import { type ConnectionRow, toConnection } from './customer-rows.ts';
import { appendEvents, inTransaction, type Transaction, toQuery } from './events.ts';
import { isFree, isWithinShare, RELEASE_ROW, takeRow } from './leases.ts';
import { CONNECTION_COLUMNS, connections } from './schema.ts';
import type { StoreDeps } from './store-deps.ts';
import { IS_RUNNABLE, SET_DUE } from './sync-store.ts';

/**
 * The queue of the sync workers. A process claims a connection with all its syncs, so that one process at a time calls
 * a CRM for them. What it records takes effect only while it has the lease.
 */
export function createSyncQueue(deps: StoreDeps): SyncQueue {
  const { engine, secrets, now } = deps;
  const { query } = engine;
  const at = (offsetMs = 0) => new Date(now().getTime() + offsetMs).toISOString();
  const keyOf = ({ claimed, kind, object }: DueSync) => [...connectionKeyOf(claimed), kind, object];

  /**
   * Runs a change in a transaction that has the lease, and extends it. Undefined: another process has it. The lease is
   * a statement of its own, so that the others see what was committed while this one waited.
   */
  const whileHeld = <T>({ claimed }: DueSync, change: (tx: Transaction) => Promise<T>) =>
    inTransaction(deps, async (tx) => {
      const { applicationId, connectionId, lease, leaseMs } = claimed;
      const values = [applicationId, connectionId, lease, leaseMs];
      const { rows } = await tx.execute(toQuery(EXTEND.text, values));
      return rows.length > 0 ? change(tx) : undefined;
    });

  return {
    findDue: async () => {
      const [row] = await query<Awaited<ReturnType<SyncQueue['findDue']>>>(FIND_DUE, [at()]);
      return row ?? { isDue: false, isInUse: false };
    },
    claim: async ({ lease, leaseMs, free, held }) => {
      const values = [at(), lease, leaseMs, free, JSON.stringify(Object.fromEntries(held))];
      const rows = await query<Omit<ClaimedConnection, 'lease' | 'leaseMs'>>(CLAIM, values);
      return rows.map((row) => ({ ...row, lease, leaseMs }));
    },
    readDue: async (claimed) => {
      const { applicationId, connectionId } = claimed;
      const [row] = await engine.repeatable(() =>
        engine.orm
          .select(CONNECTION_COLUMNS)
          .from(connections)
          .where(
            and(eq(connections.applicationId, applicationId), eq(connections.id, connectionId)),
          ),
      );
      if (!row) return [];
      const connection = toConnection(row as ConnectionRow);
      const due = await query<Omit<DueSync, 'claimed' | 'connection'>>(READ_DUE, [
        applicationId,
        connectionId,
        at(),
      ]);
      return due.map((one) => ({ ...one, claimed, connection }));
    },
    extend: async ({ applicationId, connectionId, lease, leaseMs }) =>
      (await query(EXTEND, [applicationId, connectionId, lease, leaseMs])).length > 0,
    begin: (sync, { position, isNew }) =>
      whileHeld(sync, async (tx) => {
        const values = [...keyOf(sync), JSON.stringify(position), at(), isNew];
        const { rows } = await tx.execute(toQuery(BEGIN, values));
        return rows.length > 0;
      }).then((hasBegun) => hasBegun ?? false),
    advance: (sync, { position, records, deleted, changedIds, deletedIds }) =>
      whileHeld(sync, async (tx) => {
        const { applicationId } = sync.claimed;
        const values = [...keyOf(sync), JSON.stringify(position), records, deleted];
        const advanced = await tx.execute<{ isRunnable: boolean }>(toQuery(ADVANCE, values));
        const type = toChangedEvent(sync);
        const hasChanges = changedIds.length + deletedIds.length > 0;
        if (hasChanges && type && (await hasSubscriber(tx, applicationId, type))) {
          const events = toChanges(type, sync, { changedIds, deletedIds });
          await appendEvents(tx, { applicationId, at: now(), events });
        }
        return advanced.rows[0];
      }),
    finish: async (sync, outcome) => {
      const isFinished = await whileHeld(sync, async (tx) => {
        const { applicationId } = sync.claimed;
        const finished = toFinished(outcome);
        const read = await tx.execute<RunRow>(toQuery(READ_RUN, keyOf(sync)));
        const [run] = read.rows;
        if (!run) return false;
        await tx.execute(toQuery(FINISH, [...keyOf(sync), at(), JSON.stringify(finished)]));
        if (finished.isEnd) {
          await tx.execute(
            toQuery(RECORD_RUN, [...keyOf(sync), JSON.stringify({ ...finished, ...run }), at()]),
          );
          await tx.execute(toQuery(PRUNE_RUNS, keyOf(sync)));
          const event = toEvent(sync, { ...finished, ...run });
          if (event) await appendEvents(tx, { applicationId, at: now(), events: [event] });
        }
        await tx.execute(toQuery(SET_DUE, connectionKeyOf(sync.claimed)));
        return true;
      });
      return isFinished ?? false;
    },
    release: async ({ applicationId, connectionId, lease }) => {
      await query(RELEASE, [applicationId, connectionId, lease]);
    },
    findDestination: async (applicationId) => {
      const [row] = await query<DestinationRow>(FIND_SECRET, [applicationId]);
      if (!row) return undefined;
      const { sealed, ...destination } = row;
      const { host, port, database, user } = destination;
      const sealedFor = [applicationId, host, String(port), database, user];
      const password = secrets.destinationPassword.open(sealed, ...sealedFor);
      if (password !== undefined) return { ...destination, applicationId, password };
      throw new Error('The password of a sync destination does not open: a key is missing');
    },
    noteTable: async ({ claimed }, { destination, schema, table }) => {
      const { applicationId, connectionId } = claimed;
      const values = [applicationId, connectionId, destination, schema, table];
      return (await query(NOTE_TABLE, values)).length > 0;
    },
    count: async () => {
      const [row] = await query<SyncCounts>(COUNT, [at()]);
      return row ?? { syncs: 0, failed: 0, lagSeconds: 0, removalSeconds: 0 };
    },
  };
}

function connectionKeyOf({ applicationId, connectionId }: ConnectionKey): readonly string[] {
  return [applicationId, connectionId];
}

type ConnectionKey = Pick<ClaimedConnection, 'applicationId' | 'connectionId'>;

/** The columns of a sync after a run, and what is recorded of it. */
function toFinished(outcome: SyncOutcome): Finished {
  const none = { isEnd: false, error: null, retryAfterMs: 0 };
  switch (outcome.kind) {
    case 'completed':
      return { ...none, isEnd: true, ...outcome };
    case 'failed':
      return { ...none, isEnd: true, ...outcome, position: null };
    default:
      return { ...none, ...outcome, position: null };
  }
}

interface Finished {
  readonly kind: SyncOutcome['kind'];
  /** Whether the run ends, and not only this process's part of it. */
  readonly isEnd: boolean;
  readonly error: Extract<SyncOutcome, { kind: 'failed' }>['error'] | null;
  readonly retryAfterMs: number;
  readonly position: DueSync['position'];
}

interface RunRow extends Record<string, unknown> {
  readonly records: number;
  readonly deleted: number;
  readonly isFull: boolean;
}

/** A run without changes has no event, and neither has a failure after another one. */
function toEvent(sync: DueSync, run: Finished & RunRow): NewEvent | undefined {
  const { connection, claimed, object, table, failures } = sync;
  const { records, deleted, isFull, error } = run;
  const isNews = error ? failures === 0 : isFull || records + deleted > 0;
  // The event of the connection says so already.
  if (!isNews || error?.code === 'PROVIDER_REFUSED') return undefined;
  return {
    type: error ? 'sync.failed' : 'sync.completed',
    customerId: connection.customerId,
    connectionId: claimed.connectionId,
    data: {
      provider_name: connection.providerName,
      object,
      table,
      is_full: isFull,
      records,
      deleted,
      error: error && (error.code.toLowerCase() as Lowercase<typeof error.code>),
    },
  };
}

/** Undefined: changes of such records have no event. */
function toChangedEvent({ kind }: DueSync): ChangedEvent | undefined {
  const type = `${findSyncedRecord(kind)?.nouns}.changed`;
  return CHANGED_EVENTS.find((one) => one === type);
}

async function hasSubscriber(
  tx: Transaction,
  applicationId: string,
  type: ChangedEvent,
): Promise<boolean> {
  const { rows } = await tx.execute(toQuery(FIND_SUBSCRIBER, [applicationId, type]));
  return rows.length > 0;
}

function toChanges(
  type: ChangedEvent,
  { connection, claimed }: DueSync,
  { changedIds, deletedIds }: Pick<RecordedBatch, 'changedIds' | 'deletedIds'>,
): readonly NewEvent[] {
  const all = [
    ...changedIds.map((id) => ({ id, isDeleted: false })),
    ...deletedIds.map((id) => ({ id, isDeleted: true })),
  ];
  return chunk(all, MAX_CHANGED_IDS).map((part) => ({
    type,
    customerId: connection.customerId,
    connectionId: claimed.connectionId,
    data: {
      provider_name: connection.providerName,
      changed_ids: part.flatMap(({ id, isDeleted }) => (isDeleted ? [] : [id])),
      deleted_ids: part.flatMap(({ id, isDeleted }) => (isDeleted ? [id] : [])),
    },
  }));
}

type DestinationRow = Omit<StoredDestination, 'applicationId' | 'password'> & {
  readonly sealed: string;
};

/** Every application that syncs: each has an index range of its own, so that one with many connections delays none. */
const APPLICATIONS = `
  select id as application_id from crossbook.applications as owner where deleted_at is null
    and exists (select from crossbook.sync_configurations where application_id = owner.id)`;

/** It reads the first rows of the index of each application: for `exists`, a generic plan may read the whole table. */
const FIND_DUE = {
  name: 'look_for_syncs',
  text: `
select exists (
    select from (${APPLICATIONS}) as application where (
      select due_at from crossbook.sync_plans as plan
      where plan.application_id = application.application_id and ${isFree('plan')}
      order by due_at limit 1
    ) <= $1::timestamptz
  ) or exists (
    select from crossbook.row_removals as removal
    where next_attempt_at <= $1::timestamptz and ${isFree('removal')}
  ) as "isDue",
  exists (select from crossbook.sync_configurations) or exists (select from crossbook.row_removals) as "isInUse"`,
};

/** Rows of a deleted customer are deleted before a customer of the same id is synced again. */
const CLAIM = {
  name: 'claim_syncs',
  isOnce: true,
  text: `
with turn as (
  select application_id, connection_id, place, row_number() over (order by place, leased_until nulls first) as position
  from (
    select plan.*, coalesce(($5::jsonb ->> plan.application_id::text)::int, 0)
      + row_number() over (partition by plan.application_id order by leased_until nulls first) as place
    from (${APPLICATIONS}) as application cross join lateral (
      select plan.application_id, plan.connection_id, plan.leased_until from crossbook.sync_plans as plan
      where plan.application_id = application.application_id and plan.due_at <= $1::timestamptz
        and ${isFree('plan')} and not exists (
          select from crossbook.row_removals as removal
          join crossbook.connections as connection
            on connection.application_id = removal.application_id and connection.customer_id = removal.customer_id
          where removal.application_id = plan.application_id and connection.id = plan.connection_id
        )
      order by plan.due_at limit $4::int
    ) as plan
  ) as due
), chosen as (
  select plan.application_id, plan.connection_id from crossbook.sync_plans as plan
  join turn on turn.application_id = plan.application_id and turn.connection_id = plan.connection_id
  where ${isWithinShare('$4')} and ${isFree('plan')}
  order by position for no key update of plan skip locked
)
update crossbook.sync_plans as stored set ${takeRow('$2', '$3')}
from chosen
where stored.application_id = chosen.application_id and stored.connection_id = chosen.connection_id
returning stored.application_id as "applicationId", stored.connection_id as "connectionId"`,
};

const READ_DUE = {
  name: 'read_due_syncs',
  text: `
select kind, object, schema_name as schema, table_name as "table", edge_tables as "edgeTables", interval_seconds as "intervalSeconds",
  wants_full as "wantsFull", position, synced_until as "syncedUntil", full_at as "fullAt",
  columns_key as "contentKey", incomplete, failures
from crossbook.syncs
where application_id = $1::uuid and connection_id = $2::uuid and next_run_at <= $3::timestamptz
  and ${IS_RUNNABLE} and schema_name is not null
order by next_run_at, place`,
};

const EXTEND = {
  name: 'extend_syncs',
  text: `
update crossbook.sync_plans set ${takeRow('$3', '$4')}
where application_id = $1::uuid and connection_id = $2::uuid and lease = $3::uuid returning 1`,
};

/** $1 to $4. */
const IS_SYNC = `application_id = $1::uuid and connection_id = $2::uuid and kind = $3::text and object = $4::text`;

/**
 * $5: position, $6: time, $7: whether the run is new. A run that continues keeps its counts, and what was requested
 * while it ran is still to be done. If everything is read again, nothing is in the table yet.
 */
const BEGIN = `
update crossbook.syncs set position = $5::jsonb,
  started_at = case when $7::boolean then $6::timestamptz else coalesce(started_at, $6::timestamptz) end,
  records = case when $7::boolean or started_at is null then 0 else records end,
  deleted = case when $7::boolean or started_at is null then 0 else deleted end,
  wants_full = wants_full and not ($5::jsonb ->> 'isFull')::boolean,
  is_requested = is_requested and not $7::boolean and started_at is not null,
  synced_until = case when columns_key is distinct from $5::jsonb ->> 'contentKey' then null else synced_until end
where ${IS_SYNC} and ${IS_RUNNABLE} returning 1`;

const ADVANCE = `
update crossbook.syncs set position = $5::jsonb, records = records + $6::int, deleted = deleted + $7::int
where ${IS_SYNC} returning ${IS_RUNNABLE} as "isRunnable"`;

const READ_RUN = `
select records, deleted, started_at as "startedAt", coalesce((position ->> 'isFull')::boolean, false) as "isFull"
from crossbook.syncs where ${IS_SYNC}`;

/**
 * $5: time, $6: how it ended. After a full run the changes since its start follow at once, and so does a run that was
 * requested meanwhile. A failed run keeps its position; the window that it then continues may have begun long ago, so
 * that the next one is earlier.
 */
const FINISH = `
with ended as (
  select given ->> 'kind' as result, given -> 'position' ->> 'contentKey' as new_key,
    (given ->> 'retryAfterMs')::float8 as retry_ms, (given ->> 'isEnd')::boolean as is_end,
    (given -> 'position' ->> 'until')::timestamptz as until,
    (given -> 'position' ->> 'beganAt')::timestamptz as began_at,
    coalesce((given -> 'position' ->> 'isFull')::boolean, false) as was_full,
    given -> 'position' -> 'incomplete' as new_incomplete
  from (select $6::jsonb as given) as given
)
update crossbook.syncs as sync set
  position = case when result = 'completed' then null else position end,
  started_at = case when is_end then null else started_at end,
  synced_until = case when result = 'completed' then until else synced_until end,
  full_at = case when result = 'completed' and was_full then started_at else full_at end,
  columns_key = case when result = 'completed' and was_full then new_key else columns_key end,
  incomplete = case when result = 'completed' then new_incomplete else incomplete end,
  failures = case result when 'completed' then 0 when 'failed' then failures + 1 else failures end,
  next_run_at = case
    when result = 'failed' or retry_ms > 0 then $5::timestamptz + retry_ms * interval '1 millisecond'
    when result = 'completed' and not was_full and not wants_full and not is_requested
      then greatest($5::timestamptz,
        least(started_at, began_at) + interval_seconds * interval '1 second')
    else least(next_run_at, $5::timestamptz)
  end
from ended where ${IS_SYNC}`;

const RECORD_RUN = `
insert into crossbook.sync_runs (application_id, connection_id, kind, object, started_at, finished_at, is_full, records,
  deleted, error)
select $1::uuid, $2::uuid, $3::text, $4::text, coalesce((run ->> 'startedAt')::timestamptz, $6::timestamptz),
  $6::timestamptz, (run ->> 'isFull')::boolean, (run ->> 'records')::int, (run ->> 'deleted')::int,
  nullif(run -> 'error', 'null')
from (select $5::jsonb as run) as run
on conflict do nothing`;

const PRUNE_RUNS = `
delete from crossbook.sync_runs where ${IS_SYNC} and finished_at < (
  select finished_at from crossbook.sync_runs where ${IS_SYNC}
  order by finished_at desc offset ${MAX_RUNS - 1} limit 1
)`;

const RELEASE = {
  name: 'release_syncs',
  text: `
update crossbook.sync_plans set ${RELEASE_ROW}
where application_id = $1::uuid and connection_id = $2::uuid and lease = $3::uuid`,
};

const FIND_SUBSCRIBER = `
select 1 from crossbook.webhook_endpoints
where application_id = $1::uuid and enabled and $2::text = any (event_types) limit 1`;

const FIND_SECRET = {
  name: 'find_sync_destination_secret',
  text: `
select host, port, database_name as database, user_name as "user", schema_name as schema,
  ca_certificate as "caCertificate", sealed_password as sealed, version
from crossbook.sync_destinations where application_id = $1::uuid`,
};

/** The lock orders it before the removal of the customer, or after it, where nothing is to be written any more. */
const NOTE_TABLE = {
  name: 'note_sync_table',
  text: `
with owner as (
  select application_id, customer_id from crossbook.connections
  where application_id = $1::uuid and id = $2::uuid for key share
), noted as (
  insert into crossbook.customer_sync_tables (application_id, customer_id, destination, schema_name, table_name)
  select application_id, customer_id, $3::text, $4::text, $5::text from owner
  on conflict do nothing
)
select 1 from owner`,
};

/** A count of all rows takes as long as there are rows. */
const MAX_COUNTED = 100_000;
const countUpTo = (rows: string) =>
  `(select count(*)::int from (${rows} limit ${MAX_COUNTED}) as counted)`;

/**
 * Of the syncs with one interval, the one that was synced first is the furthest behind: an index has it for each
 * interval. A sync whose first run has not ended is behind since its first attempt: the start of this run, or of the
 * first of its failures.
 */
const COUNT = {
  name: 'count_syncs',
  text: `
with recursive intervals as (
  (select interval_seconds from crossbook.syncs where ${IS_RUNNABLE} order by interval_seconds limit 1)
  union all
  select (
    select next.interval_seconds from crossbook.syncs as next
    where ${IS_RUNNABLE} and next.interval_seconds > intervals.interval_seconds
    order by next.interval_seconds limit 1
  ) from intervals where intervals.interval_seconds is not null
), unfinished as (
  select extract(epoch from $1::timestamptz - least(
    (position ->> 'beganAt')::timestamptz,
    (
      select started_at from crossbook.sync_runs as run
      where run.application_id = sync.application_id and run.connection_id = sync.connection_id
        and run.kind = sync.kind and run.object = sync.object and sync.failures > 0
      order by finished_at desc offset greatest(least(sync.failures, ${MAX_RUNS}), 1) - 1 limit 1
    )
  )) - sync.interval_seconds as seconds
  from intervals cross join lateral (
    select * from crossbook.syncs as sync
    where ${IS_RUNNABLE} and sync.interval_seconds = intervals.interval_seconds and synced_until is null
      and (position is not null or failures > 0)
    limit ${MAX_COUNTED}
  ) as sync
), lags as (
  select extract(epoch from $1::timestamptz - (
    select synced_until from crossbook.syncs as sync
    where ${IS_RUNNABLE} and sync.interval_seconds = intervals.interval_seconds
    order by synced_until limit 1
  )) - interval_seconds as seconds from intervals
  union all select seconds from unfinished
)
select ${countUpTo(`select from crossbook.syncs where ${IS_RUNNABLE}`)} as syncs,
  ${countUpTo(`select from crossbook.syncs where ${IS_RUNNABLE} and failures > 0`)} as failed,
  coalesce(greatest((select max(seconds) from lags), 0), 0)::float8 as "lagSeconds",
  coalesce(extract(epoch from $1::timestamptz - (
    select created_at from crossbook.row_removals order by created_at limit 1
  )), 0)::float8 as "removalSeconds"`,
};
