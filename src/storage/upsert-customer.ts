import { randomUUID } from 'node:crypto';
import { toNewStatus } from '../domain/connection.ts';
import type { ConnectionUpsert, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { toWriteMode, type WriteMode } from '../domain/expected-version.ts';
import { uuidV5 } from '../lib/digest.ts';
import { isStorable, isStorableJson } from '../lib/text.ts';
import { type CredentialKey, sealCredentials } from './credentials.ts';
import type { ConnectionRow } from './customer-rows.ts';
import { isUnavailable, unstorable } from './engine/failures.ts';
import { createStatementBatcher } from './statement-batcher.ts';
import type { SharedStoreDeps, StoreDeps } from './store-deps.ts';
import { UPSERTS } from './upsert-sql.ts';

/**
 * Batches concurrent upserts of one application (group commit), because a commit costs more than its rows. Upserts
 * with an expected version have a statement of their own, and two of one customer never share one.
 */
export function createUpsert(shared: SharedStoreDeps) {
  const openDeps = (applicationId: string): StoreDeps => ({
    ...shared,
    engine: shared.engine.forApplication(applicationId),
  });
  const add = createStatementBatcher<UpsertRow, WrittenRow | undefined>({
    keyOf: ({ customerId }) => customerId,
    sizeOf: ({ customer, entries = '' }) => customer.length + entries.length,
    execute: (applicationId, upserts) => writeTogether(openDeps(applicationId), upserts),
  });
  /** Undefined if the customer has another version than expected. */
  return (applicationId: string, upsert: CustomerUpsert): Promise<WrittenRow | undefined> => {
    const mode = toWriteMode(upsert.expectedVersion);
    const deps = openDeps(applicationId);
    const upsertRow = toUpsertRow(deps, applicationId, upsert);
    return mode === 'always' ? add(applicationId, upsertRow) : writeAlone(deps, mode, upsertRow);
  };
}

async function writeTogether(deps: StoreDeps, upserts: readonly UpsertRow[]) {
  try {
    const rows = await write(deps, 'always', upserts);
    const byCustomer = new Map(rows.map((row) => [row.customerId, row]));
    return upserts.map(({ customerId }) => byCustomer.get(customerId));
  } catch (error) {
    if (isUnavailable(error) || upserts.length === 1) throw error;
    // The database rejected the whole batch because of one row and wrote nothing: each is retried in a statement of its
    // own.
    return upserts.map((one) => writeAlone(deps, 'always', one));
  }
}

async function writeAlone(deps: StoreDeps, mode: WriteMode, upsertRow: UpsertRow) {
  const [row] = await write(deps, mode, [upsertRow]);
  return row;
}

/** Writes upserts of one application. If one names a connection all use the longer statement. */
function write({ engine, now }: StoreDeps, mode: WriteMode, upserts: readonly UpsertRow[]) {
  const linking = upserts.filter(({ entries }) => entries !== undefined);
  const customers = `[${upserts.map(({ customer }) => customer).join(',')}]`;
  const values = [upserts[0]?.applicationId, customers, now().toISOString()];
  if (linking.length === 0) return engine.query<WrittenRow>(UPSERTS.customerOnly[mode], values);
  const entries = linking.map(
    ({ customerId, entries }) => `${JSON.stringify(customerId)}:${entries}`,
  );
  const all = [...values, `{${entries.join(',')}}`];
  return engine.query<WrittenRow>(UPSERTS.linking[mode], all);
}

/** The row for the statement. Unstorable values are rejected here, before they could fail a batch. */
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
    customer: JSON.stringify({
      customer_id: customerId,
      name,
      email,
      expected_version: expectedVersion,
    }),
    entries: entries.length > 0 ? json : undefined,
  };
}

/** JSON omits undefined and keeps null, which distinguishes unchanged from cleared. */
function toEntry(
  { secrets, fingerprint, now }: StoreDeps,
  connection: ConnectionUpsert & CredentialKey,
) {
  const { applicationId, customerId, providerName, credentials, ...settings } = connection;
  return {
    ...settings,
    id: randomUUID(),
    // The id of the event, if one is appended.
    eventId: credentials === undefined ? undefined : randomUUID(),
    providerId: uuidV5(applicationId, providerName),
    ...(credentials ? toNewStatus(credentials, now()) : NO_CREDENTIALS),
    ...(credentials
      ? {
          ...sealCredentials(secrets, connection, credentials),
          fingerprint: fingerprint(
            JSON.stringify([applicationId, customerId, providerName, credentials]),
          ),
        }
      : { sealed: credentials }),
  };
}

const NO_CREDENTIALS = { status: 'unauthorized', statusReason: 'no_credentials' };

interface WrittenRow {
  readonly customerId: string;
  readonly version: number;
  readonly versionBefore: number;
  /** Null if they are too large to be returned. */
  readonly connections: readonly ConnectionRow[] | null;
}

interface UpsertRow {
  readonly applicationId: string;
  readonly customerId: string;
  /** JSON, for the list of customers. */
  readonly customer: string;
  /** JSON: the given fields per provider. Undefined if no connection is named. */
  readonly entries: string | undefined;
}
