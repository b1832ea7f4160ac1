import type { HttpAnswer } from '../../lib/http-message.ts';
import { html, type Markup, raw } from '../markup.ts';
import { STYLE, STYLE_HASH } from './style.ts';

/** One page, with headers that let nothing in, nothing out, and nobody frame it. */
export function toPage({ status = 200, title, body, head, script, headers, ...more }: PageParts): HttpAnswer {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(script ? [`script-src 'nonce-${script.nonce}'`] : []),
    "base-uri 'none'",
    `form-action ${more.hasForm ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ];
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy.join('; '),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      // The page that opened a popup hears of its end only where nothing cuts the two apart.
      'cross-origin-opener-policy': more.isPopup ? 'unsafe-none' : 'same-origin',
      ...headers,
    },
    body: toDocument({ title, body, head, script }).text,
  };
}

function toDocument({
  title,
  body,
  head,
  script,
}: Pick<PageParts, 'title' | 'body' | 'head' | 'script'>): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
${script && html`<script nonce="${script.nonce}">${raw(script.text)}</script>`}</body>
</html>
`;
}

export interface PageParts {
  readonly status?: number | undefined;
  readonly title: string;
  readonly body: Markup;
  readonly head?: Markup | undefined;
  /** Text of ours: what is put into it was made safe for that. */
  readonly script?: { readonly nonce: string; readonly text: string } | undefined;
  readonly hasForm?: boolean | undefined;
  readonly isPopup?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
