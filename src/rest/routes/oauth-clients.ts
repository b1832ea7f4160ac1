import * as z from 'zod';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { deleteOAuthClient, setOAuthClient } from '../../usecases/manage-applications.ts';
import { defineOperation } from '../operation.ts';
import { EXAMPLE_MOMENT, enumText, momentText, recordWriter, text, toCamelCased } from '../schemas.ts';

const oauthClientPath = z.object({
  provider_name: enumText(PROVIDER_NAMES, 'The provider that the app is registered with.', 'hubspot'),
});

export const oauthClientInputSchema = z
  .strictObject({
    client_id: text('The client id that the provider gave the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    client_secret: text('Its secret. It is sealed, and never shown again.', 'the-secret-of-the-app'),
  })
  .describe('What a provider calls the app that the application has registered there.');

export const oauthClientSchema = z
  .strictObject({
    provider_name: enumText(PROVIDER_NAMES, 'The provider.', 'hubspot'),
    client_id: text('The client id that the provider gave the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    created_at: momentText('When a client of this provider was set first.'),
    updated_at: momentText('When it was set last.'),
  })
  .describe('The app that the application has registered with a provider. Its secret is never shown.');

const toOAuthClientRecord = recordWriter(oauthClientSchema);

const EXAMPLE_OAUTH_CLIENT = {
  provider_name: 'hubspot',
  client_id: '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77',
  created_at: EXAMPLE_MOMENT,
  updated_at: EXAMPLE_MOMENT,
};

export const oauthClientOperations = [
  defineOperation({
    id: 'setOAuthClient',
    route: 'PUT /oauth_clients/{provider_name}',
    summary: 'Set an OAuth client',
    description:
      'The app that the application’s customers connect a provider with, in the place of the one before. Connections that were granted to another client id have to be connected again.',
    input: { path: oauthClientPath, body: oauthClientInputSchema },
    bodyExample: { client_id: EXAMPLE_OAUTH_CLIENT.client_id, client_secret: 'the-secret-of-the-app' },
    response: {
      description: 'The client as it is kept.',
      schema: oauthClientSchema,
      example: EXAMPLE_OAUTH_CLIENT,
    },
    errors: [422, 501],
    async handle(context, { path, body }) {
      const client = { provider: path.provider_name, ...toCamelCased(body) };
      return toOAuthClientRecord(await setOAuthClient(context, client));
    },
  }),
  defineOperation({
    id: 'deleteOAuthClient',
    route: 'DELETE /oauth_clients/{provider_name}',
    summary: 'Delete an OAuth client',
    description: 'What was granted to it can no longer be renewed.',
    input: { path: oauthClientPath },
    response: { status: 204, description: 'The client and its secret are gone.' },
    errors: [404],
    async handle(context, { path }) {
      await deleteOAuthClient(context, path.provider_name);
      return undefined;
    },
  }),
];
