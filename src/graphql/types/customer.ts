import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/caller.ts';
import { connectionStatus } from '../../domain/connection.ts';
import { PROVIDER_CALL } from '../../domain/contact-search.ts';
import { type Customer, type CustomerUpsert, customer, customerUpsert } from '../../domain/customer.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { providerName } from '../../domain/provider-names.ts';
import { boolean, field, id, int, listOf, moment, nullable, string } from '../../domain/shape.ts';
import { revocation } from '../../domain/tenant.ts';
import {
  deleteCustomer,
  disconnectProvider,
  issueCustomerToken,
  upsertCustomer,
} from '../../usecases/change-customers.ts';
import { findCustomer, listCustomers, MAX_LISTED_IDS } from '../../usecases/find-customer.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { enumOf, exposeFields, registerObject } from '../from-shape.ts';
import { toGlobalId } from '../global-id.ts';
import { defineMutation } from '../mutation.ts';
import { NODE_ID, NodeInterface } from './node.ts';
import { connectionOf, pageArguments, pageSizeOf, readPageInput } from './pagination.ts';

const CustomerType = registerObject(
  customer,
  builder.objectRef<Customer>('Customer').implement({
    description: customer.description,
    interfaces: [NodeInterface],
    directives: [
      { name: 'key', args: { fields: 'customerId' } },
      { name: 'key', args: { fields: 'id' } },
    ],
    fields: (t) => ({
      ...exposeFields(t, customer),
      id: t.id({
        ...NODE_ID,
        resolve: ({ applicationId, customerId }) =>
          toGlobalId({ type: 'Customer', applicationId, customerId }),
      }),
    }),
  }),
);

builder.queryField('customer', (t) =>
  t.field({
    type: CustomerType,
    nullable: true,
    description: 'One customer with its connections.',
    args: {
      customerId: t.arg.id({
        description:
          'The customer, by your own id. Default: the header x-customer-id, or the token’s customer.',
      }),
    },
    resolve: (_root, { customerId }, context) => findCustomer(context, customerId),
  }),
);

const CustomerFilterInput = builder.inputType('CustomerFilter', {
  description: 'Which customers: all that is given must hold.',
  fields: (t) => ({
    customerIds: t.idList({ description: `Your own ids of customers, at most ${MAX_LISTED_IDS}.` }),
    email: t.string({ description: 'The customer’s email address, compared without case.' }),
    provider: t.field({
      type: enumOf(providerName),
      description: 'Customers with a connection to this tool.',
    }),
    status: t.field({
      type: enumOf(connectionStatus),
      description: 'Customers with a connection in this status; with `provider`, that very connection.',
    }),
  }),
});

builder.queryField('customers', (t) =>
  t.field({
    ...tagged('api-key'),
    type: connectionOf(CustomerType, {
      one: 'A customer',
      description: 'One page of your customers, in the order of their ids.',
    }),
    description: 'Your customers, each with its connections. It takes an API key.',
    args: {
      filter: t.arg({ type: CustomerFilterInput, description: 'Default: all of them.' }),
      ...pageArguments('customers'),
    },
    // Three statements, and no call to a provider.
    ...costs({ weight: 20, pageSize: (args) => pageSizeOf(args, DEFAULT_PAGE_SIZE) }),
    resolve: (_root, { filter, ...args }, context) =>
      listCustomers(context, {
        filter: {
          customerIds: filter?.customerIds ?? undefined,
          email: filter?.email ?? undefined,
          provider: filter?.provider ?? undefined,
          status: filter?.status ?? undefined,
        },
        page: readPageInput(args),
      }),
  }),
);

defineMutation('upsertCustomer', {
  description: 'Creates or updates a customer together with its connections: all of it, or nothing.',
  input: {
    argument: 'The customer.',
    description: customerUpsert.description,
    fields: {
      ...customerUpsert.fields,
      expectedVersion: nullable(
        int,
        'The version that you have seen: another one is refused with CONFLICT. 0: the customer must not exist yet.',
      ),
    },
  },
  resolve: ({ expectedVersion, ...upsert }, context) =>
    upsertCustomer(context, {
      ...(upsert as CustomerUpsert),
      expectedVersion: expectedVersion ?? undefined,
    }),
  payload: {
    description: 'What became of an upsert.',
    fields: {
      customer: field<Customer>(customer, 'The customer as it is now, with its connections.'),
      created: field(boolean, 'Is the customer new?'),
    },
  },
});

const CUSTOMER_ID = field(id, 'Your own id of the customer.');

defineMutation('deleteCustomer', {
  description:
    'Deletes a customer with everything of theirs: connections, credentials, cached contacts, open links, tokens. What they granted by a connect link is revoked at the tool, where no other connection lives on it. It takes two to three seconds: then no server answers with anything of theirs. It takes an API key.',
  input: {
    argument: 'The customer.',
    description: 'A customer to delete.',
    fields: {
      customerId: CUSTOMER_ID,
      expectedVersion: nullable(int, 'The version that you have seen: another one is refused with CONFLICT.'),
    },
  },
  async resolve({ customerId, expectedVersion }, context) {
    await deleteCustomer(context, { customerId, expectedVersion: expectedVersion ?? undefined });
    const { id: applicationId } = context.requireCaller().application;
    return { deletedCustomerId: toGlobalId({ type: 'Customer', applicationId, customerId }) };
  },
  payload: {
    description: 'A customer is deleted.',
    fields: {
      deletedCustomerId: field(id, 'The global id (`id`) that the customer had: for the caches of clients.'),
    },
  },
});

defineMutation('disconnectProvider', {
  description:
    'Removes a customer’s connection with its configuration, credentials and cached contacts, and revokes at the tool what a connect link was granted. It takes two to three seconds: then no server answers with anything of it. It takes an API key.',
  cost: { weight: PROVIDER_CALL },
  input: {
    argument: 'The connection.',
    description: 'A connection to remove.',
    fields: { customerId: CUSTOMER_ID, provider: field(providerName, 'The tool to disconnect.') },
  },
  resolve: (request, context) => disconnectProvider(context, request),
  payload: {
    description: 'A connection is removed.',
    fields: {
      customer: field<Customer>(
        customer,
        'The customer as it is now, without the connection. Its version has grown by one.',
      ),
      revocation: field(revocation, 'What became of the grant at the tool.'),
    },
  },
});

defineMutation('issueCustomerToken', {
  description:
    'A short-lived token for the frontend of one of your customers. It takes an API key: a token cannot make tokens.',
  input: {
    argument: 'Whom the token is for.',
    description: 'Whom a token is for, and how far it reaches.',
    fields: {
      customerId: field(id, 'The customer, by your own id.'),
      expiresInSeconds: nullable(
        int,
        `How long the token lives, at most ${MAX_TOKEN_SECONDS} seconds (a day). Default ${DEFAULT_TOKEN_SECONDS}, an hour.`,
      ),
      providers: nullable(
        listOf(providerName),
        'The only providers that the token may search. Default: all of the customer’s.',
      ),
    },
  },
  resolve: (request, context) => issueCustomerToken(context, request),
  payload: {
    description: 'A token, shown this once.',
    fields: {
      token: field(
        string,
        'For the header `Authorization: Bearer …`. It reads its customer and that customer’s contacts, nothing else.',
      ),
      expiresAt: field(moment, 'When the token ends.'),
    },
  },
});
