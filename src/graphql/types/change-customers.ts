import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/caller.ts';
import { PROVIDER_CALL } from '../../domain/contact-search.ts';
import { customerUpsert } from '../../domain/customer.ts';
import type { Revocation } from '../../domain/removal.ts';
import { type IssuedToken, issueCustomerToken } from '../../usecases/issue-customer-token.ts';
import { type Disconnected, deleteCustomer, disconnectProvider } from '../../usecases/remove-customer.ts';
import { type UpsertedCustomer, upsertCustomer } from '../../usecases/upsert-customer.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { inputFields, readInputShape } from '../from-shape.ts';
import { toGlobalId } from '../global-id.ts';
import { CustomerType } from './customer-connection.ts';
import { ProviderNameEnum } from './provider.ts';
import { toEnumValues } from './scalars.ts';

const UpsertCustomerInput = builder.inputType('UpsertCustomerInput', {
  description: customerUpsert.description,
  fields: (t) => ({
    ...inputFields(t, customerUpsert),
    expectedVersion: t.int({
      description:
        'The version that you have seen: another one is refused with CONFLICT. 0: the customer must not exist yet.',
    }),
    clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
  }),
});

const UpsertCustomerPayload = builder.objectRef<UpsertAnswer>('UpsertCustomerPayload').implement({
  description: 'What became of an upsert.',
  fields: (t) => ({
    customer: t.expose('customer', {
      type: CustomerType,
      description: 'The customer as it is now, with its connections.',
    }),
    created: t.exposeBoolean('created', { description: 'Is the customer new?' }),
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'What the input said, as it is.',
    }),
  }),
});

builder.mutationField('upsertCustomer', (t) =>
  t.field({
    ...tagged('api-key'),
    type: UpsertCustomerPayload,
    nullable: true,
    description: 'Creates or updates a customer together with its connections: all of it, or nothing.',
    args: { input: t.arg({ type: UpsertCustomerInput, required: true, description: 'The customer.' }) },
    async resolve(_root, { input }, context) {
      const { expectedVersion, clientMutationId = null } = input;
      const upsert = {
        ...readInputShape(customerUpsert, input),
        expectedVersion: expectedVersion ?? undefined,
      };
      return { ...(await upsertCustomer(context, upsert)), clientMutationId };
    },
  }),
);

interface UpsertAnswer extends UpsertedCustomer {
  readonly clientMutationId: string | null;
}

const DeleteCustomerInput = builder.inputType('DeleteCustomerInput', {
  description: 'A customer to delete.',
  fields: (t) => ({
    customerId: t.id({ required: true, description: 'Your own id of the customer.' }),
    expectedVersion: t.int({
      description: 'The version that you have seen: another one is refused with CONFLICT.',
    }),
    clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
  }),
});

const DeleteCustomerPayload = builder.objectRef<DeleteAnswer>('DeleteCustomerPayload').implement({
  description: 'A customer is deleted.',
  fields: (t) => ({
    deletedCustomerId: t.exposeID('deletedCustomerId', {
      description: 'The global id (`id`) that the customer had: for the caches of clients.',
    }),
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'What the input said, as it is.',
    }),
  }),
});

builder.mutationField('deleteCustomer', (t) =>
  t.field({
    ...tagged('api-key'),
    type: DeleteCustomerPayload,
    nullable: true,
    description:
      'Deletes a customer with everything of theirs: connections, credentials, cached contacts, open links, tokens. What they granted by a connect link is revoked at the tool, where no other connection lives on it. It takes two to three seconds: then no server answers with anything of theirs. It takes an API key.',
    args: { input: t.arg({ type: DeleteCustomerInput, required: true, description: 'The customer.' }) },
    async resolve(_root, { input }, context) {
      const { customerId } = input;
      await deleteCustomer(context, { customerId, expectedVersion: input.expectedVersion ?? undefined });
      const { id: applicationId } = context.requireCaller().application;
      const deletedCustomerId = toGlobalId({ type: 'Customer', applicationId, customerId });
      return { deletedCustomerId, clientMutationId: input.clientMutationId ?? null };
    },
  }),
);

interface DeleteAnswer {
  readonly deletedCustomerId: string;
  readonly clientMutationId: string | null;
}

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

const DisconnectProviderInput = builder.inputType('DisconnectProviderInput', {
  description: 'A connection to remove.',
  fields: (t) => ({
    customerId: t.id({ required: true, description: 'Your own id of the customer.' }),
    provider: t.field({ type: ProviderNameEnum, required: true, description: 'The tool to disconnect.' }),
    clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
  }),
});

const DisconnectProviderPayload = builder.objectRef<DisconnectAnswer>('DisconnectProviderPayload').implement({
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
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'What the input said, as it is.',
    }),
  }),
});

builder.mutationField('disconnectProvider', (t) =>
  t.field({
    ...tagged('api-key'),
    type: DisconnectProviderPayload,
    nullable: true,
    description:
      'Removes a customer’s connection with its configuration, credentials and cached contacts, and revokes at the tool what a connect link was granted. It takes two to three seconds: then no server answers with anything of it. It takes an API key.',
    args: {
      input: t.arg({ type: DisconnectProviderInput, required: true, description: 'The connection.' }),
    },
    ...costs({ weight: PROVIDER_CALL }),
    async resolve(_root, { input }, context) {
      const { customerId, provider, clientMutationId } = input;
      const disconnected = await disconnectProvider(context, { customerId, provider });
      return { ...disconnected, clientMutationId: clientMutationId ?? null };
    },
  }),
);

interface DisconnectAnswer extends Disconnected {
  readonly clientMutationId: string | null;
}

const IssueCustomerTokenInput = builder.inputType('IssueCustomerTokenInput', {
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
    clientMutationId: t.string({ description: 'Comes back in the answer, as it is.' }),
  }),
});

const IssueCustomerTokenPayload = builder.objectRef<IssueAnswer>('IssueCustomerTokenPayload').implement({
  description: 'A token, shown this once.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'For the header `Authorization: Bearer …`. It reads its customer and that customer’s contacts, nothing else.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the token ends.' }),
    clientMutationId: t.exposeString('clientMutationId', {
      nullable: true,
      description: 'What the input said, as it is.',
    }),
  }),
});

builder.mutationField('issueCustomerToken', (t) =>
  t.field({
    ...tagged('api-key'),
    type: IssueCustomerTokenPayload,
    nullable: true,
    description:
      'A short-lived token for the frontend of one of your customers. It takes an API key: a token cannot make tokens.',
    args: {
      input: t.arg({ type: IssueCustomerTokenInput, required: true, description: 'Whom the token is for.' }),
    },
    async resolve(_root, { input }, context) {
      const { clientMutationId, ...request } = input;
      return { ...(await issueCustomerToken(context, request)), clientMutationId: clientMutationId ?? null };
    },
  }),
);

interface IssueAnswer extends IssuedToken {
  readonly clientMutationId: string | null;
}
