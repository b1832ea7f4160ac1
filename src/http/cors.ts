import type { HttpAnswer, HttpHeaders, HttpRequest } from '../lib/http-message.ts';

/**
 * Lets pages of other origins call, where the application that is called for names them. A preflight says nothing of
 * the application: it is allowed where any names the origin, and so is a refusal without a caller, so that a frontend
 * can read why. Cookies play no part here, and are never allowed.
 */
export function createCors({ findOrigins }: CorsOptions): Cors {
  return {
    findApplications(headers) {
      const origin = headers.get('origin');
      if (origin === null) return undefined;
      const origins = findOrigins();
      if (!(origins instanceof Promise)) return origins.get(origin);
      // While the storage is away no page may read anything, and the response says that it is away.
      return origins.then(
        (found) => found.get(origin),
        () => undefined,
      );
    },

    addHeaders({ headers, applications, applicationId, status }, sent) {
      sent['vary'] = sent['vary'] === undefined ? 'Origin' : `${sent['vary']}, Origin`;
      const isAllowed = applicationId === undefined ? status >= 400 : applications.has(applicationId);
      if (!isAllowed) return;
      sent['access-control-allow-origin'] = headers.get('origin') ?? '';
      sent['access-control-expose-headers'] = EXPOSED;
    },
  };
}

export function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.get('access-control-request-method') !== null;
}

/** It costs no look-up and reaches no face. */
export function toPreflightResponse({ headers }: HttpRequest): HttpAnswer {
  return {
    status: 204,
    headers: {
      'access-control-allow-origin': headers.get('origin') ?? '',
      'access-control-allow-methods': 'GET, POST, PUT',
      'access-control-allow-headers': REQUESTED,
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  };
}

/** What our callers send, and what tells a gateway or a collector which request this is. */
const REQUESTED = [
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

export interface Cors {
  /** Ids of the applications that name the request's origin. Undefined: there is no origin, or none names it. */
  findApplications(headers: HttpHeaders): Promise<Applications | undefined> | Applications | undefined;
  addHeaders(response: CorsResponse, sent: Record<string, string>): void;
}

type Applications = ReadonlySet<string>;

interface CorsResponse {
  /** Of the request. */
  readonly headers: HttpHeaders;
  readonly applications: Applications;
  /** Of the caller that the response was made for. Undefined: a stranger, or what was presented is wrong. */
  readonly applicationId: string | undefined;
  readonly status: number;
}

export interface CorsOptions {
  /** Origin → ids of the applications that name it. What is remembered comes at once. */
  findOrigins(): Promise<ReadonlyMap<string, Applications>> | ReadonlyMap<string, Applications>;
}
