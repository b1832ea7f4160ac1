import { customerUpsert } from '../../domain/customer.ts';
import { type UpsertedCustomer, upsertCustomer } from '../../usecases/upsert-customer.ts';
import { builder, tagged } from '../builder.ts';
import { inputFields, readInput } from '../from-shape.ts';
import { CustomerType } from './customer.ts';

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
      const upsert = { ...readInput(customerUpsert, input), expectedVersion: expectedVersion ?? undefined };
      return { ...(await upsertCustomer(context, upsert)), clientMutationId };
    },
  }),
);

interface UpsertAnswer extends UpsertedCustomer {
  readonly clientMutationId: string | null;
}
