import { findApplication, isRegistered } from '../consent/application.ts';
import { isLoopback, readDecision } from '../consent/decision.ts';
import { renderConsentPage, renderVendorError } from '../consent/page.ts';
import { redirectTo } from '../consent/redirect.ts';
import { type Answer, textAnswer } from '../http.ts';
import { ALL_SCOPES, describeScope } from './scopes.ts';
import type { HubSpotAccount, HubSpotCall } from './types.ts';

/**
 * The consent page, at `/oauth/authorize`, or at `/oauth/{hubId}/authorize` for a fixed account. Errors of the
 * request are shown here: HubSpot does not redirect back with them.
 */
export function answerAuthorize(call: HubSpotCall): Answer {
  const { request } = call;
  if (!isLoopback(request)) return textAnswer(403, 'Only requests from this machine are accepted.');
  const consent = readRequest(call);
  if ('code' in consent) return refuse(consent);
  const { application, accounts, redirectUri, state } = consent;
  const decision = readDecision(request);
  if (decision === undefined) return showConsentPage(consent);
  const { quirks } = application;
  if (!decision.isAllowed) {
    return redirectTo(redirectUri, {
      error: 'access_denied',
      error_description: quirks.denyWithoutDescription ? undefined : DENIED,
      state: quirks.denyWithoutState ? undefined : state,
    });
  }
  const account = accounts.find(({ id }) => id === decision.accountId);
  if (account === undefined) return showConsentPage(consent);
  if (account.quirks.userMayNotInstall) return refuse(NOT_AN_ADMINISTRATOR);
  return redirectTo(redirectUri, { code: issueCode(account, consent), state });
}

function readRequest({
  request: { path, query },
  accounts,
}: HubSpotCall): ConsentRequest | Problem {
  const application = findApplication(accounts, query.get('client_id'));
  if (application === undefined) return UNKNOWN_CLIENT;
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!isRegistered(redirectUri, application.quirks, 'hubspot')) return WRONG_REDIRECT;
  const scopes = readScopes(query.get('scope'));
  const isComplete = application.quirks.requiredScopes.every((scope) => scopes.includes(scope));
  if (!isComplete || scopes.some((scope) => !ALL_SCOPES.includes(scope))) return WRONG_SCOPES;
  const hubId = /^\/oauth\/(\d+)\//.exec(path)?.[1];
  const offered = hubId === undefined ? accounts : accounts.filter(({ id }) => id === hubId);
  if (offered.length === 0) return UNKNOWN_ACCOUNT;
  const optional = readScopes(query.get('optional_scope'));
  return {
    application,
    redirectUri,
    accounts: offered,
    scopes: [...new Set([...scopes, ...optional])],
    state: query.get('state'),
  };
}

function readScopes(text: string | null): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
}

/** Scopes that the account does not allow are silently not granted. HubSpot ignores PKCE for such applications. */
function issueCode(
  account: HubSpotAccount,
  { application, redirectUri, scopes }: ConsentRequest,
): string {
  const { quirks } = account;
  const approval = {
    clientId: application.clientId,
    scopes: scopes.filter((scope) => quirks.grantedScopes.includes(scope)),
    request: { redirectUri, codeChallenge: undefined },
  };
  return account.issueToken('code', approval, quirks.codeTtlMs);
}

function showConsentPage({ application, accounts, scopes }: ConsentRequest): Answer {
  return renderConsentPage({
    crm: 'HubSpot',
    application: 'Crossbook',
    accounts: accounts.map(({ id, name }) => ({ id, name })),
    asks: scopes.map(describeScope),
    openerPolicy: application.quirks.openerPolicy,
  });
}

function refuse({ title, text, code }: Problem): Answer {
  return renderVendorError({ crm: 'HubSpot', title, text, code });
}

const DENIED = 'The user denied access to the application';

const UNKNOWN_CLIENT: Problem = {
  title: 'Authorization failed',
  text: 'We couldn’t find an app with that client ID.',
  code: 'BAD_CLIENT_ID',
};
const WRONG_REDIRECT: Problem = {
  title: 'Authorization failed',
  text: 'The redirect URL in this request doesn’t match one that is set for the app.',
  code: 'BAD_REDIRECT_URI',
};
const WRONG_SCOPES: Problem = {
  title: 'Authorization failed',
  text: 'The scopes in this request don’t match those that are set for the app.',
  code: 'SCOPE_MISMATCH',
};
const UNKNOWN_ACCOUNT: Problem = {
  title: 'Authorization failed',
  text: 'You don’t have access to this account.',
  code: 'BAD_HUB',
};
const NOT_AN_ADMINISTRATOR: Problem = {
  title: 'You can’t install this app',
  text: 'Ask a super admin of the account to install it.',
  code: 'INSUFFICIENT_PERMISSIONS',
};

interface Problem {
  readonly title: string;
  readonly text: string;
  readonly code: string;
}

interface ConsentRequest {
  /** The home account of the application. */
  readonly application: HubSpotAccount;
  /** The accounts that the customer can choose. */
  readonly accounts: readonly HubSpotAccount[];
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | null;
}
