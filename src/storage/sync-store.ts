import {
  type IncompleteRecords,
  MAX_RUNS,
  type StoredConfiguration,
  type Sync,
  type SyncConfiguration,
  type SyncDestination,
  type SyncError,
  type SyncKind,
  type SyncPauseReason,
  type SyncPosition,
  type SyncRun,
  type SyncStore,
  withLaterSettings,
} from '../domain/sync.ts';
import { type EdgeTable, listOwnEdges } from '../domain/synced-records.ts';
import { isStorable } from '../lib/text.ts';
import { inTransaction, toQuery } from './events.ts';
import { isFree } from './leases.ts';
import type { StoreDeps } from './store-deps.ts';

/** The sync settings of one application, and the states of its syncs. */
export function createSyncStore(deps: StoreDeps, applicationId: string): SyncStore {
  const { engine, secrets, now, onUnplanned } = deps;
  return {
    findDestination: async () => {
      const [row] = await engine.query<DestinationRow>(FIND_DESTINATION, [applicationId]);
      return row && toDestination(row);
    },
    setDestination: async ({ host, port, database, user, password, caCertificate, schema }) => {
      const place = [applicationId, host, String(port), database, user];
      const { sealed, keyId } = secrets.destinationPassword.seal(password, ...place);
      const values = [applicationId, host, port, database, user, schema, caCertificate];
      const [row] = await engine.query<DestinationRow>(SET_DESTINATION, [
        ...values,
        sealed,
        keyId,
        now().toISOString(),
      ]);
      if (!row) throw new Error('PostgreSQL returned nothing for an insert');
      onUnplanned({ applicationId });
      return toDestination(row);
    },
    deleteDestination: async () => {
      const deleted = await engine.query(DELETE_DESTINATION, [applicationId]);
      onUnplanned({ applicationId });
      return deleted.length > 0;
    },
    listConfigurations: () =>
      engine.query<SyncConfiguration>(LIST_CONFIGURATIONS, [applicationId]).then(toConfigurations),
    setConfiguration: async (provider, configuration) => {
      const values = [applicationId, provider, JSON.stringify(configuration), now().toISOString()];
      const rows = await engine.query<ConfigurationRow>(SET_CONFIGURATION, values);
      const [stored] = toConfigurations(rows);
      if (!stored) throw new Error('PostgreSQL returned nothing for an insert');
      onUnplanned({ applicationId });
      return stored;
    },
    listSyncs: async (connectionIds) => {
      const rows = await engine.query<SyncRow>(LIST_SYNCS, [applicationId, connectionIds]);
      return connectionIds.map((id) =>
        rows.filter(({ connectionId }) => connectionId === id).map(toSync),
      );
    },
    changeSyncs: async ({ customerId, providerName, table }, change) => {
      if (!isStorable(customerId) || !isStorable(table ?? '')) return 0;
      const values = [applicationId, customerId, providerName];
      const wantsFull = change.to === 'start' && change.isFull;
      return inTransaction(deps, async (tx) => {
        const { rows } = await tx.execute<{ connectionId: string }>(toQuery(LOCK_PLAN, values));
        const [plan] = rows;
        if (!plan) return 0;
        const key = [applicationId, plan.connectionId];
        const parameters = [table ?? null, change.to, wantsFull, now().toISOString()];
        const changed = await tx.execute(toQuery(CHANGE_SYNCS, [...key, ...parameters]));
        await tx.execute(toQuery(SET_DUE, key));
        return changed.rows.length;
      });
    },
  };
}

function toDestination({ updatedAt, ...postgres }: DestinationRow): SyncDestination {
  return { postgres, updatedAt };
}

interface DestinationRow {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly schema: string;
  readonly hasCaCertificate: boolean;
  readonly updatedAt: Date;
}

function toConfigurations(rows: readonly object[]): readonly SyncConfiguration[] {
  return (rows as readonly ConfigurationRow[]).map(({ configuration, ...row }) => ({
    ...withLaterSettings(configuration),
    ...row,
  }));
}

interface ConfigurationRow {
  readonly provider: SyncConfiguration['provider'];
  readonly updatedAt: Date;
  readonly configuration: StoredConfiguration;
}

/** The status follows from the state, so that no process has to change it where another one was killed. */
function toSync(row: SyncRow): Sync {
  const { kind, object, schema, table, edgeTables, syncedUntil, position } = row;
  const runs = row.runs.map(toRun);
  const [lastRun = null] = runs;
  const pauseReason = row.isPaused ? 'REQUESTED' : row.pauseReason;
  const isRunnable = pauseReason === null && row.problem === null;
  const isRunning = isRunnable && row.isLeased && row.startedAt !== null;
  return {
    kind,
    object,
    schema,
    table,
    edgeTables: listOwnEdges(edgeTables, kind),
    status: toStatus({ ...row, isRunning, pauseReason, hasRun: lastRun !== null }),
    pauseReason,
    error: row.problem ?? (row.failures > 0 ? (lastRun?.error ?? null) : null),
    lastRun,
    runs,
    progress:
      position && row.startedAt
        ? {
            startedAt: row.startedAt,
            isFull: position.isFull,
            records: row.records,
            deleted: row.deleted,
          }
        : null,
    nextRunAt: isRunnable ? row.nextRunAt : null,
    syncedUntil,
    incompleteRecords: row.incomplete ?? { count: 0, examples: [] },
  };
}

function toStatus({ problem, pauseReason, isRunning, failures, hasRun }: StatusFacts) {
  if (pauseReason !== null) return 'PAUSED';
  if (problem !== null) return 'FAILED';
  if (isRunning) return 'RUNNING';
  if (failures > 0) return 'FAILED';
  return hasRun ? 'IDLE' : 'PENDING';
}

interface StatusFacts extends Pick<SyncRow, 'problem' | 'pauseReason' | 'failures'> {
  readonly isRunning: boolean;
  readonly hasRun: boolean;
}

/** Times in JSON results are strings. */
function toRun({ startedAt, finishedAt, ...run }: StoredRun): SyncRun {
  return { ...run, startedAt: new Date(startedAt), finishedAt: new Date(finishedAt) };
}

interface StoredRun extends Omit<SyncRun, 'startedAt' | 'finishedAt'> {
  readonly startedAt: string;
  readonly finishedAt: string;
}

interface SyncRow {
  readonly connectionId: string;
  readonly kind: SyncKind;
  readonly object: string;
  readonly schema: string | null;
  readonly table: string;
  readonly edgeTables: readonly EdgeTable[];
  readonly isPaused: boolean;
  readonly pauseReason: SyncPauseReason | null;
  readonly problem: SyncError | null;
  readonly nextRunAt: Date;
  readonly position: SyncPosition | null;
  readonly startedAt: Date | null;
  readonly records: number;
  readonly deleted: number;
  readonly syncedUntil: Date | null;
  readonly incomplete: IncompleteRecords | null;
  readonly failures: number;
  readonly isLeased: boolean;
  readonly runs: readonly StoredRun[];
}

const SHOWN_DESTINATION = `host, port, database_name as database, user_name as "user", schema_name as schema,
  ca_certificate is not null as "hasCaCertificate", updated_at as "updatedAt"`;

const FIND_DESTINATION = {
  name: 'find_sync_destination',
  text: `select ${SHOWN_DESTINATION} from crossbook.sync_destinations where application_id = $1::uuid`,
};

const SET_DESTINATION = {
  name: 'set_sync_destination',
  isOnce: true,
  text: `
insert into crossbook.sync_destinations as stored (application_id, host, port, database_name, user_name, schema_name,
  ca_certificate, sealed_password, key_id, version, updated_at)
values ($1::uuid, $2::text, $3::int, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, 1, $10::timestamptz)
on conflict (application_id) do update set host = excluded.host, port = excluded.port,
  database_name = excluded.database_name, user_name = excluded.user_name, schema_name = excluded.schema_name,
  ca_certificate = excluded.ca_certificate, sealed_password = excluded.sealed_password, key_id = excluded.key_id,
  version = stored.version + 1, updated_at = excluded.updated_at
returning ${SHOWN_DESTINATION}`,
};

const DELETE_DESTINATION = {
  name: 'delete_sync_destination',
  isOnce: true,
  text: 'delete from crossbook.sync_destinations where application_id = $1::uuid returning 1',
};

const CONFIGURATION = 'provider_name as provider, configuration, updated_at as "updatedAt"';

const LIST_CONFIGURATIONS = {
  name: 'list_sync_configurations',
  text: `select ${CONFIGURATION} from crossbook.sync_configurations where application_id = $1::uuid order by provider_name`,
};

const SET_CONFIGURATION = {
  name: 'set_sync_configuration',
  isOnce: true,
  text: `
insert into crossbook.sync_configurations as stored (application_id, provider_name, configuration, version, updated_at)
values ($1::uuid, $2::text, $3::jsonb, 1, $4::timestamptz)
on conflict (application_id, provider_name) do update set configuration = excluded.configuration,
  version = stored.version + 1, updated_at = excluded.updated_at
returning ${CONFIGURATION}`,
};

/** The runs are read by the primary key, which the run that ended last is the end of. */
const LIST_SYNCS = {
  name: 'list_syncs',
  text: `
select sync.connection_id as "connectionId", kind, object, schema_name as schema, table_name as "table",
  edge_tables as "edgeTables", is_paused as "isPaused", pause_reason as "pauseReason", problem, next_run_at as "nextRunAt", position,
  started_at as "startedAt", records, deleted, synced_until as "syncedUntil", incomplete, failures,
  not ${isFree('plan')} as "isLeased",
  coalesce((
    select json_agg(json_build_object('startedAt', started_at, 'finishedAt', finished_at, 'isFull', is_full,
      'records', records, 'deleted', deleted, 'error', error))
    from (
      select * from crossbook.sync_runs as run
      where run.application_id = sync.application_id and run.connection_id = sync.connection_id
        and run.kind = sync.kind and run.object = sync.object
      order by finished_at desc limit ${MAX_RUNS}
    ) as run
  ), '[]') as runs
from crossbook.syncs as sync
join crossbook.sync_plans as plan
  on plan.application_id = sync.application_id and plan.connection_id = sync.connection_id
where sync.application_id = $1::uuid and sync.connection_id = any ($2::uuid[])
order by sync.connection_id, place`,
};

/** Which syncs of a plan count for its `due_at`. */
export const IS_RUNNABLE = 'not is_paused and pause_reason is null and problem is null';

/** Locked first, so that the other statements see what a process has recorded meanwhile. */
const LOCK_PLAN = `
select plan.connection_id as "connectionId" from crossbook.sync_plans as plan
join crossbook.connections as connection
  on connection.application_id = plan.application_id and connection.id = plan.connection_id
where plan.application_id = $1::uuid and connection.customer_id = $2::text
  and connection.provider_name = $3::text
for update of plan`;

/** $3: table, $4: what to do, $5: whether the next run is a full one, $6: time. A sync that is resumed runs at once. */
const CHANGE_SYNCS = `
update crossbook.syncs
set is_paused = case $4::text when 'pause' then true when 'resume' then false else is_paused end,
  wants_full = wants_full or $5::boolean, is_requested = is_requested or $4::text = 'start',
  next_run_at = case when $4::text = 'pause' then next_run_at else $6::timestamptz end
where application_id = $1::uuid and connection_id = $2::uuid
  and ($3::text is null or table_name = $3::text)
returning 1`;

/** The earliest next run of a connection's syncs. */
export const SET_DUE = `
update crossbook.sync_plans set due_at = (
  select min(next_run_at) from crossbook.syncs
  where application_id = $1::uuid and connection_id = $2::uuid and ${IS_RUNNABLE}
)
where application_id = $1::uuid and connection_id = $2::uuid`;
