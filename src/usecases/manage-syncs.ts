import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import { readDestinationUrl } from '../domain/destination-url.ts';
import { CrossbookError, invalidInput, refuseMistakes } from '../domain/errors.ts';
import type { Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { RECORD_TYPES } from '../domain/records/record-type.ts';
import {
  type DestinationSecret,
  MAX_INTERVAL_SECONDS,
  MAX_SYNCED_OBJECTS,
  MIN_INTERVAL_SECONDS,
  type PostgresDestinationInput,
  type Sync,
  type SyncChange,
  type SyncConfiguration,
  type SyncConfigurationInput,
  type SyncDestination,
  type SyncError,
  type SyncErrorCode,
  SyncFailure,
  type SyncRun,
  type SyncStore,
} from '../domain/sync.ts';
import {
  findNameProblem,
  listPlannedEdges,
  listSyncedKinds,
  planSyncs,
} from '../domain/sync-plan.ts';
import { EDGE_TABLES, SYNCED_RECORDS } from '../domain/synced-records.ts';
import { isStorable, quote } from '../lib/text.ts';
import {
  type CallerDeps,
  checkCustomerId,
  customerNotFound,
  resolveCustomerId,
  type TargetDeps,
  withApiKey,
} from './authorization.ts';

/** Reads the application's sync destination. */
export function readSyncDestination(deps: SyncDeps): Promise<SyncDestination | undefined> {
  return withApiKey(deps, 'readSyncDestination', () => deps.syncs.findDestination());
}

/** Sets the application's sync destination, if it can be connected to and written. */
export function setSyncDestination(deps: DestinationDeps, input: PostgresDestinationInput) {
  return withApiKey(deps, 'setSyncDestination', () => storeSyncDestination(deps, input));
}

/** The same for a command, which has no caller. */
export async function storeSyncDestination(
  deps: Pick<DestinationDeps, 'syncs' | 'checkDestination'>,
  input: PostgresDestinationInput,
): Promise<SyncDestination> {
  const destination = readDestination(input);
  try {
    await deps.checkDestination(destination);
  } catch (error) {
    if (!(error instanceof SyncFailure)) throw error;
    throw new CrossbookError('UNPROCESSABLE_ENTITY', error.message);
  }
  return deps.syncs.setDestination(destination);
}

/** Nothing of the URL is repeated in an error. */
function readDestination({ url, schema, caCertificate }: PostgresDestinationInput) {
  const read = readDestinationUrl(url);
  if ('problem' in read) throw invalidInput([`The url ${read.problem}`]);
  const problem = findNameProblem('schema', schema);
  if (problem) throw new CrossbookError('UNPROCESSABLE_ENTITY', problem.detail);
  if (caCertificate !== null && !isCertificate(caCertificate))
    throw invalidInput([`caCertificate must be PEM of at most ${MAX_CERTIFICATE / 1024} KiB`]);
  return { ...read, schema, caCertificate };
}

function isCertificate(text: string): boolean {
  return text.length <= MAX_CERTIFICATE && isStorable(text) && text.includes('BEGIN CERTIFICATE');
}

const MAX_CERTIFICATE = 64 * 1024;

/** Deletes the destination: all syncs pause. Its tables stay as they are. */
export function deleteSyncDestination(deps: SyncDeps): Promise<void> {
  return withApiKey(deps, 'deleteSyncDestination', async () => {
    if (await deps.syncs.deleteDestination()) return;
    throw new CrossbookError('NOT_FOUND', 'There is no sync destination.');
  });
}

export function listSyncConfigurations(deps: SyncDeps): Promise<readonly SyncConfiguration[]> {
  return withApiKey(deps, 'listSyncConfigurations', () => deps.syncs.listConfigurations());
}

/** Sets what is synced of all connections to a provider. All servers follow within a few seconds. */
export function setSyncConfiguration(
  deps: SyncDeps & { readonly providers: Providers },
  input: ConfigurationInput,
): Promise<SyncConfiguration> {
  return withApiKey(deps, 'setSyncConfiguration', () => storeSyncConfiguration(deps, input));
}

/** The same for a command, which has no caller. */
export async function storeSyncConfiguration(
  { syncs, providers }: Pick<SyncDeps, 'syncs'> & { readonly providers: Providers },
  { provider, ...configuration }: ConfigurationInput,
): Promise<SyncConfiguration> {
  const records = providers.get(provider)?.crm?.records;
  if (!records)
    throw new CrossbookError('NOT_IMPLEMENTED', `${PROVIDER_TITLES[provider]} cannot be synced.`);
  const missing = listSyncedKinds(configuration)
    .map((kind) => SYNCED_RECORDS[kind])
    .find(({ type }) => !records[type]);
  if (missing)
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `${PROVIDER_TITLES[provider]} has no ${missing.nouns} in the common shape: sync them as standard objects.`,
    );
  const unlinked = listPlannedEdges(configuration)
    .map((table) => EDGE_TABLES[table])
    .map(({ from, to }) => [SYNCED_RECORDS[from], SYNCED_RECORDS[to]] as const)
    .find(([from, to]) => !records[from.type]?.linkedTo.includes(to.type));
  if (unlinked)
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `${PROVIDER_TITLES[provider]} has no edges from ${unlinked[0].nouns} to ${unlinked[1].nouns}: sync these records without edges.`,
    );
  refuseMistakes(findMistakes(provider, configuration));
  return syncs.setConfiguration(provider, configuration);
}

function findMistakes(
  provider: ProviderName,
  configuration: SyncConfigurationInput,
): readonly string[] {
  const { standardObjects, customObjects, intervalSeconds } = configuration;
  const lists = { standardObjects, customObjects };
  const tooLong = Object.entries(lists).flatMap(([name, { length }]) =>
    length > MAX_SYNCED_OBJECTS
      ? [`${name} has ${length} entries: at most ${MAX_SYNCED_OBJECTS} are allowed`]
      : [],
  );
  if (tooLong.length > 0) return tooLong;
  const names = [...standardObjects, ...customObjects].map(({ object }) => object);
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  const isInterval =
    Number.isInteger(intervalSeconds) &&
    intervalSeconds >= MIN_INTERVAL_SECONDS &&
    intervalSeconds <= MAX_INTERVAL_SECONDS;
  const planned = planSyncs({
    destination: { schema: 'any' },
    configuration,
    connection: {
      providerName: provider,
      status: 'connected',
      connectionSyncConfig: null,
      readableRecords: RECORD_TYPES,
    },
  });
  return [
    ...(isInterval
      ? []
      : [`intervalSeconds must be from ${MIN_INTERVAL_SECONDS} to ${MAX_INTERVAL_SECONDS}`]),
    ...[...new Set(repeated)].map((name) => `The object ${quote(name)} is listed more than once`),
    ...planned.flatMap(({ problem }) => (problem ? [problem.detail.replace(/\.$/, '')] : [])),
  ];
}

/** The syncs of a connection, for an API key or the customer's token. */
export async function readSyncs(
  deps: ReadSyncsDeps,
  connection: Pick<Connection, 'id' | 'customerId'>,
): Promise<readonly Sync[]> {
  resolveCustomerId(deps, connection.customerId);
  const syncs = await deps.loadSyncs(connection.id);
  return deps.requireCaller().customer ? syncs.map(withoutDestination) : syncs;
}

/** Customers do not see where an application stores its rows. */
function withoutDestination(sync: Sync): Sync {
  const toShown = (run: SyncRun) => ({ ...run, error: withoutPlace(run.error) });
  return {
    ...sync,
    schema: null,
    error: withoutPlace(sync.error),
    lastRun: sync.lastRun && toShown(sync.lastRun),
    runs: sync.runs.map(toShown),
  };
}

function withoutPlace(error: SyncError | null): SyncError | null {
  if (error === null || !NAMES_DESTINATION[error.code]) return error;
  return { ...error, detail: 'The application’s database cannot be written to.' };
}

/** Whether the detail of an error may say where the application stores its rows. */
const NAMES_DESTINATION: Readonly<Record<SyncErrorCode, boolean>> = {
  NOT_IMPLEMENTED: false,
  NOT_ALLOWED: false,
  CONFIGURATION: true,
  OBJECT_UNKNOWN: false,
  DESTINATION_UNREACHABLE: true,
  DESTINATION_REFUSED: true,
  DESTINATION_READ_ONLY: true,
  DESTINATION_FULL: true,
  DESTINATION_SLOW: true,
  DESTINATION_TABLE: true,
  PROVIDER_REFUSED: false,
  PROVIDER_LIMITED: false,
  PROVIDER_UNAVAILABLE: false,
  INTERNAL_ERROR: false,
};

/** The syncs of a new configuration are planned in the background. */
async function describeNoSyncs({ syncs }: SyncDeps, provider: ProviderName): Promise<string> {
  const isConfigured = (await syncs.listConfigurations()).some((one) => one.provider === provider);
  return isConfigured
    ? 'The connection has no syncs yet. They are created and started within a minute of setSyncConfiguration.'
    : 'The connection has no syncs: set a sync configuration of its provider.';
}

/** Starts, pauses or resumes the syncs of a connection, or the one with a table. Returns the connection. */
export function changeSyncs(
  deps: ChangeSyncsDeps,
  { customerId, provider, table, ...change }: SyncsOfConnection & SyncChange,
): Promise<Connection> {
  return withApiKey(deps, 'changeSyncs', async () => {
    checkCustomerId(customerId);
    const target = { customerId, providerName: provider };
    const connection = await deps.reloadConnection(target);
    if (!connection) throw customerNotFound(customerId, provider);
    const changed = await deps.syncs.changeSyncs({ ...target, table: table ?? undefined }, change);
    if (changed > 0) return connection;
    throw new CrossbookError(
      'NOT_FOUND',
      table === null || table === undefined
        ? await describeNoSyncs(deps, provider)
        : `The connection has no sync with the table ${quote(table)}.`,
    );
  });
}

type ConfigurationInput = SyncConfigurationInput & { readonly provider: ProviderName };

interface SyncsOfConnection {
  readonly customerId: string;
  readonly provider: ProviderName;
  /** Absent: all of them. */
  readonly table?: string | null | undefined;
}

interface SyncDeps extends CallerDeps {
  readonly syncs: SyncStore;
}

export interface DestinationDeps extends SyncDeps {
  /** Throws a `SyncFailure` if it cannot be written. */
  checkDestination(destination: DestinationSecret & { readonly schema: string }): Promise<void>;
}

export interface ReadSyncsDeps extends TargetDeps {
  loadSyncs(connectionId: string): Promise<readonly Sync[]>;
}

export interface ChangeSyncsDeps extends SyncDeps {
  reloadConnection(target: ConnectionTarget): Promise<Connection | undefined>;
}
