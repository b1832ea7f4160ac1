import { createHash } from 'node:crypto';
import { type Answer, textAnswer } from '../http.ts';
import { html, Markup } from './html.ts';

/**
 * The consent page: which application requests what, of which account. Plain HTML that works by keyboard and
 * without scripts.
 */
export function renderConsentPage(page: ConsentPage): Answer {
  const { crm, application, accounts, asks, openerPolicy } = page;
  const chosen = accounts.find(({ problem }) => problem === undefined);
  const body = html`<p class="crm">${crm} <span>simulated by Crossbook’s sandbox</span></p>
<h1>Connect ${application} to ${crm}?</h1>
<p>${application} is the name of the app that is registered with ${crm}. Your own app has the name that you give it there.</p>
<form method="post">
<fieldset>
<legend>${accounts.length > 1 ? 'Choose an account' : 'Account'}</legend>
${accounts.map((account) => renderAccount(account, account === chosen))}</fieldset>
<h2>${application} will be able to</h2>
<ul>
${asks.map((ask) => html`<li>${ask}</li>\n`)}</ul>
<p class="buttons">
<button name="decision" value="allow"${chosen === undefined ? ' disabled' : ''}>Allow</button>
<button name="decision" value="deny" class="plain" formnovalidate>Cancel</button>
</p>
</form>`;
  const headers = openerPolicy === null ? {} : { 'cross-origin-opener-policy': openerPolicy };
  return toPage(200, { title: `Connect to ${crm}`, body, headers });
}

/** An error page of the vendor, for errors that must not redirect back to the application. */
export function renderVendorError({ crm, title, text, code }: VendorError): Answer {
  const body = html`<p class="crm">${crm} <span>simulated by Crossbook’s sandbox</span></p>
<h1>${title}</h1>
<p>${text}</p>
<p><code>${code}</code></p>`;
  return toPage(400, { title, body, headers: {} });
}

function renderAccount({ id, name, problem }: ConsentAccount, isChosen: boolean): Markup {
  const state = problem === undefined ? (isChosen ? ' checked' : '') : ' disabled';
  const note = problem === undefined ? id : `${id}: ${problem}`;
  return html`<label><input type="radio" name="account" value="${id}" required${state}><span>${name} <small>${note}</small></span></label>
`;
}

function toPage(status: number, { title, body, headers }: PageParts): Answer {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return textAnswer(status, page.text, {
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
}

const STYLE = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #5b6b7d; --line: #c3ccd6; --paper: #fff; --tint: #f4f7fa; --main: #8a3b12; --on: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf5; --soft: #a5b4c5; --line: #46566a; --paper: #10161d; --tint: #17202a; --main: #ffb38a; --on: #10161d }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--tint); color: var(--ink); font: 17px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1.25rem; background: var(--paper); min-height: 100vh }
.crm { margin: 0; font-weight: 700; color: var(--main) }
.crm span, small { font-weight: 400; color: var(--soft) }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .75rem 0 1.25rem }
h2 { font-size: 1rem; margin: 1.25rem 0 .25rem }
fieldset { border: 1px solid var(--line); border-radius: .5rem; padding: .25rem .9rem .6rem; margin: 0 }
label { display: flex; gap: .6rem; align-items: baseline; padding: .5rem 0 }
small { display: block; font-size: .85rem }
ul { margin: 0; padding-left: 1.2rem }
.buttons { display: flex; gap: .75rem; flex-wrap: wrap }
button { font: inherit; font-weight: 600; padding: .6rem 1.4rem; border-radius: .5rem; border: 1px solid var(--main); background: var(--main); color: var(--on) }
button.plain { background: none; color: var(--ink); border-color: var(--soft) }
button:disabled { opacity: .5 }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

interface ConsentPage {
  readonly crm: string;
  readonly application: string;
  readonly accounts: readonly ConsentAccount[];
  /** Descriptions of the requested scopes. */
  readonly asks: readonly string[];
  readonly openerPolicy: string | null;
}

interface ConsentAccount {
  readonly id: string;
  readonly name: string;
  /** Why this account cannot be chosen. */
  readonly problem?: string | undefined;
}

interface VendorError {
  readonly crm: string;
  readonly title: string;
  readonly text: string;
  /** The vendor's error code. */
  readonly code: string;
}

interface PageParts {
  readonly title: string;
  readonly body: Markup;
  readonly headers: Readonly<Record<string, string>>;
}
