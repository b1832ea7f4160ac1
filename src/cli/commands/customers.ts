import type { Config } from '../../config.ts';
import {
  DEFAULT_TOKEN_SECONDS,
  DEMO_APPLICATION,
  DEVELOPMENT_ORIGINS,
} from '../../domain/caller.ts';
import { DEFAULT_LINK_SECONDS } from '../../domain/connect-link.ts';
import { CrossbookError } from '../../domain/errors.ts';
import type { Tracer } from '../../domain/log.ts';
import { SEARCHABLE_PROVIDERS } from '../../domain/provider-names.ts';
import { RECORD_TYPES, type RecordType } from '../../domain/records/record-type.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { createRegistry } from '../../providers/registry.ts';
import { createCustomerTokens } from '../../request/customer-token.ts';
import type { Database } from '../../storage/database.ts';
import { createSigner, createSigningKeys } from '../../storage/signing.ts';
import { issueCustomerToken, upsertCustomer } from '../../usecases/change-customers.ts';
import { createConnectLink, createMappingLink } from '../../usecases/connect-link.ts';
import { findApplication } from '../../usecases/manage-applications.ts';
import { storeOAuthClient } from '../../usecases/manage-oauth-clients.ts';
import {
  APPLICATION,
  type Command,
  CUSTOMER,
  type Invocation,
  readProvider,
  toTable,
  UsageError,
} from '../command.ts';

const PROVIDER = {
  name: 'PROVIDER',
  description: `Provider with which the app is registered: ${SEARCHABLE_PROVIDERS.join(', ')}.`,
};

const RECORD_NAMES = RECORD_TYPES.map((type) => type.toLowerCase());

/** Options of the commands that create links. */
const LINK_OPTIONS = {
  'return-url': {
    value: 'URL',
    description: 'Page to which the browser returns, at a web origin of the application.',
  },
  'expires-in': {
    value: 'SECONDS',
    description: `Lifetime, at most a day. Default: ${DEFAULT_LINK_SECONDS} seconds`,
  },
};

/** Commands for one application: OAuth clients, customers and their tokens. */
export const customerCommands: readonly Command[] = [
  {
    name: 'oauth-clients set',
    summary:
      'Sets the OAuth client (app) with which an application’s customers connect a provider.',
    details: [
      'The secret is read from standard input, so that no process list shows it: … --client-id ID < secret.txt',
      'Connections granted to another client id have to be connected again.',
    ],
    operands: [APPLICATION, PROVIDER],
    options: { 'client-id': { value: 'ID', description: 'Client id of the app.' } },
    async run({ operand, text, readInput, openApplication }) {
      const provider = readProvider(operand('PROVIDER'));
      const clientId = text('client-id');
      if (clientId === undefined) throw new UsageError('Missing: --client-id ID');
      const clientSecret = (await readInput()).trim();
      const { id, name, oauthClients } = await openApplication();
      const client = { provider, clientId, clientSecret };
      const data = await storeOAuthClient({ oauthClients, providers: createRegistry() }, client);
      return {
        data: { applicationId: id, ...data },
        text: `${name} connects ${provider} with ${clientId}.`,
      };
    },
  },
  {
    name: 'oauth-clients list',
    summary: 'Lists the OAuth clients of an application, never their secrets.',
    operands: [APPLICATION],
    async run({ openApplication }) {
      const data = await (await openApplication()).oauthClients.list();
      const rows = data.map((client) => [
        client.providerName,
        client.clientId,
        client.updatedAt.toISOString(),
      ]);
      return { data, text: toTable(rows) || 'There are no OAuth clients.' };
    },
  },
  {
    name: 'oauth-clients delete',
    summary: 'Deletes an OAuth client. Tokens granted to it can no longer be refreshed.',
    operands: [APPLICATION, PROVIDER],
    async run({ operand, openApplication }) {
      const provider = readProvider(operand('PROVIDER'));
      const { id, name, oauthClients } = await openApplication();
      if (!(await oauthClients.delete(provider)))
        throw new Error(`${name} has no OAuth client for ${provider}.`);
      return {
        data: { applicationId: id, providerName: provider, deleted: true },
        text: `The OAuth client of ${name} for ${provider} is deleted.`,
      };
    },
  },
  {
    name: 'customers create',
    summary: 'Creates a customer. A CRM is connected by connect-links create.',
    details: ['A customer that exists already is left unchanged, and the command fails.'],
    operands: [APPLICATION, CUSTOMER],
    options: {
      name: { value: 'NAME', description: 'Name of the customer. Default: CUSTOMER' },
      email: { value: 'EMAIL', description: 'Email address of the customer. Required.' },
    },
    async run({ operand, text, openApplication }) {
      const email = text('email');
      if (email === undefined) throw new UsageError('Missing: --email EMAIL');
      const { id, name, customers } = await openApplication();
      const customerId = operand('CUSTOMER');
      const { customer } = await upsertCustomer(
        {
          requireCaller: () => ({ application: { id, name }, credentialId: 'cli' }),
          withSpan: WITHOUT_SPAN,
          customers,
          providers: createRegistry(),
          checkInstanceUrl: (url, hosts) => checkInstanceUrl(url, { hosts, sandboxOrigins: [] }),
          invalidateCustomer: () => undefined,
        },
        { customerId, name: text('name') ?? customerId, email, expectedVersion: 0 },
      ).catch((error: unknown) => {
        if (!(error instanceof CrossbookError) || error.code !== 'CONFLICT') throw error;
        throw new Error(
          `${name} already has the customer ${JSON.stringify(customerId)}, which is unchanged.`,
        );
      });
      return {
        data: { applicationId: id, customerId, name: customer.name, email: customer.email },
        text: `${customerId} is a customer of ${name}.`,
      };
    },
  },
  {
    name: 'customers delete',
    summary:
      'Deletes a customer with all their data: connections, credentials, cached contacts, tokens.',
    details: [
      'This cannot be undone. Running servers follow within two seconds. Unlike the API, it does not revoke grants at the provider.',
    ],
    operands: [APPLICATION, CUSTOMER],
    options: { yes: { description: 'Required confirmation.' } },
    async run({ operand, flag, openApplication }) {
      if (!flag('yes')) throw new UsageError('This cannot be undone. Add --yes to confirm.');
      const { id, name, removals } = await openApplication();
      const customerId = operand('CUSTOMER');
      const removed = await removals.removeCustomer(customerId, undefined);
      if (!removed) throw noCustomer(name, customerId);
      const unrevoked = removed.flatMap(({ grant, connection }) =>
        grant ? [connection.providerName] : [],
      );
      const left =
        unrevoked.length > 0
          ? ` What was granted at ${unrevoked.join(', ')} is not revoked there.`
          : '';
      return {
        data: { applicationId: id, customerId, deleted: true, unrevoked },
        text: `${customerId} and all of their data are deleted.${left}`,
      };
    },
  },
  {
    name: 'tokens create',
    summary: 'Issues a token with which a frontend or an agent uses one customer’s CRMs.',
    details: ['The token is not stored. tokens revoke ends all tokens of the customer.'],
    operands: [APPLICATION, CUSTOMER],
    options: {
      'expires-in': {
        value: 'SECONDS',
        description: `Lifetime, at most a day. Default: ${DEFAULT_TOKEN_SECONDS} seconds`,
      },
      provider: {
        value: 'NAME',
        multiple: true,
        description: 'A provider that the token may search. Repeatable. Default: all of them.',
      },
      'can-list': {
        description: 'Allows the token to list contacts, for example all of them.',
      },
      'can-write': {
        description: 'Allows the token to create and change records, where the connection may.',
      },
    },
    async run({ operand, number, list, flag, note, now, readKeyRing, openDatabase }) {
      const expiresInSeconds = number('expires-in');
      const providers = list('provider').map(readProvider);
      const { admin, findTokenSubject } = await openDatabase();
      const application = await findApplication(admin, operand('APPLICATION'));
      const tokens = createCustomerTokens({
        keys: createSigningKeys(readKeyRing(), 'customer token'),
        findSubject: findTokenSubject,
        wall: now,
      });
      const customerId = operand('CUSTOMER');
      const data = await issueCustomerToken(
        {
          requireCaller: () => ({ application, credentialId: 'cli' }),
          withSpan: WITHOUT_SPAN,
          wall: now,
          signToken: (request) => tokens.sign(application.id, request),
        },
        {
          customerId,
          expiresInSeconds,
          providers: providers.length > 0 ? providers : undefined,
          canList: flag('can-list'),
          canWrite: flag('can-write'),
        },
      );
      note(`It expires at ${data.expiresAt}.`);
      return {
        data: { applicationId: application.id, customerId, ...data },
        text: data.token,
      };
    },
  },
  {
    name: 'connect-links create',
    summary: 'Creates a link with which a customer connects a CRM.',
    details: [
      'The link is shown only once. Anyone who has it can use it: treat it as a secret.',
      'At the end, the browser returns to --return-url, and your application confirms the link.',
    ],
    operands: [APPLICATION, CUSTOMER],
    options: {
      provider: {
        value: 'NAME',
        multiple: true,
        description: 'A provider that the customer may choose. Repeatable, and required.',
      },
      record: {
        value: 'TYPE',
        multiple: true,
        description: `A type of record to ask for: ${RECORD_NAMES.join(', ')}. Repeatable. Default: contact`,
      },
      'read-write': { description: 'Asks for permission to change these records, too.' },
      ...LINK_OPTIONS,
    },
    async run(invocation) {
      const returnUrl = readReturnUrl(invocation);
      const providers = invocation.list('provider').map(readProvider);
      if (providers.length === 0) throw new UsageError('Missing: --provider NAME');
      const records = invocation.list('record').map(readRecordType);
      const { deps, connecting, config, stores, input } = await openLinks(invocation);
      return toLinkResult(
        invocation,
        await createConnectLink(
          {
            ...deps,
            connecting: {
              ...connecting,
              // The server that runs with the sandbox has the clients of the simulated CRMs.
              findOAuthClient: async ({ provider }) =>
                (await stores.oauthClients.find(provider)) ??
                config.oauthClients[provider] ??
                (config.sandbox && SIMULATED),
              toSandboxLogin: () => undefined,
            },
          },
          {
            ...input,
            providers,
            returnUrl,
            records: records.length > 0 ? records : undefined,
            access: invocation.flag('read-write') ? 'READ_WRITE' : 'READ',
          },
        ),
      );
    },
  },
  {
    name: 'mapping-links create',
    summary: 'Creates a link with which a customer maps custom fields to those of a connected CRM.',
    details: ['The link is shown only once. Anyone who has it can use it: treat it as a secret.'],
    operands: [
      APPLICATION,
      CUSTOMER,
      { name: 'PROVIDER', description: 'Provider of the connection.' },
    ],
    options: LINK_OPTIONS,
    async run(invocation) {
      const returnUrl = readReturnUrl(invocation);
      const provider = readProvider(invocation.operand('PROVIDER'));
      const { deps, connecting, stores, input } = await openLinks(invocation);
      const { customFields, connections } = stores;
      return toLinkResult(
        invocation,
        await createMappingLink(
          {
            ...deps,
            customFields,
            reloadConnection: async (target) => (await connections.findMany([target]))[0],
            connecting,
          },
          { ...input, provider, returnUrl },
        ),
      );
    },
  },
  {
    name: 'tokens revoke',
    summary: 'Revokes every token of a customer. Running servers follow within five seconds.',
    operands: [APPLICATION, CUSTOMER],
    async run({ operand, openApplication }) {
      const { id, name, customers } = await openApplication();
      const customerId = operand('CUSTOMER');
      const generation = await customers.raiseTokenGeneration(customerId);
      if (generation === undefined) throw noCustomer(name, customerId);
      return {
        data: { applicationId: id, customerId, generation },
        text: `All tokens of ${customerId} are revoked.`,
      };
    },
  },
];

function noCustomer(application: string, customerId: string): Error {
  return new Error(`${application} has no customer ${JSON.stringify(customerId)}.`);
}

function readRecordType(name: string): RecordType {
  const type = RECORD_TYPES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (type) return type;
  throw new UsageError(`Unknown type of record: ${name}. Known: ${RECORD_NAMES.join(', ')}.`);
}

function readReturnUrl({ text }: Invocation): string {
  const returnUrl = text('return-url');
  if (returnUrl === undefined) throw new UsageError('Missing: --return-url URL');
  return returnUrl;
}

/** What the commands that create links have in common. */
async function openLinks(invocation: Invocation) {
  const { operand, number, now, readConfig, readKeyRing, openDatabase } = invocation;
  const expiresInSeconds = number('expires-in');
  const { admin, forApplication } = await openDatabase();
  const application = await findApplication(admin, operand('APPLICATION'));
  const stores = forApplication(application.id);
  const config = readConfig();
  const keys = createSigningKeys(readKeyRing(), 'connect link');
  return {
    config,
    stores,
    deps: {
      requireCaller: () => ({ application, credentialId: 'cli' }),
      withSpan: WITHOUT_SPAN,
      wall: now,
      connectLinks: stores.connectLinks,
      providers: createRegistry(),
    },
    connecting: {
      linkTokens: createSigner(keys).bind(() => 'connect link'),
      publicUrl: () => config.publicUrl,
      findReturnOrigins: (id: string) => findReturnOrigins(admin, config, id),
    },
    input: { customerId: operand('CUSTOMER'), expiresInSeconds },
  };
}

function toLinkResult(
  { note }: Invocation,
  { link, url }: Awaited<ReturnType<typeof createMappingLink>>,
) {
  note(`It expires at ${link.expiresAt.toISOString()}.`);
  return {
    data: {
      id: link.id,
      url,
      records: link.records,
      access: link.access,
      expiresAt: link.expiresAt,
    },
    text: url,
  };
}

const WITHOUT_SPAN: Tracer['withSpan'] = (_name, work) => work();

/** The origins that the application has registered; the demo also has those of development servers, as in the server. */
async function findReturnOrigins(
  admin: Pick<Database['admin'], 'findOrigins'>,
  { sandbox }: Pick<Config, 'sandbox'>,
  applicationId: string,
): Promise<readonly string[]> {
  const registered = await admin.findOrigins(applicationId);
  const isDemo = sandbox && applicationId === DEMO_APPLICATION.id;
  return isDemo ? [...registered, ...DEVELOPMENT_ORIGINS] : registered;
}

/** Not used by any request: only whether there is a client is checked here. */
const SIMULATED = { clientId: 'simulated', clientSecret: 'simulated' };
