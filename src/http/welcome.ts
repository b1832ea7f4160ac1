import { isIPv6 } from 'node:net';
import { EXAMPLE_PROVIDERS, PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { COPY_BUTTONS } from '../lib/design.ts';
import { html, type Markup, toPage } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';

/** The URL at which a browser on this machine reaches the listener. */
export function toReachableUrl(host: string, port: number): string {
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The startup message: the URL, and the demo's credentials. */
export function formatStartupMessage({
  url,
  demo,
  hasGraphiQL,
  hasMcp,
  agentToken,
  consoleKey,
  notes,
}: Welcome): string {
  const lines = [
    '',
    `  Crossbook is ready at ${url}`,
    '',
    hasGraphiQL
      ? `  GraphiQL   ${url}/graphql`
      : `  GraphQL    ${url}/graphql   (without GraphiQL)`,
    `  REST       ${url}/docs`,
    // The fragment of a URL is not sent to the server.
    ...(consoleKey === undefined
      ? []
      : [`  Console    ${url}/console${consoleKey && `#key=${consoleKey}`}`]),
    ...(hasMcp ? [`  MCP        ${url}/mcp   (agents: docs/agents.md)`] : []),
    ...(demo
      ? [
          `  API key    ${demo.key}   (demo application, customer "${demo.customerId}"; also on the home page)`,
        ]
      : []),
    ...(agentToken && demo
      ? [
          `  MCP token  on the home page, in a command for agents (customer "${demo.customerId}", for 24 hours)`,
        ]
      : []),
    ...notes.map((note) => `  ${note}`),
    '',
    ...(demo ? ['  Try it:', '', toDemoCommand(url, demo), ''] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * A `curl` command for a first query, ready to paste. It is REST where GraphQL takes only trusted documents, which the
 * query is not.
 */
export function toDemoCommand(
  url: string,
  { key, customerId, takesAnyQuery = true, rootFieldPrefix = '' }: Demo,
  provider: ProviderName = EXAMPLE_PROVIDERS.first,
): string {
  const filter = { email: 'ada@example.com' };
  const query = `{ ${rootFieldPrefix}searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName lastName emailAddresses { emailAddress } } } }`;
  return [
    `curl -s ${url}${takesAnyQuery ? '/graphql' : '/contacts/_search'}`,
    `-H 'content-type: application/json'`,
    `-H 'x-api-key: ${key}'`,
    `-H 'x-customer-id: ${customerId}'`,
    `-H 'x-provider-name: ${provider}'`,
    `-d '${JSON.stringify(takesAnyQuery ? { query } : { filter })}'`,
  ].join(' \\\n  ');
}

/** What the command prints, with line breaks. Undefined for the longer one of REST. */
export function toDemoResponse({
  takesAnyQuery = true,
  rootFieldPrefix = '',
}: Demo): string | undefined {
  const addresses = [
    'ada@example.com',
    'ada@analytical.example',
    'ada.lovelace@analytical.example',
    'countess@example.org',
  ];
  const emailAddresses = addresses.map((emailAddress) => ({ emailAddress }));
  const nodes = [{ firstName: 'Ada', lastName: 'Lovelace', emailAddresses }];
  const response = { data: { [`${rootFieldPrefix}searchContacts`]: { nodes } } };
  return takesAnyQuery
    ? JSON.stringify(response, null, 2).replace(SHORT_OBJECT, '{ $1 }')
    : undefined;
}

/** Objects of one member, which fit into one line. */
const SHORT_OBJECT = /\{\s+("emailAddress": "[^"]*")\s+\}/g;

/** The command that adds the MCP server to Claude Code, ready to paste. */
export function toAgentCommand(url: string, token: string): string {
  return [
    `claude mcp add --transport http crossbook ${url}/mcp`,
    `--header "Authorization: Bearer ${token}"`,
  ].join(' \\\n  ');
}

/** The demo's headers, as GraphiQL sends them. Undefined: there is no demo. */
export function toDemoHeaders(demo: Demo | undefined): Record<string, string> | undefined {
  return demo && { 'x-api-key': demo.key, 'x-customer-id': demo.customerId };
}

interface Welcome {
  readonly url: string;
  readonly demo: Demo | undefined;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly hasGraphiQL: boolean;
  /** Whether there is an MCP server. */
  readonly hasMcp: boolean;
  /** A customer token for agents; only the demo has one. */
  readonly agentToken: string | undefined;
  /** The admin key of the demo, for its console. Empty: operators have their own. Undefined: there is no console. */
  readonly consoleKey: string | undefined;
  /** Notes for the operator, such as the path of a new key file. */
  readonly notes: readonly string[];
}

/** The demo application's key and customer. */
export interface Demo {
  readonly key: string;
  readonly customerId: string;
  /** False: GraphQL takes only trusted documents. */
  readonly takesAnyQuery?: boolean | undefined;
  /** The prefix of the fields of `Query`. */
  readonly rootFieldPrefix?: string | undefined;
}

/** The home page for browsers: one step after another, from a first contact to the guides. */
export function renderHomePage({
  version,
  basePath,
  tryIt,
  connectAgent,
  connectsAt,
  hasGraphiQL,
}: HomeOptions): HttpResponse {
  return toPage({
    title: 'Crossbook',
    style: HOME_STYLE,
    scripts: [COPY_BUTTONS],
    body: html`<h1>Crossbook</h1>
<p class="soft">One API over the CRMs of your customers. Name a customer and a CRM, and find the contacts in one common shape.</p>
<ol class="path">
${
  tryIt &&
  html`<li>
<h2>Find a contact</h2>
<p>In a terminal, with the key of the demo application and a simulated ${PROVIDER_TITLES[EXAMPLE_PROVIDERS.first]}:</p>
${toSample(tryIt.command)}
${
  tryIt.response !== undefined &&
  html`<p class="soft small">The response:</p>
<pre tabindex="0">${tryIt.response}</pre>`
}
${hasGraphiQL && html`<p><a class="button" href="${basePath}/graphql">Run it in GraphiQL</a></p>`}
</li>
`
}${
  connectsAt &&
  html`<li>
<h2>Connect a CRM, as your customers will</h2>
<p>See what your customers see: a link, the consent page of a (simulated) CRM, the matching of fields, and your application again.</p>
<form method="post" action="${basePath}/demo/connect"><button>Connect a CRM</button></form>
</li>
`
}<li>
<h2>Build</h2>
<dl class="links">
${toLink(`${basePath}/guides`, 'Guides', 'A tutorial, then a page for each task, with search.')}${
  hasGraphiQL &&
  toLink(`${basePath}/graphql`, 'GraphiQL', 'Operations that are ready to run, and the schema.')
}${toLink(`${basePath}/docs`, 'REST reference', 'Every operation, ready to try.')}${toLink(`${basePath}/openapi.json`, 'OpenAPI', 'The REST operations as a document for tools.')}</dl>
${
  connectAgent &&
  html`<details id="agents"><summary>Connect an agent</summary>
<p>This command adds the demo customer’s contacts to Claude Code; other MCP clients take the same URL and header. The token may search and list contacts, and expires 24 hours after the start.</p>
${toSample(connectAgent)}
</details>
`
}</li>
</ol>
<p class="soft small">Version ${version}</p>`,
    // The CSP also limits where the redirect of a form may lead.
    formAction: connectsAt && `'self' ${new URL(connectsAt).origin}`,
  });
}

const HOME_STYLE = `main { max-width: 46rem }
.path { margin: 1.5rem 0; padding: 0; list-style: none; counter-reset: step }
.path > li { position: relative; margin: 0 0 2.25rem; padding-left: 3rem; counter-increment: step }
.path > li::before { content: counter(step); position: absolute; left: 0; top: -.1rem; width: 2rem; height: 2rem; border: 1px solid var(--edge); border-radius: 50%; background: var(--paper); line-height: 1.9rem; text-align: center; font-weight: 600 }
.path h2 { margin: 0 0 .35rem; font-size: 1.2rem }
main .path form { margin: 0 }
main .path form > button { display: inline-block; width: auto }
.links { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: .5rem 0 1rem }
.links dt { font-weight: 600 }
.links dd { margin: 0; color: var(--soft) }
summary { cursor: pointer; font-weight: 600; color: var(--link) }
@media (max-width: 34rem) { .path > li { padding-left: 0 } .path > li::before { position: static; display: block; margin-bottom: .5rem } .links { grid-template-columns: 1fr; gap: 0 } .links dd { margin-bottom: .5rem } }`;

function toSample(command: string): Markup {
  return html`<div class="copied"><pre tabindex="0">${command}</pre></div>`;
}

function toLink(url: string, title: string, about: string): Markup {
  return html`<dt><a href="${url}">${title}</a></dt>
<dd>${about}</dd>
`;
}

interface HomeOptions {
  readonly version: string;
  /** The path of the public URL. */
  readonly basePath: string;
  /** A command ready to paste, and what it prints; only the demo has one. */
  readonly tryIt: { readonly command: string; readonly response: string | undefined } | undefined;
  /** A command that connects an agent, ready to paste; only the demo has one. */
  readonly connectAgent: string | undefined;
  /** The URL of connect links, where the demo can create one. */
  readonly connectsAt: string | undefined;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly hasGraphiQL: boolean;
}
