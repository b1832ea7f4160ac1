import { randomUUID } from 'node:crypto';
import type { ConnectionUpsert, Customer, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Sealer } from '../domain/sealer.ts';
import { isStorable, isStorableJson } from '../lib/is-storable.ts';
import { uuidV5 } from '../lib/uuid-v5.ts';
import { sealCredentials } from './credential-seal.ts';
import type { Engine } from './engine/engine.ts';
import { unstorable } from './engine/failures.ts';
import { type ConnectionRow, toCustomer } from './rows.ts';
import { upsertStatement } from './upsert-statement.ts';

/** One round trip, unless a rival wrote the same customer at the same moment: then the answer is read once more. */
export async function upsertCustomer(
  scope: Scope,
  upsert: CustomerUpsert,
  read: () => Promise<Customer | undefined>,
): Promise<{ readonly customer: Customer; readonly created: boolean }> {
  const { statement, values } = toWrite(scope, upsert);
  const [row] = await scope.engine.once(() => scope.engine.query<AnswerRow>(statement, values));
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

function toWrite(scope: Scope, upsert: CustomerUpsert) {
  const { customerId, name, email, expectedVersion, connections = [] } = upsert;
  if (![customerId, name, email].every(isStorable)) throw unstorable();
  const mode = expectedVersion === undefined ? 'always' : expectedVersion === 0 ? 'absent' : 'present';
  const now = scope.clock().toISOString();
  const values = [scope.applicationId, customerId, name, email, now, expectedVersion ?? null];
  if (connections.length === 0) return { statement: ALONE[mode], values };
  return { statement: LINKING[mode], values: [...values, toEntries(scope, customerId, connections)] };
}

function toEntries(scope: Scope, customerId: string, connections: readonly ConnectionUpsert[]): string {
  const entries = new Map(connections.map((connection) => [connection.providerName, connection]));
  if (entries.size < connections.length) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'A provider is named twice.');
  }
  const json = JSON.stringify(
    Object.fromEntries(
      [...entries].map(([name, connection]) => [name, toEntry(scope, customerId, connection)]),
    ),
  );
  if (!isStorableJson(json)) throw unstorable();
  return json;
}

/** JSON leaves out what is undefined and keeps what is null: just the difference between untouched and cleared. */
function toEntry(
  scope: Scope,
  customerId: string,
  { credentials, providerName, ...given }: ConnectionUpsert,
) {
  const { applicationId, sealer } = scope;
  return {
    ...given,
    id: randomUUID(),
    providerId: uuidV5(applicationId, providerName),
    ...(credentials === null && { sealed: null }),
    ...(credentials && sealCredentials(sealer, { applicationId, customerId, providerName }, credentials)),
  };
}

function conflict(expected: number | undefined, stored: Customer | undefined): CrossbookError {
  const found = stored ? `has version ${stored.version}` : 'does not exist';
  return new CrossbookError('CONFLICT', `Version ${expected} was expected, but the customer ${found}.`);
}

const toStatements = (linking: boolean) => ({
  always: upsertStatement('always', { linking }),
  absent: upsertStatement('absent', { linking }),
  present: upsertStatement('present', { linking }),
});
const ALONE = toStatements(false);
const LINKING = toStatements(true);

interface AnswerRow {
  readonly version: number;
  readonly versionBefore: number;
  readonly connections: readonly ConnectionRow[];
}

export interface UpsertDeps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: () => Date;
}

interface Scope extends UpsertDeps {
  readonly applicationId: string;
}
