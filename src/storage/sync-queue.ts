import { and, eq } from 'drizzle-orm';
import type { NewEvent } from '../domain/event.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import {
  type ClaimedConnection,
  type ClaimedRemoval,
  type CustomerScope,
  type DueSync,
  MAX_CHANGED_IDS,
  MAX_RUNS,
  type PlanWalk,
  type StoredDestination,
  type SyncConfigurationInput,
  type SyncCounts,
  type SyncOutcome,
  type SyncQueue,
} from '../domain/sync.ts';
import { planSyncs } from '../domain/sync-plan.ts';
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
    planCustomers: async (customers) => {
      const applicationIds = customers.map(({ applicationId }) => applicationId);
      const customerIds = customers.map(({ customerId }) => customerId);
      const found = await query<UnplannedRow>(FIND_UNPLANNED, [applicationIds, customerIds]);
      for (const one of found) await inTransaction(deps, (tx) => plan(tx, one, at()));
      return found.length;
    },
    planNext: async ({ after, lastApplicationId }) => {
      const { applicationId, providerName, customerId } = after;
      const values = [applicationId, providerName, customerId, lastApplicationId];
      const rows = await query<WalkedRow>(WALK_UNPLANNED, values);
      const found = rows.filter((row) => row.connectionId !== null);
      for (const one of found) await inTransaction(deps, (tx) => plan(tx, one, at()));
      const last = found.length < PLANNED_AT_ONCE ? rows[0]?.last : found.at(-1);
      return { planned: found.length, rest: last && { after: toPlace(last), lastApplicationId } };
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
        if (changedIds.length + deletedIds.length > 0 && (await hasSubscriber(tx, applicationId))) {
          const events = toChanges(sync, changedIds, deletedIds);
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
    claimRemoval: async (lease, leaseMs) => {
      const values = [at(), lease, leaseMs];
      const [row] = await query<Omit<ClaimedRemoval, 'lease' | 'leaseMs'>>(CLAIM_REMOVAL, values);
      return row && { ...row, lease, leaseMs };
    },
    extendRemoval: async ({ applicationId, id, lease, leaseMs }, rows) =>
      (await query(EXTEND_REMOVAL, [applicationId, id, lease, leaseMs, rows])).length > 0,
    endRemoval: (removal, outcome) =>
      inTransaction(deps, async (tx) => {
        const { applicationId, id, lease, customerId } = removal;
        if (outcome.kind === 'failed') {
          const next = at(outcome.retryAfterMs);
          const retried = await tx.execute<{ attempts: number }>(
            toQuery(RETRY_REMOVAL, [applicationId, id, lease, next]),
          );
          const [row] = retried.rows;
          if (row)
            await tx.execute(toQuery(POSTPONE_REMOVALS, [applicationId, next, row.attempts]));
          return;
        }
        const ended = await tx.execute<{ rows: number }>(
          toQuery(DELETE_REMOVAL, [applicationId, id, lease]),
        );
        const [data] = ended.rows;
        if (!data) return;
        const type =
          outcome.kind === 'done' ? 'customer.rows_deleted' : 'customer.rows_not_deleted';
        const events = [{ type, customerId, connectionId: null, data } as const];
        await appendEvents(tx, { applicationId, at: now(), events });
      }),
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

function toPlace({ applicationId, providerName, customerId }: PlanWalk['after']) {
  return { applicationId, providerName, customerId };
}

/** Replaces the plan of a connection. A sync with another table, or without one before, starts with a full run. */
async function plan(tx: Transaction, unplanned: UnplannedRow, at: string): Promise<void> {
  const { plannedFor, configuration, schema, ...connection } = unplanned;
  const planned = planSyncs({
    destination: schema === null ? undefined : { schema },
    configuration,
    connection,
  });
  const key = connectionKeyOf(unplanned);
  // Nothing where the connection was removed meanwhile.
  const { rows } = await tx.execute(toQuery(SET_PLAN, [...key, plannedFor]));
  if (rows.length === 0) return;
  const given = planned.map((one, place) => ({
    ...one,
    place,
    intervalSeconds: configuration.intervalSeconds,
  }));
  await tx.execute(toQuery(SET_SYNCS, [...key, JSON.stringify(given), at]));
  await tx.execute(toQuery(SET_DUE, key));
}

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

async function hasSubscriber(tx: Transaction, applicationId: string): Promise<boolean> {
  const { rows } = await tx.execute(toQuery(FIND_SUBSCRIBER, [applicationId]));
  return rows.length > 0;
}

function toChanges(
  { connection, claimed }: DueSync,
  changed: readonly string[],
  deleted: readonly string[],
): readonly NewEvent[] {
  const all = [
    ...changed.map((id) => ({ id, isDeleted: false })),
    ...deleted.map((id) => ({ id, isDeleted: true })),
  ];
  return chunk(all, MAX_CHANGED_IDS).map((part) => ({
    type: 'contacts.changed',
    customerId: connection.customerId,
    connectionId: claimed.connectionId,
    data: {
      provider_name: connection.providerName,
      changed_ids: part.flatMap(({ id, isDeleted }) => (isDeleted ? [] : [id])),
      deleted_ids: part.flatMap(({ id, isDeleted }) => (isDeleted ? [id] : [])),
    },
  }));
}

/** Connections that a statement of a walk looks at, and those of them that it returns. */
const WALKED_AT_ONCE = 2_000;
const PLANNED_AT_ONCE = 100;

interface UnplannedRow extends CustomerScope {
  readonly connectionId: string;
  readonly plannedFor: string;
  readonly schema: string | null;
  readonly configuration: SyncConfigurationInput;
  readonly providerName: ProviderName;
  readonly status: ConnectionRow['status'];
  readonly connectionSyncConfig: ConnectionRow['connectionSyncConfig'];
}

interface WalkedRow extends UnplannedRow {
  /** The last connection that the statement has looked at. */
  readonly last: PlanWalk['after'];
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

/** Connections that are not planned for what they and their configuration are now. `source` yields connections. */
const unplanned = (source: string) => `
select * from (
  select connection.application_id as "applicationId", connection.id as "connectionId",
    connection.customer_id as "customerId", connection.provider_name as "providerName",
    concat_ws(' ', configured.version, coalesce(destination.version, 0),
      extract(epoch from connection.updated_at), connection.status, connection.credentials_version) as "plannedFor",
    destination.schema_name as schema, configured.configuration, connection.status,
    connection.connection_sync_config as "connectionSyncConfig", plan.planned_for
  from ${source} as connection
  join crossbook.sync_configurations as configured
    on configured.application_id = connection.application_id
      and configured.provider_name = connection.provider_name
  left join crossbook.sync_destinations as destination
    on destination.application_id = connection.application_id
  left join crossbook.sync_plans as plan
    on plan.application_id = connection.application_id and plan.connection_id = connection.id
) as found
where planned_for is distinct from "plannedFor"`;

const FIND_UNPLANNED = {
  name: 'find_unplanned_syncs',
  text: unplanned(`(
    select connection.* from unnest($1::uuid[], $2::text[]) as changed (application_id, customer_id)
    join crossbook.connections as connection
      on connection.application_id = changed.application_id and connection.customer_id = changed.customer_id
  )`),
};

/**
 * $1 to $3: the place after which the statement looks, $4: the last application. Of each configuration it reads a range
 * of the index, so that what it reads does not grow with the number of connections.
 */
const WALK_UNPLANNED = {
  name: 'walk_unplanned_syncs',
  text: `
with walked as materialized (
  select connection.* from crossbook.sync_configurations as configured cross join lateral (
    select * from crossbook.connections as connection
    where connection.application_id = configured.application_id
      and connection.provider_name = configured.provider_name
      and customer_id > case
        when (configured.application_id, configured.provider_name) = ($1::uuid, $2::text) then $3::text else ''
      end
    order by customer_id limit ${WALKED_AT_ONCE}
  ) as connection
  where (configured.application_id, configured.provider_name) >= ($1::uuid, $2::text)
    and configured.application_id <= $4::uuid
  order by configured.application_id, configured.provider_name, connection.customer_id limit ${WALKED_AT_ONCE}
), last as (
  select application_id, provider_name, customer_id from walked
  order by application_id desc, provider_name desc, customer_id desc limit 1
)
select found.*, json_build_object('applicationId', application_id, 'providerName', provider_name,
  'customerId', customer_id) as last
from last left join (${unplanned('walked')}
  order by "applicationId", "providerName", "customerId" limit ${PLANNED_AT_ONCE}
) as found on true
order by "applicationId", "providerName", "customerId"`,
};

const SET_PLAN = `
insert into crossbook.sync_plans (application_id, connection_id, planned_for)
select application_id, id, $3::text from crossbook.connections
where application_id = $1::uuid and id = $2::uuid for key share
on conflict (application_id, connection_id) do update set planned_for = excluded.planned_for
returning 1`;

/** Whether the table is another one. Without a destination nothing has moved yet. */
const IS_MOVED = `(excluded.schema_name is not null and (stored.schema_name, stored.table_name)
    is distinct from (excluded.schema_name, excluded.table_name))`;

/** Syncs with another table start over. What is no longer configured is removed from the plan, and its rows stay. */
const SET_SYNCS = `
with given as (
  select * from jsonb_to_recordset($3::jsonb) as given (kind text, object text, place int, schema text, "table" text,
    "intervalSeconds" int, "pauseReason" text, problem jsonb)
), removed as (
  delete from crossbook.syncs as sync
  where application_id = $1::uuid and connection_id = $2::uuid
    and not exists (select from given where given.kind = sync.kind and given.object = sync.object)
)
insert into crossbook.syncs as stored (application_id, connection_id, kind, object, place, schema_name, table_name,
  interval_seconds, pause_reason, problem, next_run_at)
select $1::uuid, $2::uuid, kind, object, place, schema, "table", "intervalSeconds", "pauseReason",
  nullif(problem, 'null'), $4::timestamptz
from given
on conflict (application_id, connection_id, kind, object) do update set place = excluded.place,
  interval_seconds = excluded.interval_seconds, pause_reason = excluded.pause_reason, problem = excluded.problem,
  schema_name = excluded.schema_name, table_name = excluded.table_name,
  next_run_at = case when stored.pause_reason is distinct from excluded.pause_reason
      or stored.problem is distinct from excluded.problem or ${IS_MOVED}
    then excluded.next_run_at
    else least(stored.next_run_at, excluded.next_run_at + excluded.interval_seconds * interval '1 second') end,
  wants_full = stored.wants_full or ${IS_MOVED},
  position = case when ${IS_MOVED} then null else stored.position end,
  synced_until = case when ${IS_MOVED} then null else stored.synced_until end`;

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
select kind, object, schema_name as schema, table_name as "table", interval_seconds as "intervalSeconds",
  wants_full as "wantsFull", position, synced_until as "syncedUntil", full_at as "fullAt",
  columns_key as "contentKey", failures
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
 * A window ends at most this long before its run starts: by the time after which a CRM finds a change (`searchLagMs`),
 * with a margin. It is independent of the overlap of windows (`OVERLAP_MS` in run-sync.ts).
 */
const LONGEST_LAG = "interval '2 minutes'";

/**
 * $5: time, $6: how it ended. After a full run the changes since its start follow at once, and so does a run that was
 * requested meanwhile. A failed run keeps its position; the window that it then continues may have ended long ago, so
 * that the next one is earlier.
 */
const FINISH = `
with ended as (
  select given ->> 'kind' as result, given -> 'position' ->> 'contentKey' as new_key,
    (given ->> 'retryAfterMs')::float8 as retry_ms, (given ->> 'isEnd')::boolean as is_end,
    (given -> 'position' ->> 'until')::timestamptz as until,
    coalesce((given -> 'position' ->> 'isFull')::boolean, false) as was_full
  from (select $6::jsonb as given) as given
)
update crossbook.syncs as sync set
  position = case when result = 'completed' then null else position end,
  started_at = case when is_end then null else started_at end,
  synced_until = case when result = 'completed' then until else synced_until end,
  full_at = case when result = 'completed' and was_full then started_at else full_at end,
  columns_key = case when result = 'completed' and was_full then new_key else columns_key end,
  failures = case result when 'completed' then 0 when 'failed' then failures + 1 else failures end,
  next_run_at = case
    when result = 'failed' or retry_ms > 0 then $5::timestamptz + retry_ms * interval '1 millisecond'
    when result = 'completed' and not was_full and not wants_full and not is_requested
      then greatest($5::timestamptz,
        least(started_at, until + ${LONGEST_LAG}) + interval_seconds * interval '1 second')
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
where application_id = $1::uuid and enabled and 'contacts.changed' = any (event_types) limit 1`;

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

const CLAIM_REMOVAL = {
  name: 'claim_row_removal',
  isOnce: true,
  text: `
update crossbook.row_removals as stored set ${takeRow('$2', '$3')}, attempts = attempts + 1
from (
  select application_id, id from crossbook.row_removals as removal
  where next_attempt_at <= $1::timestamptz and ${isFree('removal')}
  order by next_attempt_at limit 1 for no key update skip locked
) as due
where stored.application_id = due.application_id and stored.id = due.id
returning stored.application_id as "applicationId", stored.id, customer_id as "customerId", tables, attempts,
  created_at as "createdAt"`,
};

const EXTEND_REMOVAL = {
  name: 'extend_row_removal',
  text: `
update crossbook.row_removals set ${takeRow('$3', '$4')}, deleted_rows = deleted_rows + $5::int
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid returning 1`,
};

const RETRY_REMOVAL = `
update crossbook.row_removals set ${RELEASE_ROW}, next_attempt_at = $4::timestamptz
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid
returning attempts`;

/**
 * $1: application, $2: time, $3: attempts. The other removals of an application have the same destination: they wait as
 * long as one that failed, so that its timeouts delay no other application. Those that a process has are skipped, not
 * waited for.
 */
const POSTPONE_REMOVALS = `
update crossbook.row_removals as stored
set next_attempt_at = $2::timestamptz, attempts = greatest(stored.attempts, $3::int)
from (
  select application_id, id from crossbook.row_removals as removal
  where application_id = $1::uuid and next_attempt_at < $2::timestamptz and ${isFree('removal')}
  for no key update skip locked
) as other
where stored.application_id = other.application_id and stored.id = other.id`;

const DELETE_REMOVAL = `
delete from crossbook.row_removals
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid
returning deleted_rows as rows`;

/** Forgets which tables have rows of a customer: its rows stay. */
export const FORGET_TABLES = `
delete from crossbook.customer_sync_tables where application_id = $1::uuid and customer_id = $2::text`;

/** Inserts the removal of a customer's rows where there are any tables. $3: time, $4: first attempt. */
export const ADD_REMOVAL = `
with forgotten as (${FORGET_TABLES} returning destination, schema_name, table_name)
insert into crossbook.row_removals (application_id, id, customer_id, tables, created_at, next_attempt_at)
select $1::uuid, gen_random_uuid(), $2::text,
  jsonb_agg(jsonb_build_object('destination', destination, 'schema', schema_name, 'table', table_name)),
  $3::timestamptz, $4::timestamptz
from forgotten having count(*) > 0`;

/** A count of all rows takes as long as there are rows. */
const MAX_COUNTED = 100_000;
const countUpTo = (rows: string) =>
  `(select count(*)::int from (${rows} limit ${MAX_COUNTED}) as counted)`;

/**
 * Of the syncs with one interval, the one that was synced first is the furthest behind: an index has it for each
 * interval.
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
), lags as (
  select extract(epoch from $1::timestamptz - (
    select synced_until from crossbook.syncs as sync
    where ${IS_RUNNABLE} and sync.interval_seconds = intervals.interval_seconds
    order by synced_until limit 1
  )) - interval_seconds as seconds from intervals
)
select ${countUpTo(`select from crossbook.syncs where ${IS_RUNNABLE}`)} as syncs,
  ${countUpTo(`select from crossbook.syncs where ${IS_RUNNABLE} and failures > 0`)} as failed,
  coalesce(greatest((select max(seconds) from lags), 0), 0)::float8 as "lagSeconds",
  coalesce(extract(epoch from $1::timestamptz - (
    select created_at from crossbook.row_removals order by created_at limit 1
  )), 0)::float8 as "removalSeconds"`,
};
