import { randomUUID } from 'node:crypto';
import type { ConnectionUpsert, Customer, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV5 } from '../lib/digest.ts';
import { isStorable, isStorableJson } from '../lib/text.ts';
import { type ConnectionRow, toCustomer } from './connections.ts';
import { sealCredentials } from './credentials.ts';
import { isUnavailable, unstorable } from './engine/failures.ts';
import type { Engine } from './engine/open.ts';
import type { Sealer } from './sealing/seal.ts';
import { createStatementBatcher } from './statement-batcher.ts';
import { type UpsertMode, upsertStatement } from './upsert-statement.ts';

/** One round trip, unless a rival wrote the same customer at the same moment: then the answer is read once more. */
export async function storeCustomer(
  scope: Scope,
  upsert: CustomerUpsert,
  read: () => Promise<Customer | undefined>,
): Promise<{ readonly customer: Customer; readonly created: boolean }> {
  const row = await scope.write(toMode(upsert), toUpsertRow(scope, upsert));
  if (!row) throw conflict(upsert.expectedVersion, await read());
  const customer = toCustomer(
    { ...upsert, applicationId: scope.applicationId, version: row.version },
    row.connections,
  );
  const created = row.version === 1;
  if (row.versionBefore === row.version - 1) return { customer, created };
  const { connections } = (await read()) ?? customer;
  return { customer: { ...customer, connections }, created };
}

function toMode({ expectedVersion }: CustomerUpsert): UpsertMode {
  if (expectedVersion === undefined) return 'always';
  return expectedVersion === 0 ? 'absent' : 'present';
}

function conflict(expected: number | undefined, stored: Customer | undefined): CrossbookError {
  const found = stored ? `has version ${stored.version}` : 'does not exist';
  return new CrossbookError('CONFLICT', `Version ${expected} was expected, but the customer ${found}.`);
}

/**
 * Upserts of one application that come at the same time are written together: a commit costs more than its rows. Those
 * that expect a version go alone, as do two of one customer.
 */
export function createUpsertWriter(deps: WriterDeps): UpsertWriter {
  const add = createStatementBatcher<UpsertRow, WrittenRow | undefined>({
    keyOf: ({ customerId }) => customerId,
    sizeOf: ({ customer, entries = '' }) => customer.length + entries.length,
    execute: (_, given) => writeTogether(deps, given),
    isShared: isUnavailable,
  });
  return (mode, given) =>
    mode === 'always' ? add(given.applicationId, given) : writeAlone(deps, mode, given);
}

async function writeTogether(deps: WriterDeps, given: readonly UpsertRow[]) {
  try {
    const rows = await write(deps, 'always', given);
    const byCustomer = new Map(rows.map((row) => [row.customerId, row]));
    return given.map(({ customerId }) => byCustomer.get(customerId));
  } catch (error) {
    if (isUnavailable(error) || given.length === 1) throw error;
    // The database refused them for the sake of one, and wrote nothing: each is tried for itself.
    return given.map((one) => writeAlone(deps, 'always', one));
  }
}

async function writeAlone(deps: WriterDeps, mode: UpsertMode, given: UpsertRow) {
  const [row] = await write(deps, mode, [given]);
  return row;
}

/** All of one application. Where one of them names a connection, all take the longer statement. */
function write({ engine, clock }: WriterDeps, mode: UpsertMode, given: readonly UpsertRow[]) {
  const linking = given.filter(({ entries }) => entries !== undefined);
  const customers = `[${given.map(({ customer }) => customer).join(',')}]`;
  const values = [given[0]?.applicationId, customers, new Date(clock.wall()).toISOString()];
  if (linking.length === 0) return engine.once(() => engine.query<WrittenRow>(ALONE[mode], values));
  const entries = linking.map(({ customerId, entries }) => `${JSON.stringify(customerId)}:${entries}`);
  const all = [...values, `{${entries.join(',')}}`];
  return engine.once(() => engine.query<WrittenRow>(LINKING[mode], all));
}

const toStatements = (linking: boolean) => ({
  always: upsertStatement('always', { linking }),
  absent: upsertStatement('absent', { linking }),
  present: upsertStatement('present', { linking }),
});
const ALONE = toStatements(false);
const LINKING = toStatements(true);

/** An upsert as the statement reads it. What cannot be stored is refused here, before it could disturb others. */
function toUpsertRow(scope: RowScope, upsert: CustomerUpsert): UpsertRow {
  const { customerId, name, email, expectedVersion, connections = [] } = upsert;
  if (![customerId, name, email].every(isStorable)) throw unstorable();
  const customer = { customer_id: customerId, name, email, expected_version: expectedVersion };
  return {
    applicationId: scope.applicationId,
    customerId,
    customer: JSON.stringify(customer),
    entries: connections.length > 0 ? toEntries(scope, customerId, connections) : undefined,
  };
}

function toEntries(scope: RowScope, customerId: string, connections: readonly ConnectionUpsert[]): string {
  if (new Set(connections.map(({ providerName }) => providerName)).size < connections.length) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'A provider is named twice.');
  }
  const entries = connections.map(
    (connection) => `"${connection.providerName}":${JSON.stringify(toEntry(scope, customerId, connection))}`,
  );
  const json = `{${entries.join(',')}}`;
  if (!isStorableJson(json)) throw unstorable();
  return json;
}

/** JSON leaves out what is undefined and keeps what is null: just the difference between untouched and cleared. */
function toEntry({ applicationId, sealer }: RowScope, customerId: string, connection: ConnectionUpsert) {
  const { providerName, credentials } = connection;
  const place = { applicationId, customerId, providerName };
  const { sealed, keyId } = credentials
    ? sealCredentials(sealer, place, credentials)
    : { sealed: credentials, keyId: undefined };
  return {
    id: randomUUID(),
    // Of the event, should it be one.
    eventId: credentials === undefined ? undefined : randomUUID(),
    providerId: uuidV5(applicationId, providerName),
    instanceUrl: connection.instanceUrl,
    schemaMappingsConfig: connection.schemaMappingsConfig,
    entityMappings: connection.entityMappings,
    connectionSyncConfig: connection.connectionSyncConfig,
    sealed,
    keyId,
  };
}

interface Scope {
  readonly applicationId: string;
  readonly sealer: Sealer;
  readonly write: UpsertWriter;
}

/** Undefined where the customer's version is not the one that was expected. */
type UpsertWriter = (mode: UpsertMode, given: UpsertRow) => Promise<WrittenRow | undefined>;

interface WrittenRow {
  readonly customerId: string;
  readonly version: number;
  readonly versionBefore: number;
  readonly connections: readonly ConnectionRow[];
}

interface WriterDeps {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'wall'>;
}

interface UpsertRow {
  readonly applicationId: string;
  readonly customerId: string;
  /** JSON, for the list of customers. */
  readonly customer: string;
  /** JSON: what is given of each provider. Undefined where no connection is named. */
  readonly entries: string | undefined;
}

type RowScope = Omit<Scope, 'write'>;
