import type { VisitedLink } from '../domain/connect-link.ts';
import { type CrossbookError, ERROR_CODES, toCrossbookError } from '../domain/errors.ts';
import type { ProviderCall, RequestLog } from '../domain/log.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import { type ExchangeCode, type FinishDeps, finishAuthorization } from '../usecases/finish-authorization.ts';
import { openConnectPage } from '../usecases/open-connect-page.ts';
import { type StartDeps, startAuthorization } from '../usecases/start-authorization.ts';
import { toErrorPage, toFailed, toFinished, toLeavingPage, toOfferPage, toProblemPage } from './pages.ts';
import { createCookies, isFromOwnPage, readCallback, readForm } from './read-request.ts';
import { ERRORS } from './texts.ts';

/** The pages of connect links. Whoever asks for them is a stranger: what they present is a link, a state, a cookie. */
export function createConnectPages(deps: ConnectPagesDeps): ConnectPages {
  const { onEnd, connecting } = deps;
  const waits = createVendorWaits(deps.exchangeCode);

  return {
    paths: /^\/connect(?:\/|$)/,
    limitPages: deps.limitPages,
    refuse: (error, { requestLog }) => refuse(error, requestLog),

    async answer(request, requestLog) {
      requestLog.record({ face: 'connect' });
      try {
        const answered = await route(request, requestLog);
        return request.method === 'HEAD' ? { ...answered, body: null } : answered;
      } catch (thrown) {
        return refuse(toCrossbookError(thrown), requestLog);
      }
    },
  };

  /** Nothing but a form begins a flow, and nothing but a callback ends one: what looks at a link first changes nothing. */
  async function route(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
    const [, , first = '', second, ...rest] = request.pathname.split('/');
    if (first === '' || rest.length > 0) return end('FORGED');
    if (first === 'callback')
      return only(['GET'], request, () => callBack(second ?? '', request, requestLog));
    if (second === undefined) return only(['GET', 'HEAD'], request, () => open(first, requestLog));
    if (second === 'start') return only(['POST'], request, () => start(first, request, requestLog));
    return end('FORGED');
  }

  async function open(token: string, requestLog: RequestLog): Promise<HttpResponse> {
    return requestLog.operation('openConnectPage', async () => {
      const page = await openConnectPage(deps, token);
      noteLink(requestLog, 'openConnectPage', page.visited);
      return page.problem === undefined
        ? toOfferPage({ ...page, token })
        : end(page.problem, { visited: page.visited });
    });
  }

  async function start(token: string, request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
    const publicUrl = connecting.publicUrl();
    if (publicUrl === undefined) return end('NOT_SET_UP');
    if (!isFromOwnPage(request, publicUrl)) return end('WRONG_SITE');
    const form = readForm(request);
    return requestLog.operation('startAuthorization', async () => {
      const started = await startAuthorization(deps, { token, ...form });
      noteLink(requestLog, 'startAuthorization', started.visited);
      if (started.problem !== undefined) return end(started.problem, { visited: started.visited });
      if (started.mistake !== undefined) return toOfferPage({ ...started, token, mistake: form });
      const { provider, consentUrl, cookie, visited } = started;
      onEnd({ provider, outcome: 'STARTED' });
      const setCookie = createCookies(publicUrl.startsWith('https:')).write(cookie, deps.wall());
      return toLeavingPage({ provider, consentUrl, setCookie, isPopup: visited.link.mode === 'POPUP' });
    });
  }

  async function callBack(
    provider: string,
    request: HttpRequest,
    requestLog: RequestLog,
  ): Promise<HttpResponse> {
    const callback = readCallback(request.url.searchParams);
    if (!callback) return end('FORGED');
    if (waits.isFull()) return end('TOO_MANY');
    const isHttps = connecting.publicUrl()?.startsWith('https:') === true;
    const cookies = createCookies(isHttps).read(request.headers.get('cookie'));
    return requestLog.operation('finishAuthorization', async () => {
      const exchangeCode = waits.begin(requestLog);
      const finished = await finishAuthorization(
        { ...deps, exchangeCode },
        { ...callback, provider, cookies },
      );
      noteLink(requestLog, 'finishAuthorization', finished.visited);
      if (finished.problem !== undefined) return end(finished.problem, { visited: finished.visited });
      const { link } = finished;
      requestLog.record({ provider: finished.provider.name });
      onEnd({ provider: finished.provider.name, outcome: finished.failure ?? link.status });
      return finished.failure === undefined ? toFinished(finished) : toFailed(finished);
    });
  }

  function end(
    problem: Parameters<typeof toProblemPage>[0],
    { visited }: { visited?: Parameters<typeof toProblemPage>[1] } = {},
  ): HttpResponse {
    onEnd({ provider: visited?.link.providerName ?? 'none', outcome: problem });
    return toProblemPage(problem, visited);
  }
}

async function only(
  methods: readonly string[],
  { method }: HttpRequest,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (methods.includes(method)) return answer();
  const { title, text } = ERRORS.method;
  return toErrorPage({ status: 405, title, text, id: undefined, headers: { allow: methods.join(', ') } });
}

function refuse(error: CrossbookError, requestLog: RequestLog): HttpResponse {
  requestLog.record({ face: 'connect' });
  requestLog.failed(error);
  const { status } = ERROR_CODES[error.code];
  const { title, text } = status === 429 ? ERRORS.tooMany : status === 503 ? ERRORS.busy : ERRORS.other;
  const seconds = error.retryAfterMs === undefined ? undefined : Math.ceil(error.retryAfterMs / 1_000);
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return toErrorPage({ status, title, text, id: error.id, headers });
}

/** For the log: which application's link it was, never its token. */
function noteLink(requestLog: RequestLog, operation: string, visited: VisitedLink | undefined): void {
  requestLog.record({ operation, application: visited?.applicationName });
  const customer = visited?.link.customerId;
  // The log has no email.
  if (customer !== undefined && !customer.includes('@')) requestLog.record({ customer });
}

/**
 * Exchanges of codes, which wait for a vendor. One that waits gives its place to others, and there is a bound to how many
 * wait. Whoever closes the window meanwhile has granted all the same: what comes of it is kept.
 */
function createVendorWaits(exchange: ObservedExchange): VendorWaits {
  let waiting = 0;
  return {
    isFull: () => waiting >= MAX_WAITING,
    begin: (requestLog) => async (given) => {
      waiting += 1;
      const resume = requestLog.permit.pause();
      try {
        return await exchange({ ...given, onCall: (call) => requestLog.called(call) });
      } finally {
        waiting -= 1;
        await Promise.resolve()
          .then(resume)
          .catch(() => undefined);
      }
    },
  };
}

const MAX_WAITING = 200;

/** A face of the request handler. */
export interface ConnectPages {
  /** Those that they answer. */
  readonly paths: RegExp;
  /** Throws or rejects with TOO_MANY_REQUESTS. */
  limitPages(address: string | undefined): Promise<void> | undefined;
  answer(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse>;
  refuse(error: CrossbookError, of: { readonly requestLog: RequestLog }): HttpResponse;
}

interface ConnectPagesDeps
  extends StartDeps,
    Pick<FinishDeps, 'makeCode' | 'forgetConnection' | 'onFailure'> {
  readonly flows: FinishDeps['flows'];
  readonly exchangeCode: Parameters<typeof createVendorWaits>[0];
  readonly limitPages: ConnectPages['limitPages'];
  wall(): number;
  /** Told how each flow went on, and ended. */
  onEnd(end: { readonly provider: string; readonly outcome: string }): void;
}

interface VendorWaits {
  isFull(): boolean;
  begin(requestLog: Pick<RequestLog, 'permit' | 'called'>): ExchangeCode;
}

type ObservedExchange = (
  exchange: Parameters<ExchangeCode>[0] & { readonly onCall: (call: ProviderCall) => void },
) => ReturnType<ExchangeCode>;
