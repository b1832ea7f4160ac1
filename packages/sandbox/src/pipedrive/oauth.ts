import { findApplication, isRegistered } from '../consent/application.ts';
import { isLoopback, readDecision } from '../consent/decision.ts';
import { renderConsentPage, renderVendorError } from '../consent/page.ts';
import { redirectTo } from '../consent/redirect.ts';
import { type Answer, jsonAnswer, readForm, type SandboxRequest, textAnswer } from '../http.ts';
import { type Approval, isAlive } from '../tokens.ts';
import { USER_ID } from './identity.ts';
import { describeScope } from './scopes.ts';
import type { PipedriveAccount, PipedriveCall } from './types.ts';

/** The consent page. Scopes belong to the app: a request names none. */
export function answerAuthorize(call: PipedriveCall): Answer {
  const { request, accounts } = call;
  if (!isLoopback(request)) return textAnswer(403, 'Only requests from this machine are accepted.');
  const { query } = request;
  const application = findApplication(accounts, query.get('client_id'));
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!application) return refusePage('The app does not exist.', 'invalid_client');
  if (!isRegistered(redirectUri, application.quirks, 'pipedrive'))
    return refusePage('The redirect URI is not the callback URL of the app.', 'invalid_request');
  const decision = readDecision(request);
  const state = query.get('state');
  const account = accounts.find(({ id }) => id === decision?.accountId);
  if (decision && !decision.isAllowed) {
    const { denyWithoutState, denyWithoutDescription } = application.quirks;
    return redirectTo(redirectUri, {
      error: 'user_denied',
      error_description: denyWithoutDescription ? undefined : 'The user denied the installation',
      state: denyWithoutState ? undefined : state,
    });
  }
  const scopes = application.quirks.grantedScopes;
  if (!account)
    return renderConsentPage({
      crm: 'Pipedrive',
      application: 'Crossbook',
      accounts: accounts.map(({ id, name }) => ({ id, name })),
      asks: scopes.map(describeScope),
      openerPolicy: application.quirks.openerPolicy,
    });
  const approval = {
    clientId: application.clientId,
    scopes,
    request: { redirectUri, codeChallenge: undefined },
  };
  const code = account.issueToken('code', approval, account.quirks.codeTtlMs);
  return redirectTo(redirectUri, { code, state });
}

function refusePage(text: string, code: string): Answer {
  return renderVendorError({ crm: 'Pipedrive', title: 'The app cannot be installed', text, code });
}

/** The token endpoint: a form, and the client in the header as HTTP Basic. */
export function answerToken(call: PipedriveCall): Answer {
  const { request, grant, now } = call;
  const form = readForm(request);
  const application = authenticateClient(call);
  if (!application) return refuse(401, 'invalid_client', 'Invalid client: client is invalid');
  const isOwn = grant?.approval.clientId === application.clientId;
  if (form.get('grant_type') === 'authorization_code') {
    if (grant?.kind !== 'code' || !isAlive(grant, now) || !isOwn)
      return refuse(400, 'invalid_grant', 'Invalid grant: authorization code is invalid');
    const redirectUri = form.get('redirect_uri');
    if (redirectUri === null || grant.approval.request?.redirectUri !== redirectUri)
      return refuse(400, 'invalid_grant', 'Invalid grant: redirect URI is invalid');
    const { account, approval, token } = grant;
    account.endToken(token, 'spent');
    const { clientId, scopes } = approval;
    const renewed: Approval = {
      clientId,
      scopes,
      reportUninstall: (at) => reportUninstall(account, application, { redirectUri, at }),
    };
    return issue(account, renewed, { refreshToken: account.approve(renewed), call });
  }
  if (form.get('grant_type') !== 'refresh_token')
    return refuse(400, 'unsupported_grant_type', 'Unsupported grant type');
  if (grant?.kind !== 'refresh' || !isAlive(grant, now) || !isOwn)
    return refuse(400, 'invalid_grant', 'Invalid grant: refresh token is invalid');
  const { account, approval, token } = grant;
  const refreshToken = account.quirks.rotateRefreshTokens ? account.rotate(token) : token;
  return issue(account, approval, { refreshToken, call });
}

/** Revoking a refresh token uninstalls the app: its access tokens end, too. */
export function answerRevocation(call: PipedriveCall): Answer {
  const { grant } = call;
  if (!authenticateClient(call)) return refuse(401, 'invalid_client', 'Invalid client');
  if (grant?.kind === 'refresh') grant.account.endApproval(grant.approval);
  else if (grant) grant.account.endToken(grant.token, 'revoked');
  return jsonAnswer(200, { success: true });
}

/** The app's one callback URL receives this, too, authenticated by the app's own client. */
async function reportUninstall(
  { id }: PipedriveAccount,
  { clientId, clientSecret }: PipedriveAccount,
  { redirectUri, at }: { readonly redirectUri: string; readonly at: number },
): Promise<number> {
  const { status } = await fetch(redirectUri, {
    method: 'DELETE',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      client_id: clientId,
      company_id: Number(id),
      user_id: USER_ID,
      timestamp: new Date(at).toISOString(),
    }),
  });
  return status;
}

function authenticateClient({ request, accounts }: PipedriveCall): PipedriveAccount | undefined {
  const basic = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const [id = '', secret] = Buffer.from(basic, 'base64').toString().split(':');
  const application = findApplication(accounts, id);
  return application?.clientSecret === secret ? application : undefined;
}

function issue(
  account: PipedriveAccount,
  approval: Approval,
  { refreshToken, call }: Issue,
): Answer {
  const token = account.issueToken('access', approval);
  const expiresAt = call.findToken(token)?.expiresAt ?? call.now;
  return jsonAnswer(200, {
    access_token: token,
    token_type: 'Bearer',
    refresh_token: refreshToken,
    scope: (approval.scopes ?? account.quirks.grantedScopes).join(','),
    expires_in: Math.round((expiresAt - call.now) / 1_000),
    ...(!account.quirks.withoutApiDomain && { api_domain: account.instanceUrl }),
  });
}

function refuse(status: number, error: string, message: string): Answer {
  return jsonAnswer(status, { success: false, error, message });
}

export function formToken(request: SandboxRequest): string | undefined {
  const form = readForm(request);
  return form.get('refresh_token') ?? form.get('token') ?? form.get('code') ?? undefined;
}

interface Issue {
  readonly refreshToken: string;
  readonly call: PipedriveCall;
}
