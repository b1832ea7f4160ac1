import { randomBytes } from 'node:crypto';
import type { VisitedLink } from '../../domain/connect-flow.ts';
import type { ConnectFailure, ConnectLink } from '../../domain/connect-link.ts';
import { toReturnUrl } from '../../domain/return-url.ts';
import type { HttpAnswer } from '../../lib/http-message.ts';
import { html } from '../markup.ts';
import { FAILURES, TEXTS } from '../texts.ts';
import { toPage } from './page.ts';

/** All went well. A popup tells the page that opened it; otherwise the browser goes back to the application. */
export function toFinished({ visited, link, confirmation: code }: Finished): HttpAnswer {
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
export function toFailed({ visited, link, failure, missingScopes }: FailedEnd): HttpAnswer {
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
function toRedirect(location: string): HttpAnswer {
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
