import { LIGHT } from '../admission/heavy-places.ts';
import { Places } from '../admission/places.ts';
import type { EnteredRequest, RequestQueue } from '../admission/request-queue.ts';
import type { RequestWork } from '../admission/work.ts';
import { type Caller, missingCredentials } from '../domain/caller.ts';
import { CrossbookError, LocalRefusal, toCrossbookError } from '../domain/errors.ts';
import type { OpenRequestLog, RequestRecord } from '../domain/log.ts';
import { type Operator, toCredential } from '../domain/operator.ts';
import { findProviderName } from '../domain/provider-names.ts';
import type { RequestState } from '../domain/request-state.ts';
import { systemClock } from '../lib/clock.ts';
import type {
  ArrivingRequest,
  BeginLongBody,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../lib/http-message.ts';
import { countOwnBytes } from '../lib/response-body.ts';
import { type Cors, isPreflightRequest, SAME_ORIGIN_PATHS } from './cors.ts';
import type { Probes } from './lifecycle.ts';
import { type OwnedResponse, SLICE_BYTES } from './send-response.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/**
 * The request handler. By the headers alone: caller, rate limit and body limit. Then the body is received, unread; then
 * the request begins, and an API responds to it.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { graphql, rest, mcp, admin, connect, queue, unread, allowsUnauthenticated } = options;
  const { console } = options;
  const longBodies = new Places({
    max: LONG_BODIES,
    maxWaitMs: LONG_BODY_WAIT_MS,
    clock: systemClock,
    toRefusal: tooManyLongBodies,
  });
  const bodyBytes = { ...MAX_BODY_BYTES, ...options.bodyBytes };
  const { cors, findCaller, openRequestLog, probes, consumeRateLimit } = options;

  return async (request, address) => {
    const { method, pathname, headers } = request;
    const api = findApi(pathname);
    const route = probes.paths.test(pathname) ? pathname : api.findRoute(pathname);
    const requestLog = openRequestLog({ method, headers, route: route ?? UNKNOWN_ROUTE });
    const origin = SAME_ORIGIN_PATHS.test(pathname) ? null : headers.get('origin');
    const isPreflight = origin !== null && isPreflightRequest(request);
    const incoming: Incoming = {
      request,
      application: undefined,
      caller: undefined,
      rateLimit: undefined,
      cost: 0,
      operator: undefined,
      requestLog,
    };
    let applications: Awaited<ReturnType<Cors['findApplications']>>;
    let work: EnteredRequest | undefined;
    let endLongBody: (() => void) | undefined;
    let response: HttpResponse;
    try {
      if (origin !== null && !isPreflight) {
        const found = cors.findApplications(origin);
        applications = found instanceof Promise ? await found : found;
      }
      options.checkHost?.(headers);
      const special = isPreflight
        ? cors.answerPreflight(request)
        : probes.paths.test(pathname) && probes.answer(request);
      if (special) response = await special;
      else {
        if (api === admin) {
          incoming.operator = await admin.requireOperator({ headers, address });
          recordOperator(incoming);
        } else if (api === console) {
          incoming.operator = await console.admit(request, address);
          if (incoming.operator) recordOperator(incoming);
        } else if (api === connect) {
          // Pages ignore API keys: the link identifies application and customer.
          await connect.limitPages(address);
        } else {
          const found = findCaller({ headers, address });
          const caller = found instanceof Promise ? await found : found;
          if (caller) {
            recordCaller(incoming, caller);
            if (caller.operator && api !== rest) throw onlyRest();
            const counted = consumeRateLimit(incoming, caller);
            if (counted) await counted;
          } else if (!allowsUnauthenticated) throw missingCredentials();
        }
        const { application, caller } = incoming;
        const connection = caller && toConnectionKey(caller, headers);
        const entered = queue.enter({ application, connection });
        work = entered;
        request.onClose(() => entered.disconnect());
        if (request.hasBody)
          await receiveBody(incoming, api, async () => {
            endLongBody = await beginLongBody(entered);
          });
        const queued = entered.begin();
        if (queued) await queued;
        const isLong = request.hasBody && request.readBody().length > LIGHT.bodyBytes;
        const waiting = isLong ? entered.beHeavy() : undefined;
        if (waiting) await waiting;
        // From here on, the heavy place stands for it.
        endLongBody?.();
        response = await api.answer(request, incoming, entered);
      }
      response = holdUnread(incoming, response);
    } catch (thrown) {
      response = await api.toErrorResponse(toCrossbookError(thrown), incoming);
    } finally {
      endLongBody?.();
      work?.end();
    }
    const { status, body } = response;
    const { application, caller, cost } = incoming;
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body?.length;
    // `Object.assign`: adding to a spread object takes up to a microsecond on Node 20.
    const sent: Record<string, string> = Object.assign({}, response.headers);
    options.addRateLimitHeaders(incoming, sent);
    if (applications) {
      const applicationId = caller?.application.id;
      cors.addHeaders({ headers, applications, applicationId, status }, sent);
    }
    sent['x-content-type-options'] = 'nosniff';
    sent['x-request-id'] = requestLog.requestId;
    if (bytes !== undefined) sent['content-length'] = String(bytes);
    requestLog.close({ status, bytes, caller, cost });
    return { status, headers: sent, body, application };
  };

  function findApi(pathname: string): Api {
    if (admin?.paths.test(pathname)) return admin;
    if (connect?.paths.test(pathname)) return connect;
    if (console?.paths.test(pathname)) return console;
    if (mcp?.paths.test(pathname)) return mcp;
    return pathname === '/graphql' ? graphql : rest;
  }

  /** The bytes only: nothing of them is parsed before the request has begun. */
  function receiveBody(
    { request, caller }: Incoming,
    api: Api,
    beginLong: BeginLongBody,
  ): Promise<void> {
    if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity') {
      throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
    }
    let sender: keyof typeof MAX_BODY_BYTES = caller ? 'caller' : 'unauthenticated';
    if (api === connect) sender = connect.bodyOf(request.pathname);
    else if (api === console) sender = 'page';
    const limit = bodyBytes[sender];
    return request.receiveBody(limit, beginLong);
  }

  /** Takes a place among the long bodies in memory. The result gives it back, once. */
  async function beginLongBody(entered: EnteredRequest): Promise<() => void> {
    const { application } = entered.owner;
    await longBodies.take(application, { signal: entered.signal });
    let isHeld = true;
    const end = () => {
      if (isHeld) longBodies.release(application);
      isHeld = false;
    };
    // The request may have been refused meanwhile.
    if (entered.state === 'ended') end();
    return end;
  }

  /** The writers of the APIs count while they write. This limits what none of them has counted, such as a page. */
  function limitResponse(incoming: Incoming, { body }: HttpResponse): void {
    const isKnown =
      incoming.application !== undefined || probes.paths.test(incoming.request.pathname);
    const limit = options.responseBytes[isKnown ? 'caller' : 'unauthenticated'];
    // What is the same for all clients, such as GraphiQL's page, is no client's to make larger.
    const bytes =
      typeof body === 'string' || body === null ? (body?.length ?? 0) : countOwnBytes(body);
    if (bytes > limit) throw responseTooLarge(limit);
  }

  /**
   * A long response may stay unread for long. It is counted before anything is sent, so that too many of them are
   * refused by a regular error.
   */
  function holdUnread(incoming: Incoming, written: HttpResponse): HttpResponse {
    // Before it is encoded, too: text has at least as many bytes as characters.
    limitResponse(incoming, written);
    const response = withBytes(written);
    limitResponse(incoming, response);
    const { body } = response;
    if (body === null || typeof body === 'string' || body.length <= SLICE_BYTES) return response;
    const bytes = countOwnBytes(body);
    if (bytes <= SLICE_BYTES) return response;
    const release = unread.hold(incoming.application, bytes);
    if (!release) throw tooMuchUnread();
    incoming.request.onClose(release);
    return response;
  }
}

/** It has a share of its own, so that busy applications cannot lock it out. */
function recordOperator(incoming: Incoming): void {
  const { operator, requestLog } = incoming;
  requestLog.record({ credential: operator ? toCredential(operator) : OPERATOR });
  incoming.application = OPERATOR;
}

function onlyRest(): CrossbookError {
  return new CrossbookError(
    'FORBIDDEN',
    'A session of the console is accepted by the REST API only: use an API key.',
  );
}

function recordCaller(incoming: Incoming, caller: Caller): void {
  const { application, credentialId: credential } = caller;
  incoming.application = application.id;
  incoming.caller = caller;
  incoming.requestLog.record({ application: application.name, credential });
}

/**
 * Encodes long text once, so that all accounting uses the number of bytes. The factor 3 is the maximum of UTF-8 bytes
 * per UTF-16 unit.
 */
function withBytes(response: HttpResponse): HttpResponse {
  const { body } = response;
  if (typeof body !== 'string' || body.length * 3 <= SLICE_BYTES) return response;
  return { ...response, body: Buffer.from(body) };
}

/**
 * Names the connection by the headers, which are known before the document (arguments in it may name another). A
 * customer token fixes the customer.
 */
function toConnectionKey({ customer }: Caller, headers: HttpHeaders): string {
  const provider = findProviderName(headers.get('x-provider-name') ?? '') ?? '';
  const customerId = customer?.customerId ?? headers.get('x-customer-id') ?? '';
  return `${provider} ${customerId}`;
}

/** The route of paths that no API knows: the path itself is the client's text. */
const UNKNOWN_ROUTE = 'unknown';

/** Stands for the operator in the limits: no application has this id. */
const OPERATOR = 'operator';

/**
 * The long bodies that are received, or wait for a heavy place, at the same time: shared fairly by application. The
 * others wait in their sockets.
 */
const LONG_BODIES = 24;
const LONG_BODY_WAIT_MS = 10_000;

function tooMuchUnread(): CrossbookError {
  return new LocalRefusal(
    'SERVICE_UNAVAILABLE',
    'Too many responses to this application are not read yet: try again.',
    { retryAfterMs: 1_000 },
  );
}

function tooManyLongBodies(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'Too many large request bodies of this application are being received: send fewer at once.',
    { retryAfterMs: 1_000 },
  );
}

function responseTooLarge(limit: number): CrossbookError {
  return new CrossbookError(
    'BAD_REQUEST',
    `The response is too large: it has more than ${limit} bytes, which is the limit. Request fewer items or fields.`,
  );
}

/**
 * Body limits: an allowed GraphQL document fits into a megabyte; introspection and the form of a page are short, except
 * for the one with a field of the CRM for each custom field.
 */
const MAX_BODY_BYTES = { caller: 1_048_576, unauthenticated: 32_768, page: 8_192, fields: 65_536 };

/** Never rejects. */
type RequestHandler = (
  request: ArrivingRequest,
  /** The client's subnet. */
  address?: string | undefined,
) => Promise<OwnedResponse>;

/** What a request is authenticated by. */
interface Arrival {
  readonly headers: HttpHeaders;
  readonly address: string | undefined;
}

interface Incoming extends RequestState {
  readonly request: ArrivingRequest;
  /** Undefined until it is authenticated, and without a key or token. */
  application: string | undefined;
}

/** The GraphQL, the REST or the MCP API. */
interface Api {
  /** The template of a path that this API knows, such as `/customers/{customer_id}`. */
  findRoute(pathname: string): string | undefined;
  answer(request: HttpRequest, state: RequestState, work: RequestWork): Promise<HttpResponse>;
  toErrorResponse(
    error: CrossbookError,
    state: RequestState & { readonly request: HttpRequest },
  ): Promise<HttpResponse> | HttpResponse;
}

/** An API at paths of its own. */
interface PathApi extends Api {
  readonly paths: RegExp;
}

/** The pages of connect links, which have no authenticated caller. */
interface PageApi extends PathApi {
  /** Rejects with TOO_MANY_REQUESTS. */
  limitPages(address: string | undefined): Promise<void>;
  /** Which limit the body of a request has. */
  bodyOf(pathname: string): 'page' | 'fields';
}

/** The admin API, which takes the operator's key, or a session of the console, instead of an API key. */
interface AdminApi extends PathApi {
  /** Undefined: the key itself. Throws or rejects with UNAUTHORIZED. */
  requireOperator(arrival: Arrival): Promise<Operator> | undefined;
}

/** The operator's console. */
interface ConsoleApi extends PathApi {
  /** Undefined: not signed in. Rejects with TOO_MANY_REQUESTS. */
  admit(request: HttpRequest, address: string | undefined): Promise<Operator | undefined>;
}

export interface RequestHandlerOptions {
  readonly graphql: Api;
  readonly rest: Api;
  /** Absent: there is no MCP server. */
  readonly mcp?: PathApi | undefined;
  /** Absent: the admin API is disabled. */
  readonly admin?: AdminApi | undefined;
  /** The pages of connect links. */
  readonly connect?: PageApi | undefined;
  /** Absent: there is no console. */
  readonly console?: ConsoleApi | undefined;
  readonly queue: RequestQueue;
  readonly unread: UnreadBytes;
  /** Body limits with and without an authenticated caller, and of the forms of connect pages. */
  readonly bodyBytes?: Partial<typeof MAX_BODY_BYTES>;
  /** The largest response with and without an authenticated caller. */
  readonly responseBytes: { readonly caller: number; readonly unauthenticated: number };
  /** Whether requests without a key or token are answered. */
  readonly allowsUnauthenticated: boolean;
  readonly cors: Cors;
  /** Throws if the Host is not allowed. Absent: every host is. */
  readonly checkHost?: ((headers: HttpHeaders) => void) | undefined;
  /** Authenticates by the headers. Undefined: no credentials. Throws or rejects if they are invalid. */
  findCaller(arrival: Arrival): Promise<Caller | undefined> | Caller | undefined;
  openRequestLog(
    head: Pick<HttpRequest, 'method' | 'headers'> & Pick<RequestRecord, 'route'>,
  ): OpenRequestLog;
  /** Health checks, metrics and the home page, which bypass load shedding. */
  readonly probes: Pick<Probes, 'paths' | 'answer'>;
  /** Counts the request towards the rate limits of its caller. Throws or rejects with TOO_MANY_REQUESTS. */
  consumeRateLimit(
    request: Pick<RequestState, 'rateLimit'>,
    caller: Caller,
  ): Promise<void> | undefined;
  /** Adds the rate limit headers of the caller. */
  addRateLimitHeaders(
    request: Pick<RequestState, 'rateLimit'>,
    headers: Record<string, string>,
  ): void;
}
