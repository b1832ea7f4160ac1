import { costs } from '@crossbook/executor';
import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/caller.ts';
import { connectionStatus } from '../../domain/connection.ts';
import {
  type Customer,
  type CustomerUpsert,
  customer,
  customerUpsert,
} from '../../domain/customer.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { providerName } from '../../domain/provider-names.ts';
import { LIST_COST, PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { boolean, field, id, int, listOf, moment, nullable, string } from '../../domain/shape.ts';
import { revocation } from '../../domain/tenant.ts';
import {
  deleteCustomer,
  disconnectProvider,
  issueCustomerToken,
  upsertCustomer,
} from '../../usecases/change-customers.ts';
import { findCustomer, listCustomers, MAX_LISTED_IDS } from '../../usecases/find-customer.ts';
import { builder, tagged } from '../define/builder.ts';
import { selectsConfigurations } from '../define/field-selection.ts';
import { defineObject, enumOf } from '../define/from-shape.ts';
import { toGlobalId } from '../define/global-id.ts';
import { defineMutation } from '../define/mutation.ts';
import { NODE_ID, NodeInterface } from './node.ts';
import { connectionOf, pageArguments, pageSizeOf, readPageInput } from './pagination.ts';

const CustomerType = defineObject<Customer>(customer, {
  interfaces: [NodeInterface],
  directives: [
    { name: 'key', args: { fields: 'customerId' } },
    { name: 'key', args: { fields: 'id' } },
  ],
  fields: (t) => ({
    id: t.id({
      ...NODE_ID,
      resolve: ({ applicationId, customerId }) =>
        toGlobalId({ type: 'Customer', applicationId, customerId }),
    }),
  }),
});

builder.queryField('customer', (t) =>
  t.field({
    type: CustomerType,
    nullable: true,
    description: 'A customer with its connections.',
    args: {
      customerId: t.arg.id({
        description:
          'Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer.',
      }),
    },
    resolve: (_root, { customerId }, context, info) =>
      findCustomer(context, customerId, selectsConfigurations(info, ['connections'])),
  }),
);

const CustomerFilterInput = builder.inputType('CustomerFilter', {
  description: 'Conditions, all of which must match.',
  fields: (t) => ({
    customerIds: t.idList({ description: `Your own ids of customers, at most ${MAX_LISTED_IDS}.` }),
    email: t.string({ description: 'Email address of the customer, compared case-insensitively.' }),
    provider: t.field({
      type: enumOf(providerName),
      description: 'Provider to which the customer has a connection.',
    }),
    status: t.field({
      type: enumOf(connectionStatus),
      description:
        'Status of a connection of the customer; with `provider`, of the connection to it.',
    }),
  }),
});

builder.queryField('customers', (t) =>
  t.field({
    ...tagged('api-key'),
    type: connectionOf(CustomerType, {
      one: 'A customer',
      description: 'A page of your customers, sorted by id.',
    }),
    description: 'Your customers with their connections. Requires an API key.',
    args: {
      filter: t.arg({
        type: CustomerFilterInput,
        description: 'Conditions. Default: all customers.',
      }),
      ...pageArguments('customers'),
    },
    ...costs({ weight: LIST_COST, pageSize: (args) => pageSizeOf(args, DEFAULT_PAGE_SIZE) }),
    resolve: (_root, { filter, ...args }, context, info) =>
      listCustomers(context, {
        filter: {
          customerIds: filter?.customerIds ?? undefined,
          email: filter?.email ?? undefined,
          provider: filter?.provider ?? undefined,
          status: filter?.status ?? undefined,
        },
        page: readPageInput(args),
        withConfigurations: selectsConfigurations(
          info,
          ['nodes', 'connections'],
          ['edges', 'node', 'connections'],
        ),
      }),
  }),
);

const CUSTOMER_ID = field(id, 'Your own id of the customer.');

defineMutation('upsertCustomer', {
  description:
    'Creates or updates a customer with its connections, in one transaction. Requires an API key.',
  input: {
    argument: 'The customer.',
    description: customerUpsert.description,
    fields: {
      ...customerUpsert.fields,
      expectedVersion: nullable(
        int,
        'Expected version: if the stored one differs, the error is `CONFLICT`. 0: the customer must not exist.',
      ),
    },
  },
  resolve: ({ expectedVersion, ...upsert }, context) =>
    upsertCustomer(context, {
      ...(upsert as CustomerUpsert),
      expectedVersion: expectedVersion ?? undefined,
    }),
  payload: {
    description: 'Result of an upsert.',
    fields: {
      customer: field<Customer>(customer, 'The stored customer with its connections.'),
      created: field(boolean, 'Whether the customer was created.'),
    },
  },
});

defineMutation('deleteCustomer', {
  description:
    'Deletes a customer with connections, credentials, cached contacts, open connect links and tokens. Grants made through connect links are revoked at the provider, unless another connection uses them. Responds after two to three seconds; from then on no server returns any of the customer’s data. Requires an API key.',
  input: {
    argument: 'The customer.',
    description: 'A customer to delete.',
    fields: {
      customerId: CUSTOMER_ID,
      expectedVersion: nullable(
        int,
        'Expected version: if the stored one differs, the error is `CONFLICT`.',
      ),
      deleteSyncedRows: field(
        boolean,
        'Whether the customer’s rows at the sync destination are deleted too, which is retried for 30 days and ends with an event.',
        { defaultValue: true },
      ),
    },
  },
  async resolve({ customerId, expectedVersion, deleteSyncedRows }, context) {
    await deleteCustomer(context, {
      customerId,
      expectedVersion: expectedVersion ?? undefined,
      deleteSyncedRows,
    });
    const { id: applicationId } = context.requireCaller().application;
    return { deletedCustomerId: toGlobalId({ type: 'Customer', applicationId, customerId }) };
  },
  payload: {
    description: 'Result of deleting a customer.',
    fields: {
      deletedCustomerId: field(id, 'Global id (`id`) of the deleted customer, for client caches.'),
    },
  },
});

defineMutation('disconnectProvider', {
  description:
    'Deletes a customer’s connection with its configuration, credentials and cached contacts, and revokes at the provider what a connect link was granted. Responds after two to three seconds; from then on no server returns any of its data. Requires an API key.',
  cost: { weight: PROVIDER_CALL },
  input: {
    argument: 'The connection.',
    description: 'A connection to remove.',
    fields: { customerId: CUSTOMER_ID, provider: field(providerName, 'Provider to disconnect.') },
  },
  resolve: (request, context) => disconnectProvider(context, request),
  payload: {
    description: 'Result of removing a connection.',
    fields: {
      customer: field<Customer>(
        customer,
        'The customer without the connection. Its version has increased by one.',
      ),
      revocation: field(revocation, 'Result of revoking the grant at the provider.'),
    },
  },
});

defineMutation('issueCustomerToken', {
  description:
    'Issues a short-lived token for the frontend of one customer. Requires an API key: a token cannot issue tokens.',
  input: {
    argument: 'Customer token to issue.',
    description: 'A customer token to issue.',
    fields: {
      customerId: CUSTOMER_ID,
      expiresInSeconds: nullable(
        int,
        `Lifetime of the token, at most ${MAX_TOKEN_SECONDS} seconds (a day). Default ${DEFAULT_TOKEN_SECONDS} (an hour).`,
      ),
      providers: nullable(
        listOf(providerName),
        'Providers that the token may search. Default: all of the customer’s.',
      ),
      canList: nullable(
        boolean,
        'Whether the token may list contacts that it does not know yet: by `all`, `modifiedSince`, `namePrefix` and `customField`. Default: false.',
      ),
      canWrite: nullable(
        boolean,
        'Whether the token may create and change records, where the connection may. Default: false.',
      ),
    },
  },
  resolve: (request, context) => issueCustomerToken(context, request),
  payload: {
    description: 'The new token, returned only here.',
    fields: {
      token: field(
        string,
        'Token for the header `Authorization: Bearer …`. It can only read its customer and that customer’s contacts.',
      ),
      expiresAt: field(moment, 'Time at which the token expires.'),
    },
  },
});
