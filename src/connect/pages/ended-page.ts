import { randomBytes } from 'node:crypto';
import type { VisitedLink } from '../../domain/connect-flow.ts';
import type { ConnectFailure, ConnectLink } from '../../domain/connect-link.ts';
import { PROVIDER_TITLES, type ProviderName } from '../../domain/provider-names.ts';
import { toReturnUrl } from '../../domain/return-url.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import type { PageProblem } from '../../usecases/open-connect-page.ts';
import { FAILURES, PROBLEMS, TEXTS } from '../texts.ts';
import { html, toPage } from './page.ts';

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
 * nobody hears, because a page on the way has cut the opener off or it is another one by now, the popup goes back itself.
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

/** Leads no further, and never away by itself: whoever made a link lead here must not choose where it goes on. */
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
