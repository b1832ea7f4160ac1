import { randomUUID } from 'node:crypto';
import { findApplication } from '../consent/application.ts';
import { type Answer, jsonAnswer, readForm, type SandboxRequest } from '../http.ts';
import { type Approval, type Grant, isAlive } from '../tokens.ts';
import { COOKIE } from './cookie.ts';
import { grantedScopes } from './scopes.ts';
import type { HubSpotAccount, HubSpotCall } from './types.ts';

/** The token endpoint: no bearer token, a form body, and an error format of its own. */
export function answerToken(call: HubSpotCall): Answer {
  const form = parametersOf(call.request);
  if (form.get('grant_type') === 'authorization_code') return exchange(form, call);
  if (form.get('grant_type') !== 'refresh_token')
    return refuse('BAD_GRANT_TYPE', 'missing or unknown grant type', 'unsupported_grant_type');
  const { grant } = call;
  if (grant?.ended === 'spent' && grant.account.quirks.spentRefreshTokenEndsAll)
    grant.account.revoke(['access', 'refresh']);
  if (grant?.kind !== 'refresh' || grant.ended) return unknownToken();
  const { account, token, approval } = grant;
  const refreshToken = () => (account.quirks.rotateRefreshTokens ? account.rotate(token) : token);
  return (
    refuseClient(form, approval.clientId, call) ??
    issue(
      { account, approval, refreshToken, withoutRefreshToken: account.quirks.withoutRefreshToken },
      call,
    )
  );
}

/**
 * A code can be exchanged once, within its lifetime, by the client and with the redirect URI of the consent
 * request.
 */
function exchange(form: URLSearchParams, call: HubSpotCall): Answer {
  const { grant, accounts } = call;
  const application = findApplication(accounts, form.get('client_id'));
  const refusal = refuseClient(form, application?.clientId, call);
  if (refusal) return refusal;
  if (
    grant?.kind !== 'code' ||
    !isAlive(grant, call.now) ||
    grant.approval.clientId !== application?.clientId
  )
    return unknownCode(application);
  if (grant.approval.request?.redirectUri !== form.get('redirect_uri'))
    return refuse('BAD_REDIRECT_URI', 'missing or invalid redirect uri', 'invalid_grant');
  const { account, approval, token } = grant;
  account.endToken(token, 'spent');
  const { refreshToken, kept } = approve(account, approval, call);
  return issue({ account, approval: kept, refreshToken: () => refreshToken }, call);
}

/** A grant belongs to the application and the user: a second consent returns the refresh token of the first. */
function approve(
  account: HubSpotAccount,
  { clientId, scopes }: Approval,
  call: HubSpotCall,
): Approved {
  const held = account.quirks.grantPerConsent ? undefined : account.findRefreshToken(clientId);
  const kept = held === undefined ? undefined : call.findToken(held)?.approval;
  if (held !== undefined && kept !== undefined) {
    kept.scopes = scopes;
    return { refreshToken: held, kept };
  }
  const approval = { clientId, scopes };
  return { refreshToken: account.approve(approval), kept: approval };
}

/** Token introspection; a revoked or expired token is inactive. */
export function answerIntrospection(call: HubSpotCall): Answer {
  const form = readForm(call.request);
  const token = form.get('token') ?? form.get('access_token') ?? form.get('refresh_token') ?? '';
  const grant = call.findToken(token);
  const refusal = refuseClient(form, grant?.approval.clientId ?? form.get('client_id'), call);
  if (refusal) return refuse('BAD_CLIENT_ID', 'missing or unknown client id', 'invalid_client');
  return jsonAnswer(
    200,
    grant && isAlive(grant, call.now)
      ? { active: true, ...describe(grant, call) }
      : { active: false },
  );
}

/**
 * Revokes the refresh token only: access tokens stay valid until they expire, and the application stays installed.
 */
export function answerRevocation(call: HubSpotCall): Answer {
  const { request, grant } = call;
  if (grant?.kind !== 'refresh') return unknownToken();
  return refuseClient(readForm(request), grant.approval.clientId, call) ?? end(grant);
}

/** The old token lookup by path, for access and refresh tokens, and the old revocation. */
export function answerTokenDetails(call: HubSpotCall): Answer {
  const { grant, request } = call;
  if (request.method === 'DELETE' && grant?.kind === 'refresh') return end(grant);
  if (grant === undefined || grant.kind === 'code' || !isAlive(grant, call.now))
    return jsonAnswer(404, {
      status: 'error',
      message: 'access token not found',
      category: 'OBJECT_NOT_FOUND',
    });
  return jsonAnswer(200, describe(grant, call));
}

/** The deprecated version accepts parameters in the query too. */
export function parametersOf(request: SandboxRequest): URLSearchParams {
  const isOld = request.path.startsWith('/oauth/v1/');
  return new URLSearchParams([...readForm(request), ...(isOld ? request.query : [])]);
}

function end({ account, token }: Grant<HubSpotAccount>): Answer {
  account.endToken(token, 'revoked');
  return { status: 204, headers: {}, body: '' };
}

/** Checks the client id and its secret. */
function refuseClient(
  form: URLSearchParams,
  clientId: string | null | undefined,
  { accounts }: HubSpotCall,
): Answer | undefined {
  const application = findApplication(accounts, clientId ?? null);
  if (application === undefined || form.get('client_id') !== application.clientId)
    return refuse('BAD_CLIENT_ID', 'missing or unknown client id', 'invalid_client');
  if (form.get('client_secret') !== application.clientSecret)
    return refuse('BAD_CLIENT_SECRET', 'missing or invalid client secret', 'invalid_client');
  return undefined;
}

function issue(
  { account, approval, refreshToken, withoutRefreshToken }: Issue,
  call: HubSpotCall,
): Answer {
  const { quirks } = account;
  const refresh_token = refreshToken();
  const access_token = account.issueToken('access', approval);
  const expiresAt = call.findToken(access_token)?.expiresAt ?? call.now;
  const body = {
    token_type: 'bearer',
    access_token,
    ...(!withoutRefreshToken && { refresh_token }),
    expires_in: Math.round((expiresAt - call.now) / 1_000),
    ...(!quirks.shortTokenAnswer && {
      hub_id: Number(account.id),
      user_id: USER_ID,
      scopes: grantedScopes(account, approval),
      token_use: 'access_token',
    }),
  };
  return jsonAnswer(200, body, { 'set-cookie': COOKIE });
}

function describe(grant: Grant<HubSpotAccount>, { now }: HubSpotCall): object {
  const { account, token, expiresAt, approval } = grant;
  return {
    token,
    token_type: grant.kind,
    user: 'owner@example.com',
    user_id: USER_ID,
    hub_domain: `${account.slug}.example`,
    hub_id: Number(account.id),
    app_id: 1_234_567,
    client_id: approval.clientId,
    scopes: grantedScopes(account, approval),
    ...(expiresAt !== null && { expires_in: Math.floor((expiresAt - now) / 1_000) }),
  };
}

function unknownToken(): Answer {
  return refuse('BAD_REFRESH_TOKEN', 'missing or invalid refresh token');
}

/** In the format from before OAuth v3, with OAuth's own fields beside it. */
function unknownCode(application: HubSpotAccount | undefined): Answer {
  const [status, message] = ['BAD_AUTH_CODE', 'missing or unknown auth code'];
  const oauth = application?.quirks.oldAuthCodeErrors
    ? {}
    : { error: 'invalid_grant', error_description: message };
  return jsonAnswer(400, { status, message, correlationId: randomUUID(), ...oauth });
}

function refuse(status: string, message: string, error = 'invalid_grant'): Answer {
  return jsonAnswer(400, { error, error_description: message, status, message });
}

const USER_ID = 9_586_504;

interface Approved {
  readonly refreshToken: string;
  readonly kept: Approval;
}

interface Issue {
  readonly account: HubSpotAccount;
  readonly approval: Approval;
  readonly refreshToken: () => string;
  readonly withoutRefreshToken?: boolean;
}
