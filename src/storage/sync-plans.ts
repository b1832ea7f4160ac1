import type { ProviderName } from '../domain/provider-names.ts';
import {
  type CustomerScope,
  type PlanWalk,
  type StoredConfiguration,
  type SyncPlans,
  withLaterSettings,
} from '../domain/sync.ts';
import { planSyncs } from '../domain/sync-plan.ts';
import type { ConnectionRow } from './customer-rows.ts';
import { inTransaction, type Transaction, toQuery } from './events.ts';
import type { StoreDeps } from './store-deps.ts';
import { SET_DUE } from './sync-store.ts';

/** Keeps the plan of each connection: the syncs that follow from its configuration and its state. */
export function createSyncPlans(deps: StoreDeps): SyncPlans {
  const { query } = deps.engine;
  const planEach = async (found: readonly UnplannedRow[]) => {
    const at = deps.now().toISOString();
    for (const row of found) await inTransaction(deps, (tx) => plan(tx, row, at));
  };
  return {
    planCustomers: async (customers) => {
      const applicationIds = customers.map(({ applicationId }) => applicationId);
      const customerIds = customers.map(({ customerId }) => customerId);
      const found = await query<UnplannedRow>(FIND_UNPLANNED, [applicationIds, customerIds]);
      await planEach(found);
      return found.length;
    },
    planNext: async ({ after, lastApplicationId }) => {
      const { applicationId, providerName, customerId } = after;
      const values = [applicationId, providerName, customerId, lastApplicationId];
      const rows = await query<WalkedRow>(WALK_UNPLANNED, values);
      const found = rows.filter((row) => row.connectionId !== null);
      await planEach(found);
      const last = found.length < PLANNED_AT_ONCE ? rows[0]?.last : found.at(-1);
      return { planned: found.length, rest: last && { after: toPlace(last), lastApplicationId } };
    },
  };
}

function toPlace({ applicationId, providerName, customerId }: PlanWalk['after']) {
  return { applicationId, providerName, customerId };
}

/** Replaces the plan of a connection. A sync with another table, or without one before, starts with a full run. */
async function plan(tx: Transaction, unplanned: UnplannedRow, at: string): Promise<void> {
  const { plannedFor, configuration: stored, schema, ...connection } = unplanned;
  const configuration = withLaterSettings(stored);
  const planned = planSyncs({
    destination: schema === null ? undefined : { schema },
    configuration,
    connection,
  });
  const key = [unplanned.applicationId, unplanned.connectionId];
  // Nothing where the connection was removed meanwhile.
  const { rows } = await tx.execute(toQuery(SET_PLAN, [...key, plannedFor]));
  if (rows.length === 0) return;
  const planRows = planned.map((one, place) => ({
    ...one,
    place,
    intervalSeconds: configuration.intervalSeconds,
  }));
  await tx.execute(toQuery(SET_SYNCS, [...key, JSON.stringify(planRows), at]));
  await tx.execute(toQuery(SET_DUE, key));
}

/** Connections that a statement of a walk looks at, and those of them that it returns. */
const WALKED_AT_ONCE = 2_000;
const PLANNED_AT_ONCE = 100;

interface UnplannedRow extends CustomerScope {
  readonly connectionId: string;
  readonly plannedFor: string;
  readonly schema: string | null;
  readonly configuration: StoredConfiguration;
  readonly providerName: ProviderName;
  readonly status: ConnectionRow['status'];
  readonly connectionSyncConfig: ConnectionRow['connectionSyncConfig'];
  readonly readableRecords: ConnectionRow['readableRecords'];
}

interface WalkedRow extends UnplannedRow {
  /** The last connection that the statement has looked at. */
  readonly last: PlanWalk['after'];
}

/** Connections that are not planned for what they and their configuration are now. `source` yields connections. */
const unplanned = (source: string) => `
select * from (
  select connection.application_id as "applicationId", connection.id as "connectionId",
    connection.customer_id as "customerId", connection.provider_name as "providerName",
    concat_ws(' ', configured.version, coalesce(destination.version, 0),
      extract(epoch from connection.updated_at), connection.status, connection.credentials_version) as "plannedFor",
    destination.schema_name as schema, configured.configuration, connection.status,
    connection.connection_sync_config as "connectionSyncConfig",
    connection.readable_records as "readableRecords", plan.planned_for
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
    "edgeTables" jsonb, "intervalSeconds" int, "pauseReason" text, problem jsonb)
), removed as (
  delete from crossbook.syncs as sync
  where application_id = $1::uuid and connection_id = $2::uuid
    and not exists (select from given where given.kind = sync.kind and given.object = sync.object)
)
insert into crossbook.syncs as stored (application_id, connection_id, kind, object, place, schema_name, table_name,
  edge_tables, interval_seconds, pause_reason, problem, next_run_at)
select $1::uuid, $2::uuid, kind, object, place, schema, "table", "edgeTables", "intervalSeconds", "pauseReason",
  nullif(problem, 'null'), $4::timestamptz
from given
on conflict (application_id, connection_id, kind, object) do update set place = excluded.place,
  interval_seconds = excluded.interval_seconds, pause_reason = excluded.pause_reason, problem = excluded.problem,
  schema_name = excluded.schema_name, table_name = excluded.table_name, edge_tables = excluded.edge_tables,
  next_run_at = case when stored.pause_reason is distinct from excluded.pause_reason
      or stored.problem is distinct from excluded.problem
      or stored.edge_tables is distinct from excluded.edge_tables or ${IS_MOVED}
    then excluded.next_run_at
    else least(stored.next_run_at, excluded.next_run_at + excluded.interval_seconds * interval '1 second') end,
  wants_full = stored.wants_full or ${IS_MOVED},
  position = case when ${IS_MOVED} then null else stored.position end,
  synced_until = case when ${IS_MOVED} then null else stored.synced_until end`;
