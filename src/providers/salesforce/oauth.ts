import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConnectFailure } from '../../domain/connect-link.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import {
  type Authorization,
  AuthorizationFailure,
  type Grant,
  readOAuthDenial,
  readTokens,
  toFormRequest,
} from '../../domain/oauth.ts';
import type { OAuthClient, RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import { type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import { toQuery } from '../../lib/http-message.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import {
  type Failure,
  LOGIN_HOSTS,
  movedTokenOrigin,
  readFailure,
  tokenOrigin,
  toRemoteFailure,
} from './call.ts';

const REQUIRED_SCOPES: readonly string[] = ['api', 'refresh_token'];
const TOKEN_PATH = '/services/oauth2/token';

/**
 * An organisation may forbid the common login hosts, hence its own domain. PKCE always: partner apps must have it, and it
 * is not refused. A wrong client or redirect URI stays on Salesforce's own error page and never comes back.
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
  toExchange({ client, code, redirectUri, codeVerifier }) {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, format: 'json' };
    return toFormRequest(TOKEN_PATH, { ...fields, code_verifier: codeVerifier }, client);
  },
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
    toRequest: ({ refreshToken }) => toFormRequest('/services/oauth2/revoke', { token: refreshToken }),
    isRevoked: ({ status }) => (status >= 200 && status < 300) || status === 400,
  },
};

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

/** Salesforce says nothing of when a token ends: only a refusal tells, and only one kind of refusal. */
export function isTokenExpired({ status, body }: ProviderResponse): boolean {
  if (status !== 401) return false;
  const { errorCode, message } = readFailure(body);
  // An expired access token in JWT form.
  if (errorCode === 'INVALID_AUTH_HEADER') return true;
  // The two that a new token would not change: refreshing for them would go round in circles.
  return errorCode === 'INVALID_SESSION_ID' && !/not valid for use with|not attached to/i.test(message ?? '');
}

export const refresh: TokenRefresh = {
  origin: tokenOrigin,
  movedOrigin: movedTokenOrigin,
  toRequest: ({ client, refreshToken }) => ({
    ...toFormRequest(
      TOKEN_PATH,
      { grant_type: 'refresh_token', refresh_token: refreshToken, format: 'json' },
      client,
    ),
    // With rotation on, the second of two tries would come with a dead token.
    repeatable: false,
  }),
  readAnswer: readToken,
};

/**
 * Reads the answer to a refresh, and to an exchange. Only with rotation on there is a new refresh token, and then the old one is
 * already dead. Salesforce has never said when a token ends; should it begin to, it is believed. The instance changes when
 * the org moves: whoever keeps it checks it like every other instance URL.
 */
function readToken(answer: ProviderResponse, now: Date): RefreshedToken {
  return readTokens(answer, now, { toRefusal, withoutToken: 'Salesforce gave no token and no reason' });
}

function toRefusal(answer: ProviderResponse): RemoteFailure {
  const { code, message, retryAfterMs } = toRemoteFailure(answer);
  return new RemoteFailure(toRefusalCode(readFailure(answer.body), code), message, answer, { retryAfterMs });
}

function toRefusalCode({ errorCode, message }: Failure, plain: ErrorCode): ErrorCode {
  const said = message ?? '';
  // Two refreshes at a time with one token: whichever code this comes with, it passes.
  if (/already being processed|retry your request/i.test(said)) return 'REMOTE_PROVIDER_UNAVAILABLE';
  // From this address, or at this hour, nobody may log in to the org: the same token works from elsewhere, or later. Or the org's
  // administrator blocks the application, and can let it in again.
  if (/ip restricted|invalid login hours/i.test(said) || errorCode === 'OAUTH_APP_BLOCKED')
    return 'REMOTE_PROVIDER_FORBIDDEN';
  if (errorCode === 'rate_limit_exceeded') return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (FINAL.has(errorCode ?? '')) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  // A client that is set up wrongly is this installation's mistake: no customer's consent is over for it.
  return plain === 'REMOTE_PROVIDER_UNAUTHORIZED' ? 'REMOTE_PROVIDER_ERROR' : plain;
}

/** Only a new consent of the customer helps. */
const FINAL: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_app_access',
  'inactive_user',
  'inactive_org',
]);

/**
 * Who granted, from the `id` of a token answer: undefined unless Salesforce's signature, which is made with the client's
 * secret, vouches for it.
 */
function readIdentity(json: unknown, clientSecret: string): Identity | undefined {
  const { id, issued_at: issuedAt, signature } = isRecord(json) ? json : {};
  if (typeof id !== 'string' || typeof issuedAt !== 'string' || typeof signature !== 'string')
    return undefined;
  const expected = createHmac('sha256', clientSecret)
    .update(id + issuedAt)
    .digest();
  const given = Buffer.from(signature, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [, organizationId, userId] = IDS.exec(id) ?? [];
  return organizationId && userId ? { organizationId, userId } : undefined;
}

/** The last two segments of the identity URL. */
const IDS = /\/(00D[0-9A-Za-z]{12,15})\/(005[0-9A-Za-z]{12,15})$/;

interface Identity {
  readonly organizationId: string;
  readonly userId: string;
}
