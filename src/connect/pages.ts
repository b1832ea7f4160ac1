import { randomBytes } from 'node:crypto';
import type { ConnectFailure, ConnectLink, VisitedLink } from '../domain/connect-link.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { toReturnUrl } from '../domain/urls.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import type { Offer, PageProblem } from '../usecases/open-connect-page.ts';
import { html, type Markup, toPage } from './html.ts';
import { FAILURES, PROBLEMS, TEXTS } from './texts.ts';

/** Who asks, for whom, for what and why; and where to go on. */
export function toOfferPage({ visited, offers, token, mistake }: OfferPage): HttpResponse {
  const { offer } = TEXTS;
  const { link } = visited;
  const body = html`<h1>${offer.title}</h1>
${toNames(visited)}
<h2>${offer.asked}</h2>
<ul>
<li>${offer.reads}</li>
<li>${offer.stays}</li>
<li>${offer.shown}</li>
</ul>
${offers.length > 1 ? html`<h2>${offer.choose}</h2>` : undefined}
${offers.map((one) => toForm(one, token, mistake))}
<p class="soft">${offer.expires} <time datetime="${link.expiresAt.toISOString()}">${toMoment(link.expiresAt)}</time>.</p>`;
  return toPage({
    status: mistake ? 422 : 200,
    ...{ title: offer.title, body, hasForm: true, isPopup: link.mode === 'POPUP' },
  });
}

/** Without confirmation a link can be used by anyone who has it: the names are the only protection, and are shown large. */
function toNames({ link, applicationName, customerName }: VisitedLink): Markup {
  const { offer } = TEXTS;
  if (link.confirm) {
    return html`<p><b><bdi>${applicationName}</bdi></b> ${offer.lead}</p>
<p class="soft">${offer.connects} <b><bdi>${customerName}</bdi></b>.</p>`;
  }
  return html`<p class="names"><span>${offer.connects}</span> <bdi>${customerName}</bdi> <span>${offer.to}</span> <bdi>${applicationName}</bdi></p>
<p><b>${offer.beware}</b></p>`;
}

/** A form for each provider: each has its own questions, and works without a script. */
function toForm(offer: Offer, token: string, mistake: Mistake | undefined): Markup {
  const title = PROVIDER_TITLES[offer.provider];
  const own = mistake?.provider === offer.provider ? mistake : undefined;
  return html`<form method="post" action="/connect/${token}/start">
<input type="hidden" name="provider" value="${offer.provider}">
${toLogins(offer, own)}<button>${TEXTS.offer.go} ${title}</button>
</form>
`;
}

function toLogins(
  { provider, logins, ownLoginExample }: Offer,
  mistake: Mistake | undefined,
): Markup | undefined {
  if (logins.length === 0 && ownLoginExample === undefined) return undefined;
  const error = `${provider}-error`;
  return html`<fieldset>
<legend>${TEXTS.offer.login} ${PROVIDER_TITLES[provider]}?</legend>
${logins.map(
  ({ name, origin }, index) =>
    html`<label><input type="radio" name="login" value="${origin}"${index === 0 ? html` checked` : undefined}>${name}</label>
`,
)}${
  ownLoginExample === undefined
    ? undefined
    : html`<label>${TEXTS.offer.own} <input type="text" name="own_login" value="${mistake?.typed ?? ''}" placeholder="${ownLoginExample}" maxlength="300" autocomplete="off" autocapitalize="none" spellcheck="false"${mistake && html` aria-invalid="true" aria-describedby="${error}"`}></label>
`
}${
  mistake &&
  html`<p class="error" id="${error}" role="alert">${TEXTS.offer.badLogin} ${ownLoginExample ?? ''}</p>
`
}</fieldset>
`;
}

function toMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What was typed is no login page of this provider. */
interface Mistake {
  readonly provider: string;
  readonly typed: string;
}

interface OfferPage {
  readonly visited: VisitedLink;
  readonly offers: readonly Offer[];
  readonly token: string;
  readonly mistake?: Mistake | undefined;
}

/** All went well. A popup tells the page that opened it; otherwise the browser goes back to the application. */
export function toFinished({ visited, link, confirmation: code }: Finished): HttpResponse {
  const returnUrl = toReturnUrl(link.returnUrl, { connectLinkId: link.id, status: link.status, code });
  if (link.mode === 'REDIRECT') return toRedirect(returnUrl);
  const { finished } = TEXTS;
  return toPage({
    title: finished.title,
    body: html`<h1>${finished.title}</h1>
<p>${finished.lead}</p>
<a class="go" href="${returnUrl}" rel="noreferrer">${finished.go} <bdi>${visited.applicationName}</bdi></a>`,
    script: toScript(link, { code, returnUrl }),
    isPopup: true,
  });
}

/** Says what to do next, and leads back with the reason. A popup stays open, so that it can be read. */
export function toFailed({ visited, link, failure, missingScopes }: FailedEnd): HttpResponse {
  const { failed } = TEXTS;
  const result = { connectLinkId: link.id, status: link.status, error: failure };
  const isPopup = link.mode === 'POPUP';
  return toPage({
    title: failed.title,
    body: html`<h1>${failed.title}</h1>
<p>${FAILURES[failure]}</p>
${missingScopes.length > 0 ? html`<p>${TEXTS.missing} ${missingScopes.join(', ')}</p>` : undefined}
<a class="go" href="${toReturnUrl(link.returnUrl, result)}" rel="noreferrer">${failed.go} <bdi>${visited.applicationName}</bdi></a>`,
    script: isPopup ? toScript(link, { error: failure }) : undefined,
    isPopup,
  });
}

/** The code is in the address: nothing of it may be kept or passed on. */
function toRedirect(location: string): HttpResponse {
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    body: null,
  };
}

/**
 * Tells the opener, at the exact origin of the application. The application's page closes the popup when it has heard; where
 * it is not heard, because a page on the way has cut the opener off or it is another one by now, the popup goes back itself.
 */
function toScript(link: ConnectLink, { code, error, returnUrl }: Told) {
  const { origin } = new URL(link.returnUrl);
  const result = { type: 'crossbook:connect', connectLinkId: link.id, status: link.status, error, code };
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
 * The way to the provider. No redirect: with `form-action 'self'` browsers stop a form that is redirected to another host
 * without a word. So the page itself leads on, and has a link for those that do not follow.
 */
export function toLeavingPage({ provider, consentUrl, setCookie, isPopup }: LeavingPage): HttpResponse {
  const { leaving } = TEXTS;
  return toPage({
    title: leaving.title,
    head: html`<meta http-equiv="refresh" content="0; url=${consentUrl}">
`,
    body: html`<h1>${leaving.title}</h1>
<p>${leaving.lead} ${PROVIDER_TITLES[provider]}.</p>
<a class="go" href="${consentUrl}" rel="noreferrer">${leaving.go}</a>`,
    isPopup,
    headers: { 'set-cookie': setCookie },
  });
}

/** Leads no further, and never away by itself: the maker of the link must not choose where it goes on. */
export function toProblemPage(problem: PageProblem, visited?: VisitedLink): HttpResponse {
  const { title, text } = PROBLEMS[problem];
  return toPage({
    status: STATUSES[problem],
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${visited && toWayBack(visited)}`,
    isPopup: visited?.link.mode === 'POPUP',
    headers: problem === 'TOO_MANY' ? { 'retry-after': '60' } : undefined,
  });
}

/** For what is no matter of links: the database is away, or a bug. */
export function toErrorPage({ status, title, text, id, headers }: ErrorPage): HttpResponse {
  return toPage({
    ...{ status, title, headers },
    body: html`<h1>${title}</h1>
<p>${text}</p>
${id && html`<p class="soft">${TEXTS.number} ${id}</p>`}`,
  });
}

function toWayBack({ link, applicationName }: VisitedLink) {
  const { id, status, failure } = link;
  const result = { connectLinkId: id, status, error: failure ?? undefined };
  return html`<a class="go" href="${toReturnUrl(link.returnUrl, result)}" rel="noreferrer">${TEXTS.failed.go} <bdi>${applicationName}</bdi></a>`;
}

const STATUSES: Readonly<Record<PageProblem, number>> = {
  FORGED: 404,
  EXPIRED: 410,
  ALREADY_USED: 410,
  ENDED: 410,
  CANCELED: 410,
  WRONG_BROWSER: 400,
  WRONG_SITE: 403,
  UNCLEAR: 400,
  TOO_MANY: 429,
  NOT_SET_UP: 409,
};

interface Finished {
  readonly visited: VisitedLink;
  readonly link: ConnectLink;
  readonly confirmation: string | undefined;
}

interface FailedEnd {
  readonly visited: VisitedLink;
  readonly link: ConnectLink;
  readonly failure: ConnectFailure;
  readonly missingScopes: readonly string[];
}

interface Told {
  readonly code?: string | undefined;
  readonly error?: ConnectFailure | undefined;
  /** Where the popup goes by itself; undefined: it stays. */
  readonly returnUrl?: string | undefined;
}

interface LeavingPage {
  readonly provider: ProviderName;
  readonly consentUrl: string;
  readonly setCookie: string;
  readonly isPopup: boolean;
}

interface ErrorPage {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** Of the error, for support. */
  readonly id: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}
