import { type Answer, jsonAnswer, readForm } from '../http.ts';
import type { Grant } from '../tokens.ts';
import type { HubSpotAccount, HubSpotCall } from './types.ts';

/** The token endpoint: no bearer, a form, and error bodies of its own kind. */
export function answerToken(call: HubSpotCall): Answer {
  const form = readForm(call.request);
  if (form.get('grant_type') !== 'refresh_token')
    return refuse('BAD_GRANT_TYPE', 'missing or unknown grant type', 'unsupported_grant_type');
  const { grant } = call;
  if (grant === undefined || grant.kind !== 'refresh' || grant.isRevoked)
    return refuse('BAD_REFRESH_TOKEN', 'missing or invalid refresh token');
  const { account } = grant;
  if (form.get('client_id') !== account.clientId)
    return refuse('BAD_CLIENT_ID', 'missing or unknown client id', 'invalid_client');
  if (form.get('client_secret') !== account.clientSecret)
    return refuse('BAD_CLIENT_SECRET', 'missing or invalid client secret', 'invalid_client');
  return jsonAnswer(200, renew(account, call));
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
    grant && isLive(grant, call.now) ? { active: true, ...describe(grant, call) } : { active: false },
  );
}

export function answerRevocation(call: HubSpotCall): Answer {
  if (call.grant?.kind !== 'refresh') return refuse('BAD_REFRESH_TOKEN', 'missing or invalid refresh token');
  call.grant.account.revoke();
  return { status: 204, headers: {}, body: '' };
}

/** The old look-up by path, for access and for refresh tokens. */
export function answerTokenDetails(call: HubSpotCall): Answer {
  const { grant } = call;
  if (grant === undefined || !isLive(grant, call.now))
    return jsonAnswer(404, {
      status: 'error',
      message: 'access token not found',
      category: 'OBJECT_NOT_FOUND',
    });
  return jsonAnswer(200, describe(grant, call));
}

function renew(account: HubSpotAccount, call: HubSpotCall): object {
  const { quirks } = account;
  const old = account.refreshToken;
  if (quirks.rotateRefreshTokens) {
    account.issueToken('refresh');
    account.endToken(old, 'revoked');
  }
  const access_token = account.issueToken('access');
  const expiresAt = call.findToken(access_token)?.expiresAt ?? call.now;
  return {
    token_type: 'bearer',
    access_token,
    ...(!quirks.withoutRefreshToken && { refresh_token: account.refreshToken }),
    expires_in: Math.round((expiresAt - call.now) / 1_000),
    ...(!quirks.shortTokenAnswer && {
      hub_id: Number(account.id),
      user_id: USER_ID,
      scopes: SCOPES,
      token_use: 'access_token',
    }),
  };
}

function describe(grant: Grant<HubSpotAccount>, { now }: HubSpotCall): object {
  const { account, token, expiresAt } = grant;
  return {
    ...{ token, token_type: grant.kind, user: 'owner@example.com', user_id: USER_ID },
    ...{ hub_domain: `portal-${account.id}.example`, hub_id: Number(account.id), app_id: 1_234_567 },
    ...{ client_id: account.clientId, scopes: SCOPES },
    ...(expiresAt !== null && { expires_in: Math.floor((expiresAt - now) / 1_000) }),
  };
}

function isLive({ isRevoked, expiresAt }: Grant<HubSpotAccount>, now: number): boolean {
  return !isRevoked && (expiresAt === null || expiresAt > now);
}

function refuse(status: string, message: string, error = 'invalid_grant'): Answer {
  return jsonAnswer(400, { error, error_description: message, status, message });
}

const SCOPES = ['oauth', 'crm.objects.contacts.read', 'crm.objects.companies.read'];
const USER_ID = 9_586_504;
