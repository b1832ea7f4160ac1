import { costs } from '@crossbook/executor';
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
import { EXAMPLE_URLS, providerName } from '../../domain/provider-names.ts';
import { accessLevel, DEFAULT_ACCESS } from '../../domain/record-access.ts';
import { LIST_COST } from '../../domain/records/record-search.ts';
import { recordType } from '../../domain/records/record-type.ts';
import { boolean, field, id, int, listOf, nullable, string } from '../../domain/shape.ts';
import {
  cancelConnectLink,
  confirmConnectLink,
  createConnectLink,
  createMappingLink,
  findConnectLink,
} from '../../usecases/connect-link.ts';
import { findConnection } from '../../usecases/find-customer.ts';
import {
  deleteOAuthClient,
  listOAuthClients,
  setOAuthClient,
} from '../../usecases/manage-oauth-clients.ts';
import { builder, tagged } from '../define/builder.ts';
import { selectsConfigurations } from '../define/field-selection.ts';
import { defineObject, enumOf, objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';
import { NODE_ID, NodeInterface } from './node.ts';

const ConnectLinkType = defineObject<ConnectLink>(connectLink, {
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id', NODE_ID),
    connection: t.field({
      type: objectOf<Connection>(connection),
      nullable: true,
      description:
        'The connection that was made, or whose fields are mapped. Null until the link is `COMPLETED`, except for a link to map fields, and if the connection was removed since.',
      async resolve({ connectionId }, _args, context, info) {
        if (connectionId === null) return null;
        return (
          (await findConnection(context, connectionId, selectsConfigurations(info, []))) ?? null
        );
      },
    }),
  }),
});

const LINK_ID = field(id, 'The link’s id.');

builder.queryField('connectLink', (t) =>
  t.field({
    type: ConnectLinkType,
    nullable: true,
    description: 'A connect link with its status. A customer token can read its customer’s links.',
    args: { id: t.arg.id({ required: true, description: LINK_ID.description }) },
    resolve: (_root, args, context) => findConnectLink(context, { id: args.id }),
  }),
);

const MODE = nullable(connectMode, 'How the browser returns.', { defaultValue: 'REDIRECT' });
const LIFETIME = nullable(
  int,
  `Lifetime of the link, ${MIN_LINK_SECONDS} to ${MAX_LINK_SECONDS} seconds (a day).`,
  { defaultValue: DEFAULT_LINK_SECONDS },
);
const LINK_URL = field(
  string,
  'URL to which you send the customer, returned only here. Anyone who has it can use it: treat it as a secret.',
);

defineMutation('createConnectLink', {
  description: 'Creates a link with which a customer connects a CRM by OAuth. Requires an API key.',
  input: {
    argument: 'Connect link to create.',
    description: 'A connect link to create.',
    fields: {
      customerId: field(id, 'Your own id of the customer.'),
      providers: field(
        listOf(providerName),
        'Providers that the customer may connect. With several, the customer chooses one.',
      ),
      returnUrl: field(
        string,
        'URL of your page to which the browser returns, e.g. `https://app.example.com/connected`. Its origin must be registered for your application. `connect_link_id`, `status`, `error` and `code` are added to its query.',
      ),
      mode: MODE,
      confirm: nullable(
        boolean,
        'Whether the connection must be confirmed with a one-time code in the session of the user for whom the link was created. With `false`, for links sent by mail, anyone who has the link can connect their account to this customer.',
        { defaultValue: true },
      ),
      expiresInSeconds: LIFETIME,
      loginUrl: nullable(
        string,
        `Login URL of this customer at the provider, e.g. \`${EXAMPLE_URLS.instance}\`, for a link to one provider. Default: the page asks for it.`,
      ),
      records: nullable(
        listOf(recordType),
        'Types of records to ask for. A customer who is connected already keeps what the connection allows: the link extends it. `Provider.grantableAccess` has what a provider’s links can ask for.',
        { defaultValue: DEFAULT_ACCESS.records },
      ),
      access: nullable(accessLevel, 'Access to these records to ask for.', {
        defaultValue: DEFAULT_ACCESS.access,
      }),
      optionalScopes: nullable(
        listOf(string),
        'OAuth scopes to request in addition to the required ones, at most 50.',
      ),
      allowAccountChange: nullable(
        boolean,
        'Whether a customer who is already connected may connect another account instead.',
        { defaultValue: false },
      ),
      mapFields: nullable(
        boolean,
        'Whether the customer matches your custom fields with those of the CRM after consent. Skipped if customers may not map any custom field.',
        { defaultValue: false },
      ),
    },
  },
  resolve: (request, context) => createConnectLink(context, request),
  payload: {
    description: 'The new connect link and its URL.',
    fields: { link: field(connectLink, 'The link.'), url: LINK_URL },
  },
});

defineMutation('createMappingLink', {
  description:
    'Creates a link with which a customer matches your custom fields with those of a CRM that is connected already. Requires an API key.',
  input: {
    argument: 'Mapping link to create.',
    description: 'A link to map fields.',
    fields: {
      customerId: field(id, 'Your own id of the customer.'),
      provider: field(providerName, 'Provider of the connection.'),
      returnUrl: field(
        string,
        'URL of your page to which the browser returns. Its origin must be registered for your application. `connect_link_id` and `status` are added to its query.',
      ),
      mode: MODE,
      expiresInSeconds: LIFETIME,
    },
  },
  resolve: (request, context) => createMappingLink(context, request),
  payload: {
    description: 'The new link and its URL.',
    fields: { link: field(connectLink, 'The link.'), url: LINK_URL },
  },
});

defineMutation('confirmConnectLink', {
  description:
    'Redeems the one-time code of a connect link, which creates the connection. Requires an API key.',
  input: {
    argument: 'Connect link and its one-time code.',
    description: 'Connect link to confirm, and its one-time code.',
    fields: {
      id: LINK_ID,
      code: field(
        string,
        'One-time code from the query of `returnUrl` or the popup’s message, valid for ten minutes. Redeem it only in the session of the user for whom the link was created.',
      ),
    },
  },
  resolve: (request, context) => confirmConnectLink(context, request),
  payload: {
    description: 'Result of confirming a connect link.',
    fields: {
      link: field(connectLink, 'The link, now `COMPLETED`.'),
      connection: field<Connection>(connection, 'The connection.'),
    },
  },
});

defineMutation('cancelConnectLink', {
  description: 'Cancels a connect link that has not ended. Requires an API key.',
  input: {
    argument: 'Connect link to cancel.',
    description: 'Connect link to cancel.',
    fields: { id: LINK_ID },
  },
  resolve: async (request, context) => ({ link: await cancelConnectLink(context, request) }),
  payload: {
    description: 'The canceled connect link.',
    fields: { link: field(connectLink, 'The link, now `CANCELED`.') },
  },
});

/** The application's OAuth app at a provider, which connect links use. */
defineObject<StoredOAuthClient>(oauthClient, {
  fields: (t) => ({
    provider: t.expose('providerName', {
      type: enumOf(providerName),
      description: 'The provider.',
    }),
  }),
});

builder.queryField('oauthClients', (t) =>
  t.field({
    ...tagged('api-key'),
    type: [objectOf(oauthClient)],
    description:
      'The OAuth clients (apps) of your application, one for each provider, without their secrets. Requires an API key.',
    ...costs({ weight: LIST_COST, items: 2 }),
    resolve: (_root, _args, context) => listOAuthClients(context),
  }),
);

const PROVIDER = field(providerName, 'The provider.');

defineMutation('setOAuthClient', {
  description:
    'Sets the OAuth client (app) with which your customers connect a provider, and replaces the previous one. Connections granted to another client id have to be connected again. Requires an API key.',
  input: {
    argument: 'OAuth client to store.',
    description: 'An OAuth client to store.',
    fields: {
      provider: PROVIDER,
      clientId: field(string, 'Client id of the app.'),
      clientSecret: field(string, 'Client secret, stored encrypted and never returned.'),
    },
  },
  resolve: async (client, context) => ({ oauthClient: await setOAuthClient(context, client) }),
  payload: {
    description: 'The stored OAuth client.',
    fields: { oauthClient: field(oauthClient, 'The client.') },
  },
});

defineMutation('deleteOAuthClient', {
  description:
    'Deletes your OAuth client for a provider. Tokens granted to it can no longer be refreshed. Requires an API key.',
  input: {
    argument: 'OAuth client to delete.',
    description: 'OAuth client to delete.',
    fields: { provider: PROVIDER },
  },
  async resolve({ provider }, context) {
    await deleteOAuthClient(context, provider);
    return { deletedProvider: provider };
  },
  payload: {
    description: 'Result of a deletion.',
    fields: { deletedProvider: field(providerName, 'Provider whose OAuth client was deleted.') },
  },
});
