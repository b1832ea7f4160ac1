import { createHash } from 'node:crypto';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** Ready to be sent where there is a demo: everything that has to be filled in is. */
export function renderPage(demo: DocsDemo | undefined): string {
  const given = demo && {
    'x-api-key': demo.key,
    'x-customer-id': demo.customerId,
    'x-provider-name': 'hubspot',
    customer_id: demo.customerId,
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Crossbook REST API</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main id="page" data-given="${toAttribute(JSON.stringify(given ?? {}))}"><p>Reading the document…</p></main>
<noscript>This page needs JavaScript. The document itself is at <a href="openapi.json">openapi.json</a>.</noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function toAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Nothing but the page's own style and script runs, and nothing but this server is asked. */
export const POLICY = [
  "default-src 'none'",
  `script-src ${toSource(SCRIPT)}`,
  `style-src ${toSource(STYLE)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function toSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export interface DocsDemo {
  readonly key: string;
  readonly customerId: string;
}
