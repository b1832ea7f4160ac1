import * as z from 'zod';
import type { StoredOAuthClient } from '../../domain/oauth.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { deleteOAuthClient, setOAuthClient } from '../../usecases/manage-applications.ts';
import { defineOperation } from '../operation.ts';
import { jsonResponse } from '../responses.ts';
import { enumText, momentText, text } from '../wire/fields.ts';

const oauthClientPath = z.object({
  provider_name: enumText(PROVIDER_NAMES, 'The provider that the app is registered with.', 'hubspot'),
});

export const oauthClientInputShape = z
  .strictObject({
    client_id: text('The client id that the provider gave the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    client_secret: text('Its secret. It is sealed, and never shown again.', 'the-secret-of-the-app'),
  })
  .describe('What a provider calls the app that the application has registered there.');

export const oauthClientShape = z
  .strictObject({
    provider_name: enumText(PROVIDER_NAMES, 'The provider.', 'hubspot'),
    client_id: text('The client id that the provider gave the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    created_at: momentText('When a client of this provider was set first.'),
    updated_at: momentText('When it was set last.'),
  })
  .describe('The app that the application has registered with a provider. Its secret is never shown.');

function toOAuthClientRecord(client: StoredOAuthClient): z.output<typeof oauthClientShape> {
  return {
    provider_name: client.providerName,
    client_id: client.clientId,
    created_at: client.createdAt.toISOString(),
    updated_at: client.updatedAt.toISOString(),
  };
}

const EXAMPLE_OAUTH_CLIENT: z.output<typeof oauthClientShape> = {
  provider_name: 'hubspot',
  client_id: '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77',
  created_at: '2025-03-01T12:00:00.000Z',
  updated_at: '2025-03-01T12:00:00.000Z',
};

export const setOAuthClientOperation = defineOperation({
  id: 'setOAuthClient',
  method: 'PUT',
  path: '/oauth_clients/{provider_name}',
  group: 'oauth_clients',
  summary: 'Set an OAuth client',
  description:
    'The app that the application’s customers connect a provider with, in the place of the one before. Connections that were granted to another client id have to be connected again.',
  callers: ['apiKey'],
  input: z.object({
    path: oauthClientPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: oauthClientInputShape,
  }),
  bodyExample: { client_id: EXAMPLE_OAUTH_CLIENT.client_id, client_secret: 'the-secret-of-the-app' },
  answer: {
    description: 'The client as it is kept.',
    shape: oauthClientShape,
    example: EXAMPLE_OAUTH_CLIENT,
    headers: {},
  },
  refusals: [400, 401, 403, 413, 415, 422, 429, 500, 501, 503],

  async handle(context, { path, body }) {
    const { client_id: clientId, client_secret: clientSecret } = body;
    const client = { provider: path.provider_name, clientId, clientSecret };
    return jsonResponse(toOAuthClientRecord(await setOAuthClient(context, client)));
  },
});

export const deleteOAuthClientOperation = defineOperation({
  id: 'deleteOAuthClient',
  method: 'DELETE',
  path: '/oauth_clients/{provider_name}',
  group: 'oauth_clients',
  summary: 'Delete an OAuth client',
  description: 'What was granted to it can no longer be renewed.',
  callers: ['apiKey'],
  input: z.object({
    path: oauthClientPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: z.undefined(),
  }),
  emptyAnswers: { 204: 'The client and its secret are gone.' },
  refusals: [400, 401, 403, 404, 429, 500, 503],

  async handle(context, { path }) {
    await deleteOAuthClient(context, path.provider_name);
    return { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
  },
});
