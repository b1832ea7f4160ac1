import { hash } from 'node:crypto';
import type { HttpResponse } from './http-message.ts';

/** Renders a page with security headers against scripts, foreign requests and framing. */
export function toPage({
  status = 200,
  title,
  body,
  head,
  script,
  headers,
  formAction = "'none'",
  isPopup,
}: PageParts): HttpResponse {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(script ? [`script-src 'nonce-${script.nonce}'`] : []),
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
${head}<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
${script && html`<script nonce="${script.nonce}">${new Markup(script.text)}</script>`}</body>
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

/** The style of all pages: follows the system's color scheme, one column, large touch targets. */
const STYLE = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #526172; --line: #c9d2dc; --paper: #fff; --tint: #f4f7fa; --blue: #1a56c4; --on-blue: #fff; --red: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf5; --soft: #a3b2c4; --line: #3a4756; --paper: #10161d; --tint: #17202a; --blue: #8ab6ff; --on-blue: #0b1420; --red: #ff9c93 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 34rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1.7rem; line-height: 1.25; letter-spacing: -.01em; margin: 0 0 .6rem }
h2 { font-size: 1.05rem; margin: 1.8rem 0 .5rem }
p { margin: .5rem 0 }
.soft { color: var(--soft) }
.names { font-size: 1.7rem; line-height: 1.3; font-weight: 700; margin: 1rem 0 }
.names span { display: block; font-size: 1rem; font-weight: 400; color: var(--soft) }
.error { color: var(--red); font-weight: 600 }
ul { padding-left: 1.2rem; margin: .5rem 0 }
form { border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; margin: 1rem 0 }
fieldset { border: 0; margin: 0 0 .8rem; padding: 0 }
legend { font-weight: 600; padding: 0; margin-bottom: .3rem }
label { display: block; padding: .35rem 0 }
input[type=radio] { width: 1.15rem; height: 1.15rem; margin: 0 .5rem 0 0; vertical-align: -.15rem; accent-color: var(--blue) }
input[type=text] { display: block; width: 100%; margin-top: .3rem; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--tint); border: 1px solid var(--soft); border-radius: .4rem }
button, a.go { display: block; width: 100%; padding: .75rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on-blue); background: var(--blue); border: 0; border-radius: .5rem; cursor: pointer }
a.go { margin-top: 1.4rem }
ul.cards { list-style: none; padding: 0; margin: 2rem 0; display: grid; gap: .8rem }
.cards form { border: 0; padding: 0; margin: 0 }
.card { display: block; padding: 1rem 1.2rem; border: 1px solid var(--line); border-radius: .6rem; background: none; color: inherit; font-weight: 400; text-align: left; text-decoration: none }
.card:hover { border-color: var(--blue) }
.card b { color: var(--blue) }
.card span { display: block; color: var(--soft); font-size: .95rem }
pre { background: var(--tint); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; font-size: .8rem }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px }
`;

const STYLE_HASH = hash('sha256', STYLE, 'base64');

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
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  return typeof value === 'string' ? escapeText(value) : value.map(toText).join('');
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

interface PageParts {
  readonly status?: number | undefined;
  readonly title: string;
  readonly body: Markup;
  readonly head?: Markup | undefined;
  /** A constant script of ours; values in it are escaped by the caller. */
  readonly script?: { readonly nonce: string; readonly text: string } | undefined;
  /** The CSP sources that a form may be sent or redirected to. Absent: none. */
  readonly formAction?: string | undefined;
  readonly isPopup?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type Value = string | Markup | readonly Markup[] | undefined;
