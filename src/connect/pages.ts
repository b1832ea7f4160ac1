import { randomBytes } from 'node:crypto';
import type { ConnectLink, VisitedLink } from '../domain/connect-link.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { toReturnUrl } from '../domain/urls.ts';
import { html, type Markup, toPage } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import type { EndedFlow } from '../usecases/finish-authorization.ts';
import type { Offer, PageProblem } from '../usecases/start-authorization.ts';
import { ERRORS, FAILURES, OTHER_ERROR, PROBLEMS } from './texts.ts';

/** The page of a link: who asks for access, for which customer and why, with the forms to continue. */
export function toOfferPage({ visited, offers, token, mistake }: OfferPage): HttpResponse {
  const { link } = visited;
  const body = html`<h1>Connect your CRM</h1>
${toNames(visited)}
<h2>What is asked for</h2>
<ul>
<li>To read your contacts: names, email addresses, phone numbers, companies. Nothing is changed or deleted.</li>
<li>To go on reading them until you disconnect. You can end it in your CRM at any time.</li>
${link.optionalScopes.length > 0 ? toOptionalScopes(link.optionalScopes) : undefined}<li>Your CRM shows you what is granted before you agree. You may need the rights of an administrator there.</li>
</ul>
${offers.length > 1 ? html`<h2>Which CRM do you use?</h2>` : undefined}
${offers.map((one) => toForm(one, token, mistake))}
<p class="soft">This page is valid until <time datetime="${link.expiresAt.toISOString()}">${toMoment(link.expiresAt)}</time>.</p>`;
  return toPage({
    status: mistake ? 422 : 200,
    title: 'Connect your CRM',
    body,
    formAction: "'self'",
    // Without a referrer older browsers would send the form with the origin `null`. The path is never sent.
    headers: { 'referrer-policy': 'strict-origin' },
    isPopup: link.mode === 'POPUP',
  });
}

/** The scopes as the provider names them: the application chooses them, so that no description of ours can be right. */
function toOptionalScopes(scopes: readonly string[]): Markup {
  const names = scopes.map((scope, index) => html`${index > 0 ? ', ' : ''}<code>${scope}</code>`);
  return html`<li>In addition, if your CRM offers them, these optional permissions: ${names}. You can connect without them.</li>
`;
}

/** Without confirmation anyone with the link can use it, so the names, the only protection, are shown prominently. */
function toNames({ link, applicationName, customerName }: VisitedLink): Markup {
  if (link.confirm) {
    return html`<p><b><bdi>${applicationName}</bdi></b> wants to read the contacts in your CRM.</p>
<p class="soft">This connects the CRM of <b><bdi>${customerName}</bdi></b>.</p>`;
  }
  return html`<p class="names"><span>This connects the CRM of</span> <bdi>${customerName}</bdi> <span>to</span> <bdi>${applicationName}</bdi></p>
<p><b>Go on only if you belong to this organisation and expect this request.</b></p>`;
}

/** A form per provider, each with its own fields; works without a script. */
function toForm(offer: Offer, token: string, mistake: OfferPage['mistake']): Markup {
  const title = PROVIDER_TITLES[offer.provider];
  const own = mistake?.provider === offer.provider ? mistake : undefined;
  return html`<form method="post" action="/connect/${token}/start">
<input type="hidden" name="provider" value="${offer.provider}">
${toLogins(offer, own)}<button>Continue to ${title}</button>
</form>
`;
}

function toLogins(
  { provider, logins, ownLoginExample }: Offer,
  mistake: OfferPage['mistake'],
): Markup | undefined {
  if (logins.length === 0 && ownLoginExample === undefined) return undefined;
  const error = `${provider}-error`;
  return html`<fieldset>
<legend>Where do you log in to ${PROVIDER_TITLES[provider]}?</legend>
${logins.map(
  ({ name, origin }, index) =>
    html`<label><input type="radio" name="login" value="${origin}"${index === 0 ? html` checked` : undefined}>${name}</label>
`,
)}${
  ownLoginExample === undefined
    ? undefined
    : html`<label>Or type the address of your own login page: <input type="text" name="own_login" value="${mistake?.typed ?? ''}" placeholder="${ownLoginExample}" maxlength="300" autocomplete="off" autocapitalize="none" spellcheck="false"${mistake && html` aria-invalid="true" aria-describedby="${error}"`}></label>
`
}${
  mistake &&
  html`<p class="error" id="${error}" role="alert">This is no login page of the CRM. It looks like this: ${ownLoginExample ?? ''}</p>
`
}</fieldset>
`;
}

function toMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

interface OfferPage {
  readonly visited: VisitedLink;
  readonly offers: readonly Offer[];
  readonly token: string;
  /** Set where the typed URL is no login page of this provider. */
  readonly mistake?: { readonly provider: string; readonly typed: string };
}

/** The success page. A popup notifies its opener; otherwise the browser returns to the application. */
export function toFinished({ visited, link, confirmation }: FinishedLink): HttpResponse {
  const returnUrl = toReturnUrl(link, confirmation);
  if (link.mode === 'REDIRECT') return toRedirect(returnUrl);
  return toPage({
    title: 'Connected',
    body: html`<h1>Connected</h1>
<p>You can close this window.</p>
${toWayBack({ ...visited, link }, 'Continue to', confirmation)}`,
    script: toScript(link, confirmation, returnUrl),
    isPopup: true,
  });
}

/**
 * The failure page, which explains the next step and returns with the reason. A popup stays open, so that it can be
 * read.
 */
export function toFailed({ visited, link, failure, missingScopes }: FailedLink): HttpResponse {
  const isPopup = link.mode === 'POPUP';
  return toPage({
    title: 'Not connected',
    body: html`<h1>Not connected</h1>
<p>${FAILURES[failure]}</p>
${missingScopes.length > 0 ? html`<p>Not granted: ${missingScopes.join(', ')}</p>` : undefined}
${toWayBack({ ...visited, link })}`,
    script: isPopup ? toScript(link) : undefined,
    isPopup,
  });
}

function toWayBack(
  { link, applicationName }: VisitedLink,
  words = 'Back to',
  code?: string,
): Markup {
  return html`<a class="go" href="${toReturnUrl(link, code)}" rel="noreferrer">${words} <bdi>${applicationName}</bdi></a>`;
}

/** A redirect whose URL may contain a code: it must not be cached or sent as referrer. */
export function toRedirect(location: string): HttpResponse {
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    body: null,
  };
}

/**
 * The script that notifies the opener at the application's exact origin. The application's page then closes the
 * popup; if the opener is cut off or has navigated away, the popup returns by itself. Without `returnUrl` it stays.
 */
function toScript(link: ConnectLink, code?: string, returnUrl?: string) {
  const { origin } = new URL(link.returnUrl);
  const result = {
    type: 'crossbook:connect',
    connectLinkId: link.id,
    status: link.status,
    error: link.failure ?? undefined,
    code,
  };
  const given = JSON.stringify({ result, origin, returnUrl }).replaceAll('<', '\\u003c');
  return {
    nonce: randomBytes(16).toString('base64url'),
    text: `const given = ${given};
if (window.opener) window.opener.postMessage(given.result, given.origin);
if (given.returnUrl) setTimeout(() => location.replace(given.returnUrl), window.opener ? ${PATIENCE_MS} : 0);`,
  };
}

const PATIENCE_MS = 1_500;

/**
 * The page that leads to the provider. Not a redirect: with `form-action 'self'` browsers silently block a form that
 * redirects to another host. The page refreshes to the provider, and has a link as a fallback.
 */
export function toLeavingPage(
  { provider, consentUrl, visited }: LeavingPage,
  setCookie: string,
): HttpResponse {
  return toPage({
    title: 'One moment',
    head: html`<meta http-equiv="refresh" content="0; url=${consentUrl}">
`,
    body: html`<h1>One moment</h1>
<p>You are being sent to ${PROVIDER_TITLES[provider]}.</p>
<a class="go" href="${consentUrl}" rel="noreferrer">Continue, if nothing happens</a>`,
    isPopup: visited.link.mode === 'POPUP',
    headers: { 'set-cookie': setCookie },
  });
}

/** A page that cannot continue. It never redirects: the creator of an invalid link must not choose the target. */
export function toProblemPage(problem: PageProblem, visited?: VisitedLink): HttpResponse {
  const { status, title, text } = PROBLEMS[problem];
  return toPage({
    status,
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${visited && toWayBack(visited)}`,
    isPopup: visited?.link.mode === 'POPUP',
    headers: problem === 'TOO_MANY' ? { 'retry-after': '60' } : undefined,
  });
}

/** The page for errors unrelated to links: the database is unavailable, or a bug. */
export function toErrorPage({ status, id, headers }: ErrorPage): HttpResponse {
  const { title, text } = ERRORS[status] ?? OTHER_ERROR;
  return toPage({
    status,
    title,
    headers,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${id && html`<p class="soft">Reference for support: ${id}</p>`}`,
  });
}

type FinishedLink = Extract<EndedFlow, { readonly failure?: undefined }>;
type FailedLink = Exclude<EndedFlow, FinishedLink>;

interface LeavingPage {
  readonly provider: ProviderName;
  readonly consentUrl: string;
  readonly visited: VisitedLink;
}

interface ErrorPage {
  readonly status: number;
  /** The error id, for support. */
  readonly id?: string;
  readonly headers: Readonly<Record<string, string>>;
}
