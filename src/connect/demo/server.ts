import type { ConnectFailure, ConnectLink, ConnectServices } from '../../domain/connect-link.ts';
import { CrossbookError, toCrossbookError } from '../../domain/errors.ts';
import type { RequestLog } from '../../domain/log.ts';
import type { Provider } from '../../domain/provider.ts';
import { PROVIDER_TITLES, type ProviderName } from '../../domain/provider-names.ts';
import type { HttpRequest, HttpResponse } from '../../lib/http-message.ts';
import {
  type CreateLinkDeps,
  createConnectLink,
  type FindLinkDeps,
  findConnectLink,
} from '../../usecases/connect-link.ts';
import { type ConfirmLinkDeps, confirmConnectLink } from '../../usecases/open-connect-page.ts';
import { searchContacts } from '../../usecases/search-contacts.ts';
import { type UpsertDeps, upsertCustomer } from '../../usecases/upsert-customer.ts';
import { html, toPage } from '../html.ts';
import { toProblemPage } from '../pages.ts';
import type { ConnectPages } from '../server.ts';
import { FAILURES } from '../texts.ts';

/**
 * What an application does around a connect link, played through by the demo: its home page asks for a link, and its return
 * page redeems the code and searches. Nobody says who they are here, so it is there only while the sandbox is on: then
 * nothing but loopback is answered. What changes something is a form of a page of the same origin.
 */
export function withDemo(pages: ConnectPages, deps: DemoDeps): ConnectPages {
  return {
    ...pages,
    paths: new RegExp(`${pages.paths.source}|^(?:${[...PATHS].join('|')})$`),
    answer: (request, requestLog) =>
      PATHS.has(request.pathname) ? answer(request, requestLog) : pages.answer(request, requestLog),
  };

  async function answer(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
    requestLog.record({ face: 'connect' });
    try {
      const isForm = request.method === 'POST';
      if (isForm && !isFromSameOrigin(request)) return toProblemPage('WRONG_SITE');
      const work = findWork(request);
      if (!work) return { status: 405, headers: { allow: toAllowed(request) }, body: null };
      return await work(deps.open(requestLog), request);
    } catch (thrown) {
      return pages.refuse(toCrossbookError(thrown), { requestLog });
    }
  }

  function findWork({ method, pathname }: HttpRequest): Work | undefined {
    if (method === 'POST') return pathname === BEGIN ? begin : confirm;
    return method === 'GET' && pathname === RETURN ? show : undefined;
  }

  /** For a customer of its own: the demo's keeps its contacts. */
  async function begin(context: DemoContext): Promise<HttpResponse> {
    await upsertCustomer(context, CUSTOMER);
    const { url } = await createConnectLink(context, {
      customerId: CUSTOMER.customerId,
      providers: deps.listProviders(),
      returnUrl: `${context.connecting.publicUrl() ?? ''}${RETURN}`,
      // Whoever clicks again may choose another account.
      allowAccountChange: true,
    });
    return redirect(url);
  }

  async function confirm(context: DemoContext, request: HttpRequest): Promise<HttpResponse> {
    const pairs = readPairs(request);
    const id = pairs.get('connect_link_id') ?? '';
    await confirmConnectLink(context, { id, code: pairs.get('code') ?? '' });
    return redirect(`${RETURN}?${new URLSearchParams({ connect_link_id: id })}`);
  }

  async function show(context: DemoContext, { url }: HttpRequest): Promise<HttpResponse> {
    const id = url.searchParams.get('connect_link_id') ?? '';
    const link = await findConnectLink(context, { id, customerId: CUSTOMER.customerId });
    const code = url.searchParams.get('code');
    if (link.status === 'AWAITING_CONFIRMATION' && code !== null) return toConfirmPage({ id, code });
    if (link.status !== 'COMPLETED' || link.providerName === null)
      return toNotConnectedPage({ failure: link.failure });
    return toConnectedPage({
      provider: link.providerName,
      contact: await findSomebody(context, link),
      command: deps.toCommand({ customerId: CUSTOMER.customerId, provider: link.providerName }),
    });
  }
}

/** Every imitated account has somebody with this address, and each another one. */
async function findSomebody(context: DemoContext, { customerId, providerName }: ConnectLink) {
  using page = await searchContacts(context, {
    ...{ customerId, provider: providerName, filter: { email: SOMEBODY } },
    ...{
      page: {},
      readFromCache: false,
      selection: { rawData: false, totalCount: false, needsPreviousPage: false },
    },
  });
  const [contact] = page.contacts;
  return (
    contact && { email: SOMEBODY, name: [contact.firstName, contact.lastName].filter(Boolean).join(' ') }
  );
}

function toAllowed({ pathname }: HttpRequest): string {
  return pathname === BEGIN ? 'POST' : 'GET, POST';
}

function redirect(location: string): HttpResponse {
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    body: null,
  };
}

const BEGIN = '/demo/connect';
const RETURN = '/demo/connected';
const PATHS: ReadonlySet<string> = new Set([BEGIN, RETURN]);

const SOMEBODY = 'ada@example.com';
const CUSTOMER = {
  customerId: 'first-customer',
  name: 'Your first customer',
  email: 'first-customer@example.com',
} as const;

/** The application's part: it vouches for the person who came back. */
function toConfirmPage({ id, code }: Confirmation): HttpResponse {
  return toPage({
    title: TEXTS.confirm.title,
    body: html`<h1>${TEXTS.confirm.title}</h1>
<p>${TEXTS.confirm.text}</p>
<form method="post" action="/demo/connected">
<input type="hidden" name="connect_link_id" value="${id}">
<input type="hidden" name="code" value="${code}">
<button>${TEXTS.confirm.go}</button>
</form>`,
    hasForm: true,
  });
}

function toConnectedPage({ provider, contact, command }: Connected): HttpResponse {
  const title = `${PROVIDER_TITLES[provider]} ${TEXTS.connected.title}`;
  return toPage({
    title,
    body: html`<h1>${title}</h1>
<p>${TEXTS.connected.text}</p>
${contact && html`<p>${TEXTS.connected.found} <b>${contact.email}</b>: <b><bdi>${contact.name}</bdi></b></p>`}
<h2>${TEXTS.connected.again}</h2>
<pre tabindex="0">${command}</pre>
<a class="go" href="/">${TEXTS.back}</a>`,
  });
}

function toNotConnectedPage({ failure }: { readonly failure: ConnectFailure | null }): HttpResponse {
  return toPage({
    title: TEXTS.notConnected.title,
    body: html`<h1>${TEXTS.notConnected.title}</h1>
<p>${failure === null ? TEXTS.notConnected.open : FAILURES[failure]}</p>
<form method="post" action="/demo/connect">
<button>${TEXTS.notConnected.go}</button>
</form>
<p><a href="/">${TEXTS.back}</a></p>`,
    hasForm: true,
  });
}

const TEXTS = {
  back: 'Back to the start',
  confirm: {
    title: 'One step is left',
    text: 'The CRM has agreed, and nothing is connected yet. Your application now confirms that the person who agreed is the one whom it sent: it redeems the code that has come back with them. Here you are the application.',
    go: 'Confirm',
  },
  connected: {
    title: 'is connected',
    text: 'From now on this customer’s contacts are searched in the account that was chosen.',
    found: 'Found there just now, by',
    again: 'Search it again, from a terminal',
  },
  notConnected: {
    title: 'Not connected',
    open: 'This link was not followed to its end.',
    go: 'Try again',
  },
} as const;

/** A form's fields. */
function readPairs(request: HttpRequest): URLSearchParams {
  const body = request.readBody(MAX_BYTES);
  if (!body) throw new CrossbookError('PAYLOAD_TOO_LARGE', `The form is larger than ${MAX_BYTES} bytes.`);
  return new URLSearchParams(body.toString('utf8'));
}

/** Browsers say so in `Sec-Fetch-Site`, and older ones in `Origin`. Whatever says neither is no browser, and has the API. */
function isFromSameOrigin({ headers, url }: Pick<HttpRequest, 'headers' | 'url'>): boolean {
  const site = headers.get('sec-fetch-site');
  return site === null ? headers.get('origin') === url.origin : site === 'same-origin';
}

const MAX_BYTES = 4 * 1024;

type Work = (context: DemoContext, request: HttpRequest) => Promise<HttpResponse>;

/** One request, made for the demo application. */
interface DemoContext
  extends UpsertDeps,
    CreateLinkDeps,
    ConfirmLinkDeps,
    FindLinkDeps,
    Omit<Parameters<typeof searchContacts>[0], keyof UpsertDeps> {
  readonly connectLinks: CreateLinkDeps['connectLinks'] & ConfirmLinkDeps['connectLinks'];
  readonly connecting: ConnectServices;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
}

interface DemoDeps {
  open(requestLog: RequestLog): DemoContext;
  /** Those that can be connected. */
  listProviders(): readonly ProviderName[];
  /** To be pasted: searches that customer's contacts. */
  toCommand(of: { readonly customerId: string; readonly provider: ProviderName }): string;
}

interface Confirmation {
  readonly id: string;
  readonly code: string;
}

interface Connected {
  readonly provider: ProviderName;
  /** Undefined: nobody there has that address. */
  readonly contact: { readonly email: string; readonly name: string } | undefined;
  readonly command: string;
}
