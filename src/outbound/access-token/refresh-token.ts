import type { RefreshedCredentials, StoredCredentials } from '../../domain/credentials.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { checkInstanceUrl } from '../../domain/instance-url.ts';
import type { OAuthClient, RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { toReconnectDetail } from '../failures.ts';
import { callAtOrigin } from './call-token-endpoint.ts';

/** Asks the provider for a new access token. Throws an InvalidGrantError where it never gives one again. */
export async function refreshToken(
  deps: RefreshDeps,
  { credentials, instanceUrl, oauthClientId }: StoredCredentials,
): Promise<RefreshedCredentials> {
  const { refresh, hosts, sandboxOrigins } = deps;
  if (credentials.type === 'token' || credentials.refreshToken === null) {
    throw unauthorized('The access token has expired, and there is no refresh token to renew it with.');
  }
  const { refreshToken: token } = credentials;
  const answer = await callAtOrigin(refresh, { instanceUrl, hosts, sandboxOrigins }, async (origin) => {
    const client = await deps.findClient(origin, oauthClientId);
    if (!client) throw noClient(deps, oauthClientId);
    return deps.ask(origin, refresh.toRequest({ client, refreshToken: token }));
  });
  const refreshed = readAnswer(deps, answer);
  return {
    credentials: {
      type: 'oauth2',
      accessToken: refreshed.accessToken,
      // Most providers answer with none, and mean that the old one goes on.
      refreshToken: refreshed.refreshToken ?? credentials.refreshToken,
      expiresAt: refreshed.expiresAt,
    },
    instanceUrl: readMove(deps, refreshed, instanceUrl),
  };
}

function readAnswer(deps: RefreshDeps, answer: ProviderResponse): RefreshedToken {
  try {
    return deps.refresh.readAnswer(answer, new Date(deps.wall()));
  } catch (thrown) {
    // Not left to the adapter whose call waits for the token: it would take this answer for one to its own call.
    const error = deps.toError(thrown);
    if (!(error instanceof CrossbookError) || error.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') throw error;
    throw new InvalidGrantError(deps.provider, error);
  }
}

/** Where an instance moves to has to be one of the provider's hosts as well, else the token would follow it anywhere. */
function readMove(
  deps: RefreshDeps,
  { instanceUrl }: RefreshedToken,
  current: string | null,
): string | undefined {
  if (instanceUrl === undefined || instanceUrl === current) return undefined;
  const checked = checkInstanceUrl(instanceUrl, deps);
  if ('problem' in checked || checked.url === current) return undefined;
  // The sandbox knows its address and not its name: it has not moved.
  const address = current === null ? undefined : deps.sandboxAddresses?.get(new URL(current).origin);
  return checked.origin === address ? undefined : checked.url;
}

/** Only a new consent of the customer helps. */
export class InvalidGrantError extends CrossbookError {
  constructor(provider: ProviderName, cause: CrossbookError) {
    super('REMOTE_PROVIDER_UNAUTHORIZED', toReconnectDetail(provider), { cause, remote: cause.remote });
  }
}

function noClient({ provider }: RefreshDeps, clientId: string | null): CrossbookError {
  const which = clientId === null ? '' : ' with the id that it was granted to';
  return unauthorized(
    `The access token has expired, and no OAuth client of ${provider}${which} is set up to renew it.`,
  );
}

function unauthorized(detail: string): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', detail);
}

export interface RefreshDeps {
  readonly provider: ProviderName;
  readonly refresh: TokenRefresh;
  /** Of the token endpoint at this origin; undefined where this installation is not registered there. */
  findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined>;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  readonly sandboxAddresses?: ReadonlyMap<string, string> | undefined;
  wall(): number;
  ask(origin: string, request: RemoteRequest): Promise<ProviderResponse>;
  /** As it may be shown. */
  toError(thrown: unknown): unknown;
}
