import type { RequestWork } from '../../admission/work.ts';
import type { BrandingStore } from '../../domain/branding.ts';
import type { ConnectFailure } from '../../domain/connect-failure.ts';
import type { ConnectLink } from '../../domain/connect-link.ts';
import { toCrossbookError } from '../../domain/errors.ts';
import { toTitle } from '../../domain/field-matching.ts';
import {
  PROVIDER_TITLES,
  type ProviderName,
  toExampleSources,
} from '../../domain/provider-names.ts';
import { RECORD_TYPES } from '../../domain/records/record-type.ts';
import type { RequestState } from '../../domain/request-state.ts';
import { COPY_BUTTONS } from '../../lib/design.ts';
import { html, type Markup, toPage } from '../../lib/html.ts';
import type { HttpRequest, HttpResponse } from '../../lib/http-message.ts';
import { type UpsertDeps, upsertCustomer } from '../../usecases/change-customers.ts';
import {
  type ConfirmLinkDeps,
  type CreateLinkDeps,
  confirmConnectLink,
  createConnectLink,
  type FindLinkDeps,
  findConnectLink,
  linkNotFound,
} from '../../usecases/connect-link.ts';
import { readCustomFields, setCustomFields } from '../../usecases/declare-custom-fields.ts';
import { searchContacts } from '../../usecases/search-contacts.ts';
import { type ConnectPages, readFields } from '../connect-pages.ts';
import { toBrand } from '../frame.ts';
import { toProblemPage, toRedirect } from '../pages.ts';
import { FAILURES } from '../texts.ts';

/**
 * The application's part in a connect link, played by the demo: its home page requests a link, its return page
 * redeems the code and searches. There is no authentication, so it exists only with the sandbox, where only loopback
 * is served. Changes require a same-origin form.
 */
export function withDemo(pages: ConnectPages, deps: DemoDeps): ConnectPages {
  const routes: Readonly<Record<string, Readonly<Record<string, ShowPage>>>> = {
    [BEGIN]: { POST: begin },
    [DEMO_RETURN]: { GET: show, POST: confirm },
  };
  return {
    ...pages,
    paths: new RegExp(`${pages.paths.source}|^(?:${Object.keys(routes).join('|')})$`),
    findRoute: (pathname) => (pathname in routes ? pathname : pages.findRoute(pathname)),
    async answer(request, state, work) {
      const works = routes[request.pathname];
      if (!works) return pages.answer(request, state, work);
      state.requestLog.record({ api: 'connect' });
      try {
        if (request.method === 'POST' && !isFromSameOrigin(request))
          return toProblemPage('WRONG_SITE');
        const page = works[request.method];
        if (!page)
          return { status: 405, headers: { allow: Object.keys(works).join(', ') }, body: null };
        return await page(deps.open(state, work), request);
      } catch (thrown) {
        return pages.toErrorResponse(toCrossbookError(thrown), state);
      }
    },
  };

  /** Uses a separate customer, so that the demo's customer keeps its contacts. */
  async function begin(context: DemoContext): Promise<HttpResponse> {
    await upsertCustomer(context, CUSTOMER);
    await declareFields(context);
    const { url } = await createConnectLink(context, {
      customerId: CUSTOMER.customerId,
      providers: deps.listProviders(),
      returnUrl: `${context.connecting.publicUrl() ?? ''}${DEMO_RETURN}`,
      // A repeated run may choose another account.
      allowAccountChange: true,
      records: RECORD_TYPES,
      access: 'READ_WRITE',
      mapFields: true,
    });
    return toRedirect(url);
  }

  async function confirm(context: DemoContext, request: HttpRequest): Promise<HttpResponse> {
    const pairs = readFields(request);
    const id = pairs.get('connect_link_id') ?? '';
    await confirmConnectLink(context, { id, code: pairs.get('code') ?? '' });
    return toRedirect(
      `${deps.basePath()}${DEMO_RETURN}?${new URLSearchParams({ connect_link_id: id })}`,
    );
  }

  async function show(context: DemoContext, { url }: HttpRequest): Promise<HttpResponse> {
    const id = url.searchParams.get('connect_link_id') ?? '';
    const link = await findConnectLink(context, { id });
    if (![CUSTOMER.customerId, ...deps.customerIds].includes(link.customerId)) throw linkNotFound();
    const brand = await toDemoBrand(context, link);
    const code = url.searchParams.get('code');
    if (link.status === 'AWAITING_CONFIRMATION' && code !== null)
      return toConfirmPage({ id, code, brand, deps });
    if (link.status !== 'COMPLETED' || link.providerName === null)
      return toNotConnectedPage(link.failure, { brand, deps });
    const found = await findSomebody(context, link);
    return toConnectedPage({
      provider: link.providerName,
      found,
      customerId: link.customerId,
      brand,
      deps,
    });
  }

  /** The pages that the application would have look like those of its links. */
  async function toDemoBrand({ connecting }: DemoContext, { id }: ConnectLink): Promise<Brand> {
    const { displayName, accentColor, logo } = await deps.readBranding();
    const name = displayName ?? deps.applicationName;
    const logoUrl = `${deps.basePath()}/connect/${connecting.linkTokens.sign(id)}/logo`;
    return toBrand({ name, accentColor, hasLogo: logo !== null }, logoUrl);
  }
}

/** Fields for a customer to match, unless somebody has declared others. */
async function declareFields(context: DemoContext): Promise<void> {
  const record = 'CONTACT';
  const { version } = await readCustomFields(context, record);
  if (version === 0)
    await setCustomFields(context, { record, definitions: FIELDS, typedSchema: true });
}

/** Those of the example app, which can then be started in front of the same demo. */
const FIELDS = [
  {
    name: 'favoriteColor',
    type: 'TEXT',
    description: 'The person’s favorite color.',
    sources: toExampleSources('favoriteColor'),
  },
  {
    name: 'jobTitle',
    type: 'TEXT',
    description: 'The job of the person, as their company calls it.',
    sources: toExampleSources('jobTitle'),
  },
] as const;

/** The contact that each sandbox account has. Undefined: no contact has that address. */
async function findSomebody(context: DemoContext, { customerId, providerName }: ConnectLink) {
  const page = await searchContacts(context, {
    customerId,
    provider: providerName,
    filter: { email: SOMEBODY },
    page: {},
    readFromCache: false,
    selection: {
      rawData: false,
      totalCount: false,
      needsPreviousPage: false,
      customFieldNames: 'all',
    },
  });
  const [contact] = page.items;
  return (
    contact && {
      name: [contact.firstName, contact.lastName].filter(Boolean).join(' '),
      fields: contact.customFields ?? {},
    }
  );
}

const BEGIN = '/demo/connect';
/** Where the demo's connect links lead back to. */
export const DEMO_RETURN = '/demo/connected';

const SOMEBODY = 'ada@example.com';
const CUSTOMER = {
  customerId: 'first-customer',
  name: 'Your first customer',
  email: 'first-customer@example.com',
} as const;

/** The application's confirmation of the person who returned. */
function toConfirmPage({ id, code, brand, deps }: Confirming): HttpResponse {
  const confirming = toGraphiQL(deps, CONFIRM, { input: { id, code } });
  return toPage({
    ...brand,
    title: 'One step is left',
    body: html`<h1>One step is left</h1>
<p>Your customer has agreed, and is back in your application with a one-time code. Nothing is connected until your application redeems it.</p>
<p>This page stands for your application: press Confirm${deps.hasGraphiQL && html`, or run the mutation <code>confirmConnectLink</code> with the code`}.</p>
<form method="post" action="${deps.basePath()}/demo/connected">
<input type="hidden" name="connect_link_id" value="${id}">
<input type="hidden" name="code" value="${code}">
<p class="actions"><button>Confirm</button>${deps.hasGraphiQL && html` <a class="button plain" href="${confirming}">Open the mutation in GraphiQL</a>`}</p>
</form>`,
    formAction: "'self'",
  });
}

function toConnectedPage({ provider, found, customerId, brand, deps }: Connected): HttpResponse {
  const title = `${PROVIDER_TITLES[provider]} is connected`;
  return toPage({
    ...brand,
    title,
    body: html`<h1>${title}</h1>
<p>Your application can now search the contacts of the account that was chosen.</p>
${found && toFound(found)}
<h2>Search it in a terminal</h2>
<div class="copied"><pre tabindex="0">${deps.toCommand(customerId, provider)}</pre></div>
<p class="actions">${deps.hasGraphiQL && html`<a class="button" href="${toGraphiQL(deps, toSearch(customerId, provider))}">Search it in GraphiQL</a> `}<a class="button plain" href="${deps.basePath()}/">Back to the start</a></p>`,
    scripts: [COPY_BUTTONS],
  });
}

/** A link to GraphiQL that opens this operation. */
function toGraphiQL({ basePath }: DemoDeps, query: string, variables: object = {}): string {
  return `${basePath()}/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables, null, 2) })}`;
}

const CONFIRM = `# Redeem the code that came back to \`returnUrl\`.
mutation ConfirmConnectLink($input: ConfirmConnectLinkInput!) {
  confirmConnectLink(input: $input) {
    link {
      status
      failure
    }
    connection {
      providerName
      status
      account {
        name
      }
    }
  }
}
`;

const toSearch = (customerId: string, provider: ProviderName) => `query FindInConnectedAccount {
  searchContacts(
    customerId: ${JSON.stringify(customerId)}
    provider: ${provider.toUpperCase()}
    filter: { email: "${SOMEBODY}" }
  ) {
    nodes {
      firstName
      lastName
      customFields
      emailAddresses {
        emailAddress
      }
    }
  }
}
`;

/** The contact with the fields that the customer has matched. */
function toFound({ name, fields }: NonNullable<Awaited<ReturnType<typeof findSomebody>>>): Markup {
  const shown = Object.entries(fields);
  return html`<h2>Found there just now</h2>
<dl class="facts">
<dt>Email</dt>
<dd>${SOMEBODY}</dd>
<dt>Name</dt>
<dd><bdi>${name}</bdi></dd>
${shown.map(
  ([field, value]) => html`<dt>${toTitle(field)}</dt>
<dd><bdi>${value === null ? '–' : [value].flat().join(', ')}</bdi></dd>
`,
)}</dl>`;
}

function toNotConnectedPage(
  failure: ConnectFailure | null,
  { brand, deps: { basePath } }: { readonly brand: Brand; readonly deps: DemoDeps },
): HttpResponse {
  return toPage({
    ...brand,
    title: 'Not connected',
    body: html`<h1>Not connected</h1>
<p>${failure === null ? 'This link was not completed.' : FAILURES[failure]}</p>
<form method="post" action="${basePath()}/demo/connect">
<button>Try again</button>
</form>
<p><a href="${basePath()}/">Back to the start</a></p>`,
    formAction: "'self'",
  });
}

/**
 * CSRF protection by `Sec-Fetch-Site`, or in older browsers by `Origin`. Requests without either are not from a
 * browser and can use the API.
 */
function isFromSameOrigin({ headers, url }: HttpRequest): boolean {
  const site = headers.get('sec-fetch-site');
  return site === null ? headers.get('origin') === url.origin : site === 'same-origin';
}

type ShowPage = (context: DemoContext, request: HttpRequest) => Promise<HttpResponse>;

/** The context of a request of the demo application. */
type DemoContext = UpsertDeps &
  CreateLinkDeps &
  ConfirmLinkDeps &
  FindLinkDeps &
  Parameters<typeof setCustomFields>[0] &
  Parameters<typeof searchContacts>[0];

type Brand = ReturnType<typeof toBrand>;

interface Confirming {
  readonly id: string;
  readonly code: string;
  readonly brand: Brand;
  readonly deps: DemoDeps;
}

interface Connected {
  readonly provider: ProviderName;
  readonly found: Awaited<ReturnType<typeof findSomebody>>;
  readonly customerId: string;
  readonly brand: Brand;
  readonly deps: DemoDeps;
}

interface DemoDeps {
  /** Other customers whose links lead back to the demo. */
  readonly customerIds: readonly string[];
  /** Whether browsers get GraphiQL, which takes any operation. */
  readonly hasGraphiQL: boolean;
  open(state: RequestState, work: RequestWork): DemoContext;
  /** The path of the public URL. */
  basePath(): string;
  readonly applicationName: string;
  /** What the demo application's customers see of it. */
  readBranding(): ReturnType<BrandingStore['read']>;
  /** Providers that can be connected. */
  listProviders(): readonly ProviderName[];
  /** A command to paste that searches that customer's contacts. */
  toCommand(customerId: string, provider: ProviderName): string;
}
