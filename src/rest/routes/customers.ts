import * as z from 'zod';
import { connectionStatus } from '../../domain/connection.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/page.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { wordsOf } from '../../domain/shape.ts';
import { findCustomer, listCustomers } from '../../usecases/find-customer.ts';
import { deleteCustomer } from '../../usecases/remove-customer.ts';
import { upsertCustomer } from '../../usecases/upsert-customer.ts';
import { defineOperation } from '../operation.ts';
import { answerEmpty, isNotModified, jsonResponse } from '../responses.ts';
import {
  customerPageShape,
  customerPath,
  customerShape,
  customerUpsertShape,
  toCustomerPage,
  toCustomerRecord,
  toCustomerUpsert,
} from '../wire/customer.ts';
import {
  ifMatch,
  readEntityVersion,
  readExpectedVersion,
  toETag,
  versionHeaders,
} from '../wire/entity-tag.ts';
import { EXAMPLE_CUSTOMER, EXAMPLE_CUSTOMER_UPSERT } from '../wire/examples.ts';
import { enumText, text } from '../wire/fields.ts';

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
      provider_name: enumText(PROVIDER_NAMES, 'Customers with a connection to this provider.').optional(),
      status: enumText(
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

export const deleteCustomerOperation = defineOperation({
  id: 'deleteCustomer',
  method: 'DELETE',
  path: '/customers/{customer_id}',
  group: 'customers',
  summary: 'Delete a customer',
  description:
    'Deletes a customer with everything of theirs, and revokes at the providers what connect links were granted, where no other connection lives on it. It takes two to three seconds: then no server answers with anything of theirs.',
  callers: ['apiKey'],
  input: z.object({
    path: customerPath,
    query: z.strictObject({}),
    headers: z.object({ 'if-match': ifMatch }),
    body: z.undefined(),
  }),
  emptyAnswers: { 204: 'The customer is deleted.' },
  refusals: [400, 401, 403, 404, 409, 429, 500, 503],

  async handle(context, { path, headers }) {
    const expectedVersion = readEntityVersion(headers['if-match']);
    await deleteCustomer(context, { customerId: path.customer_id, expectedVersion });
    return answerEmpty();
  },
});
