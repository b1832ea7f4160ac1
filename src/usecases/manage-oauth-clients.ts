import { CrossbookError } from '../domain/errors.ts';
import type { OAuthClientStore, StoredOAuthClient } from '../domain/oauth.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import type { OAuthClient } from '../domain/token-refresh.ts';
import { isVisibleAscii } from '../lib/text.ts';
import { type CallerDeps, requireApiKey } from './authorization.ts';
import { type AuthorizationDeps, requireAuthorization } from './connect-link.ts';

/** Lists the OAuth clients of the caller's application, without their secrets. */
export async function listOAuthClients(
  deps: Pick<OAuthClientDeps, 'oauthClients' | 'requireCaller'>,
): Promise<readonly StoredOAuthClient[]> {
  requireApiKey(deps);
  return deps.oauthClients.list();
}

/** Sets the OAuth client of the caller's application at a provider, replacing a previous one. */
export async function setOAuthClient(
  deps: OAuthClientDeps,
  client: GivenOAuthClient,
): Promise<StoredOAuthClient> {
  requireApiKey(deps);
  return storeOAuthClient(deps, client);
}

/** Deletes the application's OAuth client: the installation's client is used again, if there is one. */
export async function deleteOAuthClient(
  deps: OAuthClientDeps,
  provider: ProviderName,
): Promise<void> {
  requireApiKey(deps);
  if (await deps.oauthClients.delete(provider)) return;
  throw new CrossbookError(
    'NOT_FOUND',
    `There is no OAuth client of ${PROVIDER_TITLES[provider]}.`,
  );
}

/** Validates and stores a client, also for the operator's command. The secret is never repeated in errors. */
export async function storeOAuthClient(
  { oauthClients, providers }: Pick<OAuthClientDeps, 'oauthClients' | 'providers'>,
  { provider, clientId, clientSecret }: GivenOAuthClient,
): Promise<StoredOAuthClient> {
  requireAuthorization({ providers }, provider);
  const mistakes = [
    !isVisibleAscii(clientId, MAX_LENGTH) && 'client_id',
    !isVisibleAscii(clientSecret, MAX_LENGTH) && 'client_secret',
  ].filter((mistake) => mistake !== false);
  if (mistakes.length === 0) return oauthClients.set(provider, { clientId, clientSecret });
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    `${mistakes.join(' and ')} must have 1 to ${MAX_LENGTH} characters of visible ASCII, without spaces.`,
  );
}

const MAX_LENGTH = 1_000;

interface GivenOAuthClient extends OAuthClient {
  readonly provider: ProviderName;
}

interface OAuthClientDeps extends AuthorizationDeps, Pick<CallerDeps, 'requireCaller'> {
  readonly oauthClients: OAuthClientStore;
}
