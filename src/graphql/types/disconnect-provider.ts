import type { Revocation } from '../../domain/removal.ts';
import { type Disconnected, disconnectProvider } from '../../usecases/remove-customer.ts';
import { builder, tagged } from '../builder.ts';
import { costs, PROVIDER_CALL } from '../cost.ts';
import { CustomerType } from './customer.ts';
import { toEnumValues } from './enum-values.ts';
import { ProviderNameEnum } from './provider.ts';

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
