import type { VisitedLink } from '../../domain/connect-flow.ts';
import { PROVIDER_TITLES } from '../../domain/provider-names.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import type { Offer } from '../../usecases/open-connect-page.ts';
import { TEXTS } from '../texts.ts';
import { html, type Markup, toPage } from './page.ts';

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

/** A link that nobody confirms goes to whoever has it: then the names are what protects, and they are large. */
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
export interface Mistake {
  readonly provider: string;
  readonly typed: string;
}

interface OfferPage {
  readonly visited: VisitedLink;
  readonly offers: readonly Offer[];
  readonly token: string;
  readonly mistake?: Mistake | undefined;
}
