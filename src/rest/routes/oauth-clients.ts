import * as z from 'zod';
import { oauthClient } from '../../domain/oauth.ts';
import { EXAMPLE_PROVIDERS, PROVIDER_NAMES, providerName } from '../../domain/provider-names.ts';
import { field, shape } from '../../domain/shape.ts';
import {
  deleteOAuthClient,
  listOAuthClients,
  setOAuthClient,
} from '../../usecases/manage-oauth-clients.ts';
import { defineOperation } from '../operation.ts';
import {
  COMPONENTS,
  EXAMPLE_MOMENT,
  enumInput,
  object,
  text,
  toCamelCased,
  toSchema,
  toWire,
} from '../schemas.ts';

const oauthClientPath = z.object({
  provider_name: enumInput(
    PROVIDER_NAMES,
    'Provider with which the app is registered.',
    EXAMPLE_PROVIDERS.first,
  ),
});

const oauthClientInputSchema = object(
  'request',
  'OAuthClientInput',
  'Client id and secret of an app that the application has registered with a provider.',
  {
    client_id: text('Client id of the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    client_secret: text(
      'Client secret, stored encrypted and never returned.',
      'the-secret-of-the-app',
    ),
  },
);

const oauthClientRecord = shape('OAuthClient', oauthClient.description, {
  providerName: field(providerName, 'The provider.', { example: EXAMPLE_PROVIDERS.first }),
  ...oauthClient.fields,
});
const oauthClientSchema = toSchema(oauthClientRecord, 'response').register(COMPONENTS.response, {
  id: oauthClientRecord.name,
});

const oauthClientsSchema = object(
  'response',
  'OAuthClients',
  'All OAuth clients of the application.',
  { records: z.array(oauthClientSchema).describe('By provider.') },
);

const EXAMPLE_OAUTH_CLIENT = {
  provider_name: EXAMPLE_PROVIDERS.first,
  client_id: '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77',
  created_at: EXAMPLE_MOMENT,
  updated_at: EXAMPLE_MOMENT,
};

export const oauthClientOperations = [
  defineOperation({
    id: 'listOAuthClients',
    route: 'GET /oauth_clients',
    summary: 'List OAuth clients',
    description:
      'The OAuth clients (apps) of the application, one for each provider, without their secrets.',
    input: {},
    response: {
      description: 'The clients.',
      schema: oauthClientsSchema,
      example: { records: [EXAMPLE_OAUTH_CLIENT] },
    },
    errors: [],
    async handle(context) {
      const found = await listOAuthClients(context);
      return { records: found.map((one) => toWire(oauthClientRecord, one)) };
    },
  }),
  defineOperation({
    id: 'setOAuthClient',
    route: 'PUT /oauth_clients/{provider_name}',
    summary: 'Set an OAuth client',
    description:
      'Sets the OAuth client (app) with which the application’s customers connect a provider, and replaces the previous one. Connections granted to another client id have to be connected again.',
    input: { path: oauthClientPath, body: oauthClientInputSchema },
    bodyExample: {
      client_id: EXAMPLE_OAUTH_CLIENT.client_id,
      client_secret: 'the-secret-of-the-app',
    },
    response: {
      description: 'The stored OAuth client.',
      schema: oauthClientSchema,
      example: EXAMPLE_OAUTH_CLIENT,
    },
    errors: [422, 501],
    async handle(context, { path, body }) {
      const client = { provider: path.provider_name, ...toCamelCased(body) };
      return toWire(oauthClientRecord, await setOAuthClient(context, client));
    },
  }),
  defineOperation({
    id: 'deleteOAuthClient',
    route: 'DELETE /oauth_clients/{provider_name}',
    summary: 'Delete an OAuth client',
    description: 'Tokens granted to it can no longer be refreshed.',
    input: { path: oauthClientPath },
    response: { status: 204, description: 'The client and its secret were deleted.' },
    errors: [404],
    handle: (context, { path }) => deleteOAuthClient(context, path.provider_name),
  }),
];
