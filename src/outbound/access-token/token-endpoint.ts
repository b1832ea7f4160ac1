import { isIP } from 'node:net';
import { CrossbookError } from '../../domain/errors.ts';
import { type CrmAccess, listCallableHosts } from '../../domain/provider.ts';
import { PROVIDER_TITLES } from '../../domain/provider-names.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest } from '../../domain/remote.ts';
import type { RefreshedCredentials, StoredCredentials } from '../../domain/tenant.ts';
import {
  type OAuthClient,
  type RefreshedToken,
  type TokenRefresh,
  toBasicCredentials,
} from '../../domain/token-refresh.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { codeOf } from '../failures.ts';
import type { Call } from '../http/transport.ts';
import type { OutboundDeps } from '../outbound-deps.ts';
import { createConnectionSecrets, secretsOf } from '../redaction/connection-secrets.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { FIXED_HEADERS, isRedirect, refuseRedirect, withRetries } from '../send.ts';
import { createTokens, InvalidGrantError, unauthorized } from './tokens.ts';

/** The tokens of one connection, and its redactor, which learns each secret before it is sent. */
export function createConnectionTokens(deps: ConnectionTokensDeps) {
  const { access, clock, owners, sandboxOrigins } = deps;
  const { refresh } = access;
  const { provider } = deps.target;
  const declared = deps.providers.get(provider);
  const rules = { hosts: declared ? listCallableHosts(declared) : [], sandboxOrigins };
  const secrets = createConnectionSecrets(access.publicPrefix);
  const redact = createRedactor(secrets.list);
  /** The generation of credentials whose client secret the redactor has learnt. */
  let learnt: number | undefined;
  const tokens = createTokens({
    clock,
    refresh: refreshCredentials,
    onStored: learnSecrets,
    originOf: (url) => resolveOrigin(url, { ...rules, originOf: access.origin }),
  });
  return { tokens, redact, secretBytes: secrets.bytes };

  /** Requests a new access token. Throws an InvalidGrantError if the grant is permanently invalid. */
  async function refreshCredentials(stored: StoredCredentials): Promise<RefreshedCredentials> {
    await learnSecrets(stored);
    const { credentials, instanceUrl, oauthClientId } = stored;
    if (credentials.type === 'token' || credentials.refreshToken === null) {
      throw unauthorized(
        'The access token has expired, and there is no refresh token to refresh it with.',
      );
    }
    const { refreshToken } = credentials;
    try {
      const answer = await callAtOrigin(refresh, { instanceUrl, ...rules }, async (origin) => {
        const client = await findClient(origin, oauthClientId);
        if (!client) {
          const which = oauthClientId === null ? '' : ' with the id that it was granted to';
          throw unauthorized(
            `The access token has expired, and no OAuth client of ${PROVIDER_TITLES[provider]}${which} is set up to refresh it.`,
          );
        }
        return callTokenEndpoint(deps, {
          origin,
          request: refresh.toRequest({ client, refreshToken }),
        });
      });
      const { instanceUrl: moved, ...token } = await readAnswer(answer);
      return {
        // Most providers return no refresh token, which means that the old one stays valid.
        credentials: { type: 'oauth2', ...token, refreshToken: token.refreshToken ?? refreshToken },
        instanceUrl: readMove(moved, instanceUrl),
      };
    } catch (error) {
      // The grant is valid: the operator, or the customer's administrator, has to allow this client.
      if (codeOf(error) === 'REMOTE_PROVIDER_FORBIDDEN') deps.onRestricted?.(provider);
      throw error;
    }
  }

  async function readAnswer(answer: ProviderResponse): Promise<RefreshedToken> {
    try {
      return refresh.readAnswer(answer, new Date(clock.wall()));
    } catch (thrown) {
      // Handled here, because the waiting adapter would take the response for one to its own call.
      const error = redact(thrown);
      if (!(error instanceof CrossbookError) || error.code !== 'REMOTE_PROVIDER_UNAUTHORIZED')
        throw error;
      throw new InvalidGrantError(provider, error);
    }
  }

  /** The new origin of a moved instance must be a host of the provider, or the token could be sent anywhere. */
  function readMove(moved: string | undefined, current: string | null): string | undefined {
    if (moved === undefined || moved === current) return undefined;
    const checked = checkInstanceUrl(moved, rules);
    if ('problem' in checked || checked.url === current) return undefined;
    // The sandbox reports its address instead of its name: it has not moved.
    const address =
      current === null ? undefined : deps.sandboxAddresses?.get(new URL(current).origin);
    return checked.origin === address ? undefined : checked.url;
  }

  async function findClient(
    origin: string,
    clientId: string | null,
  ): Promise<OAuthClient | undefined> {
    const client = await deps.findOAuthClient({
      applicationId: owners.application,
      provider,
      origin,
      clientId,
    });
    if (client) secrets.add(client.clientSecret, toBasicCredentials(client));
    return client;
  }

  /** Includes the client secret: another process may have sent it, and the provider may echo it here. */
  async function learnSecrets(stored: StoredCredentials): Promise<void> {
    secrets.add(...secretsOf(stored.credentials));
    if (learnt === stored.generation) return;
    const origin = findTokenOrigin(stored.instanceUrl);
    if (origin !== undefined) await findClient(origin, stored.oauthClientId);
    learnt = stored.generation;
  }

  /** Undefined: there is no token endpoint, and the client secret is never sent. */
  function findTokenOrigin(instanceUrl: string | null): string | undefined {
    try {
      return resolveOrigin(instanceUrl, { ...rules, originOf: refresh.origin });
    } catch {
      return undefined;
    }
  }
}

interface ConnectionTokensDeps extends OutboundDeps, EndpointDeps {
  readonly access: Pick<CrmAccess, 'publicPrefix' | 'origin' | 'refresh'>;
}

/** Calls without a rate limiter: token endpoints have rules of their own, and all other calls wait for the token. */
export async function callTokenEndpoint(
  deps: EndpointDeps,
  { origin, request, onCall }: EndpointCall,
): Promise<ProviderResponse> {
  const { clock, random, target } = deps;
  const deadline = clock.now() + deps.settings.deadlineMs;
  const headers = { ...FIXED_HEADERS, ...request.headers };
  return withRetries({ clock, random, deadline, retry: request.retry, pausedMs: () => 0 }, () =>
    deps.transport.send({ target, origin, request, headers, deadline, onCall }),
  ).then(refuseRedirect);
}

interface EndpointDeps
  extends Pick<OutboundDeps, 'clock' | 'random' | 'settings' | 'transport'>,
    Pick<Call, 'target'> {
  readonly owners: { readonly application: string; readonly connection?: string | undefined };
}

interface EndpointCall extends Pick<Call, 'origin' | 'onCall'> {
  readonly request: RemoteRequest;
}

/** Calls the provider's declared origin and, if that one has moved, the declared alternative. */
export async function callAtOrigin(
  { origin: originOf, movedOrigin }: Pick<TokenRefresh, 'origin' | 'movedOrigin'>,
  {
    instanceUrl,
    ...rules
  }: Omit<OriginRules, 'originOf'> & { readonly instanceUrl: string | null },
  ask: (origin: string) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const origin = resolveOrigin(instanceUrl, { ...rules, originOf });
  const other = movedOrigin?.(instanceUrl);
  if (other === undefined || other === origin || rules.sandboxOrigins.includes(origin))
    return ask(origin);
  const answer = await ask(origin).catch((error: unknown) => {
    if (!isElsewhere(error)) throw error;
  });
  if (answer && answer.status !== 404) return answer;
  return ask(resolveOrigin(instanceUrl, { ...rules, originOf: () => other }));
}

/** A host that redirects, or does not exist, has not used the token, so a second attempt is safe. */
function isElsewhere(error: unknown): boolean {
  if (error instanceof RemoteFailure) return isRedirect(error.answer);
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code === 'ENOTFOUND';
}

/**
 * The only origin that may receive a connection's secrets. Stored origins are checked again, because the rules may
 * have become stricter.
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
  if (origin === undefined)
    throw unusable(
      'The connection needs an instance URL to be called: set `instanceUrl` with upsertCustomer.',
    );
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
  /** The provider's allowed instance hosts. */
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  /** The provider's origin of its API or token endpoint. */
  originOf(instanceUrl: string | null): string | undefined;
}
