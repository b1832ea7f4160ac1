import { deleteCustomer } from '../../usecases/remove-customer.ts';
import { builder, tagged } from '../builder.ts';
import { toGlobalId } from '../global-id.ts';

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
