import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/caller.ts';
import { PROVIDER_CALL } from '../../domain/contact-search.ts';
import { customerUpsert } from '../../domain/customer.ts';
import type { Revocation } from '../../domain/tenant.ts';
import { issueCustomerToken } from '../../usecases/issue-customer-token.ts';
import { deleteCustomer, disconnectProvider } from '../../usecases/remove-customer.ts';
import { upsertCustomer } from '../../usecases/upsert-customer.ts';
import { builder } from '../builder.ts';
import { inputFields, readInputShape } from '../from-shape.ts';
import { toGlobalId } from '../global-id.ts';
import { defineMutation } from '../mutation.ts';
import { CustomerType } from './customer-connection.ts';
import { ProviderNameEnum } from './provider.ts';
import { toEnumValues } from './scalars.ts';

defineMutation('upsertCustomer', {
  description: 'Creates or updates a customer together with its connections: all of it, or nothing.',
  input: {
    argument: 'The customer.',
    description: customerUpsert.description,
    fields: (t) => ({
      ...inputFields(t, customerUpsert),
      expectedVersion: t.int({
        description:
          'The version that you have seen: another one is refused with CONFLICT. 0: the customer must not exist yet.',
      }),
    }),
  },
  resolve: (input, context) =>
    upsertCustomer(context, {
      ...readInputShape(customerUpsert, input),
      expectedVersion: input.expectedVersion ?? undefined,
    }),
  payload: {
    description: 'What became of an upsert.',
    fields: (t) => ({
      customer: t.expose('customer', {
        type: CustomerType,
        description: 'The customer as it is now, with its connections.',
      }),
      created: t.exposeBoolean('created', { description: 'Is the customer new?' }),
    }),
  },
});

defineMutation('deleteCustomer', {
  description:
    'Deletes a customer with everything of theirs: connections, credentials, cached contacts, open links, tokens. What they granted by a connect link is revoked at the tool, where no other connection lives on it. It takes two to three seconds: then no server answers with anything of theirs. It takes an API key.',
  input: {
    argument: 'The customer.',
    description: 'A customer to delete.',
    fields: (t) => ({
      customerId: t.id({ required: true, description: 'Your own id of the customer.' }),
      expectedVersion: t.int({
        description: 'The version that you have seen: another one is refused with CONFLICT.',
      }),
    }),
  },
  async resolve({ customerId, expectedVersion }, context) {
    await deleteCustomer(context, { customerId, expectedVersion: expectedVersion ?? undefined });
    const { id: applicationId } = context.requireCaller().application;
    return { deletedCustomerId: toGlobalId({ type: 'Customer', applicationId, customerId }) };
  },
  payload: {
    description: 'A customer is deleted.',
    fields: (t) => ({
      deletedCustomerId: t.exposeID('deletedCustomerId', {
        description: 'The global id (`id`) that the customer had: for the caches of clients.',
      }),
    }),
  },
});

const RevocationEnum = builder.enumType('Revocation', {
  description: 'What became of what the customer had granted, at the tool.',
  values: toEnumValues<Revocation>({
    REVOKED: 'It is revoked: the tokens work no longer.',
    SHARED: 'Another connection lives on the same grant, so that it was left as it is.',
    FAILED:
      'The tool was not reached, or has refused: the customer can withdraw it in the tool. The connection is removed all the same.',
    NOT_SUPPORTED:
      'The tool has no way to revoke it, or the credentials came by `upsertCustomer` and are your own to revoke.',
  }),
});

defineMutation('disconnectProvider', {
  description:
    'Removes a customer’s connection with its configuration, credentials and cached contacts, and revokes at the tool what a connect link was granted. It takes two to three seconds: then no server answers with anything of it. It takes an API key.',
  cost: { weight: PROVIDER_CALL },
  input: {
    argument: 'The connection.',
    description: 'A connection to remove.',
    fields: (t) => ({
      customerId: t.id({ required: true, description: 'Your own id of the customer.' }),
      provider: t.field({ type: ProviderNameEnum, required: true, description: 'The tool to disconnect.' }),
    }),
  },
  resolve: (request, context) => disconnectProvider(context, request),
  payload: {
    description: 'A connection is removed.',
    fields: (t) => ({
      customer: t.expose('customer', {
        type: CustomerType,
        description: 'The customer as it is now, without the connection. Its version has grown by one.',
      }),
      revocation: t.expose('revocation', {
        type: RevocationEnum,
        description: 'What became of the grant at the tool.',
      }),
    }),
  },
});

defineMutation('issueCustomerToken', {
  description:
    'A short-lived token for the frontend of one of your customers. It takes an API key: a token cannot make tokens.',
  input: {
    argument: 'Whom the token is for.',
    description: 'Whom a token is for, and how far it reaches.',
    fields: (t) => ({
      customerId: t.id({ required: true, description: 'The customer, by your own id.' }),
      expiresInSeconds: t.int({
        description: `How long the token lives, at most ${MAX_TOKEN_SECONDS} seconds (a day). Default ${DEFAULT_TOKEN_SECONDS}, an hour.`,
      }),
      providers: t.field({
        type: [ProviderNameEnum],
        description: 'The only providers that the token may search. Default: all of the customer’s.',
      }),
    }),
  },
  resolve: (request, context) => issueCustomerToken(context, request),
  payload: {
    description: 'A token, shown this once.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description:
          'For the header `Authorization: Bearer …`. It reads its customer and that customer’s contacts, nothing else.',
      }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the token ends.' }),
    }),
  },
});
