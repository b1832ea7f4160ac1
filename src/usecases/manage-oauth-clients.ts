import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { OAuthClientStore, StoredOAuthClient } from '../domain/oauth-client.ts';
import type { OAuthClient, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** Says what the caller's application is registered as with a provider, in the place of what it said before. */
export async function setOAuthClient(
  deps: OAuthClientDeps,
  { provider, ...client }: OAuthClient & { readonly provider: ProviderName },
): Promise<StoredOAuthClient> {
  requireApiKey(deps);
  return storeOAuthClient(deps, { provider, ...client });
}

/** The application's customers are sent to the provider by the installation's client again, if it has one. */
export async function deleteOAuthClient(deps: OAuthClientDeps, provider: ProviderName): Promise<void> {
  requireApiKey(deps);
  if (await deps.oauthClients.delete(provider)) return;
  throw new CrossbookError('NOT_FOUND', `There is no OAuth client of ${provider}.`);
}

/** What is checked of it, also where an operator says it by command. The secret is never repeated. */
export async function storeOAuthClient(
  { oauthClients, providers }: Pick<OAuthClientDeps, 'oauthClients' | 'providers'>,
  { provider, clientId, clientSecret }: OAuthClient & { readonly provider: ProviderName },
): Promise<StoredOAuthClient> {
  if (!providers.get(provider)?.authorization) {
    throw new CrossbookError('NOT_IMPLEMENTED', `${provider} cannot be connected by a link.`);
  }
  const mistakes = [
    ...(isVisible(clientId) ? [] : ['client_id']),
    ...(isVisible(clientSecret) ? [] : ['client_secret']),
  ];
  if (mistakes.length === 0) return oauthClients.set(provider, { clientId, clientSecret });
  const detail = `${mistakes.join(' and ')} must have 1 to ${MAX_LENGTH} characters of visible ASCII, without spaces.`;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

function requireApiKey(deps: Pick<OAuthClientDeps, 'requireCaller'>): void {
  if (!deps.requireCaller().customer) return;
  throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may change OAuth clients.');
}

function isVisible(text: string): boolean {
  return text.length <= MAX_LENGTH && /^[\x21-\x7e]+$/.test(text);
}

const MAX_LENGTH = 1_000;

export interface OAuthClientDeps {
  requireCaller(): Caller;
  readonly oauthClients: OAuthClientStore;
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>;
}
