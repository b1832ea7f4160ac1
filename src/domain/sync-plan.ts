import { quote } from '../lib/text.ts';
import type { Connection, ConnectionSyncConfig } from './connection.ts';
import type { ProviderName } from './provider-names.ts';
import type {
  CopiedRecords,
  SyncConfigurationInput,
  SyncError,
  SyncPauseReason,
  SyncSource,
} from './sync.ts';
import {
  EDGE_TABLES,
  type EdgeTable,
  findSyncedRecord,
  listEdgeTables,
  SYNCED_KINDS,
  SYNCED_RECORDS,
  type SyncedKind,
} from './synced-records.ts';

/**
 * The syncs of one connection: the application's configuration with the overrides of the connection. A sync that
 * cannot run has a problem in words.
 */
export function planSyncs({
  destination,
  configuration,
  connection,
}: SyncSettings): readonly PlannedSync[] {
  const { providerName, connectionSyncConfig } = connection;
  const schema = findSchema(connectionSyncConfig, destination?.schema);
  const pauseReason = findPauseReason({ destination, configuration, connection });
  const edgeTables = listPlannedEdges(configuration);
  const taken = new Set<string>(edgeTables);
  return listSources(configuration, connectionSyncConfig).map(({ table: given, ...source }) => {
    const table = given ?? defaultTable(source, providerName);
    const problem =
      findVariantProblem(connectionSyncConfig) ??
      findSourceProblem(source) ??
      findAccessProblem(source, connection) ??
      findNameProblem('table', table) ??
      (schema === null ? null : findNameProblem('schema', schema)) ??
      (taken.has(table) ? conflict(table) : null);
    taken.add(table);
    return {
      ...source,
      schema,
      table,
      edgeTables: edgeTables.filter(
        (name) => hasEnd(name, source) && isAllowedEdge(name, connection),
      ),
      pauseReason,
      problem,
    };
  });
}

/** What the syncs of one connection copy, for the customer who is asked for consent. */
export function toCopiedRecords(
  configuration: SyncConfigurationInput,
  override: ConnectionSyncConfig | null,
): CopiedRecords {
  const sources = listSources(configuration, override);
  const isCommon = ({ kind }: SyncSource) => findSyncedRecord(kind) !== undefined;
  return {
    records: sources.filter(isCommon).map(({ object }) => object),
    objects: sources.filter((source) => !isCommon(source)).map(({ object }) => object),
  };
}

function listSources(
  configured: SyncConfigurationInput,
  override: ConnectionSyncConfig | null,
): readonly (SyncSource & { readonly table: string | null })[] {
  const standard = choose(override?.standardObjects, configured.standardObjects);
  const custom = choose(override?.customObjects, configured.customObjects);
  return [
    ...listSyncedKinds(configured).map((kind) => ({
      kind,
      object: SYNCED_RECORDS[kind].nouns,
      table: null,
    })),
    ...unique(standard).map((one) => ({ kind: 'STANDARD', ...one }) as const),
    ...unique(custom).map((one) => ({ kind: 'CUSTOM', ...one }) as const),
  ];
}

/** The types of records that are synced in the common shape. */
export function listSyncedKinds({
  contacts,
  companies,
  deals,
}: SyncConfigurationInput): readonly SyncedKind[] {
  const isSynced: Readonly<Record<SyncedKind, boolean>> = {
    CONTACTS: contacts,
    COMPANIES: companies,
    DEALS: deals,
  };
  return SYNCED_KINDS.filter((kind) => isSynced[kind]);
}

/** The tables of edges that are synced. */
export function listPlannedEdges(configuration: SyncConfigurationInput): readonly EdgeTable[] {
  return configuration.edges ? listEdgeTables(listSyncedKinds(configuration)) : [];
}

function hasEnd(table: EdgeTable, { kind }: SyncSource): boolean {
  const { from, to } = EDGE_TABLES[table];
  return from === kind || to === kind;
}

type ListedObject = SyncConfigurationInput['standardObjects'][number];

/** The connection's list replaces the configured one unless it is empty. */
function choose(
  own: readonly ListedObject[] | null | undefined,
  configured: readonly ListedObject[],
): readonly ListedObject[] {
  return own && own.length > 0 ? own : configured;
}

/** An object that is listed twice is synced once, into the first table. */
function unique(objects: readonly ListedObject[]): readonly ListedObject[] {
  const byName = new Map<string, ListedObject>();
  for (const one of objects) if (!byName.has(one.object)) byName.set(one.object, one);
  return [...byName.values()];
}

function defaultTable({ kind, object }: SyncSource, provider: ProviderName): string {
  return findSyncedRecord(kind) ? object : `${provider}_${object}`.toLowerCase();
}

function findSchema(
  override: ConnectionSyncConfig | null,
  configured: string | undefined,
): string | null {
  const own = override?.destinationConfig;
  return (own?.type === 'postgres' ? own.schema : null) ?? configured ?? null;
}

function findPauseReason({
  destination,
  configuration,
  connection,
}: SyncSettings): SyncPauseReason | null {
  if (!configuration.isEnabled) return 'DISABLED';
  if (!destination) return 'NO_DESTINATION';
  if (connection.status === 'reauthorize') return 'REAUTHORIZE';
  return connection.status === 'unauthorized' ? 'NOT_CONNECTED' : null;
}

function findVariantProblem(override: ConnectionSyncConfig | null): SyncError | null {
  if (override?.destinationConfig?.type !== 'bigquery') return null;
  return {
    code: 'NOT_IMPLEMENTED',
    detail:
      'Syncs to BigQuery are not implemented. The destination of this connection is stored and has no effect: use postgres.',
  };
}

/** The scopes alone decide about objects that are copied as the CRM has them. */
function findAccessProblem(
  { kind }: SyncSource,
  { readableRecords }: SyncSettings['connection'],
): SyncError | null {
  const record = findSyncedRecord(kind);
  if (!record || readableRecords.includes(record.type)) return null;
  return {
    code: 'NOT_ALLOWED',
    detail: `The connection may not read ${record.nouns}: create a connect link with records: [${record.type}] for this customer.`,
  };
}

function isAllowedEdge(table: EdgeTable, { readableRecords }: SyncSettings['connection']): boolean {
  const { from, to } = EDGE_TABLES[table];
  return [from, to].every((kind) => readableRecords.includes(SYNCED_RECORDS[kind].type));
}

function findSourceProblem({ object }: SyncSource): SyncError | null {
  if (isObjectName(object)) return null;
  return toProblem(
    `The object ${quote(object)} is not a valid name: use letters, digits, underscores and hyphens, at most ${MAX_OBJECT} characters.`,
  );
}

export function isObjectName(name: string): boolean {
  return name.length <= MAX_OBJECT && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
}

const MAX_OBJECT = 100;

/** What is wrong with the name of a table or a schema; null: nothing. */
export function findNameProblem(what: 'table' | 'schema', name: string): SyncError | null {
  if (!IDENTIFIER.test(name)) {
    return toProblem(
      `The ${what} ${quote(name)} is not a valid name: it must begin with a letter or an underscore, and have only letters, digits, underscores, hyphens and dollar signs.`,
    );
  }
  if (Buffer.byteLength(name) > MAX_IDENTIFIER_BYTES) {
    return toProblem(
      `The ${what} ${quote(name)} has more than ${MAX_IDENTIFIER_BYTES} bytes, which is PostgreSQL’s limit: choose a shorter name.`,
    );
  }
  if (what === 'schema' && RESERVED_SCHEMAS.test(name))
    return toProblem(`The schema ${quote(name)} is reserved: choose another one.`);
  return null;
}

const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_$-]*$/u;
const MAX_IDENTIFIER_BYTES = 63;
/** Those of PostgreSQL, and our own, which may be in the same database. */
const RESERVED_SCHEMAS = /^(?:pg_.*|information_schema|crossbook)$/;

function conflict(table: string): SyncError {
  return toProblem(
    `The table ${quote(table)} is already used by another sync of this connection: choose a different table for each object.`,
  );
}

function toProblem(detail: string): SyncError {
  return { code: 'CONFIGURATION', detail };
}

interface PlannedSync extends SyncSource {
  readonly schema: string | null;
  readonly table: string;
  /** The tables of the edges that its records have, or are the end of. */
  readonly edgeTables: readonly EdgeTable[];
  readonly pauseReason: SyncPauseReason | null;
  /** It cannot run until the configuration is changed. */
  readonly problem: SyncError | null;
}

interface SyncSettings {
  readonly destination: { readonly schema: string } | undefined;
  readonly configuration: SyncConfigurationInput;
  readonly connection: Pick<
    Connection,
    'providerName' | 'status' | 'connectionSyncConfig' | 'readableRecords'
  >;
}
