import * as z from 'zod';
import { findCustomer } from '../../usecases/find-customer.ts';
import { isNotModified, jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import { customerPath, customerShape, toCustomerRecord } from '../wire/customer.ts';
import { toETag } from '../wire/entity-tag.ts';
import { EXAMPLE_CUSTOMER } from '../wire/examples.ts';
import { text } from '../wire/fields.ts';

export const getCustomer = defineOperation({
  id: 'getCustomer',
  method: 'GET',
  path: '/customers/{customer_id}',
  group: 'customers',
  summary: 'Read a customer',
  description: 'One customer of the application, with its connections.',
  callers: ['apiKey', 'customerToken'],
  input: z.object({
    path: customerPath,
    query: z.strictObject({}),
    headers: z.object({
      'if-none-match': text('An earlier ETag: 304 is the answer while it is still true.').optional(),
    }),
    body: z.undefined(),
  }),
  answer: {
    description: 'The customer.',
    shape: customerShape,
    example: EXAMPLE_CUSTOMER,
    headers: { etag: 'The version of the customer, for If-Match.' },
  },
  emptyAnswers: { 304: 'The customer is still the one of If-None-Match.' },
  refusals: [400, 401, 403, 404, 429, 500, 503],

  async handle(context, { path, headers }) {
    const customer = await findCustomer(context, path.customer_id);
    const etag = toETag(customer);
    if (!isNotModified(headers['if-none-match'], etag))
      return jsonResponse(
        toCustomerRecord(customer, context.providers),
        { etag },
        { allowance: context.allowance },
      );
    return { status: 304, headers: { etag, 'cache-control': 'no-store' }, body: null };
  },
});
