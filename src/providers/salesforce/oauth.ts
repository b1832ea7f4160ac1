import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConnectFailure } from '../../domain/connect-failure.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import {
  type Authorization,
  AuthorizationFailure,
  type Grant,
  readOAuthDenial,
  readTokens,
  toFormRequest,
} from '../../domain/oauth.ts';
import type { RecordScopes } from '../../domain/record-access.ts';
import { type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import type { OAuthClient, RefreshedToken, TokenRefresh } from '../../domain/token-refresh.ts';
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

const BASE_SCOPES: readonly string[] = ['api', 'refresh_token'];
/** One scope reads and changes everything that the user may. */
const API: RecordScopes = { read: ['api'], write: ['api'] };
const SCOPE_TITLES: Authorization['scopeTitles'] = {
  email: 'email address',
  id: 'user profile',
  profile: 'user profile',
};
const TOKEN_PATH = '/services/oauth2/token';

/**
 * Uses the org's own domain, because it may forbid the common login hosts. Always uses PKCE, which partner apps
 * require and all accept. A wrong client or redirect URI ends on Salesforce's error page without a redirect.
 */
export const authorization: Authorization = {
  baseScopes: BASE_SCOPES,
  recordScopes: { CONTACT: API, COMPANY: API, DEAL: API },
  impliedScopes: { offline_access: ['refresh_token'], full: ['api'] },
  scopeTitles: SCOPE_TITLES,
  logins: [
    { name: 'Production', origin: 'https://login.salesforce.com' },
    { name: 'Sandbox', origin: 'https://test.salesforce.com' },
  ],
  loginHosts: LOGIN_HOSTS,
  ownLoginExample: 'acme.my.salesforce.com',
  toConsentUrl({
    loginOrigin,
    clientId,
    redirectUri,
    state,
    codeChallenge,
    requiredScopes,
    optionalScopes,
    isPopup,
  }) {
    const query = toQuery({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: [...new Set([...requiredScopes, ...optionalScopes])].join(' '),
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      // Item even to users who have approved the app before, because the page names the account to be connected.
      prompt: 'consent',
      display: isPopup ? 'popup' : 'page',
    });
    return `${loginOrigin}/services/oauth2/authorize?${query}`;
  },
  tokenOrigin: (loginOrigin) => loginOrigin,
  toExchange({ client, code, redirectUri, codeVerifier }) {
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      format: 'json',
    };
    return toFormRequest({
      path: TOKEN_PATH,
      fields: { ...fields, code_verifier: codeVerifier },
      client,
      retry: 'never',
    });
  },
  readGrant,
  readDenial,
  revocation: {
    origin: tokenOrigin,
    movedOrigin: movedTokenOrigin,
    // Revocation needs the token only, and no client.
    toRequest: ({ refreshToken }) =>
      toFormRequest({
        path: '/services/oauth2/revoke',
        fields: { token: refreshToken },
        retry: 'safe',
      }),
    isRevoked: ({ status }) => (status >= 200 && status < 300) || status === 400,
  },
};

function readGrant(answer: ProviderResponse, client: OAuthClient, now: Date): Grant {
  if (needsAdministrator(readFailure(answer.body))) {
    throw new AuthorizationFailure(
      'ADMIN_APPROVAL_REQUIRED',
      'An administrator of the Salesforce organisation has to install or approve the app.',
    );
  }
  const { accessToken, refreshToken, expiresAt, instanceUrl } = readToken(answer, now);
  const json = parseJson(answer.body);
  const identity = readIdentity(json, client.clientSecret);
  if (!identity) {
    throw new AuthorizationFailure(
      'VENDOR_REFUSED',
      'Salesforce’s signature of the granting user’s identity is invalid.',
    );
  }
  if (refreshToken === null) {
    throw new AuthorizationFailure(
      'NO_REFRESH_TOKEN',
      'Salesforce granted access without a refresh token: the app lacks the scope, or the organisation forbids it.',
    );
  }
  if (instanceUrl === undefined || !URL.canParse(instanceUrl)) {
    throw new AuthorizationFailure(
      'VENDOR_REFUSED',
      'Salesforce did not return the URL of the organisation.',
    );
  }
  const { hostname } = new URL(instanceUrl);
  const account = { ...identity, name: hostname, url: instanceUrl };
  return { accessToken, refreshToken, expiresAt, instanceUrl, account, scopes: readScopes(json) };
}

/** An omitted scope equals the requested one (RFC 6749, 5.1). */
function readScopes(json: unknown): readonly string[] {
  const scope = isRecord(json) ? json['scope'] : undefined;
  return typeof scope === 'string' ? scope.split(/\s+/).filter((name) => name !== '') : BASE_SCOPES;
}

function readDenial(error: string, description: string | null): ConnectFailure {
  return needsAdministrator({ errorCode: error, message: description })
    ? 'ADMIN_APPROVAL_REQUIRED'
    : readOAuthDenial(error);
}

/**
 * Whether an administrator of the org has to act: the app is blocked, not installed, or not approved for the user.
 * One rule for the redirect back, the code exchange and the refresh. The code of an uninstalled app, `invalid_client`,
 * is also that of a wrong client secret, so the text decides.
 */
function needsAdministrator({ errorCode, message }: Failure): boolean {
  return (
    ADMINISTRATOR_ERRORS.has(errorCode ?? '') ||
    /admin approved|blocked by|not installed in|must be installed|OAUTH_APPROVAL_ERROR_GENERIC/i.test(
      message ?? '',
    )
  );
}

const ADMINISTRATOR_ERRORS: ReadonlySet<string> = new Set([
  'OAUTH_APP_BLOCKED',
  'OAUTH_APP_ACCESS_DENIED',
  'OAUTH_APPROVAL_ERROR_GENERIC',
  'OAUTH_EC_APP_NOT_FOUND',
  'invalid_app_access',
]);

/** Salesforce returns no expiry: only certain error responses reveal an expired token. */
export function isTokenExpired({ status, body }: ProviderResponse): boolean {
  if (status !== 401) return false;
  const { errorCode, message } = readFailure(body);
  // An expired access token in JWT form.
  if (errorCode === 'INVALID_AUTH_HEADER') return true;
  // Two messages that a new token would not resolve: refreshing would loop.
  return (
    errorCode === 'INVALID_SESSION_ID' &&
    !/not valid for use with|not attached to/i.test(message ?? '')
  );
}

export const refresh: TokenRefresh = {
  origin: tokenOrigin,
  movedOrigin: movedTokenOrigin,
  toRequest: ({ client, refreshToken }) =>
    toFormRequest({
      path: TOKEN_PATH,
      fields: { grant_type: 'refresh_token', refresh_token: refreshToken, format: 'json' },
      client,
      // With token rotation a retry would send an invalidated token.
      retry: 'never',
    }),
  readAnswer: readToken,
};

/**
 * Reads the response to a refresh or a code exchange. Only with token rotation it has a new refresh token, and the
 * old one is already invalid. Salesforce returns no expiry so far; if it does it is used. The instance changes when
 * an org moves; the caller checks the new URL.
 */
function readToken(answer: ProviderResponse, now: Date): RefreshedToken {
  return readTokens(answer, now, {
    toRefusal,
    withoutToken: 'Salesforce returned neither a token nor a reason',
  });
}

function toRefusal(answer: ProviderResponse): RemoteFailure {
  const { code, message, retryAfterMs } = toRemoteFailure(answer);
  const failure = readFailure(answer.body);
  const detail = needsAdministrator(failure) ? `${message}. ${ASK_ADMINISTRATOR}` : message;
  return new RemoteFailure(toRefusalCode(failure, code), detail, answer, { retryAfterMs });
}

const ASK_ADMINISTRATOR =
  'An administrator of the Salesforce organisation has to install or approve the app; connecting again does not help.';

function toRefusalCode(failure: Failure, plain: ErrorCode): ErrorCode {
  const { errorCode } = failure;
  const said = failure.message ?? '';
  // Concurrent refreshes with one token: transient, whatever the code.
  if (/already being processed|retry your request/i.test(said))
    return 'REMOTE_PROVIDER_UNAVAILABLE';
  // Logins from this address or at this hour are forbidden, or an administrator has to allow the app: the grant stays
  // valid, and a new consent would meet the same refusal.
  if (/ip restricted|invalid login hours/i.test(said) || needsAdministrator(failure))
    return 'REMOTE_PROVIDER_FORBIDDEN';
  if (errorCode === 'rate_limit_exceeded') return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (FINAL.has(errorCode ?? '')) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  // A misconfigured client is the installation's error: customers' grants stay valid.
  return plain === 'REMOTE_PROVIDER_UNAUTHORIZED' ? 'REMOTE_PROVIDER_ERROR' : plain;
}

/** Errors that require a new consent by the customer. */
const FINAL: ReadonlySet<string> = new Set(['invalid_grant', 'inactive_user', 'inactive_org']);

/**
 * The user who granted, from the `id` of a token response: undefined unless Salesforce's signature, made with the
 * client secret, is valid.
 */
function readIdentity(json: unknown, clientSecret: string) {
  const { id, issued_at: issuedAt, signature } = isRecord(json) ? json : {};
  if (typeof id !== 'string' || typeof issuedAt !== 'string' || typeof signature !== 'string')
    return undefined;
  const expected = createHmac('sha256', clientSecret)
    .update(id + issuedAt)
    .digest();
  const given = Buffer.from(signature, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [, organizationId, userId] = IDS.exec(id) ?? [];
  return organizationId && userId ? { id: organizationId, userId } : undefined;
}

/** The last two segments of the identity URL. */
const IDS = /\/(00D[0-9A-Za-z]{12,15})\/(005[0-9A-Za-z]{12,15})$/;
