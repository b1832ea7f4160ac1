import { createHmac } from 'node:crypto';
import { findApplication } from '../consent/application.ts';
import { type Answer, jsonAnswer, readForm, textAnswer } from '../http.ts';
import { type Approval, type Grant, isAlive } from '../tokens.ts';
import { findExchangeProblem, UNINSTALLED_APP } from './exchange.ts';
import { USER_ID } from './identity.ts';
import { DEFAULT_SCOPES, REFRESH_SCOPE } from './scopes.ts';
import type { SalesforceAccount, SalesforceCall } from './types.ts';

/** Exchanges a code or a refresh token. The response never contains the access token's lifetime. */
export function answerToken(call: SalesforceCall): Answer {
  const form = readForm(call.request);
  if (form.get('grant_type') === 'authorization_code') return exchange(form, call);
  if (form.get('grant_type') !== 'refresh_token') {
    return oauthError('unsupported_grant_type', 'grant type not supported');
  }
  const { grant, now } = call;
  if (grant && isBeingRefreshed(grant, now))
    return oauthError('invalid_grant', 'token request is already being processed');
  // Reuse of a rotated refresh token may mean that it was stolen.
  if (grant?.kind === 'refresh' && grant.ended === 'spent')
    grant.account.endApproval(grant.approval);
  if (grant?.kind !== 'refresh' || grant.ended || isIdle(grant, now)) {
    return oauthError('invalid_grant', 'expired access/refresh token');
  }
  const refusal = checkClient(call, grant.approval.clientId);
  if (refusal) return refusal;
  const { account, approval } = grant;
  if (account.quirks.blocksUninstalledApps)
    return oauthError(UNINSTALLED_APP.error, UNINSTALLED_APP.description);
  account.state.refreshed = { token: grant.token, at: now };
  account.useToken(grant.token);
  const token = account.issueToken('access', approval);
  return jsonAnswer(200, {
    ...toTokenBody({ account, token, approval }, call),
    ...(account.quirks.rotateRefreshTokens && { refresh_token: account.rotate(grant.token) }),
  });
}

/** Checks a valid code against the client, the redirect URI and the verifier of the consent request. */
function exchange(form: URLSearchParams, call: SalesforceCall): Answer {
  const application = findApplication(call.accounts, readClient(call).id);
  if (application === undefined)
    return oauthError('invalid_client_id', 'client identifier invalid');
  const refusal = checkClient(call, application.clientId);
  if (refusal) return refusal;
  const problem = findExchangeProblem(call, form, application);
  const { grant } = call;
  if (problem || !grant)
    return oauthError(problem?.error ?? 'invalid_grant', problem?.description ?? '');
  const { account, approval: asked, token: code } = grant;
  account.endToken(code, 'spent');
  const approval = { clientId: asked.clientId, scopes: asked.scopes };
  const hasRefreshToken =
    !account.quirks.withoutRefreshToken && asked.scopes?.includes(REFRESH_SCOPE);
  const refresh_token = hasRefreshToken ? account.approve(approval) : undefined;
  const token = account.issueToken('access', approval);
  return jsonAnswer(200, {
    ...toTokenBody({ account, token, approval }, call),
    ...(refresh_token !== undefined && { refresh_token }),
  });
}

/** Of two concurrent refreshes with one token the second is rejected, and the first is not affected. */
function isBeingRefreshed({ account, token }: Grant<SalesforceAccount>, now: number): boolean {
  const { refreshed } = account.state;
  return refreshed?.token === token && now - refreshed.at < account.quirks.refreshBusyMs;
}

/** Each use restarts the idle period. */
function isIdle({ account, usedAt }: Grant<SalesforceAccount>, now: number): boolean {
  const { refreshTokenIdleMs } = account.quirks;
  return refreshTokenIdleMs !== null && now - usedAt > refreshTokenIdleMs;
}

/** Revoking a refresh token also revokes the other tokens of its consent. */
export function answerRevoke({ grant }: SalesforceCall): Answer {
  if (!grant || grant.ended || grant.kind === 'code')
    return oauthError('unsupported_token_type', 'this token type is not supported');
  if (grant.kind === 'refresh') grant.account.endApproval(grant.approval);
  else grant.account.endToken(grant.token, 'revoked');
  return { status: 200, headers: {}, body: '' };
}

export function answerIntrospect(call: SalesforceCall): Answer {
  const { grant, now } = call;
  if (!grant) return jsonAnswer(200, { active: false });
  const refusal = checkClient(call, grant.approval.clientId);
  if (refusal) return refusal;
  const active = isAlive(grant, now);
  if (!active) return jsonAnswer(200, { active });
  return jsonAnswer(200, {
    active,
    scope: scopeOf(grant.approval),
    client_id: grant.approval.clientId,
    username: USERNAME,
    sub: identityUrl(grant.account),
    token_type: grant.kind === 'access' ? 'access_token' : 'refresh_token',
    ...(grant.expiresAt !== null && { exp: seconds(grant.expiresAt) }),
    iat: seconds(now),
    nbf: seconds(now),
  });
}

/** Userinfo, also served at the identity URL. An invalid token gets a one-word error. */
export function answerUserInfo({ grant, now }: SalesforceCall): Answer {
  if (grant?.kind !== 'access' || !isAlive(grant, now)) return textAnswer(403, 'Bad_OAuth_Token');
  const { account } = grant;
  return jsonAnswer(200, {
    id: identityUrl(account),
    sub: identityUrl(account),
    asserted_user: true,
    user_id: USER_ID,
    organization_id: account.id,
    username: USERNAME,
    preferred_username: USERNAME,
    display_name: 'Sam Administrator',
    name: 'Sam Administrator',
    email: USERNAME,
    active: true,
    urls: { rest: `${account.instanceUrl}/services/data/v{version}/` },
  });
}

/** Checks the client id and its secret. */
function checkClient(call: SalesforceCall, clientId: string): Answer | undefined {
  const application = findApplication(call.accounts, clientId);
  const { id, secret } = readClient(call);
  if (application === undefined || id !== clientId)
    return oauthError('invalid_client_id', 'client identifier invalid');
  const { quirks, clientSecret } = application;
  const isFine = secret === null ? quirks.secretIsOptional : secret === clientSecret;
  return isFine ? undefined : oauthError('invalid_client', 'invalid client credentials');
}

/** The client's id and secret, from the form or from HTTP Basic. */
function readClient({ request }: SalesforceCall): {
  readonly id: string | null;
  readonly secret: string | null;
} {
  const form = readForm(request);
  const basic = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const [basicId = null, ...basicSecret] = Buffer.from(basic, 'base64').toString().split(':');
  return {
    id: form.get('client_id') ?? basicId,
    secret: form.get('client_secret') ?? (basic === '' ? null : basicSecret.join(':')),
  };
}

/** The id is signed with the client secret, so that the client can verify it. */
function toTokenBody(
  { account, token, approval }: Issued,
  { now, accounts }: SalesforceCall,
): object {
  const id = identityUrl(account);
  const issuedAt = String(account.quirks.issuedAtInSeconds ? seconds(now) : now);
  return {
    access_token: token,
    signature: createHmac(
      'sha256',
      findApplication(accounts, approval.clientId)?.clientSecret ?? '',
    )
      .update(id + issuedAt)
      .digest('base64'),
    scope: scopeOf(approval),
    instance_url: account.quirks.movedInstanceUrl ?? account.instanceUrl,
    id,
    token_type: 'Bearer',
    issued_at: issuedAt,
    api_instance_url: 'https://api.salesforce.com',
  };
}

function scopeOf({ scopes }: Approval): string {
  return (scopes ?? DEFAULT_SCOPES).join(' ');
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

const USERNAME = 'user-0@sandbox.example';

interface Issued {
  readonly account: SalesforceAccount;
  readonly token: string;
  readonly approval: Approval;
}
