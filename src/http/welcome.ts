import { isIPv6 } from 'node:net';
import type { ProviderName } from '../domain/provider-names.ts';
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
  provider: ProviderName = 'hubspot',
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

/** The home page for browsers: what this is and where to go. */
export function renderHomePage({
  version,
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
<ul class="cards">
${hasGraphiQL && GRAPHIQL}${connectsAt && CONNECT}<li><a class="card" href="/docs"><b>REST</b> <code>/docs</code><span>The reference, with every operation ready to try.</span></a></li>
<li><a class="card" href="/openapi.json"><b>OpenAPI</b> <code>/openapi.json</code><span>The REST operations as a document for tools.</span></a></li>
${connectAgent && AGENTS}</ul>
${tryIt && html`<h2>Try it in a terminal</h2>\n${toSample(tryIt)}`}
${connectAgent && html`<h2 id="agents">Connect an agent</h2>\n${toSample(connectAgent)}\n<p class="soft">For Claude Code; other MCP clients take the same URL and header. The token reads the demo customer’s contacts, and expires 24 hours after the start.</p>`}
<p class="soft">Version ${version}</p>`,
    // The CSP also limits where the redirect of a form may lead.
    formAction: connectsAt && `'self' ${connectsAt}`,
  });
}

const HOME_STYLE = 'main { max-width: 46rem }';

function toSample(command: string): Markup {
  return html`<div class="copied"><pre tabindex="0">${command}</pre></div>`;
}

const GRAPHIQL = html`<li><a class="card" href="/graphql"><b>GraphQL</b> <code>/graphql</code><span>GraphiQL, with operations that are ready to run.</span></a></li>
`;

/** A form instead of a link, so that crawlers and prefetching create nothing. */
const CONNECT = html`<li><form method="post" action="/demo/connect"><button class="card"><b>Connect a CRM</b><span>Try your customers’ flow: link, consent, fields, return. The CRM is simulated.</span></button></form></li>
`;

const AGENTS = html`<li><a class="card" href="#agents"><b>Agents</b> <code>/mcp</code><span>The contacts of one customer, for Claude and every other MCP client.</span></a></li>
`;

interface HomeOptions {
  readonly version: string;
  /** A command ready to paste; only the demo has one. */
  readonly tryIt: string | undefined;
  /** A command that connects an agent, ready to paste; only the demo has one. */
  readonly connectAgent: string | undefined;
  /** The origin of connect links, where the demo can create one. */
  readonly connectsAt: string | undefined;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly hasGraphiQL: boolean;
}
