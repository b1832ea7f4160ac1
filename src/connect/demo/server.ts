import type { RequestWork } from '../../admission/work.ts';
import type { ConnectFailure, ConnectLink } from '../../domain/connect-link.ts';
import { toCrossbookError } from '../../domain/errors.ts';
import type { RequestLog } from '../../domain/log.ts';
import { PROVIDER_TITLES, type ProviderName } from '../../domain/provider-names.ts';
import { html, toPage } from '../../lib/html.ts';
import type { HttpRequest, HttpResponse } from '../../lib/http-message.ts';
import { type UpsertDeps, upsertCustomer } from '../../usecases/change-customers.ts';
import {
  type ConfirmLinkDeps,
  type CreateLinkDeps,
  confirmConnectLink,
  createConnectLink,
  type FindLinkDeps,
  findConnectLink,
} from '../../usecases/connect-link.ts';
import { searchContacts } from '../../usecases/search-contacts.ts';
import { toProblemPage, toRedirect } from '../pages.ts';
import { type ConnectPages, readFields } from '../server.ts';
import { FAILURES } from '../texts.ts';

/**
 * The application's part in a connect link, played by the demo: its home page requests a link, its return page
 * redeems the code and searches. There is no authentication, so it exists only with the sandbox, where only loopback
 * is served. Changes require a same-origin form.
 */
export function withDemo(pages: ConnectPages, deps: DemoDeps): DemoPages {
  const routes: Readonly<Record<string, Readonly<Record<string, ShowPage>>>> = {
    [BEGIN]: { POST: begin },
    [RETURN]: { GET: show, POST: confirm },
  };
  return {
    ...pages,
    paths: new RegExp(`${pages.paths.source}|^(?:${Object.keys(routes).join('|')})$`),
    findRoute: (pathname) => (pathname in routes ? pathname : pages.findRoute(pathname)),
    async answer(request, requestLog, work) {
      const works = routes[request.pathname];
      if (!works) return pages.answer(request, requestLog);
      requestLog.record({ face: 'connect' });
      try {
        if (request.method === 'POST' && !isFromSameOrigin(request))
          return toProblemPage('WRONG_SITE');
        const page = works[request.method];
        if (!page)
          return { status: 405, headers: { allow: Object.keys(works).join(', ') }, body: null };
        return await page(deps.open(requestLog, work), request);
      } catch (thrown) {
        return pages.toErrorResponse(toCrossbookError(thrown), { requestLog });
      }
    },
  };

  /** Uses a separate customer, so that the demo's customer keeps its contacts. */
  async function begin(context: DemoContext): Promise<HttpResponse> {
    await upsertCustomer(context, CUSTOMER);
    const { url } = await createConnectLink(context, {
      customerId: CUSTOMER.customerId,
      providers: deps.listProviders(),
      returnUrl: `${context.connecting.publicUrl() ?? ''}${RETURN}`,
      // A repeated run may choose another account.
      allowAccountChange: true,
    });
    return toRedirect(url);
  }

  async function confirm(context: DemoContext, request: HttpRequest): Promise<HttpResponse> {
    const pairs = readFields(request);
    const id = pairs.get('connect_link_id') ?? '';
    await confirmConnectLink(context, { id, code: pairs.get('code') ?? '' });
    return toRedirect(`${RETURN}?${new URLSearchParams({ connect_link_id: id })}`);
  }

  async function show(context: DemoContext, { url }: HttpRequest): Promise<HttpResponse> {
    const id = url.searchParams.get('connect_link_id') ?? '';
    const link = await findConnectLink(context, { id, customerId: CUSTOMER.customerId });
    const code = url.searchParams.get('code');
    if (link.status === 'AWAITING_CONFIRMATION' && code !== null) return toConfirmPage(id, code);
    if (link.status !== 'COMPLETED' || link.providerName === null)
      return toNotConnectedPage(link.failure);
    const name = await findName(context, link);
    return toConnectedPage(
      link.providerName,
      name,
      deps.toCommand(CUSTOMER.customerId, link.providerName),
    );
  }
}

/** The name of the contact that each sandbox account has. Undefined: no contact has that address. */
async function findName(context: DemoContext, { customerId, providerName }: ConnectLink) {
  const page = await searchContacts(context, {
    customerId,
    provider: providerName,
    filter: { email: SOMEBODY },
    page: {},
    readFromCache: false,
    selection: { rawData: false, totalCount: false, needsPreviousPage: false },
  });
  const [contact] = page.items;
  return contact && [contact.firstName, contact.lastName].filter(Boolean).join(' ');
}

const BEGIN = '/demo/connect';
const RETURN = '/demo/connected';

const SOMEBODY = 'ada@example.com';
const CUSTOMER = {
  customerId: 'first-customer',
  name: 'Your first customer',
  email: 'first-customer@example.com',
} as const;

/** The application's confirmation of the person who returned. */
function toConfirmPage(id: string, code: string): HttpResponse {
  return toPage({
    title: 'One step is left',
    body: html`<h1>One step is left</h1>
<p>The CRM has agreed, and nothing is connected yet. Your application now confirms that the person who agreed is the one whom it sent: it redeems the code that has come back with them. Here you are the application.</p>
<form method="post" action="/demo/connected">
<input type="hidden" name="connect_link_id" value="${id}">
<input type="hidden" name="code" value="${code}">
<button>Confirm</button>
</form>`,
    formAction: "'self'",
  });
}

function toConnectedPage(
  provider: ProviderName,
  name: string | undefined,
  command: string,
): HttpResponse {
  const title = `${PROVIDER_TITLES[provider]} is connected`;
  return toPage({
    title,
    body: html`<h1>${title}</h1>
<p>From now on this customer’s contacts are searched in the account that was chosen.</p>
${name === undefined ? undefined : html`<p>Found there just now, by <b>${SOMEBODY}</b>: <b><bdi>${name}</bdi></b></p>`}
<h2>Search it again, from a terminal</h2>
<pre tabindex="0">${command}</pre>
<a class="go" href="/">Back to the start</a>`,
  });
}

function toNotConnectedPage(failure: ConnectFailure | null): HttpResponse {
  return toPage({
    title: 'Not connected',
    body: html`<h1>Not connected</h1>
<p>${failure === null ? 'This link was not followed to its end.' : FAILURES[failure]}</p>
<form method="post" action="/demo/connect">
<button>Try again</button>
</form>
<p><a href="/">Back to the start</a></p>`,
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

/** The pages of connect links and of the demo. */
interface DemoPages extends Omit<ConnectPages, 'answer'> {
  answer(request: HttpRequest, requestLog: RequestLog, work: RequestWork): Promise<HttpResponse>;
}

type ShowPage = (context: DemoContext, request: HttpRequest) => Promise<HttpResponse>;

/** The context of a request of the demo application. */
type DemoContext = UpsertDeps &
  CreateLinkDeps &
  ConfirmLinkDeps &
  FindLinkDeps &
  Parameters<typeof searchContacts>[0];

interface DemoDeps {
  open(requestLog: RequestLog, work: RequestWork): DemoContext;
  /** Providers that can be connected. */
  listProviders(): readonly ProviderName[];
  /** A command to paste that searches that customer's contacts. */
  toCommand(customerId: string, provider: ProviderName): string;
}
