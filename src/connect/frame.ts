import { type BrandedApplication, toTextColor } from '../domain/branding.ts';
import type { ConnectLink, VisitedLink } from '../domain/connect-link.ts';
import { toReturnUrl } from '../domain/urls.ts';
import { LOCAL_TIMES } from '../lib/design.ts';
import { html, type Markup, type PageParts, toPage } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';

/** A page of a link, with the name, logo and color of its application. */
export function toLinkPage(
  { visited, logoUrl }: ShownLink,
  parts: Pick<PageParts, 'status' | 'title' | 'head' | 'body' | 'scripts' | 'headers'> & {
    readonly hasForm?: boolean;
    /** The step of the flow that the page is. */
    readonly step?: Step;
  },
): HttpResponse {
  const { hasForm, headers, step, body, ...page } = parts;
  const { link, application } = visited;
  return toPage({
    ...page,
    ...toBrand(application, logoUrl),
    body: html`${step && toSteps(link, step)}${body}`,
    isPopup: link.mode === 'POPUP',
    ...(hasForm && { formAction: "'self'" }),
    // Without a referrer older browsers would send a form with the origin `null`. The path is never sent.
    headers: { ...(hasForm && { 'referrer-policy': 'strict-origin' }), ...headers },
  });
}

/** The look of a page of an application. */
export function toBrand(
  { name, hasLogo, accentColor }: BrandedApplication,
  logoUrl: string | undefined,
): Pick<PageParts, 'isPanel' | 'header' | 'style'> {
  return {
    isPanel: true,
    header: html`<header class="brand">${
      hasLogo && logoUrl !== undefined ? html`<img src="${logoUrl}" alt="">` : undefined
    }<bdi>${name}</bdi></header>
`,
    style: toAccentStyle(accentColor),
  };
}

type Step = keyof typeof STEPS;

const STEPS = {
  choose: 'Choose your CRM',
  allow: 'Allow access',
  match: 'Match your fields',
} as const;

/** Where in the flow a page is. Nothing for a flow of one step. */
function toSteps({ purpose, providers, mapFields }: ConnectLink, step: Step): Markup | undefined {
  if (purpose !== 'CONNECT') return undefined;
  const steps: readonly Step[] = [
    ...(providers.length > 1 ? (['choose'] as const) : []),
    'allow',
    ...(mapFields ? (['match'] as const) : []),
  ];
  if (steps.length === 1) return undefined;
  return html`<ol class="steps" aria-label="Steps">
${steps.map(
  (one) => html`<li${one === step && html` aria-current="step"`}>${STEPS[one]}</li>
`,
)}</ol>
`;
}

function toAccentStyle(color: string | null): string | undefined {
  const text = color === null ? undefined : toTextColor(color);
  return text && `:root:root { --accent: ${color}; --on-accent: ${text} }`;
}

/**
 * The way back to the application. In a popup that would load the application into the small window, so its script
 * offers to close it instead, where the window can be closed.
 */
export function toWayBack(
  { link, application }: VisitedLink,
  { code, isSecondary = false }: { code?: string | undefined; isSecondary?: boolean } = {},
): Markup {
  const look = isSecondary ? 'button plain' : 'button';
  const back = html`<a class="${look}" href="${toReturnUrl(link, code)}" rel="noreferrer">Back to <bdi>${application.name}</bdi></a>`;
  if (link.mode === 'REDIRECT') return html`<p class="actions">${back}</p>`;
  return html`<div class="actions" id="popup-end">
<p>You can close this window.</p>
${back}
<button type="button"${isSecondary && html` class="plain"`} hidden>Close this window</button>
</div>`;
}

/** The result of a link, for the script that posts it to the page that opened the popup. */
export function toPopupResult(link: ConnectLink, { code, returnUrl }: PopupEnd = {}): Markup {
  const result = {
    type: 'crossbook:connect',
    connectLinkId: link.id,
    status: link.status,
    error: link.failure ?? undefined,
    code,
  };
  return html`<data id="popup-result" value="${JSON.stringify(result)}" data-origin="${new URL(link.returnUrl).origin}"${
    returnUrl === undefined ? undefined : html` data-return-url="${returnUrl}"`
  }></data>
`;
}

/**
 * Notifies the opener at the application's exact origin. The application's page then closes the popup; if the opener
 * is cut off or has navigated away, the popup returns by itself. Without a return URL it stays, so that it can be read.
 */
const POPUP = `const told = document.getElementById('popup-result');
const end = document.getElementById('popup-end');
if (told && opener) opener.postMessage(JSON.parse(told.value), told.dataset.origin);
if (told && told.dataset.returnUrl) setTimeout(() => location.replace(told.dataset.returnUrl), opener ? 1500 : 0);
if (end && opener) {
  const [text, back, close] = end.children;
  text.hidden = back.hidden = true;
  close.hidden = false;
  close.addEventListener('click', () => {
    window.close();
    text.hidden = false;
    close.hidden = true;
  });
}`;

export const POPUP_SCRIPTS = [POPUP] as const;
export const OFFER_SCRIPTS = [LOCAL_TIMES] as const;

/** A link as its pages show it. */
export interface ShownLink {
  readonly visited: VisitedLink;
  /** Where the logo of its application is. */
  readonly logoUrl: string | undefined;
}

interface PopupEnd {
  readonly code?: string | undefined;
  readonly returnUrl?: string;
}
