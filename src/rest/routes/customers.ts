import * as z from 'zod';
import { type Connection, connectionStatus } from '../../domain/connection.ts';
import { type Customer, customer, customerUpsert } from '../../domain/customer.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/page.ts';
import { EXAMPLE_PROVIDERS, PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { LIST_COST, VALUES_PER_CUSTOMER } from '../../domain/records/record-search.ts';
import { wordsOf } from '../../domain/shape.ts';
import { digest } from '../../lib/digest.ts';
import type { RequestContext } from '../../request/context.ts';
import { deleteCustomer, upsertCustomer } from '../../usecases/change-customers.ts';
import { findCustomer, listCustomers } from '../../usecases/find-customer.ts';
import { readStatusReason } from '../../usecases/list-providers.ts';
import { findMissingScopes, readGrantedAccess } from '../../usecases/record-access.ts';
import { defineOperation, isNotModified } from '../operation.ts';
import {
  EXAMPLE_MOMENT,
  enumInput,
  fromWire,
  object,
  optional,
  pageCursors,
  pageQuery,
  text,
  toPageCursors,
  toSchema,
  toWire,
} from '../schemas.ts';

export const customerPath = z.strictObject({
  customer_id: text('The application’s own id of the customer.', 'demo').regex(/^\P{Cc}*$/u, {
    error: 'must not contain control characters',
  }),
});

const ifMatch = z
  .string()
  .regex(/^"\d{1,9}(-[\w-]{1,64})?"$/, {
    error: 'must be one version in double quotes, as ETag gives it',
  })
  .optional()
  .meta({
    description: 'Expected version, as in ETag: 409 if the stored one differs.',
    examples: ['"3"'],
  });

export const versionHeaders = z
  .object({
    'if-match': ifMatch,
    'if-none-match': optional(
      z.literal('*', { error: 'must be *' }),
      '`*`: the customer must not exist, otherwise 409.',
    ),
  })
  .refine(
    (headers) => headers['if-match'] === undefined || headers['if-none-match'] === undefined,
    {
      path: ['if-none-match'],
      error: 'cannot be combined with if-match',
    },
  );

/** Undefined: any version. 0: there must be none. */
export function readExpectedVersion(headers: z.output<typeof versionHeaders>): number | undefined {
  return headers['if-none-match'] === undefined ? readVersion(headers['if-match']) : 0;
}

/** Reads the version from an ETag. Nine digits exceed any realistic number of upserts. */
function readVersion(tag: z.output<typeof ifMatch>): number | undefined {
  return tag === undefined ? undefined : Number.parseInt(tag.slice(1), 10);
}

/**
 * The ETag of a customer. With connections it includes their state, because a status changes without a new version.
 * `If-Match` compares the version only.
 */
function toETag({ version, connections }: Customer): string {
  if (connections.length === 0) return `"${version}"`;
  return `"${version}-${digest(JSON.stringify(connections)).slice(0, 10)}"`;
}

const customerSchema = toSchema(customer, 'response');

const customerPageSchema = object('response', 'CustomerPage', 'A page of customers.', {
  pagination: object(
    'response',
    'CustomerPagination',
    'Cursors of the adjacent pages.',
    pageCursors,
  ),
  records: z.array(customerSchema).describe('Customers of this page, sorted by id.'),
});

function toCustomerRecord(record: Customer, providers: Providers): Record<string, unknown> {
  const connections = record.connections.map((one) => toWireConnection(one, providers));
  return toWire(customer, { ...record, connections });
}

/** A connection with what its provider says about it. Scopes are known only where it was made by a link. */
export function toWireConnection(record: Connection, providers: Providers): object {
  const grantedAccess = readGrantedAccess(providers.get(record.providerName), record);
  const shown = {
    ...record,
    statusReason: readStatusReason(providers, record),
    ...(grantedAccess.length > 0 && { grantedAccess }),
  };
  if (record.grantedScopes.length === 0) return { ...shown, grantedScopes: undefined };
  return { ...shown, missingScopes: findMissingScopes(providers, record) };
}

/** For the required scopes of each provider, and whether it can be searched. */
type Providers = RequestContext['providers'];

export const EXAMPLE_CONNECTION = {
  id: 'b1d0f8de-6d8e-4a36-8f0d-5a6d9e1c7a01',
  application_id: '3f0a4c52-6f0f-4d5c-9a55-1f4f1f6f2f11',
  customer_id: 'customer-1',
  provider_id: '7a1de64c-0f7b-5b0c-9e0f-2f8f1f1d3c02',
  provider_name: EXAMPLE_PROVIDERS.unsearchable,
  category: 'crm',
  status: 'connected',
  status_reason: 'not_searchable',
  status_changed_at: EXAMPLE_MOMENT,
};

const EXAMPLE_CUSTOMER = {
  application_id: EXAMPLE_CONNECTION.application_id,
  customer_id: 'customer-1',
  name: 'Analytical Engines Ltd',
  email: 'office@example.com',
  connections: [EXAMPLE_CONNECTION],
};

const CUSTOMER = {
  schema: customerSchema,
  example: EXAMPLE_CUSTOMER,
  headers: { etag: 'Version of the customer, for If-Match.' },
};

export const customerOperations = [
  defineOperation({
    id: 'upsertCustomer',
    route: 'PUT /customers',
    summary: 'Create or update a customer',
    description:
      'Creates or updates a customer with its connections, in one transaction. Requires an API key.',
    input: { headers: versionHeaders, body: toSchema(customerUpsert, 'request') },
    bodyExample: {
      customer_id: 'customer-1',
      name: 'Analytical Engines Ltd',
      email: 'office@example.com',
      // A provider without search, so that no later search sends the invented token anywhere.
      connections: [
        {
          provider_name: EXAMPLE_PROVIDERS.unsearchable,
          credentials: { type: 'token', value: 'the-access-token' },
        },
      ],
    },
    response: { ...CUSTOMER, description: 'The stored customer.' },
    errors: [404, 409, 422, 501],
    async handle(context, { headers, body }, head) {
      const { customer } = await upsertCustomer(context, {
        ...fromWire(customerUpsert, body),
        expectedVersion: readExpectedVersion(headers),
      });
      head.headers['etag'] = toETag(customer);
      return toCustomerRecord(customer, context.providers);
    },
  }),
  defineOperation({
    id: 'listCustomers',
    route: 'GET /customers',
    summary: 'List customers',
    description:
      'The application’s customers with their connections, sorted by id. All conditions of the query must match.',
    input: {
      query: z.strictObject({
        email: text('Email address of the customer, compared case-insensitively.').optional(),
        provider_name: enumInput(
          PROVIDER_NAMES,
          'Provider to which the customer has a connection.',
        ).optional(),
        status: enumInput(
          wordsOf(connectionStatus),
          'Status of a connection of the customer; with provider_name, of the connection to it.',
        ).optional(),
        ...pageQuery({
          of: 'Customers',
          most: MAX_PAGE_SIZE,
          cursor: 'A page’s `next` or `previous`, unchanged, with the same query.',
        }),
      }),
    },
    response: {
      description: 'A page of customers.',
      schema: customerPageSchema,
      example: { pagination: { next: null, previous: null }, records: [EXAMPLE_CUSTOMER] },
    },
    async handle(context, { query }) {
      const {
        email,
        provider_name: provider,
        status,
        page_size: size = DEFAULT_PAGE_SIZE,
        cursor,
      } = query;
      await context.charge(LIST_COST + size * VALUES_PER_CUSTOMER);
      const page = await listCustomers(context, {
        filter: { email, provider, status },
        page: { size, cursor },
      });
      return {
        pagination: toPageCursors(page),
        records: page.items.map((one) => toCustomerRecord(one, context.providers)),
      };
    },
  }),
  defineOperation({
    id: 'getCustomer',
    route: 'GET /customers/{customer_id}',
    summary: 'Read a customer',
    description: 'A customer of the application, with its connections.',
    callers: ['apiKey', 'customerToken'],
    input: {
      path: customerPath,
      headers: z.object({
        'if-none-match': text('An earlier ETag: 304 if the customer has not changed.').optional(),
      }),
    },
    response: { ...CUSTOMER, description: 'The customer.' },
    notModified: 'The customer has not changed since If-None-Match.',
    errors: [404],
    async handle(context, { path, headers }, head) {
      const customer = await findCustomer(context, path.customer_id);
      const etag = toETag(customer);
      head.headers['etag'] = etag;
      if (!isNotModified(headers['if-none-match'], etag))
        return toCustomerRecord(customer, context.providers);
      head.status = 304;
      return undefined;
    },
  }),
  defineOperation({
    id: 'deleteCustomer',
    route: 'DELETE /customers/{customer_id}',
    summary: 'Delete a customer',
    description:
      'Deletes a customer with all their data, and revokes grants made through connect links at the providers, unless another connection uses them. Responds after two to three seconds; from then on no server returns any of the customer’s data.',
    input: {
      path: customerPath,
      headers: z.object({ 'if-match': ifMatch }),
      query: z.strictObject({
        delete_synced_rows: optional(
          z.boolean(),
          'Whether the customer’s rows at the sync destination are deleted too, which is retried for 30 days and ends with an event. Default: true.',
        ),
      }),
    },
    response: { status: 204, description: 'The customer was deleted.' },
    errors: [404, 409],
    async handle(context, { path, headers, query: { delete_synced_rows: deleteSyncedRows } }) {
      const expectedVersion = readVersion(headers['if-match']);
      const deletion = { customerId: path.customer_id, expectedVersion, deleteSyncedRows };
      await deleteCustomer(context, deletion);
    },
  }),
];
