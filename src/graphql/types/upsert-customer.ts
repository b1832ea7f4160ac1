import { type UpsertedCustomer, upsertCustomer } from '../../usecases/upsert-customer.ts';
import { builder } from '../builder.ts';
import { tagged } from '../tags.ts';
import { ConnectionInput } from './connection-input.ts';
import { CustomerType } from './customer.ts';
import { toCustomerUpsert } from './to-customer-upsert.ts';

const UpsertCustomerInput = builder.inputType('UpsertCustomerInput', {
  description: 'A customer to create or update.',
  fields: (t) => ({
    customerId: t.id({ required: true, description: 'Your own id of the customer.' }),
    name: t.string({ required: true, description: 'The customer’s name.' }),
    email: t.string({ required: true, description: 'The customer’s email address.' }),
    expectedVersion: t.int({
      description:
        'The version that you have seen: another one is refused with CONFLICT. 0: the customer must not exist yet.',
    }),
    connections: t.field({
      type: [ConnectionInput],
      description:
        'Connections to create or update, each by its provider. Those not listed stay as they are.',
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
      const upserted = await upsertCustomer(context, toCustomerUpsert(input));
      return { ...upserted, clientMutationId: input.clientMutationId ?? null };
    },
  }),
);

interface UpsertAnswer extends UpsertedCustomer {
  readonly clientMutationId: string | null;
}
