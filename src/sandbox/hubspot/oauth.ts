import { type Answer, jsonAnswer, readForm, type SandboxRequest } from '../http.ts';
import { type Grant, isAlive } from '../tokens.ts';
import { COOKIE } from './cookie.ts';
import type { HubSpotAccount, HubSpotCall } from './types.ts';

/** The token endpoint: no bearer, a form, and error bodies of its own kind. */
export function answerToken(call: HubSpotCall): Answer {
  const form = parametersOf(call.request);
  if (form.get('grant_type') !== 'refresh_token')
    return refuse('BAD_GRANT_TYPE', 'missing or unknown grant type', 'unsupported_grant_type');
  const { grant } = call;
  if (grant?.ended === 'spent' && grant.account.quirks.spentRefreshTokenEndsAll)
    grant.account.revoke(['access', 'refresh']);
  if (grant?.kind !== 'refresh' || grant.ended) return unknownToken();
  return refuseClient(form, grant.account) ?? jsonAnswer(200, renew(grant, call), { 'set-cookie': COOKIE });
}

/** Says what a token is; one that is dead is not active. */
export function answerIntrospection(call: HubSpotCall): Answer {
  const form = readForm(call.request);
  const token = form.get('token') ?? form.get('access_token') ?? form.get('refresh_token') ?? '';
  const grant = call.findToken(token);
  const { account } = grant ?? {};
  if (form.get('client_id') !== account?.clientId || form.get('client_secret') !== account?.clientSecret)
    return refuse('BAD_CLIENT_ID', 'missing or unknown client id', 'invalid_client');
  return jsonAnswer(
    200,
    grant && isAlive(grant, call.now) ? { active: true, ...describe(grant, call) } : { active: false },
  );
}

/** Of the refresh token alone: access tokens last out their time, and the application stays installed. */
export function answerRevocation({ request, grant }: HubSpotCall): Answer {
  if (grant?.kind !== 'refresh') return unknownToken();
  return refuseClient(readForm(request), grant.account) ?? end(grant);
}

/** The old look-up by path, for access and for refresh tokens; and the old way to revoke one. */
export function answerTokenDetails(call: HubSpotCall): Answer {
  const { grant, request } = call;
  if (request.method === 'DELETE' && grant?.kind === 'refresh') return end(grant);
  if (grant === undefined || !isAlive(grant, call.now))
    return jsonAnswer(404, {
      status: 'error',
      message: 'access token not found',
      category: 'OBJECT_NOT_FOUND',
    });
  return jsonAnswer(200, describe(grant, call));
}

/** What may stand in the query too, in the version that goes away. */
export function parametersOf(request: SandboxRequest): URLSearchParams {
  const isOld = request.path.startsWith('/oauth/v1/');
  return new URLSearchParams([...readForm(request), ...(isOld ? request.query : [])]);
}

function end({ account, token }: Grant<HubSpotAccount>): Answer {
  account.endToken(token, 'revoked');
  return { status: 204, headers: {}, body: '' };
}

function refuseClient(form: URLSearchParams, account: HubSpotAccount): Answer | undefined {
  if (form.get('client_id') !== account.clientId)
    return refuse('BAD_CLIENT_ID', 'missing or unknown client id', 'invalid_client');
  if (form.get('client_secret') !== account.clientSecret)
    return refuse('BAD_CLIENT_SECRET', 'missing or invalid client secret', 'invalid_client');
  return undefined;
}

function renew({ account, token }: Grant<HubSpotAccount>, call: HubSpotCall): object {
  const { quirks } = account;
  const refresh_token = quirks.rotateRefreshTokens ? account.rotate(token) : token;
  const access_token = account.issueToken('access');
  const expiresAt = call.findToken(access_token)?.expiresAt ?? call.now;
  return {
    token_type: 'bearer',
    access_token,
    ...(!quirks.withoutRefreshToken && { refresh_token }),
    expires_in: Math.round((expiresAt - call.now) / 1_000),
    ...(!quirks.shortTokenAnswer && {
      hub_id: Number(account.id),
      user_id: USER_ID,
      scopes: quirks.grantedScopes,
      token_use: 'access_token',
    }),
  };
}

function describe(grant: Grant<HubSpotAccount>, { now }: HubSpotCall): object {
  const { account, token, expiresAt } = grant;
  return {
    ...{ token, token_type: grant.kind, user: 'owner@example.com', user_id: USER_ID },
    ...{ hub_domain: `portal-${account.id}.example`, hub_id: Number(account.id), app_id: 1_234_567 },
    ...{ client_id: account.clientId, scopes: account.quirks.grantedScopes },
    ...(expiresAt !== null && { expires_in: Math.floor((expiresAt - now) / 1_000) }),
  };
}

function unknownToken(): Answer {
  return refuse('BAD_REFRESH_TOKEN', 'missing or invalid refresh token');
}

function refuse(status: string, message: string, error = 'invalid_grant'): Answer {
  return jsonAnswer(400, { error, error_description: message, status, message });
}

const USER_ID = 9_586_504;
