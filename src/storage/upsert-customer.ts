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
  const { expectedVersion } = upsert;
  const statement =
    STATEMENTS[expectedVersion === undefined ? 'always' : expectedVersion === 0 ? 'absent' : 'present'];
  const values = toValues(scope, upsert);
  const [row] = await scope.engine.once(() => scope.engine.query<AnswerRow>(statement, values));
  if (!row) throw conflict(expectedVersion, await read());
  const customer = toCustomer(
    { ...upsert, applicationId: scope.applicationId, version: row.version },
    row.connections,
  );
  const created = row.version === 1;
  if (row.versionBefore === row.version - 1) return { customer, created };
  const { connections } = (await read()) ?? customer;
  return { customer: { ...customer, connections }, created };
}

function toValues(scope: Scope, upsert: CustomerUpsert): readonly unknown[] {
  const { customerId, name, email, expectedVersion, connections = [] } = upsert;
  if (new Set(connections.map(({ providerName }) => providerName)).size < connections.length) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'A provider is named twice.');
  }
  const entries = JSON.stringify(connections.map((connection) => toEntry(scope, customerId, connection)));
  if (![customerId, name, email].every(isStorable) || !isStorableJson(entries)) throw unstorable();
  const now = scope.clock().toISOString();
  return [scope.applicationId, customerId, name, email, entries, now, expectedVersion ?? null];
}

/** JSON leaves out what is undefined and keeps what is null: just the difference between untouched and cleared. */
function toEntry(scope: Scope, customerId: string, { credentials, ...given }: ConnectionUpsert) {
  const { applicationId, sealer } = scope;
  const place = { applicationId, customerId, providerName: given.providerName };
  return {
    ...given,
    id: randomUUID(),
    providerId: uuidV5(applicationId, given.providerName),
    ...(credentials === null && { sealed: null }),
    ...(credentials && sealCredentials(sealer, place, credentials)),
  };
}

function conflict(expected: number | undefined, stored: Customer | undefined): CrossbookError {
  const found = stored ? `has version ${stored.version}` : 'does not exist';
  return new CrossbookError('CONFLICT', `Version ${expected} was expected, but the customer ${found}.`);
}

const STATEMENTS = {
  always: upsertStatement('always'),
  absent: upsertStatement('absent'),
  present: upsertStatement('present'),
};

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
