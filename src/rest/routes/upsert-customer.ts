import * as z from 'zod';
import { upsertCustomer } from '../../usecases/upsert-customer.ts';
import { jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import { customerShape, customerUpsertShape, toCustomerRecord, toCustomerUpsert } from '../wire/customer.ts';
import { readExpectedVersion, toETag, versionHeaders } from '../wire/entity-tag.ts';
import { EXAMPLE_CUSTOMER, EXAMPLE_CUSTOMER_UPSERT } from '../wire/examples.ts';

export const upsertCustomerOperation = defineOperation({
  id: 'upsertCustomer',
  method: 'PUT',
  path: '/customers',
  group: 'customers',
  summary: 'Create or update a customer',
  description: 'Creates or updates a customer together with its connections: all of it, or nothing.',
  callers: ['apiKey'],
  input: z.object({
    path: z.strictObject({}),
    query: z.strictObject({}),
    headers: versionHeaders,
    body: customerUpsertShape,
  }),
  bodyExample: EXAMPLE_CUSTOMER_UPSERT,
  answer: {
    description: 'The customer, as it is now.',
    shape: customerShape,
    example: EXAMPLE_CUSTOMER,
    headers: { etag: 'The version of the customer, for If-Match.' },
  },
  refusals: [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 501, 503],

  async handle(context, { headers, body }) {
    const { customer } = await upsertCustomer(context, toCustomerUpsert(body, readExpectedVersion(headers)));
    return jsonResponse(
      toCustomerRecord(customer, context.providers),
      { etag: toETag(customer) },
      { allowance: context.allowance },
    );
  },
});
