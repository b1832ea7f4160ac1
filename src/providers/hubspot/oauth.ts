import * as z from 'zod';
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
import { parseJson } from '../../lib/json.ts';
import { API_ORIGIN, optionalText, PATHS, readProblem, toFailure, wireId } from './call.ts';

export const LOGIN_HOSTS: readonly RegExp[] = [/^app(-[a-z]{2,4}\d{1,3})?\.hubspot\.com$/];

const SCOPE_TITLES: Authorization['scopeTitles'] = {
  'crm.objects.companies.read': 'companies',
  'crm.objects.custom.read': 'custom objects',
  'crm.objects.deals.read': 'deals',
  'crm.objects.leads.read': 'leads',
  'crm.objects.line_items.read': 'line items',
  'crm.objects.owners.read': 'users',
  'crm.objects.products.read': 'products',
  'crm.objects.quotes.read': 'quotes',
  tickets: 'tickets',
};

/**
 * The consent page lets the user choose the account. It does not support PKCE: the token endpoint accepts a verifier,
 * but the page no challenge. A wrong client or redirect URI ends on HubSpot's error page without a redirect.
 */
export const authorization: Authorization = {
  baseScopes: ['oauth'],
  recordScopes: {
    CONTACT: toScopes('contacts'),
    COMPANY: toScopes('companies'),
    DEAL: toScopes('deals'),
  },
  impliedScopes: {},
  scopeTitles: SCOPE_TITLES,
  logins: [{ name: 'HubSpot', origin: 'https://app.hubspot.com' }],
  loginHosts: LOGIN_HOSTS,
  toConsentUrl({ loginOrigin, clientId, redirectUri, state, requiredScopes, optionalScopes }) {
    const query = toQuery({
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: requiredScopes.join(' '),
      optional_scope: optionalScopes.filter((scope) => !requiredScopes.includes(scope)).join(' '),
      state,
    });
    return `${loginOrigin}/oauth/authorize?${query}`;
  },
  tokenOrigin: () => API_ORIGIN,
  toExchange: ({ client, code, redirectUri }) =>
    toFormRequest({
      path: PATHS.token,
      fields: { grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      client,
      retry: 'never',
    }),
  readGrant,
  identify: {
    // HubSpot documents the field as `token`, and clients that work send it as `access_token`.
    toRequest: ({ accessToken: token }, client) => {
      const fields = { token, access_token: token, token_type_hint: 'access_token' };
      return toFormRequest({ path: PATHS.introspect, fields, client, retry: 'safe' });
    },
    readAccount,
  },
  readDenial: readOAuthDenial,
  revocation: {
    origin: () => API_ORIGIN,
    toRequest: ({ client, refreshToken: token }) =>
      toFormRequest({
        path: PATHS.revoke,
        fields: { token, token_type_hint: 'refresh_token' },
        client,
        retry: 'safe',
      }),
    isRevoked,
  },
};

/** The scopes of an object. Those that read it also read its properties, and the pipelines of deals. */
function toScopes(object: string): RecordScopes {
  return { read: [`crm.objects.${object}.read`], write: [`crm.objects.${object}.write`] };
}

function readGrant(answer: ProviderResponse, _client: OAuthClient, now: Date): Grant {
  if (isBadCode(answer)) {
    const cause = new RemoteFailure('REMOTE_PROVIDER_ERROR', 'HubSpot refused the code.', answer);
    throw new AuthorizationFailure(
      'VENDOR_REFUSED',
      'HubSpot refused the authorization code: it was used, has expired, or belongs to another client.',
      { cause },
    );
  }
  const { accessToken, refreshToken, expiresAt } = readToken(answer, now);
  if (refreshToken === null) {
    throw new AuthorizationFailure(
      'NO_REFRESH_TOKEN',
      'HubSpot granted access without a refresh token.',
    );
  }
  const grant = {
    accessToken,
    refreshToken,
    expiresAt,
    instanceUrl: null,
    scopes: [],
    account: null,
  };
  return addAccount(grant, parseJson(answer.body));
}

function readAccount(answer: ProviderResponse, grant: Grant): Grant {
  const json = answer.status === 200 ? parseJson(answer.body) : undefined;
  if (json !== undefined && wireGranted.parse(json).active !== false) {
    const known = addAccount(grant, json);
    if (known.account) return known;
  }
  const shown = { ...answer, body: '[withheld]' };
  throw new RemoteFailure(
    answer.status >= 500 ? 'REMOTE_PROVIDER_UNAVAILABLE' : 'REMOTE_PROVIDER_BAD_RESPONSE',
    'HubSpot did not return the connected account.',
    shown,
  );
}

/** The instance URL identifies the account and is never called. */
function addAccount(grant: Grant, json: unknown): Grant {
  const { hub_id: hubId, hub_domain: hubDomain, user_id: userId, scopes } = wireGranted.parse(json);
  const scoped = { ...grant, scopes: scopes ?? grant.scopes };
  const id = hubId ?? grant.account?.id;
  if (!id || !/^\d{1,20}$/.test(id)) return scoped;
  const url = `https://app.hubspot.com/contacts/${id}`;
  const account = {
    id,
    url,
    name: hubDomain ?? grant.account?.name ?? null,
    userId: userId ?? grant.account?.userId ?? null,
  };
  return { ...scoped, instanceUrl: url, account };
}

/** Since 2026 the response has an OAuth error in addition to HubSpot's status: either suffices. */
function isBadCode({ status, body }: ProviderResponse): boolean {
  const problem = readProblem(body);
  const isUnnamed = !problem.status && problem.error === 'invalid_grant';
  return status === 400 && (problem.status === 'BAD_AUTH_CODE' || isUnnamed);
}

/** An unknown token counts as revoked; an unknown client does not. */
function isRevoked({ status, body }: ProviderResponse): boolean {
  if (status >= 200 && status < 300) return true;
  const problem = readProblem(body);
  const isGone = problem.status === 'BAD_REFRESH_TOKEN' || GONE.has(problem.error ?? '');
  return status === 404 || (status === 400 && isGone);
}

const GONE: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_token']);

export const refresh: TokenRefresh = {
  origin: () => API_ORIGIN,
  toRequest: ({ client, refreshToken }) =>
    toFormRequest({
      path: PATHS.token,
      fields: { grant_type: 'refresh_token', refresh_token: refreshToken },
      client,
      retry: 'safe',
    }),
  readAnswer: readToken,
};

/** Requires HubSpot's category, because a proxy may also respond with 401. */
export function isTokenInvalid({ status, body }: ProviderResponse): boolean {
  return status === 401 && REFUSED.has(readProblem(body).category);
}

/** Reads the response to a refresh or a code exchange. */
function readToken(answer: ProviderResponse, now: Date): RefreshedToken {
  return readTokens(answer, now, {
    toRefusal,
    withoutToken: 'HubSpot’s response to a token request contains no token.',
  });
}

/** A revoked grant (app uninstalled, account closed) ends the connection; a wrong client is a configuration error. */
function toRefusal(answer: ProviderResponse): RemoteFailure {
  const problem = readProblem(answer.body);
  if (answer.status < 500 && isFinal(problem)) {
    return new RemoteFailure(
      'REMOTE_PROVIDER_UNAUTHORIZED',
      'HubSpot refused the refresh token.',
      answer,
    );
  }
  const failure = toFailure(answer, { message: problem.message ?? problem.error_description });
  // The endpoint responds to a wrong client with 401, which must not invalidate the customer's token.
  if (failure.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') return failure;
  return new RemoteFailure('REMOTE_PROVIDER_ERROR', failure.message, answer);
}

/** For unknown statuses the OAuth error decides. */
function isFinal({ status, error }: ReturnType<typeof readProblem>): boolean {
  return FINAL.has(status) || (error === 'invalid_grant' && !OF_THE_CLIENT.has(status));
}

const REFUSED: ReadonlySet<unknown> = new Set(['INVALID_AUTHENTICATION', 'EXPIRED_AUTHENTICATION']);

const FINAL: ReadonlySet<unknown> = new Set(['BAD_REFRESH_TOKEN', 'BAD_HUB']);

/** The OAuth client is misconfigured: the customers' grants stay valid. */
const OF_THE_CLIENT: ReadonlySet<unknown> = new Set([
  'BAD_CLIENT_ID',
  'BAD_CLIENT_SECRET',
  'BAD_REDIRECT_URI',
]);

/** The user who granted, from the token endpoint and introspection; older API versions return fewer fields. */
const wireGranted = z
  .object({
    hub_id: wireId.nullish().catch(null),
    hub_domain: optionalText,
    user_id: wireId.nullish().catch(null),
    scopes: z.array(z.string()).nullish().catch(null),
    active: z.boolean().nullish().catch(null),
  })
  .catch({});
