import { isProviderName, type ProviderName } from '../../domain/provider-names.ts';
import { createRegistry } from '../../providers/registry.ts';
import { findApplication, storeOAuthClient } from '../../usecases/manage-applications.ts';
import {
  APPLICATION,
  type Command,
  type CommandResult,
  toTable,
  UsageError,
  withDatabase,
} from '../command.ts';

const PROVIDER = { name: 'PROVIDER', description: 'Whom the app is registered with: hubspot or salesforce.' };

export const oauthClientsSet: Command = {
  name: 'oauth-clients set',
  summary: 'Sets the app that an application’s customers connect a provider with.',
  details: [
    'Its secret is read from the standard input, where no list of processes shows it: … --client-id ID < secret.txt',
    'Connections that were granted to another client id have to be connected again.',
  ],
  operands: [APPLICATION, PROVIDER],
  options: { 'client-id': { value: 'ID', description: 'The client id that the provider gave the app.' } },
  run: async (context, given) => {
    const provider = readProvider(given.operand('PROVIDER'));
    const clientId = given.text('client-id');
    if (clientId === undefined) throw new UsageError('Missing: --client-id ID');
    const clientSecret = (await context.readInput()).trim();
    return withDatabase(context, async ({ admin, forApplication }) => {
      const { id, name } = await findApplication(admin, given.operand('APPLICATION'));
      const { oauthClients } = forApplication(id);
      const client = { provider, clientId, clientSecret };
      const data = await storeOAuthClient({ oauthClients, providers: createRegistry() }, client);
      return { data: { applicationId: id, ...data }, text: `${name} connects ${provider} with ${clientId}.` };
    });
  },
};

export const oauthClientsList: Command = {
  name: 'oauth-clients list',
  summary: 'Lists the apps that an application has registered with providers, never their secrets.',
  operands: [APPLICATION],
  run: (context, given) =>
    withDatabase(context, async ({ admin, forApplication }): Promise<CommandResult> => {
      const { id } = await findApplication(admin, given.operand('APPLICATION'));
      const data = await forApplication(id).oauthClients.list();
      const rows = data.map((client) => [
        client.providerName,
        client.clientId,
        client.updatedAt.toISOString(),
      ]);
      return { data, text: rows.length > 0 ? toTable(rows) : 'There are no OAuth clients.' };
    }),
};

export const oauthClientsDelete: Command = {
  name: 'oauth-clients delete',
  summary: 'Forgets an app and its secret. What was granted to it can no longer be renewed.',
  operands: [APPLICATION, PROVIDER],
  run: (context, given) => {
    const provider = readProvider(given.operand('PROVIDER'));
    return withDatabase(context, async ({ admin, forApplication }) => {
      const { id, name } = await findApplication(admin, given.operand('APPLICATION'));
      if (!(await forApplication(id).oauthClients.delete(provider)))
        throw new Error(`${name} has no OAuth client of ${provider}.`);
      return {
        data: { applicationId: id, providerName: provider, deleted: true },
        text: `${name} has no OAuth client of ${provider} any more.`,
      };
    });
  },
};

function readProvider(text: string): ProviderName {
  if (isProviderName(text)) return text;
  throw new UsageError(`Not a provider: ${text}`);
}
