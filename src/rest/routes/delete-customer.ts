import * as z from 'zod';
import { deleteCustomer } from '../../usecases/remove-customer.ts';
import { answerEmpty } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import { customerPath } from '../wire/customer.ts';
import { ifMatch, readVersion } from '../wire/entity-tag.ts';

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
    const expectedVersion = readVersion(headers['if-match']);
    await deleteCustomer(context, { customerId: path.customer_id, expectedVersion });
    return answerEmpty();
  },
});
