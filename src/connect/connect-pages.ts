import { FairShares, shareOf } from '../admission/fair-shares.ts';
import type { RequestWork } from '../admission/work.ts';
import type { BrandingStore } from '../domain/branding.ts';
import type { VisitedLink } from '../domain/connect-link.ts';
import { CrossbookError, ERROR_CODES, toCrossbookError } from '../domain/errors.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { RequestState } from '../domain/request-state.ts';
import { toBasePath } from '../domain/urls.ts';
import { type HttpRequest, type HttpResponse, toRetryAfter } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { endUninstalled, type UninstallDeps } from '../usecases/end-uninstalled.ts';
import {
  type ExchangeCode,
  type FinishDeps,
  finishAuthorization,
} from '../usecases/finish-authorization.ts';
import { type MatchDeps, matchFields, openMatchPage } from '../usecases/match-fields.ts';
import {
  type EndedPage,
  type FlowCookie,
  openConnectPage,
  type PageProblem,
  type StartDeps,
  startAuthorization,
} from '../usecases/start-authorization.ts';
import { toMatchPage } from './match-page.ts';
import {
  OWN_LOGIN,
  toErrorPage,
  toFailed,
  toFinished,
  toLeavingPage,
  toOfferPage,
  toProblemPage,
  toRedirect,
} from './pages.ts';

/** The pages of connect links. Visitors are unauthenticated: they present a link, a state, a cookie. */
export function createConnectPages(deps: ConnectPagesDeps) {
  const { onEnd, connecting, limitPages } = deps;
  const exchanges = new FairShares(MAX_EXCHANGES);

  return {
    /** The paths of the pages. */
    paths: /^\/connect(?:\/|$)/,
    findRoute,
    /** Which limit the body of a request has. */
    bodyOf: (pathname: string): 'page' | 'fields' => (FIELDS.test(pathname) ? 'fields' : 'page'),
    limitPages,
    toErrorResponse,

    async answer(
      request: HttpRequest,
      state: RequestState,
      requestWork: RequestWork,
    ): Promise<HttpResponse> {
      state.requestLog.record({ api: 'connect' });
      try {
        const response = await route(request, state, requestWork);
        return request.method === 'HEAD' ? { ...response, body: null } : response;
      } catch (thrown) {
        return toErrorResponse(toCrossbookError(thrown), state);
      }
    },
  };

  /** Only a form starts a flow, and only a callback ends one, so that link previews change nothing. */
  async function route(
    request: HttpRequest,
    state: RequestState,
    requestWork: RequestWork,
  ): Promise<HttpResponse> {
    const [, , first = '', second, ...rest] = request.pathname.split('/');
    if (first === '' || rest.length > 0) return end('FORGED');
    if (first === 'callback') {
      const provider = deps.providers.get((second ?? '') as ProviderName);
      if (provider?.authorization?.readUninstall && request.method === 'DELETE')
        return uninstall(provider, request, state);
      return only(['GET'], request, () => callBack(second ?? '', request, state));
    }
    if (second === undefined)
      return only(['GET', 'HEAD'], request, () => open(first, request, state));
    if (second === 'start') return only(['POST'], request, () => start(first, request, state));
    if (second === 'logo') return only(['GET', 'HEAD'], request, () => sendLogo(first));
    if (second === 'fields') {
      const matching = { ...deps, ...deps.openMatching(state, requestWork), work: requestWork };
      return only(['GET', 'HEAD', 'POST'], request, () =>
        request.method === 'POST'
          ? match(first, request, state, matching)
          : openMatch(first, request, state, matching),
      );
    }
    return end('FORGED');
  }

  function open(token: string, { url }: HttpRequest, state: RequestState): Promise<HttpResponse> {
    const work = () => openConnectPage(deps, token);
    return perform('openConnectPage', state, work, (page) =>
      page.visited.link.purpose === 'MAP_FIELDS'
        ? toRedirect(`${toLinkUrl(token)}/fields`)
        : toOfferPage({
            ...page,
            linkUrl: toLinkUrl(token),
            logoUrl: toLogoUrl(page.visited),
            chosen: url.searchParams.get('provider'),
          }),
    );
  }

  /** The logo of a link's application, for its pages. */
  async function sendLogo(token: string): Promise<HttpResponse> {
    const linkId = connecting.linkTokens.verify(token);
    const visited = linkId === undefined ? undefined : await deps.flows.findLink(linkId);
    const { logo = null } = visited ? await deps.readBranding(visited.link.applicationId) : {};
    if (logo === null) return end('FORGED');
    return {
      status: 200,
      headers: {
        'content-type': 'image/png',
        'cache-control': 'private, max-age=300',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'x-robots-tag': 'noindex, nofollow',
      },
      body: Buffer.from(logo, 'base64'),
    };
  }

  function toLogoUrl({ link }: VisitedLink): string {
    return `${toLinkUrl(connecting.linkTokens.sign(link.id))}/logo`;
  }

  /** Where the pages of a link are, for the browser. */
  function toLinkUrl(token: string): string {
    return `${toBasePath(connecting.publicUrl())}/connect/${token}`;
  }

  function openMatch(
    token: string,
    request: HttpRequest,
    state: RequestState,
    matching: Matching,
  ): Promise<HttpResponse> {
    const refresh = request.url.searchParams.has('refresh');
    const work = () => openMatchPage(matching, { token, cookies: readCookies(request), refresh });
    return perform('openMatchPage', state, work, (page) =>
      toMatchPage(page, { linkUrl: toLinkUrl(token), logoUrl: toLogoUrl(page.visited) }),
    );
  }

  async function match(
    token: string,
    request: HttpRequest,
    state: RequestState,
    matching: Matching,
  ): Promise<HttpResponse> {
    const publicUrl = connecting.publicUrl();
    if (publicUrl === undefined) return end('NOT_SET_UP');
    if (!isFromOwnPage(request, publicUrl)) return end('WRONG_SITE');
    const form = readForm(request);
    const chosen = form.has('skip') ? undefined : readChosen(form);
    const work = () => matchFields(matching, { token, cookies: readCookies(request), chosen });
    return perform('matchFields', state, work, (result) => {
      const logoUrl = toLogoUrl(result.visited);
      return 'link' in result
        ? toFinished(result, logoUrl)
        : toMatchPage(result, { linkUrl: toLinkUrl(token), logoUrl });
    });
  }

  function readCookies(request: HttpRequest): ReadonlyMap<string, string> {
    return createCookies(connecting.publicUrl()).read(request.headers.get('cookie'));
  }

  async function start(token: string, request: HttpRequest, state: RequestState) {
    const publicUrl = connecting.publicUrl();
    if (publicUrl === undefined) return end('NOT_SET_UP');
    if (!isFromOwnPage(request, publicUrl)) return end('WRONG_SITE');
    const form = readStart(readForm(request));
    const work = () => startAuthorization(deps, { token, ...form });
    return perform('startAuthorization', state, work, (started) => {
      const logoUrl = toLogoUrl(started.visited);
      if (started.mistake !== undefined) {
        if (started.offers.length === 0) return end('FORGED');
        const { provider: chosen } = form;
        const linkUrl = toLinkUrl(token);
        return toOfferPage({ ...started, linkUrl, logoUrl, chosen, mistake: form });
      }
      onEnd({ provider: started.provider, outcome: 'STARTED' });
      const cookie = createCookies(publicUrl).write(started.cookie, deps.wall());
      return toLeavingPage({ ...started, logoUrl }, cookie);
    });
  }

  async function callBack(provider: string, request: HttpRequest, state: RequestState) {
    const callback = readCallback(request.url.searchParams);
    if (!callback) return end('FORGED');
    const cookies = readCookies(request);
    const exchangeCode = exchangeFor(state);
    const work = () =>
      finishAuthorization(
        { ...deps, exchangeCode, beginExchange },
        { ...callback, provider, cookies },
      );
    return perform('finishAuthorization', state, work, (finished) => {
      const { provider, link, visited } = finished;
      state.requestLog.record({ provider: provider.name });
      onEnd({ provider: provider.name, outcome: finished.failure ?? link.status });
      const logoUrl = toLogoUrl(visited);
      if (finished.failure !== undefined) return toFailed(finished, logoUrl);
      if (!finished.isMatching) return toFinished(finished, logoUrl);
      return toRedirect(`${toLinkUrl(connecting.linkTokens.sign(link.id))}/fields`);
    });
  }

  /** The provider reports that a user has uninstalled the app. Every report that proves nothing gets the same response. */
  function uninstall(
    { name, authorization }: Provider,
    request: HttpRequest,
    state: RequestState,
  ): MaybePromise<HttpResponse> {
    state.requestLog.record({ operation: 'endUninstalled', provider: name });
    return state.requestLog.operation('endUninstalled', async () => {
      const report = authorization?.readUninstall?.(request);
      const ended = report ? await endUninstalled(deps, name, report) : [];
      for (const { customerId } of ended) state.requestLog.record({ customer: customerId });
      if (ended.length > 0) return { status: 204, headers: {}, body: null };
      const error = new CrossbookError(
        'UNAUTHORIZED',
        'No connection has the client id and the secret of this report, with its account and user.',
      );
      state.requestLog.failed(error);
      const headers = { 'www-authenticate': 'Basic realm="uninstalled apps"' };
      return toErrorPage({ status: 401, id: error.id, headers });
    });
  }

  /** If the customer closes the window meanwhile, the grant is kept. */
  function exchangeFor(state: RequestState): ExchangeCode {
    return (exchange) =>
      deps.exchangeCode({ ...exchange, onCall: (call) => state.requestLog.called(call) });
  }

  function beginExchange(applicationId: string): (() => void) | undefined {
    const shares = shareOf(applicationId);
    if (!exchanges.mayTake(shares)) return undefined;
    exchanges.take(shares);
    return () => exchanges.release(shares);
  }

  /** Runs a use case and renders its result. Logs the link's application, never the link's token. */
  async function perform<
    Result extends { readonly problem?: undefined; readonly visited: VisitedLink },
  >(
    name: string,
    state: RequestState,
    work: () => Promise<EndedPage | Result>,
    toPage: (result: Result) => HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    return state.requestLog.operation(name, async () => {
      const result = await work();
      const { visited } = result;
      state.requestLog.record({
        operation: name,
        application: visited?.applicationName,
        customer: visited?.link.customerId,
      });
      return result.problem === undefined ? toPage(result) : end(result.problem, visited);
    });
  }

  function end(problem: PageProblem, visited?: VisitedLink): HttpResponse {
    onEnd({ provider: visited?.link.providerName ?? 'none', outcome: problem });
    return toProblemPage(problem, visited && { visited, logoUrl: toLogoUrl(visited) });
  }
}

const FIELDS = /^\/connect\/[^/]+\/fields$/;

/** Concurrent code exchanges of all applications. */
const MAX_EXCHANGES = 200;

/** The template of a page's path, which contains the link's token. */
function findRoute(pathname: string): string | undefined {
  if (/^\/connect\/callback(?:\/[^/]*)?$/.test(pathname))
    return '/connect/callback/{provider_name}';
  if (/^\/connect\/[^/]+$/.test(pathname)) return '/connect/{token}';
  const [, step] = /^\/connect\/[^/]+\/(start|fields|logo)$/.exec(pathname) ?? [];
  return step && `/connect/{token}/${step}`;
}

async function only(
  methods: readonly string[],
  { method }: HttpRequest,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (methods.includes(method)) return answer();
  return toErrorPage({ status: 405, headers: { allow: methods.join(', ') } });
}

function toErrorResponse(error: CrossbookError, state: RequestState): HttpResponse {
  state.requestLog.record({ api: 'connect' });
  state.requestLog.failed(error);
  const headers = toRetryAfter(error.retryAfterMs);
  return toErrorPage({ status: ERROR_CODES[error.code].status, id: error.id, headers });
}

/** Reads a form of a link's pages. */
function readForm(request: HttpRequest): URLSearchParams {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new CrossbookError(
      'UNSUPPORTED_MEDIA_TYPE',
      'A form is sent as application/x-www-form-urlencoded.',
    );
  }
  return readFields(request);
}

/** The field of the CRM that was chosen for each custom field. */
function readChosen(form: URLSearchParams): ReadonlyMap<string, string> {
  const prefix = 'field-';
  return new Map(
    [...form].flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  );
}

/** The provider, and the login page: the one that is chosen, or typed where that is chosen. Null: the default. */
function readStart(form: URLSearchParams) {
  const typed = form.get('own_login')?.trim() ?? '';
  const login = form.get('login');
  return {
    provider: form.get('provider') ?? '',
    loginUrl: login === OWN_LOGIN ? typed : (login ?? (typed || null)),
    typed,
  };
}

export function readFields(request: HttpRequest): URLSearchParams {
  return new URLSearchParams(request.readBody().toString('utf8'));
}

/**
 * CSRF protection: whether the form was sent from our own page, by `Sec-Fetch-Site`, or in older browsers by
 * `Origin`. The origin `null` proves nothing: a sandboxed frame of any site sends it.
 */
function isFromOwnPage({ headers }: HttpRequest, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  return headers.get('origin') === new URL(publicUrl).origin;
}

/** Undefined if a parameter is repeated, because parsers disagree about which one counts. */
function readCallback(query: URLSearchParams) {
  const names = ['state', 'code', 'error', 'error_description'];
  if (names.some((name) => query.getAll(name).length > 1)) return undefined;
  return {
    state: query.get('state'),
    code: query.get('code'),
    error: query.get('error')?.slice(0, LONGEST) ?? null,
    errorDescription: query.get('error_description')?.slice(0, LONGEST) ?? null,
  };
}

/** The maximum length of values that are only compared with known ones. */
const LONGEST = 500;

/**
 * One cookie per flow: HttpOnly and SameSite. Over https it has the prefix `__Host-`, which prevents other hosts of
 * the domain from setting it; browsers reject the prefix over http, which is allowed on loopback only.
 */
export function createCookies(publicUrl: string | undefined) {
  const isHttps = publicUrl?.startsWith('https:');
  const prefix = isHttps ? '__Host-crossbook-connect-' : 'crossbook-connect-';
  // The prefix needs the path `/`.
  const attributes = isHttps ? 'Path=/; Secure' : `Path=${toBasePath(publicUrl)}/connect`;
  return {
    /** Cookie values by flow name. */
    read(header: string | null): ReadonlyMap<string, string> {
      const found: [string, string][] = [];
      for (const pair of (header ?? '').split(';')) {
        const [name = '', value = ''] = pair.trim().split('=', 2);
        if (name.startsWith(prefix) && VALUE.test(value))
          found.push([name.slice(prefix.length), value]);
      }
      // Browsers send the oldest cookies first, which are the abandoned ones.
      return new Map(found.slice(-MAX_COOKIES));
    },
    /** The `Set-Cookie` header. */
    write({ flow, value, expiresAt }: FlowCookie, now: number): string {
      const seconds = Math.max(0, Math.ceil((expiresAt.getTime() - now) / 1_000));
      return `${prefix}${flow}=${value}; ${attributes}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
    },
  };
}

/** More cookies than a person has tabs. */
const MAX_COOKIES = 20;
const VALUE = /^[\w-]{43}$/;

type Matching = MatchDeps & { readonly work: RequestWork };

/** The pages as an API of the request handler. */
export type ConnectPages = ReturnType<typeof createConnectPages>;

type ConnectPagesDeps = Omit<StartDeps, 'providers' | 'flows'> &
  Omit<FinishDeps, 'beginExchange' | 'connecting'> &
  Pick<UninstallDeps, 'endConnection'> & {
    readonly flows: MatchDeps['flows'] &
      StartDeps['flows'] &
      FinishDeps['flows'] &
      UninstallDeps['flows'];
    /** What one request needs to match the fields of a link's customer. */
    openMatching(
      state: RequestState,
      work: RequestWork,
    ): Pick<MatchDeps, 'openContext' | 'openGrantPort'>;
    readBranding(applicationId: string): ReturnType<BrandingStore['read']>;
    /** Rejects with TOO_MANY_REQUESTS. */
    limitPages(address: string | undefined): Promise<void>;
    wall(): number;
    /** Called with each step and the end of a flow. */
    onEnd(end: { readonly provider: string; readonly outcome: string }): void;
  };
