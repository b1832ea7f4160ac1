import * as z from 'zod';
import type { CustomerPage } from '../../domain/customer-list.ts';
import { customerShape, type Providers, toCustomerRecord } from './customer.ts';

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
