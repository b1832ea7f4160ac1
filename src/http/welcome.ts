import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { ProviderName } from '../domain/provider-names.ts';
import type { HttpResponse } from '../lib/http-message.ts';

/** The URL at which a browser on this machine reaches the listener. */
export function toReachableUrl(host: string, port: number): string {
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The startup message: the URL, and the demo's credentials. */
export function formatStartupMessage({ url, demo, notes }: Welcome): string {
  const lines = [
    '',
    `  Crossbook is ready at ${url}`,
    '',
    `  GraphiQL   ${url}/graphql`,
    `  REST       ${url}/docs`,
    ...(demo ? [`  API key    ${demo.key}   (demo application, customer "${demo.customerId}")`] : []),
    ...notes.map((note) => `  ${note}`),
    '',
    ...(demo ? ['  Try it:', '', toDemoCommand(url, demo), ''] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** A `curl` command for a first query, ready to paste. */
export function toDemoCommand(
  url: string,
  { key, customerId }: Demo,
  provider: ProviderName = 'hubspot',
): string {
  const query =
    '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName lastName emailAddresses { emailAddress } } } }';
  return [
    `curl -s ${url}/graphql`,
    `-H 'content-type: application/json'`,
    `-H 'x-api-key: ${key}'`,
    `-H 'x-customer-id: ${customerId}'`,
    `-H 'x-provider-name: ${provider}'`,
    `-d '${JSON.stringify({ query })}'`,
  ].join(' \\\n  ');
}

/** The demo's headers, as GraphiQL sends them. */
export function toDemoHeaders(demo: Demo | undefined): Record<string, string> {
  return demo ? { 'x-api-key': demo.key, 'x-customer-id': demo.customerId } : {};
}

interface Welcome {
  readonly url: string;
  readonly demo: Demo | undefined;
  /** Notes for the operator, such as the path of a new key file. */
  readonly notes: readonly string[];
}

/** The demo application's key and customer. */
export interface Demo {
  readonly key: string;
  readonly customerId: string;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #5b6b7d; --line: #dfe5ec; --paper: #fff; --tint: #f4f7fa; --blue: #1f5fd0 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf5; --soft: #93a4b8; --line: #2b3643; --paper: #10161d; --tint: #17202a; --blue: #7fb0ff }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 4rem 1.5rem }
h1 { font-size: 2.4rem; letter-spacing: -.02em; margin: 0 }
p.lead { font-size: 1.2rem; color: var(--soft); margin: .3rem 0 2.2rem }
ul { list-style: none; padding: 0; margin: 0 0 2.2rem; display: grid; gap: .8rem }
.card { display: block; width: 100%; padding: 1rem 1.2rem; border: 1px solid var(--line); border-radius: .6rem; background: none; color: inherit; font: inherit; text-align: left; text-decoration: none; cursor: pointer }
.card:hover, .card:focus { border-color: var(--blue) }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px }
.card b { color: var(--blue) }
.card span { display: block; color: var(--soft); font-size: .95rem }
pre { background: var(--tint); border-radius: .6rem; padding: 1rem 1.2rem; overflow-x: auto; font-size: .85rem; line-height: 1.5 }
h2 { font-size: 1.1rem; margin: 2rem 0 .6rem }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The home page for browsers: what this is and where to go. */
export function renderHomePage({ version, tryIt, connectsAt }: HomeOptions): HttpResponse {
  // The CSP directive `form-action` also limits where the redirect of a form may lead.
  const formAction = connectsAt === undefined ? "'none'" : `'self' ${connectsAt}`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossbook</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Crossbook</h1>
<p class="lead">One API over the CRMs of your customers: name a customer and a CRM, find the contacts in one common shape.</p>
<ul>
<li><a class="card" href="/graphql"><b>GraphQL</b> <code>/graphql</code><span>The query page, with operations that are ready to run.</span></a></li>${connectsAt === undefined ? '' : CONNECT}
<li><a class="card" href="/docs"><b>REST</b> <code>/docs</code><span>The same operations, described and ready to try.</span></a></li>
<li><a class="card" href="/openapi.json"><b>OpenAPI</b> <code>/openapi.json</code><span>The same operations, as REST.</span></a></li>
</ul>
${tryIt === undefined ? '' : `<h2>Or from a terminal</h2>\n<pre tabindex="0">${escapeHtml(tryIt)}</pre>`}
<p class="lead">Version ${escapeHtml(version)}</p>
</main>
</body>
</html>
`,
  };
}

/** A form instead of a link, so that crawlers and prefetching create nothing. */
const CONNECT = `
<li><form method="post" action="/demo/connect"><button class="card"><b>Connect a CRM</b><span>The way that your customers go: a link, their consent, and back. Both sides are imitated here.</span></button></form></li>`;

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface HomeOptions {
  readonly version: string;
  /** A command ready to paste; only the demo has one. */
  readonly tryIt: string | undefined;
  /** The origin of connect links, where the demo can create one. */
  readonly connectsAt: string | undefined;
}
