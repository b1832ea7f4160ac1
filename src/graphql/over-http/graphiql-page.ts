import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';
import {
  EXAMPLE_PROVIDERS,
  PROVIDER_TITLES,
  type ProviderName,
} from '../../domain/provider-names.ts';
import { toEnumName } from '../../domain/shape.ts';
import type { HttpRequest, HttpResponse } from '../../lib/http-message.ts';
import { chooseEncoding, shareBytes } from '../../lib/response-body.ts';
import { type NamePrefixes, prefixOperation } from '../subgraph/to-subgraph.ts';

const TITLE = 'Crossbook';

/**
 * GraphiQL adds an empty tab unless the operation that it has stored is that of the active tab, and it stores none
 * before the first edit. It also writes the operation to the URL: after a reload it would open a second tab with it. A
 * link with an operation opens a tab with it, and with its variables, which GraphiQL does not read.
 */
const toRestore = (tabs: string) => `<script>
const address = new URLSearchParams(location.search);
if (performance.getEntriesByType('navigation')[0]?.type === 'reload') {
  history.replaceState(null, '', location.pathname);
  address.delete('query');
}
const query = address.get('query');
if (query !== null) localStorage['graphiql:tabState'] ??= JSON.stringify({ activeTabIndex: 0, tabs: ${tabs} });
const { tabs = [], activeTabIndex } = JSON.parse(localStorage['graphiql:tabState'] ?? '{}');
const active = tabs[activeTabIndex];
const opened = query === null || query === active?.query ? active : { query, variables: address.get('variables') };
for (const name of opened ? ['query', 'variables'] : []) localStorage['graphiql:' + name] = opened[name] ?? '';
</script>`;

/**
 * The documentation is open at first only where it leaves the editor room for the first operation. GraphiQL keeps this,
 * and what the user makes of it.
 */
const DOCUMENTATION = `<script>
if (innerWidth >= 1500) localStorage['graphiql:visiblePlugin'] ??= 'Documentation Explorer';
</script>`;

/**
 * Corrects GraphiQL's markup for screen readers. Its tabs contain other buttons, which tabs must not: they become a
 * list whose current entry is marked. The page gets a main region and a heading.
 */
const ROLES = `<script>
const mend = () => {
  document.querySelector('.graphiql-container')?.setAttribute('role', 'main');
  const logo = document.querySelector('.graphiql-logo');
  if (logo && logo.role !== 'heading') Object.assign(logo, { role: 'heading', ariaLevel: '1' });
  document.querySelector('.graphiql-tabs')?.setAttribute('role', 'list');
  const panel = document.getElementById('graphiql-session');
  if (panel) { panel.setAttribute('role', 'region'); panel.removeAttribute('aria-labelledby'); panel.ariaLabel = 'Operation'; }
  for (const tab of document.querySelectorAll('.graphiql-tab[aria-selected]')) {
    tab.setAttribute('role', 'listitem');
    tab.querySelector('.graphiql-tab-button').ariaCurrent = tab.getAttribute('aria-selected');
    tab.removeAttribute('aria-selected');
  }
};
addEventListener('DOMContentLoaded', () => {
  const watched = { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-selected', 'aria-labelledby'] };
  new MutationObserver(mend).observe(document.body, watched);
});
</script>`;

/**
 * In the demo, the first visit runs the first operation, so that a response is there from the start. A link with an
 * operation runs nothing: it may be a mutation.
 */
const FIRST_RUN = `<script>
if (!localStorage['graphiql:tabState'] && !new URLSearchParams(location.search).has('query')) {
  const run = setInterval(() => {
    const button = document.querySelector('.graphiql-execute-button');
    if (!button || !document.querySelector('.graphiql-query-editor .view-line span span')) return;
    clearInterval(run);
    button.click();
  }, 100);
}
</script>`;

/** The way home, outside of what GraphiQL renders. */
const HOME = `<style>
.to-home { position: fixed; left: 0; top: 104px; z-index: 20; display: grid; place-items: center; width: 60px; height: 44px; color: #3b4b68 }
.to-home:hover, .to-home:focus-visible { color: #1a56c4 }
@media (prefers-color-scheme: dark) { body:not(.graphiql-light) .to-home { color: #b7c2d7 } }
</style>
<script>
addEventListener('DOMContentLoaded', () => document.body.insertAdjacentHTML('beforeend',
  '<nav aria-label="Crossbook"><a class="to-home" href="./" title="Home page" aria-label="Home page"><svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" aria-hidden="true"><path d="M3 9.5 10 3l7 6.5V17h-4.5v-5h-5v5H3z"/></svg></a></nav>'));
</script>`;

/**
 * Disables a transform of GraphiQL that moves the focused tab under the pointer, so that a click hits nothing. Raises
 * contrasts to 4.5, and underlines links. The editor's messages for screen readers do not make the page scroll. `mtk8`
 * are comments in Monaco's dark theme.
 */
const CORRECTIONS = `<style>
.graphiql-tab { transform: none !important; flex: none }
.graphiql-tabs { overflow-x: auto; scrollbar-width: thin }
.graphiql-doc-explorer a { text-decoration: underline }
.graphiql-container, .graphiql-dialog { --alpha-secondary: .82; --alpha-tertiary: .82 }
@media (prefers-color-scheme: light) { body:not(.graphiql-dark) .graphiql-doc-explorer { --color-info: 208, 100%, 34%; --color-warning: 36, 100%, 26%; --color-success: 158, 60%, 27% } }
.monaco-editor .line-numbers { color: #6b7280 !important }
@media (prefers-color-scheme: dark) {
  body:not(.graphiql-light) .monaco-editor .line-numbers { color: #a3b1c1 !important }
  body:not(.graphiql-light) .monaco-editor .mtk8 { color: #7fb069 }
}
@media (max-width: 1100px) { .graphiql-logo { display: none } }
@media (min-width: 1001px) { body { overflow: hidden } }
</style>`;

/**
 * A layout for phones and tablets, which GraphiQL lacks: the documentation covers the editor, and on phones the result
 * goes below it.
 */
const NARROW = `<style>
@media (max-width: 1000px) {
  .graphiql-main { position: relative }
  .graphiql-plugin:not([style*='opacity: 0']) { position: absolute !important; inset: 0; z-index: 30; border: 0; background: hsl(var(--color-base)) }
  .graphiql-main > .graphiql-horizontal-drag-bar { display: none }
}
@media (max-width: 700px) {
  #graphiql-session { flex-direction: column !important }
  .graphiql-editors, .graphiql-response { width: 100%; min-width: 0; min-height: 0 }
}
</style>`;

/** Allows requests to this server only: the page includes its scripts, styles, fonts and workers. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves GraphiQL to browsers that open the endpoint. The page has 9 MB, so it is loaded lazily, built once, and sent
 * compressed only.
 */
export function createGraphiQLPage(options: GraphiQLOptions & NamePrefixes) {
  let made: Promise<readonly Page[]> | undefined;
  return {
    /** Undefined: the request is not for the page. Rejects with NOT_ACCEPTABLE if no compression is accepted. */
    answer(request: HttpRequest): Promise<HttpResponse> | undefined {
      if (!request.headers.get('accept')?.includes('text/html')) return undefined;
      made ??= makePages(options);
      return made.then((pages) => choosePage(pages, request));
    },
  };
}

function choosePage(pages: readonly Page[], { headers }: HttpRequest): HttpResponse {
  const chosen = chooseEncoding(headers.get('accept-encoding') ?? '');
  const page = pages.find(({ encoding }) => encoding === chosen);
  if (!page) throw new CrossbookError('NOT_ACCEPTABLE', COMPRESSED_ONLY);
  const isKnown = (headers.get('if-none-match') ?? '').includes(page.etag);
  return {
    status: isKnown ? 304 : 200,
    headers: toHeaders(page),
    body: isKnown ? null : page.body,
  };
}

const COMPRESSED_ONLY =
  'GraphiQL is only sent compressed: send Accept-Encoding: gzip or br. A proxy in between may have removed this header.';

async function makePages(page: GraphiQLOptions & NamePrefixes): Promise<readonly Page[]> {
  const { title = TITLE, typePrefix, rootFieldPrefix } = page;
  const headers = page.headers?.();
  const shown = JSON.stringify(headers ?? PLACEHOLDERS, null, 2);
  const tabs = listExampleOperations(page.returnUrl?.()).map(({ query, variables }) => ({
    query: prefixOperation(query, { typePrefix, rootFieldPrefix }),
    variables: JSON.stringify(variables, null, 2),
  }));
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const options = {
    title,
    defaultTabs: tabs.map((tab) => ({ ...tab, headers: shown })),
    defaultHeaders: shown,
    headers: shown,
    shouldPersistHeaders: false,
    inputValueDeprecation: true,
    schemaDescription: true,
    // Without a demo the key has to be filled in first.
    defaultEditorToolsVisibility: headers ? ('variables' as const) : ('headers' as const),
  };
  const html = renderGraphiQL(options);
  const plain = Buffer.from(
    html.replace(
      '</head>',
      (end) =>
        `${CORRECTIONS}${NARROW}${headers ? FIRST_RUN : ''}${toRestore(toStoredTabs(tabs))}${DOCUMENTATION}${ROLES}${HOME}${end}`,
    ),
  );
  const tag = hash('sha256', plain, 'base64url').slice(0, 22);
  // Level 5 takes a tenth of the time of the highest for nearly the same size.
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  return [
    {
      encoding: 'br',
      etag: `"${tag}-br"`,
      body: shareBytes(await promisify(brotliCompress)(plain, brotli)),
    },
    { encoding: 'gzip', etag: `"${tag}-gzip"`, body: shareBytes(await promisify(gzip)(plain)) },
  ];
}

/** The tabs as GraphiQL stores them, in a script: without headers, because they have the API key. */
function toStoredTabs(tabs: readonly { readonly query: string; readonly variables: string }[]) {
  const stored = tabs.map(({ query, variables }, index) => {
    const name = /^(?:query|mutation) (\w+)/m.exec(query)?.[1] ?? '';
    const id = `example-${index}`;
    return {
      id,
      title: name,
      operationName: name,
      query,
      variables,
      headers: null,
      response: null,
    };
  });
  return JSON.stringify(stored).replaceAll('<', '\\u003c');
}

function toHeaders({ encoding, etag }: Page): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept, accept-encoding',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'no-referrer',
    etag,
    'content-encoding': encoding,
  };
}

/** Headers for the user to fill in. */
const PLACEHOLDERS = { 'x-api-key': '', 'x-customer-id': '' };

export interface GraphiQLOptions {
  readonly title?: string;
  /** The headers of all tabs: the demo's key and customer. Undefined: there is no demo. */
  readonly headers?: () => Readonly<Record<string, string>> | undefined;
  /** The return URL of the example of a connect link: the demo's. Undefined: there is no demo. */
  readonly returnUrl?: () => string | undefined;
}

interface Page {
  readonly encoding: 'br' | 'gzip';
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The operations in GraphiQL's initial tabs, which work unchanged. A tab is named by its operation. */
export const listExampleOperations = (
  returnUrl = 'http://localhost:5173/connected',
): readonly ExampleOperation[] => [
  {
    query: `# Find a person in one CRM by their email address,
# with their companies and deals.
query FindInOneCrm {
  searchContacts(
    provider: ${toEnumName(EXAMPLE_PROVIDERS.first)}
    filter: { email: "ada@example.com" }
  ) {
    totalCount
    fetchedAt
    nodes {
      id
      remoteId
      firstName
      lastName
      lifecycleStage
      emailAddresses {
        emailAddress
        emailAddressType
      }
      companies {
        edges {
          isPrimary
          node {
            name
          }
        }
      }
      deals {
        nodes {
          name
          status
        }
      }
    }
  }
}
`,
    // GraphiQL does not fill in the first tab's variables.
    variables: {},
  },
  {
    query: `# Search all CRMs of a customer at once.
# ${PROVIDER_TITLES[EXAMPLE_PROVIDERS.unsearchable]} cannot be searched: its branch is null,
# with an error, and the other branches are unaffected.
query FindInAllCrms($filter: ContactFilter!) {
${Object.values(EXAMPLE_PROVIDERS).map(toBranch).join('')}}

fragment People on ContactConnection {
  totalCount
  nodes {
    id
    provider
    firstName
    lastName
    emailAddresses {
      emailAddress
    }
  }
}
`,
    variables: { filter: { email: 'ada@example.com' } },
  },
  {
    query: `# Page through all contacts of an email domain.
# For the next page, copy \`endCursor\` to the
# variable \`after\`.
query PageThroughADomain($after: String) {
  searchContacts(
    provider: ${toEnumName(EXAMPLE_PROVIDERS.second)}
    filter: { emailDomain: "example.com" }
    first: 5
    after: $after
  ) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      firstName
      lastName
    }
  }
}
`,
    variables: { after: null },
  },
  {
    query: `# Create a contact in the customer's CRM, or change
# the one with this address. The dry run says what
# would happen. To write it, set \`dryRun\` to false.
mutation WriteContact($dryRun: Boolean! = true) {
  upsertContacts(
    input: {
      provider: ${toEnumName(EXAMPLE_PROVIDERS.first)}
      dryRun: $dryRun
      records: [
        {
          email: "grace@example.org"
          changes: { firstName: "Grace", lastName: "Hopper" }
        }
      ]
    }
  ) {
    results {
      outcome
      remoteId
      changedFields
      problems {
        code
        message
        field
      }
    }
  }
}
`,
    variables: { dryRun: true },
  },
  {
    query: `# Create or update one of your customers, together
# with its connections. A token that you set here
# is sent to the real CRM.
mutation UpsertCustomer($input: UpsertCustomerInput!) {
  upsertCustomer(input: $input) {
    created
    customer {
      id
      customerId
      name
      version
      connections {
        providerName
        category
        status
        statusReason
      }
    }
  }
}
`,
    variables: {
      input: {
        customerId: 'acme',
        name: 'Acme Ltd',
        email: 'office@acme.example',
        connections: [
          // A provider without search, so that no later search sends the invented token anywhere.
          {
            provider: toEnumName(EXAMPLE_PROVIDERS.unsearchable),
            credentials: { token: { value: 'the-access-token' } },
          },
        ],
      },
    },
  },
  {
    query: `# Create a link with which a customer connects a CRM.
# Open its \`url\` in a browser: it leads to the CRM
# for consent, and then back to \`returnUrl\` with a
# \`code\`. \`confirmConnectLink\` redeems the code:
# until then, nothing is connected.
mutation ConnectACrm($input: CreateConnectLinkInput!) {
  createConnectLink(input: $input) {
    url
    link {
      id
      status
      expiresAt
    }
  }
}
`,
    variables: {
      input: {
        customerId: 'demo',
        providers: [toEnumName(EXAMPLE_PROVIDERS.first)],
        returnUrl,
      },
    },
  },
];

/** The search of one CRM, under its name. */
function toBranch(provider: ProviderName): string {
  return `  ${provider}: searchContacts(provider: ${toEnumName(provider)}, filter: $filter) {
    ...People
  }
`;
}

interface ExampleOperation {
  readonly query: string;
  readonly variables: object;
}
