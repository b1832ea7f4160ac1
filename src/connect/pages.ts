import type { VisitedLink } from '../domain/connect-link.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import type { CopiedRecords } from '../domain/sync.ts';
import { toReturnUrl } from '../domain/urls.ts';
import { html, type Markup, toPage } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import type { EndedFlow } from '../usecases/finish-authorization.ts';
import type { MatchedLink } from '../usecases/match-fields.ts';
import type { Offer, OptionalScope, PageProblem } from '../usecases/start-authorization.ts';
import {
  OFFER_SCRIPTS,
  POPUP_SCRIPTS,
  type ShownLink,
  toLinkPage,
  toPopupResult,
  toWayBack,
} from './frame.ts';
import { ERRORS, FAILURES, OTHER_ERROR, PROBLEMS } from './texts.ts';

/** The first page of a link: with several CRMs the customer chooses one, and then sees what that one needs. */
export function toOfferPage(page: OfferPage): HttpResponse {
  const { visited, offers, mistake, chosen } = page;
  const offer =
    offers.length === 1 ? offers[0] : offers.find(({ provider }) => provider === chosen);
  return toLinkPage(page, {
    status: mistake ? 422 : 200,
    title: 'Connect your CRM',
    body: html`<h1>Connect ${offer ? `to ${PROVIDER_TITLES[offer.provider]}` : 'your CRM'}</h1>
${toNames(visited)}
${offer ? toOneOffer(page, offer) : toChoice(page)}
<p class="soft small">You can use this link until <time datetime="${visited.link.expiresAt.toISOString()}">${toMoment(visited.link.expiresAt)}</time>.</p>`,
    scripts: OFFER_SCRIPTS,
    hasForm: true,
  });
}

/** Without confirmation anyone with the link can use it, so the names, the only protection, are shown prominently. */
function toNames({ link, shown, customerName }: VisitedLink): Markup {
  const company = html`<dt>Your company</dt>
<dd><bdi>${customerName}</bdi></dd>`;
  if (link.confirm) {
    return html`<p><b><bdi>${shown.name}</bdi></b> wants to read the contacts in your CRM.</p>
<dl class="facts">
${company}
</dl>`;
  }
  return html`<dl class="facts names">
${company}
<dt>Application</dt>
<dd><bdi>${shown.name}</bdi></dd>
</dl>
<p><b>Continue only if you belong to this company and expect this request.</b></p>`;
}

/** Equal cards, in the order of the link. */
function toChoice({ offers, token }: OfferPage): Markup {
  return html`<h2>Which CRM do you use?</h2>
<ul class="cards choice">
${offers.map(
  ({ provider }) =>
    html`<li><a class="card" href="/connect/${token}?provider=${provider}"><span class="sign" aria-hidden="true">${PROVIDER_TITLES[provider].slice(0, 1)}</span>${PROVIDER_TITLES[provider]}</a></li>
`,
)}</ul>`;
}

/** What is asked for, and the form to continue; it works without a script. */
function toOneOffer({ visited, offers, token, mistake }: OfferPage, offer: Offer): Markup {
  const title = PROVIDER_TITLES[offer.provider];
  const { optionalScopes, copied } = offer;
  return html`<h2>What you allow</h2>
<ul>
<li>Read your contacts: names, email addresses, phone numbers, companies and all other fields that you can see. Nothing is changed or deleted.</li>
<li>Keep reading them until you disconnect. You can do that in ${title} at any time.</li>
${copied && toCopies(copied, visited.shown.name)}${toOptionalScopes(optionalScopes)}<li>${title} shows you the permissions before you agree. You may need to be an administrator there.</li>
</ul>
<form method="post" action="/connect/${token}/start">
<input type="hidden" name="provider" value="${offer.provider}">
${toLogins(offer, mistake?.provider === offer.provider ? mistake : undefined)}<button>Continue to ${title}</button>
</form>
${offers.length > 1 ? html`<p><a href="/connect/${token}">Choose another CRM</a></p>` : undefined}`;
}

/** A sync writes whole records to a database that we do not control, and they outlive the connection. */
function toCopies({ contacts, objects }: CopiedRecords, name: string): Markup | undefined {
  const all = [...(contacts ? ['contacts'] : []), ...objects];
  if (all.length === 0) return undefined;
  return html`<li><bdi>${name}</bdi> keeps a copy of these records with all their fields in its own database: ${toList(all)}. The copy follows your changes, and stays after you disconnect, until <bdi>${name}</bdi> deletes it.</li>
`;
}

/** In words where we know them; the application can also request scopes that only the provider can explain. */
function toOptionalScopes(scopes: readonly OptionalScope[]): readonly Markup[] {
  const titles = scopes.flatMap(({ title }) => title ?? []);
  const others = scopes.filter(({ title }) => title === undefined).map(({ scope }) => scope);
  return [
    ...(titles.length > 0
      ? [
          html`<li>Read these too, if your CRM offers them: your ${toList([...new Set(titles)])}. You can connect without them.</li>
`,
        ]
      : []),
    ...(others.length > 0
      ? [
          html`<li>These optional permissions, if your CRM offers them: ${others.map((scope, index) => html`${index > 0 ? ', ' : ''}<code>${scope}</code>`)}. You can connect without them.</li>
`,
        ]
      : []),
  ];
}

function toList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED);
  return shown.length < names.length
    ? `${shown.join(', ')} and ${names.length - shown.length} more`
    : shown.join(', ');
}

/** A configuration may have two hundred objects. */
const MAX_LISTED = 20;

function toLogins(
  { provider, logins, ownLoginExample }: Offer,
  mistake: OfferPage['mistake'],
): Markup | undefined {
  if (logins.length === 0 && ownLoginExample === undefined) return undefined;
  const error = `${provider}-error`;
  return html`<fieldset class="logins">
<legend>Where do you log in to ${PROVIDER_TITLES[provider]}?</legend>
${logins.map(
  ({ name, origin }, index) =>
    html`<label><input type="radio" name="login" value="${origin}"${index === 0 ? html` checked` : undefined}>${name}</label>
`,
)}${
  ownLoginExample === undefined
    ? undefined
    : html`<label>Or type the address of your company’s own login page: <input type="text" name="own_login" value="${mistake?.typed ?? ''}" placeholder="${ownLoginExample}" maxlength="300" autocomplete="off" autocapitalize="none" spellcheck="false"${mistake && html` aria-invalid="true" aria-describedby="${error}"`}></label>
`
}${
  mistake &&
  html`<p class="error" id="${error}" role="alert">This is not a login page of ${PROVIDER_TITLES[provider]}. Such an address looks like this: ${ownLoginExample ?? ''}</p>
`
}</fieldset>
`;
}

function toMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

interface OfferPage extends ShownLink {
  readonly offers: readonly Offer[];
  readonly token: string;
  /** The provider that the customer has chosen, unchecked. */
  readonly chosen?: string | null;
  /** Set if the typed URL is no login page of this provider. */
  readonly mistake?: { readonly provider: string; readonly typed: string };
}

/** The success page. A popup notifies its opener; otherwise the browser returns to the application. */
export function toFinished(
  { visited, link, confirmation }: FinishedLink,
  logoUrl: string | undefined,
): HttpResponse {
  const returnUrl = toReturnUrl(link, confirmation);
  if (link.mode === 'REDIRECT') return toRedirect(returnUrl);
  const now = { ...visited, link };
  const title = link.purpose === 'CONNECT' ? 'Connected' : 'Saved';
  return toLinkPage(
    { visited: now, logoUrl },
    {
      title,
      body: html`<h1>${title}</h1>
${toWayBack(now, { code: confirmation })}
${toPopupResult(link, { code: confirmation, returnUrl })}`,
      scripts: POPUP_SCRIPTS,
    },
  );
}

/**
 * The failure page, which explains the next step and returns with the reason. A popup stays open, so that it can be
 * read.
 */
export function toFailed(
  { visited, link, failure, missingScopes }: FailedLink,
  logoUrl: string | undefined,
): HttpResponse {
  const isPopup = link.mode === 'POPUP';
  const now = { ...visited, link };
  return toLinkPage(
    { visited: now, logoUrl },
    {
      title: 'Not connected',
      body: html`<h1>Not connected</h1>
<p>${FAILURES[failure]}</p>
${missingScopes.length > 0 ? html`<p>Not granted: ${missingScopes.join(', ')}</p>` : undefined}
${toWayBack(now)}
${isPopup ? toPopupResult(link) : undefined}`,
      scripts: isPopup ? POPUP_SCRIPTS : [],
    },
  );
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
 * The page that leads to the provider. Not a redirect: with `form-action 'self'` browsers silently block a form that
 * redirects to another host. The page refreshes to the provider, and has a link as a fallback.
 */
export function toLeavingPage(page: LeavingPage, setCookie: string): HttpResponse {
  const { provider, consentUrl } = page;
  return toLinkPage(page, {
    title: 'One moment',
    head: html`<meta http-equiv="refresh" content="0; url=${consentUrl}">
`,
    body: html`<h1>One moment</h1>
<p>You are on your way to ${PROVIDER_TITLES[provider]}.</p>
<p class="actions"><a class="button" href="${consentUrl}" rel="noreferrer">Continue if nothing happens</a></p>`,
    headers: { 'set-cookie': setCookie },
  });
}

/** A page that cannot continue. It never redirects: the creator of an invalid link must not choose the target. */
export function toProblemPage(problem: PageProblem, shown?: ShownLink): HttpResponse {
  const { status, title, text } = PROBLEMS[problem];
  const headers = problem === 'TOO_MANY' ? { 'retry-after': '60' } : undefined;
  const body = html`<h1>${title}</h1>
<p>${text}</p>
${shown && toWayBack(shown.visited)}`;
  if (!shown) return toPage({ status, title, body, headers });
  const scripts = shown.visited.link.mode === 'POPUP' ? POPUP_SCRIPTS : [];
  return toLinkPage(shown, { status, title, body, headers, scripts });
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

type FinishedLink = MatchedLink;
type FailedLink = Extract<EndedFlow, { readonly isMatching?: undefined }>;

interface LeavingPage extends ShownLink {
  readonly provider: ProviderName;
  readonly consentUrl: string;
}

interface ErrorPage {
  readonly status: number;
  /** The error id, for support. */
  readonly id?: string;
  readonly headers: Readonly<Record<string, string>>;
}
