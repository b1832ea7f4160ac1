import { type Authorization, AuthorizationFailure, type Grant } from '../../domain/authorization.ts';
import type { ConnectFailure } from '../../domain/connect-link.ts';
import { readOAuthDenial } from '../../domain/oauth-denial.ts';
import type { OAuthClient } from '../../domain/provider.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { isRecord, parseJson } from '../../lib/parse-json.ts';
import { toQuery } from '../../lib/to-query.ts';
import { readFailure } from './failure.ts';
import { LOGIN_HOSTS, movedTokenOrigin, tokenOrigin } from './instance.ts';
import { readIdentity } from './signed-identity.ts';
import { readToken } from './token.ts';

const REQUIRED_SCOPES = ['api', 'refresh_token'] as const;

/**
 * An organisation may forbid the common login hosts, hence its own domain. PKCE always: partner apps must have it, and it
 * is refused by nobody. A wrong client or redirect URI stays on Salesforce's own error page and never comes back.
 */
export const authorization: Authorization = {
  requiredScopes: REQUIRED_SCOPES,
  logins: [
    { name: 'Production', origin: 'https://login.salesforce.com' },
    { name: 'Sandbox', origin: 'https://test.salesforce.com' },
  ],
  loginHosts: LOGIN_HOSTS,
  ownLoginExample: 'acme.my.salesforce.com',
  toConsentUrl({ loginOrigin, clientId, redirectUri, state, codeChallenge, optionalScopes, isPopup }) {
    const query = toQuery({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
      scope: [...new Set([...REQUIRED_SCOPES, ...optionalScopes])].join(' '),
      ...{ state, code_challenge: codeChallenge, code_challenge_method: 'S256' },
      // Also where the user has approved the app before: the page tells which account is about to be connected.
      prompt: 'consent',
      display: isPopup ? 'popup' : 'page',
    });
    return `${loginOrigin}/services/oauth2/authorize?${query}`;
  },
  tokenOrigin: (loginOrigin) => loginOrigin,
  toExchange: ({ client, code, redirectUri, codeVerifier }) =>
    toRequest('/services/oauth2/token', {
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier },
      ...{ client_id: client.clientId, client_secret: client.clientSecret, format: 'json' },
    }),
  readGrant,
  findMissingScopes(granted) {
    const names = new Set(granted.flatMap((scope) => [scope, ...(SAME_AS[scope] ?? [])]));
    return REQUIRED_SCOPES.filter((scope) => !names.has(scope));
  },
  readDenial,
  revocation: {
    origin: tokenOrigin,
    movedOrigin: movedTokenOrigin,
    // Whoever has the token may end it: no client is asked for.
    toRequest: ({ refreshToken }) => toRequest('/services/oauth2/revoke', { token: refreshToken }),
    isRevoked: ({ status }) => (status >= 200 && status < 300) || status === 400,
  },
};

function toRequest(path: string, fields: Readonly<Record<string, string>>): RemoteRequest {
  return {
    method: 'POST',
    path,
    budget: 'token',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: toQuery(fields),
  };
}

function readGrant(answer: ProviderResponse, client: OAuthClient, now: Date): Grant {
  if (needsAdministrator(readFailure(answer.body))) {
    const detail =
      'Salesforce lets nobody use the app before an administrator of the organisation has installed it.';
    throw new AuthorizationFailure('ADMIN_APPROVAL_REQUIRED', detail);
  }
  const { accessToken, refreshToken, expiresAt, instanceUrl } = readToken(answer, now);
  const json = parseJson(answer.body);
  const identity = readIdentity(json, client.clientSecret);
  if (!identity) {
    const detail = 'Salesforce’s signature does not vouch for who granted access.';
    throw new AuthorizationFailure('VENDOR_REFUSED', detail);
  }
  if (refreshToken === null) {
    const detail =
      'Salesforce granted access without a refresh token: the app lacks the scope, or the organisation forbids it.';
    throw new AuthorizationFailure('NO_REFRESH_TOKEN', detail);
  }
  if (instanceUrl === undefined || !URL.canParse(instanceUrl)) {
    throw new AuthorizationFailure('VENDOR_REFUSED', 'Salesforce does not say where the organisation lives.');
  }
  const { hostname } = new URL(instanceUrl);
  const { organizationId, userId } = identity;
  const account = { id: organizationId, name: hostname, url: instanceUrl, userId };
  return { accessToken, refreshToken, expiresAt, instanceUrl, account, scopes: readScopes(json) };
}

/** What is not said is what was asked for (RFC 6749, 5.1). */
function readScopes(json: unknown): readonly string[] {
  const scope = isRecord(json) ? json['scope'] : undefined;
  return typeof scope === 'string' ? scope.split(/\s+/).filter((name) => name !== '') : REQUIRED_SCOPES;
}

function readDenial(error: string, description: string | null): ConnectFailure {
  const isTheirs = needsAdministrator({ errorCode: error, message: description });
  return isTheirs ? 'ADMIN_APPROVAL_REQUIRED' : readOAuthDenial(error);
}

/** Blocked, or not installed in the organisation while its users may not approve apps themselves. */
function needsAdministrator({ errorCode, message }: ReturnType<typeof readFailure>): boolean {
  return OF_THE_ADMINISTRATOR.has(errorCode ?? '') || /admin approved|blocked by/i.test(message ?? '');
}

const OF_THE_ADMINISTRATOR: ReadonlySet<string> = new Set([
  'OAUTH_APP_BLOCKED',
  'OAUTH_APP_ACCESS_DENIED',
  'invalid_app_access',
]);

/** What else a scope is called, or contains. */
const SAME_AS: Readonly<Record<string, readonly string[]>> = {
  offline_access: ['refresh_token'],
  full: ['api'],
};
