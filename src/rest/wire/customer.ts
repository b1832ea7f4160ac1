import * as z from 'zod';
import { type Connection, connection } from '../../domain/connection.ts';
import {
  type Customer,
  type CustomerPage,
  type CustomerUpsert,
  customer,
  customerUpsert,
} from '../../domain/customer.ts';
import type { Provider } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import { REVOCATIONS } from '../../domain/tenant.ts';
import { findMissingScopes } from '../../usecases/list-providers.ts';
import { fromWire, toSchema, toWire } from '../from-shape.ts';
import { enumText, text } from './fields.ts';

export const customerPath = z.strictObject({
  customer_id: text('The application’s own id of the customer.', 'demo').regex(/^\P{Cc}*$/u, {
    error: 'must not contain control characters',
  }),
});

export const customerShape = toSchema(customer, 'answered');
export const customerUpsertShape = toSchema(customerUpsert, 'asked');
export const connectionShape = toSchema(connection, 'answered');

export const disconnectionShape = z
  .strictObject({
    revocation: enumText(
      REVOCATIONS,
      'What became of the grant at the provider. SHARED: another connection lives on it, it was left. FAILED: the provider was not reached or has refused. NOT_SUPPORTED: it cannot be revoked, or came by an upsert and is yours to revoke.',
    ),
  })
  .describe('A connection that was removed.');

export function toCustomerRecord(record: Customer, providers: Providers): Record<string, unknown> {
  const connections = record.connections.map((one) => withScopes(one, providers));
  return toWire(customer, { ...record, connections });
}

export function toConnectionRecord(record: Connection, providers: Providers): Record<string, unknown> {
  return toWire(connection, withScopes(record, providers));
}

/** Of scopes there is something to say where a link connected. */
function withScopes(record: Connection, providers: Providers): object {
  if (record.grantedScopes.length === 0) return { ...record, grantedScopes: undefined };
  return { ...record, missingScopes: findMissingScopes(providers, record) };
}

export function toCustomerUpsert(body: object, expectedVersion: number | undefined): CustomerUpsert {
  return { ...fromWire(customerUpsert, body), expectedVersion };
}

/** For what each needs to be granted. */
export type Providers = ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>;

export const customerPaginationShape = z
  .strictObject({
    next: z.string().nullable().describe('Cursor of the next page; null where there is none.'),
    previous: z.string().nullable().describe('Cursor of the previous page; null where there is none.'),
  })
  .describe('Where this page lies in the list.');

export const customerPageShape = z
  .strictObject({
    pagination: customerPaginationShape,
    records: z.array(customerShape).describe('The customers of this page, ordered by id.'),
  })
  .describe('One page of customers.');

export function toCustomerPage(page: CustomerPage, providers: Providers): z.output<typeof customerPageShape> {
  const { customers, hasNextPage, hasPreviousPage, cursorOf } = page;
  const [first, last] = [customers[0], customers.at(-1)];
  return {
    pagination: {
      next: hasNextPage && last ? cursorOf(last, 'forward') : null,
      previous: hasPreviousPage && first ? cursorOf(first, 'backward') : null,
    },
    records: customers.map((customer) => toCustomerRecord(customer, providers)),
  };
}
