import { builder } from '../builder.ts';

const OAuth2CredentialsInput = builder.inputType('OAuth2CredentialsInput', {
  description: 'Tokens from an OAuth 2 authorisation.',
  fields: (t) => ({
    accessToken: t.string({ required: true, description: 'The access token.' }),
    refreshToken: t.string({
      description: 'The refresh token. With it, expired access tokens are replaced by themselves.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the access token expires. Left out where the provider does not say.',
    }),
  }),
});

const StaticTokenInput = builder.inputType('StaticTokenInput', {
  description: 'A token that does not change, such as that of a private app.',
  fields: (t) => ({ value: t.string({ required: true, description: 'The token.' }) }),
});

export const CredentialsInput = builder.inputType('CredentialsInput', {
  description: 'What a provider lets Crossbook in with: exactly one of the fields. No answer ever shows it.',
  isOneOf: true,
  fields: (t) => ({
    oauth2: t.field({ type: OAuth2CredentialsInput, description: 'Tokens from an OAuth 2 authorisation.' }),
    token: t.field({ type: StaticTokenInput, description: 'A token that does not change.' }),
  }),
});
