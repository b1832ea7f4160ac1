import * as z from 'zod';
import type { StoredOAuthClient } from '../../domain/oauth-client.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { enumOf, moment, text } from './fields.ts';

export const oauthClientPath = z.object({
  provider_name: enumOf(PROVIDER_NAMES, 'The provider that the app is registered with.', 'hubspot'),
});

export const oauthClientInputShape = z
  .strictObject({
    client_id: text('The client id that the provider gave the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    client_secret: text('Its secret. It is sealed, and never shown again.', 'the-secret-of-the-app'),
  })
  .describe('What a provider calls the app that the application has registered there.');

export const oauthClientShape = z
  .strictObject({
    provider_name: enumOf(PROVIDER_NAMES, 'The provider.', 'hubspot'),
    client_id: text('The client id that the provider gave the app.', '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77'),
    created_at: moment('When a client of this provider was set first.'),
    updated_at: moment('When it was set last.'),
  })
  .describe('The app that the application has registered with a provider. Its secret is never shown.');

export function toOAuthClientRecord(client: StoredOAuthClient): z.output<typeof oauthClientShape> {
  return {
    provider_name: client.providerName,
    client_id: client.clientId,
    created_at: client.createdAt.toISOString(),
    updated_at: client.updatedAt.toISOString(),
  };
}

export const EXAMPLE_OAUTH_CLIENT: z.output<typeof oauthClientShape> = {
  provider_name: 'hubspot',
  client_id: '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77',
  created_at: '2025-03-01T12:00:00.000Z',
  updated_at: '2025-03-01T12:00:00.000Z',
};
