import type { StoredOAuthClient } from '../../domain/authorization.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import { deleteOAuthClient, setOAuthClient } from '../../usecases/manage-applications.ts';
import { builder, tagged } from '../builder.ts';
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

const MUTATION_ID = { description: 'Comes back in the answer, as it is.' };
const MUTATION_ID_BACK = { nullable: true, description: 'What the input said, as it is.' } as const;

const SetOAuthClientInput = builder.inputType('SetOAuthClientInput', {
  description: 'What a provider calls the app that you have registered there.',
  fields: (t) => ({
    provider: t.field({ type: ProviderNameEnum, required: true, description: 'The provider.' }),
    clientId: t.string({ required: true, description: 'The client id that the provider gave the app.' }),
    clientSecret: t.string({
      required: true,
      description: 'Its secret. It is sealed, and never shown again.',
    }),
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const SetOAuthClientPayload = builder.objectRef<SetAnswer>('SetOAuthClientPayload').implement({
  description: 'The client as it is kept.',
  fields: (t) => ({
    oauthClient: t.expose('oauthClient', { type: OAuthClientType, description: 'The client.' }),
    clientMutationId: t.exposeString('clientMutationId', MUTATION_ID_BACK),
  }),
});

const DeleteOAuthClientInput = builder.inputType('DeleteOAuthClientInput', {
  description: 'Whose client goes.',
  fields: (t) => ({
    provider: t.field({ type: ProviderNameEnum, required: true, description: 'The provider.' }),
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const DeleteOAuthClientPayload = builder.objectRef<DeleteAnswer>('DeleteOAuthClientPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    deletedProvider: t.expose('deletedProvider', {
      type: ProviderNameEnum,
      description: 'The provider whose client is gone.',
    }),
    clientMutationId: t.exposeString('clientMutationId', MUTATION_ID_BACK),
  }),
});

builder.mutationField('setOAuthClient', (t) =>
  t.field({
    ...tagged('api-key'),
    type: SetOAuthClientPayload,
    nullable: true,
    description:
      'Sets the app that your customers connect a provider with, in the place of the one before. Connections that were granted to another client id have to be connected again. It takes an API key.',
    args: {
      input: t.arg({ type: SetOAuthClientInput, required: true, description: 'The client and its secret.' }),
    },
    async resolve(_root, { input }, context) {
      const { clientMutationId, ...client } = input;
      const oauthClient = await setOAuthClient(context, client);
      return { oauthClient, clientMutationId: clientMutationId ?? null };
    },
  }),
);

builder.mutationField('deleteOAuthClient', (t) =>
  t.field({
    ...tagged('api-key'),
    type: DeleteOAuthClientPayload,
    nullable: true,
    description:
      'Forgets your app of a provider and its secret. What was granted to it can no longer be renewed. It takes an API key.',
    args: {
      input: t.arg({ type: DeleteOAuthClientInput, required: true, description: 'Whose client goes.' }),
    },
    async resolve(_root, { input: { provider, clientMutationId } }, context) {
      await deleteOAuthClient(context, provider);
      return { deletedProvider: provider, clientMutationId: clientMutationId ?? null };
    },
  }),
);

interface SetAnswer {
  readonly oauthClient: StoredOAuthClient;
  readonly clientMutationId: string | null;
}

interface DeleteAnswer {
  readonly deletedProvider: ProviderName;
  readonly clientMutationId: string | null;
}
