import { DESIGN, ICON, toSource } from './design.ts';
import type { HttpResponse } from './http-message.ts';

/**
 * Renders a page with security headers against foreign requests and framing, and against any script but the given
 * constants.
 */
export function toPage({
  status = 200,
  title,
  body,
  head,
  header,
  footer,
  isPanel = false,
  style = '',
  scripts = [],
  headers,
  formAction = "'none'",
  isPopup,
}: PageParts): HttpResponse {
  const styles = [PAGE_STYLE, style].filter((one) => one !== '');
  const policy = [
    "default-src 'none'",
    `style-src ${styles.map(sourceOf).join(' ')}`,
    "img-src 'self' data:",
    ...(scripts.length > 0 ? [`script-src ${scripts.map(sourceOf).join(' ')}`] : []),
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${head}${styles.map((one) => html`<style>${new Markup(one)}</style>`)}
</head>
<body${isPanel && html` class="panel"`}>
${
  isPanel &&
  html`<div class="sheet">
`
}${header}<main>
${body}
</main>
${footer}${
  isPanel &&
  html`</div>
`
}${scripts.map((one) => html`<script>${new Markup(one)}</script>`)}
</body>
</html>
`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      // A popup must keep its opener, which is notified of the end.
      'cross-origin-opener-policy': isPopup ? 'unsafe-none' : 'same-origin',
      ...headers,
    },
    body: page.text,
  };
}

/** One column, with buttons as wide as it. */
const PAGE_STYLE = `${DESIGN}
main, .brand { max-width: 38rem; margin: 0 auto; padding: 0 1.25rem }
main { padding-top: 2rem; padding-bottom: 4rem }
.brand { display: flex; align-items: center; gap: .75rem; padding-top: 1.5rem; font-weight: 600 }
.brand img { display: block; max-width: 10rem; max-height: 2.5rem; border-radius: .3rem }
@media (prefers-color-scheme: dark) { .brand img { padding: .35rem .5rem; border-radius: .5rem; background: #f5f7f9 } }
.brand + main { padding-top: 1.25rem }
main form, .actions { margin: 1.25rem 0 }
main form > button:not(.card), .actions > .button, .actions > button { display: block; width: 100%; margin-top: .75rem }
.facts { display: grid; gap: .25rem 1rem; margin: 1rem 0; padding: 1rem 1.25rem; background: var(--paper); border: 1px solid var(--line); border-radius: var(--round) }
.facts dt { color: var(--soft); font-size: .875rem }
.facts dd { margin: 0; font-weight: 600 }
.facts dd + dt { margin-top: .5rem }
.names dd { font-size: 1.4rem; line-height: 1.3 }
ul { margin: .5rem 0; padding-left: 1.2rem }
li { margin: .25rem 0 }
.cards { display: grid; gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none }
.cards li, main .cards form { margin: 0 }
.cards form { height: 100% }
.cards .card { width: 100%; height: 100% }
.card span { display: block; color: var(--soft); font-size: .95rem }
.choice { grid-template-columns: 1fr }
.choice .card { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: 1.1rem 1.25rem; font-size: 1.05rem; font-weight: 600 }
.choice .card::after { content: '›'; color: var(--soft); font-size: 1.5rem; line-height: 1 }
@media (min-width: 34rem) { .cards:not(.choice) { grid-template-columns: 1fr 1fr } }
.logins { margin: 1.5rem 0 }
.logins legend { margin-bottom: .35rem }
.logins label { padding: .4rem 0 }
.logins .own { padding: .2rem 0 .4rem 1.7rem }
.logins:has(.own-login):not(:has(.own-login:checked)) .own { display: none }
.steps { display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; margin: 0 0 1rem; padding: 0; list-style: none; counter-reset: step; color: var(--soft); font-size: .875rem }
.steps li { margin: 0; counter-increment: step }
.steps li::before { content: counter(step); display: inline-block; width: 1.5rem; height: 1.5rem; margin-right: .5rem; border: 1px solid var(--edge); border-radius: 50%; line-height: 1.4rem; text-align: center; font-size: .8rem }
.steps li[aria-current] { color: var(--ink); font-weight: 600 }
.steps li[aria-current]::before { color: var(--on-accent); background: var(--accent); border-color: var(--edge) }
.foot { max-width: 38rem; margin: 0 auto; padding: 0 1.25rem 2rem; color: var(--soft); font-size: .875rem }
.sheet main { padding-bottom: 2rem }
.sheet main a:not(.button, .card) { color: var(--ink) }
.sheet input[type=radio] { accent-color: var(--accent) }
@media (min-width: 44rem) {
  .panel { min-height: 100vh; display: grid; place-items: center; padding: 2rem 1rem }
  .sheet { width: 100%; max-width: 36rem; padding: .5rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 1px 2px #0000000d, 0 12px 32px #0000001a }
  .panel .facts { background: var(--ground) }
}
.field { margin: 0; padding: 1rem 0; border-top: 1px solid var(--line) }
.field > label { font-weight: 600 }
.field p { margin: .15rem 0 .4rem }
.field select { margin-top: .15rem }
.field [type=search] { display: block; width: 100%; margin: .15rem 0 .4rem }
#matched { font-weight: 600 }
.field .samples { margin: .4rem 0 0; color: var(--soft); font-size: .875rem }
`;

/** Hashes are computed once for constants. Those of styles with an application's color are few and short. */
const sources = new Map<string, string>();
function sourceOf(text: string): string {
  const known = sources.get(text) ?? toSource(text);
  if (sources.size >= MAX_SOURCES) sources.clear();
  sources.set(text, known);
  return known;
}

const MAX_SOURCES = 100;

/** An HTML template tag that escapes all values except HTML. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

/** HTML that is not escaped again. Created only from constants of this program. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function toText(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  return typeof value === 'string' ? escapeText(value) : value.map(toText).join('');
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export interface PageParts {
  readonly status?: number | undefined;
  readonly title: string;
  readonly body: Markup;
  readonly head?: Markup | undefined;
  /** What stands above the page, such as the application's logo. */
  readonly header?: Markup | undefined;
  /** What stands below the page. */
  readonly footer?: Markup | undefined;
  /** A panel in the middle of the window, for one step of a flow. */
  readonly isPanel?: boolean | undefined;
  /** A style in addition to the design. */
  readonly style?: string | undefined;
  /** Constant scripts: what varies is in attributes of the body, which are escaped. */
  readonly scripts?: readonly string[] | undefined;
  /** The CSP sources that a form may be sent or redirected to. Absent: none. */
  readonly formAction?: string | undefined;
  readonly isPopup?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** `false` is nothing, as `undefined` is. */
type Value = string | Markup | readonly Markup[] | false | undefined;
