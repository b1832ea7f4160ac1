import type { Customer, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Sealer } from '../domain/sealer.ts';
import { toCustomer } from './rows.ts';
import { toGiven } from './upsert-given.ts';
import type { UpsertMode } from './upsert-statement.ts';
import type { UpsertWriter } from './upsert-writer.ts';

/** One round trip, unless a rival wrote the same customer at the same moment: then the answer is read once more. */
export async function upsertCustomer(
  scope: Scope,
  upsert: CustomerUpsert,
  read: () => Promise<Customer | undefined>,
): Promise<{ readonly customer: Customer; readonly created: boolean }> {
  const row = await scope.write(toMode(upsert), toGiven(scope, upsert));
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

interface Scope {
  readonly applicationId: string;
  readonly sealer: Sealer;
  readonly write: UpsertWriter;
}
