import type { VisitedLink } from '../domain/connect-link.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { type AllowedRecords, toAllowedRecords } from '../domain/record-access.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import type { RecordType } from '../domain/records/record-type.ts';
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
    step: offer ? 'allow' : 'choose',
    body: html`<h1>Connect ${offer ? `to ${PROVIDER_TITLES[offer.provider]}` : 'your CRM'}</h1>
${toNames(visited, offer?.requested ?? toAllowedRecords(visited.link))}
${offer ? toOneOffer(page, offer) : toChoice(page)}
<p class="soft small">You can use this link until <time datetime="${visited.link.expiresAt.toISOString()}">${toMoment(visited.link.expiresAt)}</time>.</p>`,
    scripts: OFFER_SCRIPTS,
    hasForm: true,
  });
}

/** Without confirmation anyone with the link can use it, so the names, the only protection, are shown prominently. */
function toNames(
  { link, application, customerName }: VisitedLink,
  requested: AllowedRecords,
): Markup {
  const company = html`<dt>Your company</dt>
<dd><bdi>${customerName}</bdi></dd>`;
  if (link.confirm) {
    return html`<p><b><bdi>${application.name}</bdi></b> wants to ${toPurpose(requested)}.</p>
<dl class="facts">
${company}
</dl>`;
  }
  return html`<dl class="facts names">
${company}
<dt>Application</dt>
<dd><bdi>${application.name}</bdi></dd>
</dl>
<p><b>Continue only if you belong to this company and expect this request.</b></p>`;
}

/** Equal cards, in the order of the link. */
function toChoice({ offers, linkUrl }: OfferPage): Markup {
  return html`<h2>Which CRM do you use?</h2>
<ul class="cards choice">
${offers.map(
  ({ provider }) =>
    html`<li><a class="card" href="${linkUrl}?provider=${provider}">${PROVIDER_TITLES[provider]}</a></li>
`,
)}</ul>`;
}

/** What is asked for, and the form to continue; it works without a script. */
function toOneOffer({ visited, offers, linkUrl, mistake }: OfferPage, offer: Offer): Markup {
  const title = PROVIDER_TITLES[offer.provider];
  const { requested, optionalScopes, copied } = offer;
  return html`<h2>What you allow</h2>
<ul>
${toAllowed(requested)}
<li>This lasts until you disconnect. You can do that in ${title} at any time.</li>
${copied && toCopies(copied, visited.application.name)}${toOptionalScopes(optionalScopes)}<li>${title} shows you the permissions before you agree. You may need to be an administrator there.</li>
</ul>
<form method="post" action="${linkUrl}/start">
<input type="hidden" name="provider" value="${offer.provider}">
${toLogins(offer, mistake?.provider === offer.provider ? mistake : undefined)}<button>Continue to ${title}</button>
</form>
${offers.length > 1 ? html`<p><a href="${linkUrl}">Choose another CRM</a></p>` : undefined}`;
}

/** The access in one sentence. */
function toPurpose({ readableRecords, writableRecords }: AllowedRecords): string {
  const read = `the ${toNouns(readableRecords)} in your CRM`;
  if (writableRecords.length === 0) return `read ${read}`;
  return writableRecords.length === readableRecords.length
    ? `read and change ${read}`
    : `read ${read}, and change the ${toNouns(writableRecords)}`;
}

/** What is read, and what is changed, in sentences of their own. */
function toAllowed({ readableRecords, writableRecords }: AllowedRecords): Markup {
  const read = html`<li>Your ${toNouns(readableRecords)} are read, with all fields that you can see.${writableRecords.length === 0 ? ' Nothing is changed or deleted.' : undefined}</li>`;
  if (writableRecords.length === 0) return read;
  return html`${read}
<li><b>Your ${toNouns(writableRecords)} will be changed, and new ones created.</b> Nothing is deleted.</li>`;
}

function toNouns(types: readonly RecordType[]): string {
  return CONJUNCTION.format(types.map((type) => RECORDS[type].nouns));
}

const CONJUNCTION = new Intl.ListFormat('en', { type: 'conjunction' });

/** A sync writes whole records to a database that we do not control, and they outlive the connection. */
function toCopies({ records, objects }: CopiedRecords, name: string): Markup | undefined {
  const all = [...records, ...objects];
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
          html`<li>These are read too, if your CRM offers them: your ${toList([...new Set(titles)])}. You can connect without them.</li>
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
  const listed = names.slice(0, MAX_LISTED);
  return listed.length < names.length
    ? `${listed.join(', ')} and ${names.length - listed.length} more`
    : listed.join(', ');
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
    html`<label><input type="radio" name="login" value="${origin}"${index === 0 && !mistake ? html` checked` : undefined}>${name}</label>
`,
)}${
  ownLoginExample === undefined
    ? undefined
    : html`${
        logins.length > 0 &&
        html`<label><input class="own-login" type="radio" name="login" value="${OWN_LOGIN}"${mistake && html` checked`}>My company’s own login page</label>
`
      }<label class="own">Its address: <input type="text" name="own_login" value="${mistake?.typed ?? ''}" placeholder="${ownLoginExample}" maxlength="300" autocomplete="off" autocapitalize="none" spellcheck="false"${mistake && html` aria-invalid="true" aria-describedby="${error}"`}></label>
`
}${
  mistake &&
  html`<p class="error" id="${error}" role="alert">This is not a login page of ${PROVIDER_TITLES[provider]}. Such an address looks like this: ${ownLoginExample ?? ''}</p>
`
}</fieldset>
`;
}

/** The choice of the customer's own login page, whose address is typed. */
export const OWN_LOGIN = 'own';

function toMoment(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

interface OfferPage extends ShownLink {
  readonly offers: readonly Offer[];
  /** Where the pages of the link are. */
  readonly linkUrl: string;
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
<p>To try again, return to <bdi>${visited.application.name}</bdi> and connect from there. A link can be used only once.</p>
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
