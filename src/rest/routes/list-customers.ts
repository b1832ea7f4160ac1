import * as z from 'zod';
import { connectionStatus } from '../../domain/connection.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/page.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { wordsOf } from '../../domain/shape.ts';
import { listCustomers } from '../../usecases/find-customer.ts';
import { jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import { customerPageShape, toCustomerPage } from '../wire/customer-page.ts';
import { EXAMPLE_CUSTOMER } from '../wire/examples.ts';
import { enumOf, text } from '../wire/fields.ts';

export const listCustomersOperation = defineOperation({
  id: 'listCustomers',
  method: 'GET',
  path: '/customers',
  group: 'customers',
  summary: 'List customers',
  description:
    'The application’s customers in the order of their ids, each with its connections. All that the query gives must hold.',
  callers: ['apiKey'],
  input: z.object({
    path: z.strictObject({}),
    query: z.strictObject({
      email: text('Customers with this email address, compared without case.').optional(),
      provider_name: enumOf(PROVIDER_NAMES, 'Customers with a connection to this provider.').optional(),
      status: enumOf(
        wordsOf(connectionStatus),
        'Customers with a connection in this status; with provider_name, that very connection.',
      ).optional(),
      page_size: z
        .int()
        .min(0)
        .max(MAX_PAGE_SIZE)
        .optional()
        .describe(`Customers on a page, at most ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} where it is absent.`),
      cursor: z
        .string()
        .min(1)
        .optional()
        .describe('A page’s `next` or `previous`, unchanged, with the same query.'),
    }),
    headers: z.object({}),
    body: z.undefined(),
  }),
  answer: {
    description: 'One page of customers.',
    shape: customerPageShape,
    example: { pagination: { next: null, previous: null }, records: [EXAMPLE_CUSTOMER] },
    headers: {},
  },
  refusals: [400, 401, 403, 429, 500, 503],

  async handle(context, { query }) {
    const size = query.page_size ?? DEFAULT_PAGE_SIZE;
    const charged = context.charge(LIST_COST + size * VALUES_PER_CUSTOMER);
    if (charged) await charged;
    const page = await listCustomers(context, {
      filter: { email: query.email, provider: query.provider_name, status: query.status },
      page: { size: query.page_size, cursor: query.cursor },
    });
    const { providers, allowance } = context;
    return jsonResponse(toCustomerPage(page, providers), {}, { allowance });
  },
});

/** As GraphQL reckons the same. */
const LIST_COST = 20;
const VALUES_PER_CUSTOMER = 20;
