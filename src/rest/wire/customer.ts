import * as z from 'zod';
import type { Customer, CustomerUpsert } from '../../domain/customer.ts';
import { connectionShape, type Providers, toConnectionRecord } from './connection.ts';
import { connectionUpsertShape, toConnectionUpsert } from './connection-upsert.ts';
import { text, uuid } from './fields.ts';

export const customerPath = z.strictObject({
  customer_id: text('The application’s own id of the customer.', 'demo').regex(/^\P{Cc}*$/u, {
    error: 'must not contain control characters',
  }),
});

export const customerShape = z
  .strictObject({
    application_id: uuid('Id of the application that the customer belongs to.'),
    customer_id: text('The application’s own id of the customer.', 'customer-1'),
    name: text('The customer’s name.', 'Analytical Engines Ltd'),
    email: text('The customer’s email address.', 'office@example.com'),
    connections: z.array(connectionShape).describe('The customer’s connections to providers.'),
  })
  .describe('One customer of the application, with its connections.');

export const customerUpsertShape = z
  .strictObject({
    customer_id: text('The application’s own id of the customer.', 'customer-1'),
    name: text('The customer’s name.', 'Analytical Engines Ltd'),
    email: text('The customer’s email address.', 'office@example.com'),
    connections: z
      .array(connectionUpsertShape)
      .optional()
      .describe('Connections to create or update, each provider once. Those not listed stay as they are.'),
  })
  .describe('The customer to create or update.');

export function toCustomerRecord(customer: Customer, providers: Providers): z.output<typeof customerShape> {
  return {
    application_id: customer.applicationId,
    customer_id: customer.customerId,
    name: customer.name,
    email: customer.email,
    connections: customer.connections.map((connection) => toConnectionRecord(connection, providers)),
  };
}

export function toCustomerUpsert(
  record: z.output<typeof customerUpsertShape>,
  expectedVersion: number | undefined,
): CustomerUpsert {
  return {
    customerId: record.customer_id,
    name: record.name,
    email: record.email,
    expectedVersion,
    connections: record.connections?.map(toConnectionUpsert),
  };
}
