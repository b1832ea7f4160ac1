import { randomUUID } from 'node:crypto';
import type { ConnectionUpsert, Customer, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { uuidV5 } from '../lib/digest.ts';
import { isStorable, isStorableJson } from '../lib/text.ts';
import { type ConnectionRow, toCustomer } from './connections.ts';
import { type CredentialKey, sealCredentials } from './credentials.ts';
import type { StoreDeps } from './database.ts';
import { isUnavailable, unstorable } from './engine/failures.ts';
import { createStatementBatcher } from './statement-batcher.ts';
import { UPSERTS, type UpsertMode } from './upsert-statement.ts';

/**
 * One round trip, unless a rival wrote the same customer at the same moment: then the answer is read once more. Upserts of
 * one application that come at the same time are written together: a commit costs more than its rows. Those that expect a
 * version go alone, as do two of one customer.
 */
export function createUpsert(deps: StoreDeps) {
  const add = createStatementBatcher<UpsertRow, WrittenRow | undefined>({
    keyOf: ({ customerId }) => customerId,
    sizeOf: ({ customer, entries = '' }) => customer.length + entries.length,
    execute: (_, given) => writeTogether(deps, given),
    isShared: isUnavailable,
  });
  return async (
    applicationId: string,
    upsert: CustomerUpsert,
    read: () => Promise<Customer | undefined>,
  ): Promise<{ readonly customer: Customer; readonly created: boolean }> => {
    const mode = toMode(upsert);
    const given = toUpsertRow(deps, applicationId, upsert);
    const row = await (mode === 'always' ? add(applicationId, given) : writeAlone(deps, mode, given));
    if (!row) throw conflict(upsert.expectedVersion, await read());
    deps.onAppended();
    const { version, versionBefore } = row;
    const customer = toCustomer({ ...upsert, applicationId, version }, row.connections);
    const created = version === 1;
    if (versionBefore === version - 1) return { customer, created };
    const { connections } = (await read()) ?? customer;
    return { customer: { ...customer, connections }, created };
  };
}

function toMode({ expectedVersion }: CustomerUpsert): UpsertMode {
  if (expectedVersion === undefined) return 'always';
  return expectedVersion === 0 ? 'absent' : 'present';
}

function conflict(expected: number | undefined, stored: Customer | undefined): CrossbookError {
  const found = stored ? `has version ${stored.version}` : 'does not exist';
  return new CrossbookError('CONFLICT', `Version ${expected} was expected, but the customer ${found}.`);
}

async function writeTogether(deps: StoreDeps, given: readonly UpsertRow[]) {
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

async function writeAlone(deps: StoreDeps, mode: UpsertMode, given: UpsertRow) {
  const [row] = await write(deps, mode, [given]);
  return row;
}

/** All of one application. Where one of them names a connection, all take the longer statement. */
function write({ engine, now }: StoreDeps, mode: UpsertMode, given: readonly UpsertRow[]) {
  const linking = given.filter(({ entries }) => entries !== undefined);
  const customers = `[${given.map(({ customer }) => customer).join(',')}]`;
  const values = [given[0]?.applicationId, customers, now().toISOString()];
  if (linking.length === 0) return engine.once(() => engine.query<WrittenRow>(UPSERTS.alone[mode], values));
  const entries = linking.map(({ customerId, entries }) => `${JSON.stringify(customerId)}:${entries}`);
  const all = [...values, `{${entries.join(',')}}`];
  return engine.once(() => engine.query<WrittenRow>(UPSERTS.linking[mode], all));
}

/** An upsert as the statement reads it. What cannot be stored is refused here, before it could disturb others. */
function toUpsertRow(deps: StoreDeps, applicationId: string, upsert: CustomerUpsert): UpsertRow {
  const { customerId, name, email, expectedVersion, connections = [] } = upsert;
  if (![customerId, name, email].every(isStorable)) throw unstorable();
  if (new Set(connections.map(({ providerName }) => providerName)).size < connections.length) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'A provider is named twice.');
  }
  const entries = connections.map((connection) => [
    connection.providerName,
    toEntry(deps, { ...connection, applicationId, customerId }),
  ]);
  const json = JSON.stringify(Object.fromEntries(entries));
  if (!isStorableJson(json)) throw unstorable();
  return {
    applicationId,
    customerId,
    customer: JSON.stringify({ customer_id: customerId, name, email, expected_version: expectedVersion }),
    entries: entries.length > 0 ? json : undefined,
  };
}

/** JSON leaves out what is undefined and keeps what is null: just the difference between untouched and cleared. */
function toEntry({ secrets }: StoreDeps, connection: ConnectionUpsert & CredentialKey) {
  const { applicationId, customerId, providerName, credentials, ...settings } = connection;
  return {
    ...settings,
    id: randomUUID(),
    // Of the event, should it be one.
    eventId: credentials === undefined ? undefined : randomUUID(),
    providerId: uuidV5(applicationId, providerName),
    ...(credentials ? sealCredentials(secrets, connection, credentials) : { sealed: credentials }),
  };
}

interface WrittenRow {
  readonly customerId: string;
  readonly version: number;
  readonly versionBefore: number;
  readonly connections: readonly ConnectionRow[];
}

interface UpsertRow {
  readonly applicationId: string;
  readonly customerId: string;
  /** JSON, for the list of customers. */
  readonly customer: string;
  /** JSON: what is given of each provider. Undefined where no connection is named. */
  readonly entries: string | undefined;
}
