import { findApplication, isRegistered } from '../consent/application.ts';
import { isLoopback, readDecision } from '../consent/decision.ts';
import { renderConsentPage, renderVendorError } from '../consent/page.ts';
import { redirectTo } from '../consent/redirect.ts';
import { type Answer, textAnswer } from '../http.ts';
import { UNINSTALLED_APP } from './exchange.ts';
import { acceptsLogin, readLoginHost } from './login-host.ts';
import { describeScope, readScopes } from './scopes.ts';
import type { SalesforceAccount, SalesforceCall } from './types.ts';

/**
 * `/services/oauth2/authorize`, at any login host. Without a known client and a registered redirect URI an error
 * page is shown; other errors redirect back to the application.
 */
export function answerAuthorize(call: SalesforceCall): Answer {
  const { request, accounts } = call;
  const { query } = request;
  if (!isLoopback(request)) return textAnswer(403, 'Only requests from this machine are accepted.');
  const application = findApplication(accounts, query.get('client_id'));
  if (application === undefined) return refuse('invalid_client_id', 'client identifier invalid');
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!isRegistered(redirectUri, application.quirks, 'salesforce'))
    return refuse('redirect_uri_mismatch', 'redirect_uri must match configuration');
  const consent: ConsentRequest = { application, redirectUri, state: query.get('state'), query };
  const problem = findProblem(consent);
  if (problem) return redirectWithError(consent, problem);
  const decision = readDecision(request);
  if (decision === undefined) return showConsentPage(consent, call);
  if (!decision.isAllowed) return deny(consent);
  const account = accounts.find(({ id }) => id === decision.accountId);
  if (account === undefined) return showConsentPage(consent, call);
  const policyError = findPolicyError(account, call);
  return policyError === undefined ? allow(consent, account) : refuse('login_denied', policyError);
}

/** Checks in the order of the live service. */
function findProblem({ application, query }: ConsentRequest): Problem | undefined {
  if (query.get('response_type') !== 'code')
    return { error: 'unsupported_response_type', description: 'response type not supported' };
  if (readScopes(query.get('scope')) === undefined)
    return { error: 'invalid_scope', description: 'the requested scope is not allowed' };
  const challenge = query.get('code_challenge');
  // jsforce omits the method: the default is the only one.
  const method = query.get('code_challenge_method') ?? 'S256';
  if (challenge === null)
    return application.quirks.pkceIsOptional
      ? undefined
      : { error: 'invalid_request', description: 'missing required code challenge' };
  return method === 'S256' && CHALLENGE.test(challenge)
    ? undefined
    : { error: 'invalid_request', description: 'invalid code challenge' };
}

function allow(
  { application, redirectUri, state, query }: ConsentRequest,
  account: SalesforceAccount,
): Answer {
  const { callbackError, blocksUninstalledApps, codeTtlMs } = account.quirks;
  if (callbackError !== null) {
    const description = CALLBACK_ERRORS[callbackError];
    return redirectTo(redirectUri, { error: callbackError, error_description: description, state });
  }
  if (blocksUninstalledApps) {
    const { error, description } = UNINSTALLED_APP;
    return redirectTo(redirectUri, { error, error_description: description, state });
  }
  const approval = {
    clientId: application.clientId,
    scopes: readScopes(query.get('scope')),
    request: { redirectUri, codeChallenge: query.get('code_challenge') ?? undefined },
  };
  return redirectTo(redirectUri, { code: account.issueToken('code', approval, codeTtlMs), state });
}

function deny(consent: ConsentRequest): Answer {
  const { quirks } = consent.application;
  return redirectWithError(consent, {
    error: quirks.deniedWithHyphen ? 'access-denied' : 'access_denied',
    description: quirks.denyWithoutDescription ? undefined : 'end-user denied authorization',
    withoutState: quirks.denyWithoutState,
  });
}

function redirectWithError(
  { redirectUri, state }: ConsentRequest,
  { error, description, withoutState }: Problem,
): Answer {
  return redirectTo(redirectUri, {
    error,
    error_description: description,
    state: withoutState ? undefined : state,
  });
}

function showConsentPage({ application, query }: ConsentRequest, call: SalesforceCall): Answer {
  return renderConsentPage({
    crm: 'Salesforce',
    application: 'Crossbook',
    accounts: call.accounts
      .filter((account) => acceptsLogin(account, readLoginHost(call.request.headers.host)))
      .map((account) => ({
        id: account.id,
        name: account.name,
        problem: findPolicyError(account, call),
      })),
    asks: (readScopes(query.get('scope')) ?? []).map(describeScope),
    openerPolicy: application.quirks.openerPolicy,
  });
}

/** A policy of the org: shown on the page, without a redirect. */
function findPolicyError(
  account: SalesforceAccount,
  { request }: SalesforceCall,
): string | undefined {
  const host = readLoginHost(request.headers.host);
  if (!acceptsLogin(account, host)) return 'logs in elsewhere';
  const isCommon = host.kind !== 'own';
  return isCommon && account.quirks.forbidsCommonLogin
    ? 'logs in at its own domain alone'
    : undefined;
}

function refuse(code: string, text: string): Answer {
  return renderVendorError({ crm: 'Salesforce', title: 'OAuth Error', text, code });
}

/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

const CALLBACK_ERRORS: Readonly<Record<string, string>> = {
  OAUTH_APP_BLOCKED: 'this app is blocked by admin',
  OAUTH_APPROVAL_ERROR_GENERIC:
    'An unexpected error has occured during authentication. Please try again.',
  OAUTH_EC_APP_NOT_FOUND: 'External client app is not installed in this org',
  OAUTH_AUTHORIZATION_BLOCKED:
    'Cross-org OAuth flows are not supported for this external client app',
  OAUTH_APP_ACCESS_DENIED: 'user is not admin approved to access this app',
};

interface ConsentRequest {
  /** The home org of the application. */
  readonly application: SalesforceAccount;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly query: URLSearchParams;
}

interface Problem {
  readonly error: string;
  readonly description: string | undefined;
  readonly withoutState?: boolean;
}
