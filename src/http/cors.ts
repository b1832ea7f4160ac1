import type { Arrival, OpenJournal } from '../domain/journal.ts';
import type { HttpAnswer, HttpHeaders, HttpRequest } from '../lib/http-message.ts';
import { withVary } from '../lib/with-vary.ts';
import { toArrival } from './to-arrival.ts';

/**
 * Lets pages of other origins call, where the application that is called for names them. A preflight says nothing of
 * the application: it is allowed where any names the origin, and so is a refusal without a caller, so that a frontend
 * can read why. Cookies play no part here, and are never allowed.
 */
export function withCors<Rest extends readonly unknown[]>(
  answer: (request: HttpRequest, ...rest: Rest) => Promise<HttpAnswer>,
  deps: CorsDeps,
): (request: HttpRequest, ...rest: Rest) => Promise<HttpAnswer> {
  return (request, ...rest) => {
    const origin = request.headers.get('origin');
    return origin === null ? answer(request, ...rest) : answerPage(origin, request, rest);
  };

  async function answerPage(origin: string, request: HttpRequest, rest: Rest): Promise<HttpAnswer> {
    // Where the storage is away nobody is allowed anything, and the request is told so by who answers it.
    const named = (await deps.listOrigins().catch(() => NOBODY)).get(origin);
    if (named && isPreflight(request)) return tell(request, answerPreflight(origin));
    const answered = await answer(request, ...rest);
    if (!named) return answered;
    const headers = withVary(answered.headers, 'Origin');
    const applicationId = await deps.findApplicationId(request.headers).catch(() => undefined);
    const isAllowed = applicationId === undefined ? answered.status >= 400 : named.has(applicationId);
    if (!isAllowed) return { ...answered, headers };
    const allowed = { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
    return { ...answered, headers: { ...headers, ...allowed } };
  }

  /** It reaches no face, and leaves its line like any other request. */
  function tell(request: HttpRequest, answered: HttpAnswer): HttpAnswer {
    const journal = deps.openJournal(toArrival(request));
    journal.close({ status: answered.status, bytes: undefined });
    return { ...answered, headers: { ...answered.headers, 'x-request-id': journal.requestId } };
  }
}

function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.get('access-control-request-method') !== null;
}

function answerPreflight(origin: string): HttpAnswer {
  return {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PUT',
      'access-control-allow-headers': ASKED,
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  };
}

/** What our callers send, and what tells a gateway or a collector which request this is. */
const ASKED = [
  'authorization',
  'content-type',
  'if-match',
  'if-none-match',
  'traceparent',
  'x-api-key',
  'x-customer-id',
  'x-provider-name',
  'x-request-id',
].join(', ');

const EXPOSED =
  'etag, ratelimit, ratelimit-limit, ratelimit-policy, ratelimit-remaining, ratelimit-reset, retry-after, x-fetched-at, x-request-id';

const NOBODY: AllowedCallers = new Map();

/** Origin → ids of the applications that name it. */
export type AllowedCallers = ReadonlyMap<string, ReadonlySet<string>>;

export interface CorsDeps {
  listOrigins(): Promise<AllowedCallers>;
  /** Whom the request is made for. Undefined where nobody is known; may reject where what is presented is wrong. */
  findApplicationId(headers: HttpHeaders): Promise<string | undefined>;
  openJournal(arrival: Arrival): OpenJournal;
}
