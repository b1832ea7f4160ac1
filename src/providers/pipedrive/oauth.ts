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
import {
  type OAuthClient,
  type RefreshedToken,
  readBasicCredentials,
  type TokenRefresh,
  toBasicCredentials,
} from '../../domain/token-refresh.ts';
import { toQuery } from '../../lib/http-message.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import { readProblem, toFailure, V1 } from './call.ts';

const OAUTH_ORIGIN = 'https://oauth.pipedrive.com';
const TOKEN_PATH = '/oauth/token';

const CONTACTS: RecordScopes = { read: ['contacts:read'], write: ['contacts:full'] };

/**
 * Scopes belong to the app, so that consent names none, and an app has one callback URL. There is no PKCE.
 */
export const authorization: Authorization = {
  baseScopes: ['base'],
  recordScopes: {
    CONTACT: CONTACTS,
    COMPANY: CONTACTS,
    DEAL: { read: ['deals:read'], write: ['deals:full'] },
  },
  impliedScopes: { 'contacts:full': ['contacts:read'], 'deals:full': ['deals:read'] },
  scopeTitles: { 'users:read': 'users', 'search:read': 'search' },
  logins: [{ name: 'Pipedrive', origin: OAUTH_ORIGIN }],
  loginHosts: [/^oauth\.pipedrive\.com$/],
  toConsentUrl({ loginOrigin, clientId, redirectUri, state }) {
    const query = toQuery({ client_id: clientId, redirect_uri: redirectUri, state });
    return `${loginOrigin}/oauth/authorize?${query}`;
  },
  tokenOrigin: (loginOrigin) => loginOrigin,
  toExchange: ({ client, code, redirectUri }) =>
    toTokenRequest(client, {
      path: TOKEN_PATH,
      fields: { grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      retry: 'never',
    }),
  readGrant,
  identify: {
    origin: ({ instanceUrl }) => instanceUrl ?? undefined,
    toRequest: ({ accessToken }) => ({
      method: 'GET',
      path: `${V1}/users/me`,
      headers: { authorization: `Bearer ${accessToken}` },
      budget: 'token',
      retry: 'safe',
    }),
    readAccount,
  },
  readDenial: (error) => (error === 'user_denied' ? 'ACCESS_DENIED' : readOAuthDenial(error)),
  revocation: {
    origin: () => OAUTH_ORIGIN,
    toRequest: ({ client, refreshToken: token }) =>
      toTokenRequest(client, {
        path: '/oauth/revoke',
        fields: { token, token_type_hint: 'refresh_token' },
        retry: 'safe',
      }),
    isRevoked: ({ status, body }) =>
      (status >= 200 && status < 300) || readProblem(body).error === 'invalid_grant',
  },
  readUninstall(request) {
    const client = readBasicCredentials(request.headers.get('authorization'));
    const json = parseJson(request.readBody().toString());
    if (!client || !isRecord(json) || json['client_id'] !== client.clientId) return undefined;
    const [accountId, userId] = [toText(json['company_id']), toText(json['user_id'])];
    return isId(accountId) && isId(userId) ? { client, accountId, userId } : undefined;
  },
};

/** The client is in the header, as HTTP Basic. */
function toTokenRequest<Repeats extends 'safe' | 'never'>(
  client: OAuthClient,
  request: {
    readonly path: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly retry: Repeats;
  },
) {
  const { headers, ...form } = toFormRequest(request);
  return { ...form, headers: { ...headers, authorization: `Basic ${toBasicCredentials(client)}` } };
}

function readGrant(answer: ProviderResponse, _client: OAuthClient, now: Date): Grant {
  if (readProblem(answer.body).error === 'invalid_grant') {
    const cause = new RemoteFailure('REMOTE_PROVIDER_ERROR', 'Pipedrive refused the code.', answer);
    throw new AuthorizationFailure(
      'VENDOR_REFUSED',
      'Pipedrive refused the authorization code: it was used, has expired, or belongs to another client.',
      { cause },
    );
  }
  const { accessToken, refreshToken, expiresAt, instanceUrl } = readToken(answer, now);
  if (refreshToken === null)
    throw new AuthorizationFailure(
      'NO_REFRESH_TOKEN',
      'Pipedrive granted access without a refresh token.',
    );
  if (instanceUrl === undefined)
    throw new AuthorizationFailure(
      'VENDOR_REFUSED',
      'Pipedrive did not return the domain of the company.',
    );
  const scopes = readScopes(parseJson(answer.body));
  return { accessToken, refreshToken, expiresAt, instanceUrl, scopes, account: null };
}

/** Scopes are separated by commas in responses, and by spaces in documents. */
function readScopes(json: unknown): readonly string[] {
  const scope = isRecord(json) ? toText(json['scope']) : null;
  return (scope ?? '').split(/[\s,]+/).filter((one) => one !== '');
}

/** The user who installed the app, and the company. */
function readAccount(answer: ProviderResponse, grant: Grant): Grant {
  const json = answer.status === 200 ? parseJson(answer.body) : undefined;
  const user = isRecord(json) && isRecord(json['data']) ? json['data'] : undefined;
  const companyId = toText(user?.['company_id']);
  if (!user || !isId(companyId)) {
    const shown = { ...answer, body: '[withheld]' };
    const code =
      answer.status >= 500 ? 'REMOTE_PROVIDER_UNAVAILABLE' : 'REMOTE_PROVIDER_BAD_RESPONSE';
    throw new RemoteFailure(code, 'Pipedrive did not return the connected account.', shown);
  }
  const account = {
    id: companyId,
    url: grant.instanceUrl,
    name: toText(user['company_name']),
    userId: toText(user['id']),
  };
  return { ...grant, account };
}

function isId(text: string | null): text is string {
  return text !== null && /^\d{1,20}$/.test(text);
}

export const refresh: TokenRefresh = {
  origin: () => OAUTH_ORIGIN,
  toRequest: ({ client, refreshToken }) =>
    toTokenRequest(client, {
      path: TOKEN_PATH,
      fields: { grant_type: 'refresh_token', refresh_token: refreshToken },
      retry: 'safe',
    }),
  readAnswer: readToken,
};

/** Requires Pipedrive's own body, because a proxy may also respond with 401. */
export function isTokenInvalid({ status, body }: ProviderResponse): boolean {
  return status === 401 && Boolean(readProblem(body).error);
}

function readToken(answer: ProviderResponse, now: Date): RefreshedToken {
  const token = readTokens(answer, now, {
    toRefusal,
    withoutToken: 'Pipedrive’s response to a token request contains no token.',
  });
  const json = parseJson(answer.body);
  const domain = isRecord(json) ? toText(json['api_domain']) : null;
  return { ...token, instanceUrl: domain ?? undefined };
}

/** A revoked grant ends the connection; a wrong client is a configuration error. */
function toRefusal(answer: ProviderResponse): RemoteFailure {
  if (answer.status < 500 && readProblem(answer.body).error === 'invalid_grant')
    return new RemoteFailure(
      'REMOTE_PROVIDER_UNAUTHORIZED',
      'Pipedrive refused the refresh token.',
      answer,
    );
  const failure = toFailure(answer);
  // A wrong client must not invalidate the customer's token.
  if (failure.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') return failure;
  return new RemoteFailure('REMOTE_PROVIDER_ERROR', failure.message, answer);
}
