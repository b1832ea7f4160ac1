import {
  type Authorization,
  AuthorizationFailure,
  type FindSandboxLogin,
  type Grant,
  type SandboxLogin,
} from '../../domain/authorization.ts';
import { CrossbookError, type ErrorCode } from '../../domain/errors.ts';
import type { OAuthClient } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { checkInstanceUrl, checkLoginUrl } from '../../domain/urls.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { resolveOrigin } from './token-endpoint.ts';

/**
 * Trades the authorization code for tokens and learns who granted them. Whatever goes wrong is an AuthorizationFailure
 * whose cause may be logged. The request is sent once: without an answer, the code may have been used all the same.
 */
export async function exchangeCode(deps: ExchangeDeps, given: GivenCode): Promise<Grant> {
  const secrets = [given.code, given.codeVerifier];
  const { toError } = createRedactor(() => secrets);
  try {
    const sandbox = deps.findSandboxLogin?.(given.loginOrigin);
    const origin = sandbox?.tokenOrigin ?? toTokenOrigin(deps, given.loginOrigin);
    const client = await deps.findClient(origin);
    if (!client) {
      throw new AuthorizationFailure('VENDOR_REFUSED', 'The OAuth client that asked for consent is gone.');
    }
    secrets.push(client.clientSecret);
    const grant = await trade(deps, { ...given, origin, client, learn: (secret) => secrets.push(secret) });
    return sandbox ? toSandbox(sandbox, grant) : checkInstance(deps, grant);
  } catch (thrown) {
    throw toFailure(thrown, toError);
  }
}

async function trade(deps: ExchangeDeps, { origin, client, learn, ...given }: Trade): Promise<Grant> {
  const { authorization } = deps;
  const { code, redirectUri, codeVerifier } = given;
  const request = authorization.toExchange({ client, code, redirectUri, codeVerifier });
  const answer = await deps.ask(origin, { ...request, repeatable: false });
  const grant = authorization.readGrant(answer, client, new Date(deps.wall()));
  learn(grant.accessToken);
  learn(grant.refreshToken);
  const identified = await identify(deps, { grant, client, origin });
  const missingScopes = authorization.findMissingScopes(identified.scopes);
  if (missingScopes.length > 0) {
    const detail = `Not granted: ${missingScopes.join(', ')}.`;
    throw new AuthorizationFailure('MISSING_SCOPES', detail, { missingScopes });
  }
  return identified;
}

/** Its failure counts only where the account is not known otherwise. */
async function identify(
  { authorization, ask }: ExchangeDeps,
  { grant, client, origin }: { readonly grant: Grant; readonly client: OAuthClient; readonly origin: string },
): Promise<Grant> {
  const { identify: second } = authorization;
  if (!second || grant.account?.name) return grant;
  try {
    return second.readAccount(await ask(origin, second.toRequest(grant, client)), grant);
  } catch (error) {
    if (grant.account === null || grant.scopes.length === 0) throw error;
    return grant;
  }
}

/** As with every origin: what is stored was checked when it came in, and the rules may have become stricter since. */
function toTokenOrigin({ authorization }: ExchangeDeps, loginOrigin: string): string {
  const checked = checkLoginUrl(loginOrigin, authorization);
  if ('problem' in checked || checked.origin !== loginOrigin) {
    throw new AuthorizationFailure('VENDOR_REFUSED', 'The login host is not one of the provider’s.');
  }
  const originOf = () => authorization.tokenOrigin(loginOrigin);
  return resolveOrigin(null, { hosts: [], sandboxOrigins: [], originOf });
}

/** Tokens will follow the instance URL, so it has to be one of the provider's hosts. */
function checkInstance({ hosts }: ExchangeDeps, grant: Grant): Grant {
  if (grant.instanceUrl === null) return grant;
  const checked = checkInstanceUrl(grant.instanceUrl, { hosts, sandboxOrigins: [] });
  if ('url' in checked) return { ...grant, instanceUrl: checked.url };
  const detail = 'The provider names an instance that is not on one of its hosts.';
  throw new AuthorizationFailure('VENDOR_REFUSED', detail);
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

interface ExchangeDeps {
  readonly provider: ProviderName;
  readonly authorization: Authorization;
  /** The provider's instance hosts. */
  readonly hosts: readonly RegExp[];
  readonly findSandboxLogin?: FindSandboxLogin | undefined;
  /** The client that asked for consent, if the token endpoint at this origin knows it. */
  findClient(origin: string): Promise<OAuthClient | undefined>;
  wall(): number;
  ask(origin: string, request: RemoteRequest): Promise<ProviderResponse>;
}

export interface GivenCode {
  /** As it was kept with the state; never what the callback says. */
  readonly loginOrigin: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

interface Trade extends GivenCode {
  readonly origin: string;
  readonly client: OAuthClient;
  learn(secret: string): void;
}
