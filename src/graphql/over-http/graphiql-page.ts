import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';
import type { HttpRequest, HttpResponse } from '../../lib/http-message.ts';
import { chooseEncoding, shareBytes } from '../../lib/json-body.ts';
import { prefixOperation, type TypeNames } from '../subgraph/to-subgraph.ts';

const TITLE = 'Crossbook';

/**
 * GraphiQL stores the operation in the URL for sharing. After a reload it would open a second tab with it, so the URL
 * is cleared.
 */
const RELOAD = `<script>
if (performance.getEntriesByType('navigation')[0]?.type === 'reload') history.replaceState(null, '', location.pathname);
</script>`;

/** Disables a transform of GraphiQL that moves the focused tab under the pointer, so that a click hits nothing. */
const ONE_CLICK = '<style>.graphiql-tab { transform: none !important }</style>';

/**
 * A layout for phones, which GraphiQL lacks: the result goes below the editor, and the documentation is hidden on
 * narrow screens.
 */
const NARROW = `<style>
@media (max-width: 700px) {
  .graphiql-plugin, .graphiql-horizontal-drag-bar { display: none !important }
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
export function createGraphiQLPage(options: GraphiQLOptions & TypeNames) {
  let made: Promise<readonly Page[]> | undefined;
  return {
    /** Undefined: the request is not for the page. Rejects with NOT_ACCEPTABLE where no compression is accepted. */
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

async function makePages(page: GraphiQLOptions & TypeNames): Promise<readonly Page[]> {
  const { title = TITLE, headers = PLACEHOLDERS, typePrefix = '' } = page;
  const shown = JSON.stringify(headers, null, 2);
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const options = {
    title,
    defaultTabs: EXAMPLE_OPERATIONS.map(({ query, variables }) => ({
      query: prefixOperation(query, typePrefix),
      variables: JSON.stringify(variables, null, 2),
      headers: shown,
    })),
    defaultHeaders: shown,
    headers: shown,
    shouldPersistHeaders: false,
    inputValueDeprecation: true,
    schemaDescription: true,
    defaultEditorToolsVisibility: 'headers' as const,
    // A GraphiQL option that Yoga does not type.
    visiblePlugin: 'Documentation Explorer',
  };
  const html = renderGraphiQL(options);
  const plain = Buffer.from(
    html.replace('</head>', (end) => `${ONE_CLICK}${NARROW}${RELOAD}${end}`),
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
  /** The headers of all tabs: the demo's key and customer, where there is a demo. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface Page {
  readonly encoding: 'br' | 'gzip';
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The operations in GraphiQL's initial tabs, which work unchanged. A tab is named by its operation. */
export const EXAMPLE_OPERATIONS: readonly ExampleOperation[] = [
  {
    query: `# Find a person in one CRM by their email address.
query FindInOneCrm {
  searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) {
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
      associations(to: [COMPANY]) {
        object
        remoteId
      }
    }
  }
}
`,
    // GraphiQL does not fill in the first tab's variables.
    variables: {},
  },
  {
    query: `# Ask all CRMs of a customer at once. Pipedrive cannot be searched: its branch is null, with an error that
# says so, and the rest of the answer stands.
query FindInAllCrms($filter: ContactFilter!) {
  hubspot: searchContacts(provider: HUBSPOT, filter: $filter) {
    ...People
  }
  salesforce: searchContacts(provider: SALESFORCE, filter: $filter) {
    ...People
  }
  pipedrive: searchContacts(provider: PIPEDRIVE, filter: $filter) {
    ...People
  }
}

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
    query: `# Page through everybody of an email domain: put \`endCursor\` into the variable \`after\` for the next page.
query PageThroughADomain($after: String) {
  searchContacts(provider: SALESFORCE, filter: { emailDomain: "example.com" }, first: 5, after: $after) {
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
    query: `# Create or update one of your customers, together with its connections.
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
          { providerName: 'PIPEDRIVE', credentials: { token: { value: 'the-access-token' } } },
        ],
      },
    },
  },
  {
    query: `# A link for one of your customers: opened in a browser, it leads to the CRM for consent, and then back to \`returnUrl\`.
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
        providers: ['HUBSPOT'],
        returnUrl: 'http://localhost:5173/connected',
      },
    },
  },
];

interface ExampleOperation {
  readonly query: string;
  readonly variables: object;
}
