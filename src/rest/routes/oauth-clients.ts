import * as z from 'zod';
import { deleteOAuthClient, setOAuthClient } from '../../usecases/manage-oauth-clients.ts';
import { jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_OAUTH_CLIENT,
  oauthClientInputShape,
  oauthClientPath,
  oauthClientShape,
  toOAuthClientRecord,
} from '../wire/oauth-client.ts';

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
