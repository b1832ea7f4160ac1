import { CrossbookError, type ErrorCode } from '../../domain/errors.ts';
import type { ProviderCall } from '../../domain/log.ts';
import {
  type Authorization,
  AuthorizationFailure,
  type CodeExchange,
  type Grant,
  type SandboxLogin,
} from '../../domain/oauth.ts';
import { listCallableHosts, type Provider } from '../../domain/provider.ts';
import { PROVIDER_TITLES } from '../../domain/provider-names.ts';
import { findMissing } from '../../domain/record-access.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { type OAuthClient, toBasicCredentials } from '../../domain/token-refresh.ts';
import { checkInstanceUrl, checkLoginUrl } from '../../domain/urls.ts';
import { isStorable, isVisibleAscii } from '../../lib/text.ts';
import { codeOf } from '../failures.ts';
import type { OutboundDeps } from '../outbound-deps.ts';
import { createRedactor, type Redact } from '../redaction/redactor.ts';
import { callAtOrigin, callTokenEndpoint, resolveOrigin } from './token-endpoint.ts';

/** Exchanges codes and revokes grants, with the protections of all other calls. */
export function createGrants(deps: OutboundDeps) {
  const { sandboxOrigins } = deps;
  return {
    /**
     * Exchanges an authorization code for tokens and identifies the account. Every failure rejects with an
     * AuthorizationFailure, whose message and cause are for the log. When it resolves, the account is known and all
     * required scopes are granted.
     */
    async exchangeCode(exchange: GrantCall & CodeExchange): Promise<Grant> {
      const { provider, loginOrigin, code, redirectUri, codeVerifier } = exchange;
      const { authorization } = provider;
      if (!authorization) throw notOffered(provider);
      const { ask, findClient, secrets, redact } = open(exchange, [code, codeVerifier]);
      try {
        const sandbox = deps.findSandboxLogin?.(loginOrigin);
        const origin = sandbox?.tokenOrigin ?? toTokenOrigin(authorization, loginOrigin);
        const client = await findClient(origin);
        if (!client) throw refused('The OAuth client that requested consent was deleted.');
        const send = (request: RemoteRequest) => ask(origin, request);
        const request = authorization.toExchange({ client, code, redirectUri, codeVerifier });
        const answer = await send(request);
        const grant = authorization.readGrant(answer, client, new Date(deps.clock.wall()));
        secrets.push(grant.accessToken, grant.refreshToken);
        const identifyAt = (url: string | undefined) =>
          sandbox || url === undefined ? origin : toCallableOrigin(provider, url);
        const identified = await identify(authorization, grant, client, (request) =>
          ask(identifyAt(authorization.identify?.origin?.(grant)), request),
        );
        requireScopes(authorization, identified, exchange.requiredScopes);
        const limited = withoutLongTexts(identified);
        return sandbox ? toSandbox(sandbox, limited) : checkInstance(provider, limited);
      } catch (thrown) {
        // The provider refuses this installation, not the customer: from another address it may be allowed.
        if (codeOf(thrown) === 'REMOTE_PROVIDER_FORBIDDEN') deps.onRestricted?.(provider.name);
        throw await toFailure(thrown, redact);
      }
    },

    /**
     * False: the provider reports that the grant is still valid. Rejects with a loggable CrossbookError if that is
     * unknown.
     */
    async revokeGrant(grant: GrantCall & GivenGrant): Promise<boolean> {
      const { provider, instanceUrl, refreshToken } = grant;
      const revocation = provider.authorization?.revocation;
      if (!revocation) throw notOffered(provider);
      const { ask, findClient, redact } = open(grant, [refreshToken]);
      try {
        const instance = { instanceUrl, hosts: listCallableHosts(provider), sandboxOrigins };
        const answer = await callAtOrigin(revocation, instance, async (origin) => {
          const client = await findClient(origin);
          if (!client) throw new CrossbookError('UNPROCESSABLE_ENTITY', NO_CLIENT);
          return ask(origin, revocation.toRequest({ client, refreshToken }));
        });
        return revocation.isRevoked(answer);
      } catch (thrown) {
        throw redact(thrown);
      }
    },
  };

  /**
   * Opens the calls for one grant. `secrets` are redacted from errors; the client's secret is added when it is found.
   */
  function open(call: GrantCall, secrets: string[]) {
    const { provider, applicationId, connectionId, oauthClientId, onCall } = call;
    const owners = { application: applicationId, connection: connectionId };
    const endpoint = { ...deps, owners, target: { provider: provider.name, connectionId } };
    return {
      secrets,
      redact: createRedactor(() => secrets),
      ask: (origin: string, request: RemoteRequest) =>
        callTokenEndpoint(endpoint, { origin, request, onCall }),
      async findClient(origin: string) {
        const clientQuery = {
          applicationId,
          provider: provider.name,
          origin,
          clientId: oauthClientId,
        };
        const client = await deps.findOAuthClient(clientQuery);
        if (client) secrets.push(client.clientSecret, toBasicCredentials(client));
        return client;
      },
    };
  }
}

const NO_CLIENT = 'The grant cannot be revoked, because its OAuth client is not configured.';

/** The origin of an instance URL that the provider returned, which has to be on one of its hosts. */
function toCallableOrigin(provider: GrantCall['provider'], url: string): string {
  const hosts = listCallableHosts(provider);
  const checked = checkInstanceUrl(url, { hosts, sandboxOrigins: [] });
  if ('url' in checked) return new URL(checked.url).origin;
  throw refused('The provider returned an instance URL that is not on one of its hosts.');
}

/** A failure matters only where the account is not known otherwise. */
async function identify(
  { identify: second }: Authorization,
  grant: Grant,
  client: OAuthClient,
  send: (request: RemoteRequest) => Promise<ProviderResponse>,
): Promise<Grant> {
  if (!second || grant.account?.name) return grant;
  try {
    return second.readAccount(await send(second.toRequest(grant, client)), grant);
  } catch (error) {
    if (grant.account === null || grant.scopes.length === 0) throw error;
    return grant;
  }
}

function requireScopes(
  authorization: Authorization,
  { scopes }: Grant,
  requiredScopes: readonly string[],
): void {
  const missingScopes = findMissing(authorization, requiredScopes, scopes);
  if (missingScopes.length === 0) return;
  throw new AuthorizationFailure('MISSING_SCOPES', `Not granted: ${missingScopes.join(', ')}.`, {
    missingScopes,
  });
}

/** What is stored with a connection, and read with it each time, is short, and can be stored. */
function withoutLongTexts({ account, scopes, ...grant }: Grant): Grant {
  return {
    ...grant,
    scopes: scopes.filter((scope) => isVisibleAscii(scope, MAX_SCOPE)).slice(0, MAX_SCOPES),
    account: account && {
      ...account,
      name: toShortText(account.name),
      userId: toShortText(account.userId),
    },
  };
}

function toShortText(text: string | null | undefined): string | null {
  return typeof text === 'string' && text.length <= MAX_TEXT && isStorable(text) ? text : null;
}

const MAX_TEXT = 255;
const MAX_SCOPE = 100;
/** Several times as many as a provider has. */
const MAX_SCOPES = 500;

/** Checked again, as every stored origin, because the rules may have become stricter. */
function toTokenOrigin(authorization: Authorization, loginOrigin: string): string {
  const checked = checkLoginUrl(loginOrigin, authorization);
  if ('problem' in checked || checked.origin !== loginOrigin) {
    throw refused('The login host is not one of the provider’s.');
  }
  const originOf = () => authorization.tokenOrigin(loginOrigin);
  return resolveOrigin(null, { hosts: [], sandboxOrigins: [], originOf });
}

/** Calls with tokens will go to the instance URL, so it must be a host of the provider. */
function checkInstance(provider: GrantCall['provider'], grant: Grant): Grant {
  if (grant.instanceUrl === null) return grant;
  const hosts = listCallableHosts(provider);
  const checked = checkInstanceUrl(grant.instanceUrl, { hosts, sandboxOrigins: [] });
  if ('url' in checked) return { ...grant, instanceUrl: checked.url };
  throw refused('The provider returned an instance URL that is not on one of its hosts.');
}

/**
 * Rewrites a sandbox grant, so that nothing stored leads to the real provider. An account that is named by its host
 * has no name there: the host is this machine.
 */
function toSandbox(
  { toInstanceUrl }: SandboxLogin,
  { instanceUrl, account, ...grant }: Grant,
): Grant {
  const host = instanceUrl === null ? undefined : new URL(instanceUrl).hostname;
  return {
    ...grant,
    instanceUrl: toInstanceUrl(instanceUrl),
    account: account && {
      ...account,
      url: null,
      name: account.name === host ? null : account.name,
    },
  };
}

async function toFailure(thrown: unknown, redact: Redact): Promise<unknown> {
  if (thrown instanceof AuthorizationFailure) {
    if (thrown.cause === undefined) return thrown;
    const { failure, message, missingScopes } = thrown;
    return new AuthorizationFailure(failure, message, {
      cause: await redact(thrown.cause),
      missingScopes,
    });
  }
  const error = redact(thrown);
  // A bug, which is passed on.
  if (!(error instanceof CrossbookError)) return error;
  const failure = TRANSIENT_CODES.has(error.code) ? 'VENDOR_UNAVAILABLE' : 'VENDOR_REFUSED';
  return new AuthorizationFailure(failure, error.message, { cause: error });
}

/** Transient failures. */
const TRANSIENT_CODES: ReadonlySet<ErrorCode> = new Set([
  'REMOTE_PROVIDER_UNAVAILABLE',
  'REMOTE_PROVIDER_TIMEOUT',
  'REMOTE_PROVIDER_RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
]);

function notOffered({ name }: Pick<Provider, 'name'>): CrossbookError {
  return new CrossbookError(
    'NOT_IMPLEMENTED',
    `${PROVIDER_TITLES[name]} cannot be connected by a link.`,
  );
}

function refused(detail: string): AuthorizationFailure {
  return new AuthorizationFailure('VENDOR_REFUSED', detail);
}

interface GrantCall {
  readonly provider: Pick<Provider, 'name' | 'instanceHosts' | 'retiredHosts' | 'authorization'>;
  readonly applicationId: string;
  /** The OAuth client that asked for consent; null: the application's current one. */
  readonly oauthClientId: string | null;
  /** Set if the connection exists. */
  readonly connectionId?: string;
  /** Called after each call. */
  readonly onCall?: (call: ProviderCall) => void;
}

interface GivenGrant {
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
}
