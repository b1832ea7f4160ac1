/**
 * Lets pages of other origins call, where the application that is called for names them. A preflight says nothing of
 * the application: it is allowed where any names the origin, and so is a refusal without a caller, so that a frontend
 * can read why. Cookies play no part here, and are never allowed.
 */
export function withCors<Rest extends readonly unknown[]>(
  handle: (request: Request, ...rest: Rest) => Promise<Response>,
  deps: CorsDeps,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const origin = request.headers.get('origin');
    if (origin === null) return handle(request, ...rest);
    // Where the storage is away nobody is allowed anything, and the request is told so by who answers it.
    const named = (await deps.listOrigins().catch(() => NOBODY)).get(origin);
    if (named && isPreflight(request)) return answerPreflight(origin);
    const response = await handle(request, ...rest);
    if (!named) return response;
    response.headers.append('vary', 'Origin');
    const applicationId = await deps.findApplicationId(request.headers).catch(() => undefined);
    if (applicationId === undefined ? response.status < 400 : !named.has(applicationId)) return response;
    response.headers.set('access-control-allow-origin', origin);
    response.headers.set('access-control-expose-headers', EXPOSED);
    return response;
  };
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

function answerPreflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PUT',
      'access-control-allow-headers': ASKED,
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
  });
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
  findApplicationId(headers: Headers): Promise<string | undefined>;
}
