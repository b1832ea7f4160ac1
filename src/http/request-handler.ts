import { type Caller, missingCredentials } from '../domain/caller.ts';
import { type CrossbookError, toCrossbookError } from '../domain/errors.ts';
import type { OpenRequestLog, RequestHead, RequestLog } from '../domain/log.ts';
import { isProviderName } from '../domain/provider-names.ts';
import { type HeldBytes, type Hold, memoryLimitReached } from '../domain/resources.ts';
import type { ArrivingRequest, HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { ConcurrencyLimit, RequestPermit } from './concurrency-limit.ts';
import { type Cors, isPreflightRequest } from './cors.ts';
import { toRequestHead } from './incoming-request.ts';
import type { Probes } from './lifecycle.ts';
import { SLICE_BYTES } from './send-response.ts';

/**
 * Every request's way in. What it may use is decided from its headers: who calls, how large a body is read, whose place it
 * takes. Then its body is received, a place is taken or refused in one step, and a face answers.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { graphql, rest, limit, heldBytes, bodyBytes = BODY_BYTES, strangers, cors, findCaller } = options;
  const { openRequestLog, probes, addQuota, admin, connect } = options;

  return async (request, address) => {
    const { headers } = request;
    const requestLog = openRequestLog(toRequestHead(request));
    // What is remembered is not waited for: an await would cost each request a turn of the event loop.
    // Pages are for people: no page of another origin reads them.
    const isPage = connect?.paths.test(request.pathname) === true;
    const origin = isPage ? null : headers.get('origin');
    const isPreflight = origin !== null && isPreflightRequest(request);
    const found = origin === null || isPreflight ? undefined : cors.findApplications(origin);
    const applications = found instanceof Promise ? await found : found;
    const response = await respond({ request, address, requestLog, isPage, isPreflight });
    const { status, body } = response;
    const bytes = response.length ?? lengthOf(body);
    // To what is made by spread Node 20 adds a property in a microsecond, which is twenty times what it takes otherwise.
    const sent: Record<string, string> = Object.assign({}, response.headers);
    addQuota(requestLog, sent);
    if (applications) {
      const applicationId = requestLog.caller?.application.id;
      cors.addHeaders({ headers, applications, applicationId, status }, sent);
    }
    sent['x-request-id'] = requestLog.requestId;
    if (bytes !== undefined) sent['content-length'] = String(bytes);
    requestLog.close({ status, bytes });
    return { status, headers: sent, body };
  };

  async function respond(incoming: Incoming): Promise<HttpResponse> {
    const { request, requestLog } = incoming;
    const isOperator = admin?.paths.test(request.pathname) === true;
    const face = isOperator ? admin : (faceOf(incoming) ?? rest);
    let permit: RequestPermit | undefined;
    try {
      options.checkHost?.(request.headers);
      if (incoming.isPreflight) return await cors.answerPreflight(request);
      const probe = probes.paths.test(request.pathname) ? probes.answer(request) : undefined;
      if (probe) return reserveResponse(incoming, await probe);
      if (isOperator) {
        permit = openOperatorPermit(incoming, admin);
      } else if (incoming.isPage) {
        const counted = connect?.limitPages(incoming.address);
        if (counted) await counted;
        // A stranger's, whatever key comes along: who it is for is said by the link.
        permit = watchPermit(incoming, limit.open(undefined));
      } else {
        const found = findCaller({ headers: request.headers, address: incoming.address });
        const caller = found instanceof Promise ? await found : found;
        permit = openPermit(incoming, caller);
      }
      if (request.hasBody) await receiveBody(incoming, permit);
      const queued = permit.acquire();
      if (queued) await queued;
      return reserveResponse(incoming, await face.answer(request, requestLog));
    } catch (thrown) {
      return face.refuse(toCrossbookError(thrown), { request, requestLog });
    } finally {
      permit?.release();
    }
  }

  function faceOf({ request, isPage }: Incoming): Face | undefined {
    if (isPage) return connect;
    return request.pathname === '/graphql' ? graphql : undefined;
  }

  function openPermit({ request, requestLog }: Incoming, caller: Caller | undefined): RequestPermit {
    if (caller) requestLog.record({ application: caller.application.name, credential: caller.credentialId });
    else if (!strangers) throw missingCredentials();
    requestLog.caller = caller;
    const connection = caller && nameConnection(caller, request.headers);
    return watchPermit({ request, requestLog }, limit.open(caller?.application.id, connection));
  }

  /** Fair beside the applications: however many requests these have, the operator comes through. */
  function openOperatorPermit(
    { request, address, requestLog }: Incoming,
    { requireKey }: AdminFace,
  ): RequestPermit {
    requireKey({ headers: request.headers, address });
    requestLog.record({ credential: OPERATOR });
    return watchPermit({ request, requestLog }, limit.open(OPERATOR));
  }

  function watchPermit(
    { request, requestLog }: Pick<Incoming, 'request' | 'requestLog'>,
    permit: RequestPermit,
  ) {
    requestLog.permit = permit;
    request.onClose(() => permit.abandon());
    return permit;
  }

  /** Each byte is charged before it is kept, and until the request is over: what is parsed from it lives as long. */
  function receiveBody({ request, address, requestLog }: Incoming, permit: RequestPermit): Promise<void> {
    const { caller } = requestLog;
    const owners = { address, application: caller?.application.id };
    let hold: Hold | undefined;
    return request.receiveBody(caller ? bodyBytes.caller : bodyBytes.stranger, (bytes) => {
      if (hold?.grow(bytes)) return;
      const first = hold ? undefined : heldBytes.acquire(owners, 'request_body', bytes);
      if (!first) throw memoryLimitReached();
      hold = first;
      permit.keep(hold);
    });
  }

  /**
   * What is not small may stay unread for long: it is charged before anything of it is sent, so that where it does not fit
   * the answer is an error like others.
   */
  function reserveResponse({ request, address, requestLog }: Incoming, response: HttpResponse): HttpResponse {
    const sent = withBytes(response);
    const length = sent.body?.length ?? 0;
    if (length <= SLICE_BYTES) return sent;
    const owners = { address, application: requestLog.caller?.application.id };
    const hold = heldBytes.acquire(owners, 'unread_response', length);
    if (!hold) throw memoryLimitReached();
    request.onClose(() => hold.release());
    return sent;
  }
}

/** Long text becomes bytes here, once: charged, announced and watched is their number. No character has more than three. */
function withBytes(response: HttpResponse): HttpResponse {
  const { body } = response;
  if (typeof body !== 'string' || body.length * 3 <= SLICE_BYTES) return response;
  const bytes = Buffer.from(body);
  return { ...response, body: bytes, length: bytes.length };
}

function lengthOf(body: HttpResponse['body']): number | undefined {
  return typeof body === 'string' ? Buffer.byteLength(body) : body?.length;
}

/** As far as the headers tell, which come before a document that may name others. A token is for one customer. */
function nameConnection({ customer }: Caller, headers: HttpHeaders): string {
  const provider = headers.get('x-provider-name') ?? '';
  const customerId = customer?.customerId ?? headers.get('x-customer-id') ?? '';
  return `${isProviderName(provider) ? provider : ''} ${customerId}`;
}

/** Stands for the operator in the concurrency limit: no application has this id. */
const OPERATOR = 'operator';

/** A document within its bounds fits into a megabyte; a question about the schema is short. */
const BODY_BYTES = { caller: 1_048_576, stranger: 32_768 };

/** Resolves whatever happens. */
type RequestHandler = (
  request: ArrivingRequest,
  /** Where it comes from. */
  address?: string | undefined,
) => Promise<HttpResponse>;

interface Incoming {
  readonly request: ArrivingRequest;
  readonly address: string | undefined;
  readonly requestLog: OpenRequestLog;
  /** Is it for a page of connect links? */
  readonly isPage: boolean;
  /** Does a browser ask whether it may ask? */
  readonly isPreflight: boolean;
}

/** GraphQL or REST. */
interface Face {
  answer(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse>;
  refuse(
    error: CrossbookError,
    of: { readonly request: HttpRequest; readonly requestLog: RequestLog },
  ): HttpResponse;
}

/** For people, without a caller. */
interface PageFace extends Face {
  /** Those that it answers. */
  readonly paths: RegExp;
  /** Throws or rejects with TOO_MANY_REQUESTS. */
  limitPages(address: string | undefined): Promise<void> | undefined;
}

/** The operator's paths, which take no caller's key. */
interface AdminFace extends Face {
  readonly paths: RegExp;
  /** Throws UNAUTHORIZED. */
  requireKey(arrival: { readonly headers: HttpHeaders; readonly address: string | undefined }): void;
}

export interface RequestHandlerOptions {
  readonly graphql: Face;
  readonly rest: Face;
  /** Absent: applications and keys are not managed over HTTP. */
  readonly admin?: AdminFace | undefined;
  /** The pages of connect links. */
  readonly connect?: PageFace | undefined;
  readonly limit: ConcurrencyLimit;
  readonly heldBytes: HeldBytes;
  /** The largest body, by who sends it. */
  readonly bodyBytes?: { readonly caller: number; readonly stranger: number };
  /** Is anything answered without a key or token? */
  readonly strangers: boolean;
  readonly cors: Cors;
  /** Throws where the Host is none that is answered. Absent: each is. */
  readonly checkHost?: ((headers: HttpHeaders) => void) | undefined;
  /** From the headers alone. Undefined: a stranger. Throws or rejects where what is presented is wrong. */
  findCaller(arrival: {
    readonly headers: HttpHeaders;
    readonly address: string | undefined;
  }): Promise<Caller | undefined> | Caller | undefined;
  openRequestLog(arrival: RequestHead): OpenRequestLog;
  /** Health and the pages that are answered however much there is to do. */
  readonly probes: Pick<Probes, 'paths' | 'answer'>;
  /** Adds to the headers of a response what there is to say of the caller's rate limit. */
  addQuota(request: Pick<RequestLog, 'rateLimit'>, headers: Record<string, string>): void;
}
