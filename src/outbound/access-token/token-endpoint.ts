import { isIP } from 'node:net';
import { CrossbookError } from '../../domain/errors.ts';
import type { ContactAccess, OAuthClient, RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest } from '../../domain/remote.ts';
import { memoryLimitReached } from '../../domain/resources.ts';
import type { RefreshedCredentials, StoredCredentials } from '../../domain/tenant.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { codeOf } from '../failures.ts';
import type { Call } from '../http/transport.ts';
import type { OutboundDeps } from '../outbound.ts';
import { createConnectionSecrets, createRedactor, secretsOf } from '../redaction/redactor.ts';
import { FIXED_HEADERS, withRetries } from '../send.ts';
import { createTokens, InvalidGrantError, unauthorized } from './tokens.ts';

/** One connection's tokens, and the redactor that knows all of its secrets before one of them is sent. */
export function createConnectionTokens(deps: ConnectionTokensDeps) {
  const { access, clock, owners, sandboxOrigins } = deps;
  const { refresh } = access;
  const { provider } = deps.target;
  const rules = { hosts: deps.providers.get(provider)?.instanceHosts ?? [], sandboxOrigins };
  const secrets = createConnectionSecrets(access.publicPrefix);
  const toError = createRedactor(secrets.list);
  /** The generation of the credentials whose client's secret is known to the redactor. */
  let learnt: number | undefined;
  const tokens = createTokens({
    clock,
    refresh: renew,
    onStored: learnSecrets,
    originOf: (url) => resolveOrigin(url, { ...rules, originOf: access.origin }),
  });
  return { tokens, toError };

  /** Asks the provider for a new access token. Throws an InvalidGrantError where it never gives one again. */
  async function renew(stored: StoredCredentials): Promise<RefreshedCredentials> {
    await learnSecrets(stored);
    const { credentials, instanceUrl, oauthClientId } = stored;
    if (credentials.type === 'token' || credentials.refreshToken === null) {
      throw unauthorized('The access token has expired, and there is no refresh token to renew it with.');
    }
    const { refreshToken } = credentials;
    try {
      const answer = await callAtOrigin(refresh, { instanceUrl, ...rules }, async (origin) => {
        const client = await findClient(origin, oauthClientId);
        if (!client) throw noClient(oauthClientId);
        return callTokenEndpoint(deps, { origin, request: refresh.toRequest({ client, refreshToken }) });
      });
      const { accessToken, expiresAt, ...refreshed } = readAnswer(answer);
      return {
        // Most providers answer with no refresh token, and mean that the old one goes on.
        credentials: {
          ...{ type: 'oauth2', accessToken, expiresAt },
          refreshToken: refreshed.refreshToken ?? refreshToken,
        },
        instanceUrl: readMove(refreshed.instanceUrl, instanceUrl),
      };
    } catch (error) {
      // The consent holds: the installation's operator, or the customer's administrator, has to let this client in.
      if (codeOf(error) === 'REMOTE_PROVIDER_FORBIDDEN') deps.onRestricted?.(provider);
      throw error;
    }
  }

  function readAnswer(answer: ProviderResponse): RefreshedToken {
    try {
      return refresh.readAnswer(answer, new Date(clock.wall()));
    } catch (thrown) {
      // Not left to the adapter whose call waits for the token: it would take this answer for one to its own call.
      const error = toError(thrown);
      if (!(error instanceof CrossbookError) || error.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') throw error;
      throw new InvalidGrantError(provider, error);
    }
  }

  /** Where an instance moves to has to be one of the provider's hosts as well, else the token would follow it anywhere. */
  function readMove(moved: string | undefined, current: string | null): string | undefined {
    if (moved === undefined || moved === current) return undefined;
    const checked = checkInstanceUrl(moved, rules);
    if ('problem' in checked || checked.url === current) return undefined;
    // The sandbox knows its address and not its name: it has not moved.
    const address = current === null ? undefined : deps.sandboxAddresses?.get(new URL(current).origin);
    return checked.origin === address ? undefined : checked.url;
  }

  function noClient(clientId: string | null): CrossbookError {
    const which = clientId === null ? '' : ' with the id that it was granted to';
    return unauthorized(
      `The access token has expired, and no OAuth client of ${provider}${which} is set up to renew it.`,
    );
  }

  async function findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined> {
    const client = await deps.findOAuthClient({
      ...{ applicationId: owners.application, provider, origin, clientId },
    });
    if (client) secrets.add(client.clientSecret);
    return client;
  }

  /** The client's secret too: another process may have sent it, and the provider may show it here. */
  async function learnSecrets(stored: StoredCredentials): Promise<void> {
    secrets.add(...secretsOf(stored.credentials));
    if (learnt === stored.generation) return;
    const origin = findTokenOrigin(stored.instanceUrl);
    if (origin !== undefined) await findClient(origin, stored.oauthClientId);
    learnt = stored.generation;
  }

  /** Undefined: without a token endpoint the client's secret is never sent. */
  function findTokenOrigin(instanceUrl: string | null): string | undefined {
    try {
      return resolveOrigin(instanceUrl, { ...rules, originOf: refresh.origin });
    } catch {
      return undefined;
    }
  }
}

interface ConnectionTokensDeps extends OutboundDeps, EndpointDeps {
  readonly access: Pick<ContactAccess, 'publicPrefix' | 'origin' | 'refresh'>;
}

/** Without a rate limiter: a token endpoint has its own rules, and every call waits for it. */
export async function callTokenEndpoint(
  deps: EndpointDeps,
  { origin, request, onCall }: EndpointCall,
): Promise<ProviderResponse> {
  const { clock, random, target } = deps;
  const deadline = clock.now() + deps.settings.deadlineMs;
  const headers = { ...FIXED_HEADERS, ...request.headers };
  const hold = deps.heldBytes.acquire(deps.owners, 'provider_response', 0);
  if (!hold) throw memoryLimitReached();
  return withRetries(
    { clock, random, deadline, isRepeatable: request.repeatable !== false, pausedMs: () => 0 },
    () => deps.transport.send({ target, origin, request, headers, deadline, hold, onCall }),
  ).finally(() => hold.release());
}

interface EndpointDeps
  extends Pick<OutboundDeps, 'clock' | 'random' | 'heldBytes' | 'settings' | 'transport'>,
    Pick<Call, 'target'> {
  readonly owners: { readonly application: string; readonly connection?: string | undefined };
}

interface EndpointCall extends Pick<Call, 'origin' | 'onCall'> {
  readonly request: RemoteRequest;
}

/** At the origin that the provider declares, and where that one redirects, at the other one, if it declares any. */
export async function callAtOrigin(
  { origin: originOf, movedOrigin }: Pick<TokenRefresh, 'origin' | 'movedOrigin'>,
  { instanceUrl, ...rules }: Omit<OriginRules, 'originOf'> & { readonly instanceUrl: string | null },
  ask: (origin: string) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const origin = resolveOrigin(instanceUrl, { ...rules, originOf });
  return ask(origin).catch((error: unknown) => {
    const other = isRedirect(error) ? movedOrigin?.(instanceUrl) : undefined;
    if (other === undefined || rules.sandboxOrigins.includes(origin)) throw error;
    return ask(resolveOrigin(instanceUrl, { ...rules, originOf: () => other }));
  });
}

/** A host that redirects has not used the token. */
function isRedirect(error: unknown): boolean {
  return error instanceof RemoteFailure && error.answer.status >= 300 && error.answer.status < 400;
}

/**
 * The one origin that may be sent a connection's secrets. What is stored was checked when it came in; it is checked
 * again, because the rules may have become stricter since.
 */
export function resolveOrigin(instanceUrl: string | null, rules: OriginRules): string {
  if (instanceUrl !== null) {
    const checked = checkInstanceUrl(instanceUrl, rules);
    if ('problem' in checked) {
      throw unusable(`The connection's instance URL cannot be used: ${checked.problem}.`);
    }
    if (rules.sandboxOrigins.includes(checked.origin)) return checked.origin;
  }
  const origin = rules.originOf(instanceUrl);
  if (origin === undefined) throw unusable('The connection needs an instance URL to be called.');
  const { protocol, hostname, origin: plain } = new URL(origin);
  if (protocol !== 'https:' || isIP(hostname) || plain !== origin) {
    throw new Error('A provider declares an origin that is no plain https host.');
  }
  return origin;
}

function unusable(detail: string): CrossbookError {
  return new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

interface OriginRules {
  /** The provider's instance hosts. */
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  /** As the provider declares it, for its API or for its token endpoint. */
  originOf(instanceUrl: string | null): string | undefined;
}
