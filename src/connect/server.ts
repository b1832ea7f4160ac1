import { FairShares, shareOf } from '../admission/fair-shares.ts';
import type { VisitedLink } from '../domain/connect-link.ts';
import { CrossbookError, ERROR_CODES, toCrossbookError } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import { type HttpRequest, type HttpResponse, toRetryAfter } from '../lib/http-message.ts';
import {
  type ExchangeCode,
  type FinishDeps,
  finishAuthorization,
} from '../usecases/finish-authorization.ts';
import {
  type EndedPage,
  type FlowCookie,
  openConnectPage,
  type PageProblem,
  type StartDeps,
  startAuthorization,
} from '../usecases/start-authorization.ts';
import {
  toErrorPage,
  toFailed,
  toFinished,
  toLeavingPage,
  toOfferPage,
  toProblemPage,
} from './pages.ts';

/** The pages of connect links. Visitors are unauthenticated: they present a link, a state, a cookie. */
export function createConnectPages(deps: ConnectPagesDeps) {
  const { onEnd, connecting, limitPages } = deps;
  const exchanges = new FairShares(MAX_EXCHANGES);

  return {
    /** The paths of the pages. */
    paths: /^\/connect(?:\/|$)/,
    findRoute,
    limitPages,
    toErrorResponse: (error: CrossbookError, { requestLog }: { readonly requestLog: RequestLog }) =>
      toErrorResponse(error, requestLog),

    async answer(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
      requestLog.record({ face: 'connect' });
      try {
        const response = await route(request, requestLog);
        return request.method === 'HEAD' ? { ...response, body: null } : response;
      } catch (thrown) {
        return toErrorResponse(toCrossbookError(thrown), requestLog);
      }
    },
  };

  /** Only a form starts a flow, and only a callback ends one, so that link previews change nothing. */
  async function route(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
    const [, , first = '', second, ...rest] = request.pathname.split('/');
    if (first === '' || rest.length > 0) return end('FORGED');
    if (first === 'callback')
      return only(['GET'], request, () => callBack(second ?? '', request, requestLog));
    if (second === undefined) return only(['GET', 'HEAD'], request, () => open(first, requestLog));
    if (second === 'start') return only(['POST'], request, () => start(first, request, requestLog));
    return end('FORGED');
  }

  function open(token: string, requestLog: RequestLog): Promise<HttpResponse> {
    const work = () => openConnectPage(deps, token);
    return perform('openConnectPage', requestLog, work, (page) => toOfferPage({ ...page, token }));
  }

  async function start(token: string, request: HttpRequest, requestLog: RequestLog) {
    const publicUrl = connecting.publicUrl();
    if (publicUrl === undefined) return end('NOT_SET_UP');
    if (!isFromOwnPage(request, publicUrl)) return end('WRONG_SITE');
    const form = readForm(request);
    const work = () => startAuthorization(deps, { token, ...form });
    return perform('startAuthorization', requestLog, work, (started) => {
      if (started.mistake !== undefined) return toOfferPage({ ...started, token, mistake: form });
      onEnd({ provider: started.provider, outcome: 'STARTED' });
      return toLeavingPage(started, createCookies(publicUrl).write(started.cookie, deps.wall()));
    });
  }

  async function callBack(provider: string, request: HttpRequest, requestLog: RequestLog) {
    const callback = readCallback(request.url.searchParams);
    if (!callback) return end('FORGED');
    const cookies = createCookies(connecting.publicUrl()).read(request.headers.get('cookie'));
    const exchangeCode = exchangeFor(requestLog);
    const work = () =>
      finishAuthorization(
        { ...deps, exchangeCode, beginExchange },
        { ...callback, provider, cookies },
      );
    return perform('finishAuthorization', requestLog, work, (finished) => {
      const { provider, link, failure } = finished;
      requestLog.record({ provider: provider.name });
      onEnd({ provider: provider.name, outcome: failure ?? link.status });
      return failure === undefined ? toFinished(finished) : toFailed(finished);
    });
  }

  /** If the customer closes the window meanwhile, the grant is kept. */
  function exchangeFor(requestLog: RequestLog): ExchangeCode {
    return (exchange) =>
      deps.exchangeCode({ ...exchange, onCall: (call) => requestLog.called(call) });
  }

  function beginExchange(applicationId: string): (() => void) | undefined {
    const shares = shareOf(applicationId);
    if (!exchanges.mayTake(shares)) return undefined;
    exchanges.take(shares);
    return () => exchanges.release(shares);
  }

  /** Runs a use case and renders its result. Logs the link's application, never the link's token. */
  function perform<Result extends { readonly problem?: undefined; readonly visited: VisitedLink }>(
    name: string,
    requestLog: RequestLog,
    work: () => Promise<EndedPage | Result>,
    toPage: (result: Result) => HttpResponse,
  ): Promise<HttpResponse> {
    return requestLog.operation(name, async () => {
      const result = await work();
      const { visited } = result;
      requestLog.record({
        operation: name,
        application: visited?.applicationName,
        customer: visited?.link.customerId,
      });
      return result.problem === undefined ? toPage(result) : end(result.problem, visited);
    });
  }

  function end(problem: PageProblem, visited?: VisitedLink): HttpResponse {
    onEnd({ provider: visited?.link.providerName ?? 'none', outcome: problem });
    return toProblemPage(problem, visited);
  }
}

/** Concurrent code exchanges of all applications. */
const MAX_EXCHANGES = 200;

/** The template of a page's path, which contains the link's token. */
function findRoute(pathname: string): string | undefined {
  if (/^\/connect\/callback(?:\/[^/]*)?$/.test(pathname))
    return '/connect/callback/{provider_name}';
  if (/^\/connect\/[^/]+$/.test(pathname)) return '/connect/{token}';
  return /^\/connect\/[^/]+\/start$/.test(pathname) ? '/connect/{token}/start' : undefined;
}

async function only(
  methods: readonly string[],
  { method }: HttpRequest,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (methods.includes(method)) return answer();
  return toErrorPage({ status: 405, headers: { allow: methods.join(', ') } });
}

function toErrorResponse(error: CrossbookError, requestLog: RequestLog): HttpResponse {
  requestLog.record({ face: 'connect' });
  requestLog.failed(error);
  const headers = toRetryAfter(error.retryAfterMs);
  return toErrorPage({ status: ERROR_CODES[error.code].status, id: error.id, headers });
}

/** Reads the form of a link's page: typed text takes precedence over a choice. Null: neither. */
function readForm(request: HttpRequest) {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new CrossbookError(
      'UNSUPPORTED_MEDIA_TYPE',
      'A form is sent as application/x-www-form-urlencoded.',
    );
  }
  const form = readFields(request);
  const typed = form.get('own_login')?.trim() ?? '';
  return {
    provider: form.get('provider') ?? '',
    loginUrl: typed || form.get('login') || null,
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
  return site === null ? headers.get('origin') === publicUrl : site === 'same-origin';
}

/** Undefined where a parameter is repeated, because parsers disagree about which one counts. */
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
  const attributes = isHttps ? 'Path=/; Secure' : 'Path=/connect';
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

/** The pages as an API of the request handler. */
export type ConnectPages = ReturnType<typeof createConnectPages>;

type ConnectPagesDeps = StartDeps &
  Omit<FinishDeps, 'beginExchange'> & {
    /** Rejects with TOO_MANY_REQUESTS. */
    limitPages(address: string | undefined): Promise<void>;
    wall(): number;
    /** Called with each step and the end of a flow. */
    onEnd(end: { readonly provider: string; readonly outcome: string }): void;
  };
