import type { StoredOAuthClient } from '../../domain/oauth.ts';
import { deleteOAuthClient, setOAuthClient } from '../../usecases/manage-applications.ts';
import { builder } from '../builder.ts';
import { defineMutation } from '../mutation.ts';
import { ProviderNameEnum } from './provider.ts';

const OAuthClientType = builder.objectRef<StoredOAuthClient>('OAuthClient').implement({
  description: 'The app that your application has registered with a provider. Its secret is never shown.',
  fields: (t) => ({
    provider: t.expose('providerName', { type: ProviderNameEnum, description: 'The provider.' }),
    clientId: t.exposeString('clientId', { description: 'The client id that the provider gave the app.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When a client of this provider was set first.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was set last.',
      resolve: ({ updatedAt }) => updatedAt.toISOString(),
    }),
  }),
});

defineMutation('setOAuthClient', {
  description:
    'Sets the app that your customers connect a provider with, in the place of the one before. Connections that were granted to another client id have to be connected again. It takes an API key.',
  input: {
    argument: 'The client and its secret.',
    description: 'What a provider calls the app that you have registered there.',
    fields: (t) => ({
      provider: t.field({ type: ProviderNameEnum, required: true, description: 'The provider.' }),
      clientId: t.string({ required: true, description: 'The client id that the provider gave the app.' }),
      clientSecret: t.string({
        required: true,
        description: 'Its secret. It is sealed, and never shown again.',
      }),
    }),
  },
  resolve: async (client, context) => ({ oauthClient: await setOAuthClient(context, client) }),
  payload: {
    description: 'The client as it is kept.',
    fields: (t) => ({
      oauthClient: t.expose('oauthClient', { type: OAuthClientType, description: 'The client.' }),
    }),
  },
});

defineMutation('deleteOAuthClient', {
  description:
    'Forgets your app of a provider and its secret. What was granted to it can no longer be renewed. It takes an API key.',
  input: {
    argument: 'Whose client goes.',
    description: 'Whose client goes.',
    fields: (t) => ({
      provider: t.field({ type: ProviderNameEnum, required: true, description: 'The provider.' }),
    }),
  },
  async resolve({ provider }, context) {
    await deleteOAuthClient(context, provider);
    return { deletedProvider: provider };
  },
  payload: {
    description: 'What was deleted.',
    fields: (t) => ({
      deletedProvider: t.expose('deletedProvider', {
        type: ProviderNameEnum,
        description: 'The provider whose client is gone.',
      }),
    }),
  },
});
