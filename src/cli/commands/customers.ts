import { findApplication } from '../../usecases/manage-applications.ts';
import { APPLICATION, type Command, UsageError, withDatabase } from '../command.ts';

const CUSTOMER = { name: 'CUSTOMER', description: 'The application’s own id of the customer.' };

export const customersDelete: Command = {
  name: 'customers delete',
  summary: 'Deletes a customer with everything of theirs: connections, credentials, cached answers, tokens.',
  details: [
    'There is no way back. Running servers follow within two seconds. The API, unlike this, also revokes at the provider what a link was granted.',
  ],
  operands: [APPLICATION, CUSTOMER],
  options: { yes: { description: 'Must be given: says that you mean it.' } },
  run: async (context, given) => {
    if (!given.flag('yes')) throw new UsageError('This cannot be undone. Add --yes if you mean it.');
    return withDatabase(context, async ({ admin, forApplication }) => {
      const { id, name } = await findApplication(admin, given.operand('APPLICATION'));
      const customerId = given.operand('CUSTOMER');
      const removed = await forApplication(id).removals.removeCustomer(customerId, undefined);
      if (!removed) throw noCustomer(name, customerId);
      const unrevoked = removed.flatMap(({ grant, connection }) => (grant ? [connection.providerName] : []));
      const left =
        unrevoked.length > 0 ? ` What was granted at ${unrevoked.join(', ')} is not revoked there.` : '';
      return {
        data: { applicationId: id, customerId, deleted: true, unrevoked },
        text: `${customerId} is deleted, with everything of theirs.${left}`,
      };
    });
  },
};

export const tokensRevoke: Command = {
  name: 'tokens revoke',
  summary: 'Voids every token that a customer was given. Running servers follow within five seconds.',
  operands: [APPLICATION, CUSTOMER],
  run: (context, given) =>
    withDatabase(context, async ({ admin, forApplication }) => {
      const { id, name } = await findApplication(admin, given.operand('APPLICATION'));
      const customerId = given.operand('CUSTOMER');
      const generation = await forApplication(id).customers.raiseTokenGeneration(customerId);
      if (generation === undefined) throw noCustomer(name, customerId);
      return {
        data: { applicationId: id, customerId, generation },
        text: `The tokens of ${customerId} are void.`,
      };
    }),
};

function noCustomer(application: string, customerId: string): Error {
  return new Error(`${application} has no customer ${JSON.stringify(customerId)}.`);
}
