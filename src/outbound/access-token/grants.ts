import { CrossbookError, type ErrorCode } from '../../domain/errors.ts';
import type { ProviderCall } from '../../domain/log.ts';
import {
  type Authorization,
  AuthorizationFailure,
  type Grant,
  type SandboxLogin,
} from '../../domain/oauth.ts';
import type { Provider } from '../../domain/provider.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { checkInstanceUrl, checkLoginUrl } from '../../domain/urls.ts';
import type { OutboundDeps } from '../outbound.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { callAtOrigin, callTokenEndpoint, resolveOrigin } from './token-endpoint.ts';

/** What begins and ends a grant, with the guards of every other call. */
export function createGrants(deps: OutboundDeps) {
  const { sandboxOrigins } = deps;
  return {
    /**
     * Trades the authorization code for tokens and learns who granted them. Rejects with an AuthorizationFailure, whatever goes
     * wrong: its message and its cause are for the log. Whose account it is, and that all required scopes are there, is
     * settled when it resolves.
     */
    async exchangeCode(exchange: GrantCall & GivenCode): Promise<Grant> {
      const { provider, loginOrigin, code, redirectUri, codeVerifier } = exchange;
      const { authorization } = provider;
      if (!authorization) throw notOffered(provider);
      const { ask, findClient, secrets, toError } = open(exchange, [code, codeVerifier]);
      try {
        const sandbox = deps.findSandboxLogin?.(loginOrigin);
        const origin = sandbox?.tokenOrigin ?? toTokenOrigin(authorization, loginOrigin);
        const client = await findClient(origin);
        if (!client) throw refused('The OAuth client that asked for consent is gone.');
        const request = authorization.toExchange({ client, code, redirectUri, codeVerifier });
        // Sent once: without an answer, the code may have been used all the same.
        const answer = await ask(origin, { ...request, repeatable: false });
        const grant = authorization.readGrant(answer, client, new Date(deps.clock.wall()));
        secrets.push(grant.accessToken, grant.refreshToken);
        const identified = await identify(authorization, grant, (second) =>
          ask(origin, second.toRequest(grant, client)),
        );
        requireScopes(authorization, identified);
        return sandbox ? toSandbox(sandbox, identified) : checkInstance(provider, identified);
      } catch (thrown) {
        throw toFailure(thrown, toError);
      }
    },

    /** False: the provider says that the grant goes on. Rejects with a CrossbookError, which may be logged, where that is unknown. */
    async revokeGrant(grant: GrantCall & GivenGrant): Promise<boolean> {
      const { provider, instanceUrl, refreshToken } = grant;
      const revocation = provider.authorization?.revocation;
      if (!revocation) throw notOffered(provider);
      const { ask, findClient, toError } = open(grant, [refreshToken]);
      try {
        const instance = { instanceUrl, hosts: provider.instanceHosts, sandboxOrigins };
        const answer = await callAtOrigin(revocation, instance, async (origin) => {
          const client = await findClient(origin);
          if (!client) throw new CrossbookError('UNPROCESSABLE_ENTITY', NO_CLIENT);
          return ask(origin, revocation.toRequest({ client, refreshToken }));
        });
        return revocation.isRevoked(answer);
      } catch (thrown) {
        throw toError(thrown);
      }
    },
  };

  /** Calls for one grant. The secrets are those that no error may show, and the client's is added when it is found. */
  function open(call: GrantCall, secrets: string[]) {
    const { provider, applicationId, connectionId, oauthClientId, onCall } = call;
    const owners = { application: applicationId, connection: connectionId };
    const endpoint = { ...deps, owners, target: { provider: provider.name, connectionId } };
    return {
      secrets,
      toError: createRedactor(() => secrets),
      ask: (origin: string, request: RemoteRequest) =>
        callTokenEndpoint(endpoint, { origin, request, onCall }),
      async findClient(origin: string) {
        const wanted = { applicationId, provider: provider.name, origin, clientId: oauthClientId };
        const client = await deps.findOAuthClient(wanted);
        if (client) secrets.push(client.clientSecret);
        return client;
      },
    };
  }
}

const NO_CLIENT =
  'The OAuth client that the grant was given to is not set up here, so that it cannot be revoked.';

/** Its failure counts only where the account is not known otherwise. */
async function identify(
  { identify: second }: Authorization,
  grant: Grant,
  ask: (second: NonNullable<Authorization['identify']>) => Promise<ProviderResponse>,
): Promise<Grant> {
  if (!second || grant.account?.name) return grant;
  try {
    return second.readAccount(await ask(second), grant);
  } catch (error) {
    if (grant.account === null || grant.scopes.length === 0) throw error;
    return grant;
  }
}

function requireScopes(authorization: Authorization, { scopes }: Grant): void {
  const missingScopes = authorization.findMissingScopes(scopes);
  if (missingScopes.length === 0) return;
  const detail = `Not granted: ${missingScopes.join(', ')}.`;
  throw new AuthorizationFailure('MISSING_SCOPES', detail, { missingScopes });
}

/** As with every origin: what is stored was checked when it came in, and the rules may have become stricter since. */
function toTokenOrigin(authorization: Authorization, loginOrigin: string): string {
  const checked = checkLoginUrl(loginOrigin, authorization);
  if ('problem' in checked || checked.origin !== loginOrigin) {
    throw refused('The login host is not one of the provider’s.');
  }
  const originOf = () => authorization.tokenOrigin(loginOrigin);
  return resolveOrigin(null, { hosts: [], sandboxOrigins: [], originOf });
}

/** Tokens will follow the instance URL, so it has to be one of the provider's hosts. */
function checkInstance({ instanceHosts: hosts }: GrantCall['provider'], grant: Grant): Grant {
  if (grant.instanceUrl === null) return grant;
  const checked = checkInstanceUrl(grant.instanceUrl, { hosts, sandboxOrigins: [] });
  if ('url' in checked) return { ...grant, instanceUrl: checked.url };
  throw refused('The provider names an instance that is not on one of its hosts.');
}

/** Nothing that is kept of it leads to the real provider. */
function toSandbox({ toInstanceUrl }: SandboxLogin, { instanceUrl, account, ...grant }: Grant): Grant {
  return { ...grant, instanceUrl: toInstanceUrl(instanceUrl), account: account && { ...account, url: null } };
}

function toFailure(thrown: unknown, toError: (thrown: unknown) => unknown): unknown {
  if (thrown instanceof AuthorizationFailure) {
    if (thrown.cause === undefined) return thrown;
    const { failure, message, missingScopes } = thrown;
    return new AuthorizationFailure(failure, message, { cause: toError(thrown.cause), missingScopes });
  }
  const error = toError(thrown);
  // A bug of ours.
  if (!(error instanceof CrossbookError)) return error;
  const failure = PASSING.has(error.code) ? 'VENDOR_UNAVAILABLE' : 'VENDOR_REFUSED';
  return new AuthorizationFailure(failure, error.message, { cause: error });
}

/** The next try may well succeed. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'REMOTE_PROVIDER_UNAVAILABLE',
  'REMOTE_PROVIDER_TIMEOUT',
  'REMOTE_PROVIDER_RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
]);

function notOffered({ name }: Pick<Provider, 'name'>): CrossbookError {
  return new CrossbookError('NOT_IMPLEMENTED', `${name} cannot be connected by a link.`);
}

function refused(detail: string): AuthorizationFailure {
  return new AuthorizationFailure('VENDOR_REFUSED', detail);
}

interface GrantCall {
  readonly provider: Pick<Provider, 'name' | 'instanceHosts' | 'authorization'>;
  readonly applicationId: string;
  /** The client that asked for consent; null: whichever the application uses now. */
  readonly oauthClientId: string | null;
  /** Where there is one already. */
  readonly connectionId?: string | undefined;
  /** Told of each call that is made, after it. */
  readonly onCall?: ((call: ProviderCall) => void) | undefined;
}

interface GivenCode {
  /** As it was kept with the state; never what the callback says. */
  readonly loginOrigin: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

interface GivenGrant {
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
}
