import {
  type ConnectLink,
  connectLink,
  connectMode,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../../domain/connect-link.ts';
import { type Connection, connection } from '../../domain/connection.ts';
import { oauthClient, type StoredOAuthClient } from '../../domain/oauth.ts';
import { providerName } from '../../domain/provider-names.ts';
import { boolean, field, id, int, listOf, nullable, string } from '../../domain/shape.ts';
import {
  cancelConnectLink,
  confirmConnectLink,
  createConnectLink,
  findConnectLink,
} from '../../usecases/connect-link.ts';
import { deleteOAuthClient, setOAuthClient } from '../../usecases/manage-applications.ts';
import { builder } from '../builder.ts';
import { enumOf, exposeFields, objectOf, registerObject } from '../from-shape.ts';
import { defineMutation } from '../mutation.ts';
import { NODE_ID, NodeInterface } from './node.ts';

const ConnectLinkType = registerObject(
  connectLink,
  builder.objectRef<ConnectLink>('ConnectLink').implement({
    description: connectLink.description,
    interfaces: [NodeInterface],
    fields: (t) => ({
      id: t.exposeID('id', NODE_ID),
      ...exposeFields(t, connectLink),
      connection: t.field({
        type: objectOf<Connection>(connection),
        nullable: true,
        description: 'What it has connected. Null until it is COMPLETED, and where that was removed since.',
        async resolve({ customerId, connectionId }, _args, context) {
          const customer = connectionId === null ? undefined : await context.loadCustomer(customerId);
          return customer?.connections.find((one) => one.id === connectionId) ?? null;
        },
      }),
    }),
  }),
);

const LINK_ID = field(id, 'The link’s id.');

builder.queryField('connectLink', (t) =>
  t.field({
    type: ConnectLinkType,
    nullable: true,
    description:
      'One connect link: its status says how far the customer has come. A customer token reads the links of its customer.',
    args: { id: t.arg.id({ required: true, description: LINK_ID.description }) },
    resolve: (_root, args, context) => findConnectLink(context, { id: args.id }),
  }),
);

defineMutation('createConnectLink', {
  description:
    'A link by which one of your customers connects a CRM: you need no OAuth code of your own. It takes an API key.',
  input: {
    argument: 'Whom it is for.',
    description: 'Whom a link is for, what may be connected by it, and where it leads back to.',
    fields: {
      customerId: field(id, 'The customer, by your own id.'),
      providers: field(listOf(providerName), 'What the customer may connect: with several, they choose one.'),
      returnUrl: field(
        string,
        'The page of yours that the customer comes back to, e.g. `https://app.example.com/connected`. Its origin has to be one of your application’s. `connect_link_id`, `status`, `error` and `code` are added to its query.',
      ),
      mode: nullable(connectMode, 'How the customer comes back.', { defaultValue: 'REDIRECT' }),
      confirm: nullable(
        boolean,
        'Is the connection only made when you have redeemed a one-time code in the session of the person who asked? `false` is for links that are sent by mail: then whoever has the link can connect an account of theirs to this customer.',
        { defaultValue: true },
      ),
      expiresInSeconds: nullable(
        int,
        `For how long it can be followed, ${MIN_LINK_SECONDS} to ${MAX_LINK_SECONDS} seconds (a day).`,
        { defaultValue: DEFAULT_LINK_SECONDS },
      ),
      loginUrl: nullable(
        string,
        'Where this customer logs in at the provider, where you know it, e.g. `https://acme.my.salesforce.com`. Otherwise they are asked. For a link to one provider.',
      ),
      optionalScopes: nullable(
        listOf(string),
        'Scopes of the provider that are asked for beside those that are needed: at most 50.',
      ),
      allowAccountChange: nullable(
        boolean,
        'May a customer who is connected already connect another account in its place?',
        { defaultValue: false },
      ),
    },
  },
  resolve: (request, context) => createConnectLink(context, request),
  payload: {
    description: 'A new link.',
    fields: {
      link: field(connectLink, 'The link.'),
      url: field(
        string,
        'Where to send the customer, shown this once. Whoever has it can use it: treat it as a secret.',
      ),
    },
  },
});

defineMutation('confirmConnectLink', {
  description: 'Redeems the one-time code of a link: only now the connection is there. It takes an API key.',
  input: {
    argument: 'The link and its code.',
    description: 'Which link, and the proof that the person who agreed is the one whom you sent.',
    fields: {
      id: LINK_ID,
      code: field(
        string,
        'The one-time code that came with `returnUrl` or the window’s message. Redeem it in the session of the person who asked for the link, within ten minutes.',
      ),
    },
  },
  resolve: (request, context) => confirmConnectLink(context, request),
  payload: {
    description: 'What was connected.',
    fields: {
      link: field(connectLink, 'The link, which is COMPLETED now.'),
      connection: field<Connection>(connection, 'The connection.'),
    },
  },
});

defineMutation('cancelConnectLink', {
  description: 'Withdraws a link that has not ended yet. It takes an API key.',
  input: { argument: 'Which link.', description: 'The link to withdraw.', fields: { id: LINK_ID } },
  resolve: async (request, context) => ({ link: await cancelConnectLink(context, request) }),
  payload: {
    description: 'The link that was withdrawn.',
    fields: { link: field(connectLink, 'The link, which is CANCELED now.') },
  },
});

/** What a link sends customers through: the app that the application has registered with a provider. */
registerObject(
  oauthClient,
  builder.objectRef<StoredOAuthClient>('OAuthClient').implement({
    description: oauthClient.description,
    fields: (t) => ({
      provider: t.expose('providerName', { type: enumOf(providerName), description: 'The provider.' }),
      ...exposeFields(t, oauthClient),
    }),
  }),
);

const PROVIDER = field(providerName, 'The provider.');

defineMutation('setOAuthClient', {
  description:
    'Sets the app that your customers connect a provider with, in the place of the one before. Connections that were granted to another client id have to be connected again. It takes an API key.',
  input: {
    argument: 'The client and its secret.',
    description: 'What a provider calls the app that you have registered there.',
    fields: {
      provider: PROVIDER,
      clientId: field(string, 'The client id that the provider gave the app.'),
      clientSecret: field(string, 'Its secret. It is sealed, and never shown again.'),
    },
  },
  resolve: async (client, context) => ({ oauthClient: await setOAuthClient(context, client) }),
  payload: {
    description: 'The client as it is kept.',
    fields: { oauthClient: field(oauthClient, 'The client.') },
  },
});

defineMutation('deleteOAuthClient', {
  description:
    'Forgets your app of a provider and its secret. What was granted to it can no longer be renewed. It takes an API key.',
  input: {
    argument: 'Whose client goes.',
    description: 'Whose client goes.',
    fields: { provider: PROVIDER },
  },
  async resolve({ provider }, context) {
    await deleteOAuthClient(context, provider);
    return { deletedProvider: provider };
  },
  payload: {
    description: 'What was deleted.',
    fields: { deletedProvider: field(providerName, 'The provider whose client is gone.') },
  },
});
