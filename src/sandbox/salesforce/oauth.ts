import { createHmac } from 'node:crypto';
import { type Answer, jsonAnswer, readForm, textAnswer } from '../http.ts';
import { type Grant, isAlive } from '../tokens.ts';
import { USER_ID } from './identity.ts';
import type { SalesforceAccount, SalesforceCall } from './types.ts';

/** Exchanges a refresh token. The answer never says when the access token ends, and mostly has no refresh token. */
export function answerToken(call: SalesforceCall): Answer {
  const form = readForm(call.request);
  if (form.get('grant_type') !== 'refresh_token') {
    return oauthError('unsupported_grant_type', 'grant type not supported');
  }
  const { grant, now } = call;
  if (grant && isBeingRefreshed(grant, now))
    return oauthError('invalid_grant', 'token request is already being processed');
  // Whoever comes with one that was replaced may be a thief, or may have been robbed.
  if (grant?.ended === 'spent') grant.account.revoke(['access', 'refresh']);
  if (grant?.kind !== 'refresh' || grant.ended || isIdle(grant, now)) {
    return oauthError('invalid_grant', 'expired access/refresh token');
  }
  const refusal = checkClient(call, grant.account);
  if (refusal) return refusal;
  const { account } = grant;
  account.state.refreshed = { token: grant.token, at: now };
  account.useToken(grant.token);
  const token = account.issueToken('access');
  return jsonAnswer(200, {
    ...toTokenBody(account, token, call),
    ...(account.quirks.rotateRefreshTokens && { refresh_token: account.rotate(grant.token) }),
  });
}

/** Two at a time with one token: the second is refused, and nothing happens to the first. */
function isBeingRefreshed({ account, token }: Grant<SalesforceAccount>, now: number): boolean {
  const { refreshed } = account.state;
  return refreshed?.token === token && now - refreshed.at < account.quirks.refreshBusyMs;
}

/** Each use restarts the count. */
function isIdle({ account, usedAt }: Grant<SalesforceAccount>, now: number): boolean {
  const { refreshTokenIdleMs } = account.quirks;
  return refreshTokenIdleMs !== null && now - usedAt > refreshTokenIdleMs;
}

/** A revoked refresh token takes everything of its account with it. */
export function answerRevoke({ grant }: SalesforceCall): Answer {
  if (!grant || grant.ended) return oauthError('unsupported_token_type', 'this token type is not supported');
  if (grant.kind === 'refresh') grant.account.revoke(['access', 'refresh']);
  else grant.account.endToken(grant.token, 'revoked');
  return { status: 200, headers: {}, body: '' };
}

export function answerIntrospect(call: SalesforceCall): Answer {
  const { grant, now } = call;
  if (!grant) return jsonAnswer(200, { active: false });
  const refusal = checkClient(call, grant.account);
  if (refusal) return refusal;
  const active = isAlive(grant, now);
  if (!active) return jsonAnswer(200, { active });
  return jsonAnswer(200, {
    ...{ active, scope: SCOPE, client_id: grant.account.clientId, username: USERNAME },
    sub: identityUrl(grant.account),
    token_type: grant.kind === 'access' ? 'access_token' : 'refresh_token',
    ...(grant.expiresAt !== null && { exp: seconds(grant.expiresAt) }),
    ...{ iat: seconds(now), nbf: seconds(now) },
  });
}

/** Also what stands at the identity URL. A token that is no good is told so in one word. */
export function answerUserInfo({ grant, now }: SalesforceCall): Answer {
  if (!grant || !isAlive(grant, now)) return textAnswer(403, 'Bad_OAuth_Token');
  const { account } = grant;
  return jsonAnswer(200, {
    ...{ id: identityUrl(account), sub: identityUrl(account), asserted_user: true },
    ...{ user_id: USER_ID, organization_id: account.id, username: USERNAME, preferred_username: USERNAME },
    ...{ display_name: 'Sam Administrator', name: 'Sam Administrator', email: USERNAME, active: true },
    urls: { rest: `${account.instanceUrl}/services/data/v{version}/` },
  });
}

/** The client's id and secret, in the form or as Basic. */
function checkClient({ request }: SalesforceCall, account: SalesforceAccount): Answer | undefined {
  const form = readForm(request);
  const basic = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const [basicId, ...basicSecret] = Buffer.from(basic, 'base64').toString().split(':');
  const id = form.get('client_id') ?? basicId;
  const secret = form.get('client_secret') ?? (basic === '' ? null : basicSecret.join(':'));
  if (id !== account.clientId) return oauthError('invalid_client_id', 'client identifier invalid');
  const isFine = secret === null ? account.quirks.secretIsOptional : secret === account.clientSecret;
  return isFine ? undefined : oauthError('invalid_client', 'invalid client credentials');
}

function toTokenBody(account: SalesforceAccount, token: string, { now }: SalesforceCall): object {
  const id = identityUrl(account);
  const issuedAt = String(account.quirks.issuedAtInSeconds ? seconds(now) : now);
  return {
    access_token: token,
    signature: createHmac('sha256', account.clientSecret)
      .update(id + issuedAt)
      .digest('base64'),
    scope: SCOPE,
    instance_url: account.quirks.movedInstanceUrl ?? account.instanceUrl,
    ...{ id, token_type: 'Bearer', issued_at: issuedAt, api_instance_url: 'https://api.salesforce.com' },
  };
}

function identityUrl(account: SalesforceAccount): string {
  return `${account.instanceUrl}/id/${account.id}/${USER_ID}`;
}

function oauthError(error: string, description: string): Answer {
  return jsonAnswer(400, { error, error_description: description });
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}

const SCOPE = 'refresh_token api id';
const USERNAME = 'user-0@sandbox.example';
