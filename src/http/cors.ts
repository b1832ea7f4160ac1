import { CrossbookError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { toWebOrigin } from '../domain/urls.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import { toOwnCommand } from '../lib/own-command.ts';

/**
 * CORS: allows the web origins that an application lists. A preflight request does not say which application it is
 * for, so it is allowed where any application lists the origin; so are errors without a caller, so that a frontend
 * can read the reason. Credentials (cookies) are never allowed.
 */
export function createCors({ findOrigins, onRefused }: CorsOptions) {
  return {
    /** Needs no caller and no look-up. Rejects with FORBIDDEN if no application lists the origin. */
    async answerPreflight({ headers }: HttpRequest): Promise<HttpResponse> {
      const origin = headers.get('origin') ?? '';
      if ((await findOrigins()).has(origin))
        return toPreflightResponse(origin, headers.get('access-control-request-headers'));
      const known = toWebOrigin(origin);
      if (known !== undefined) onRefused(known);
      throw new CrossbookError('FORBIDDEN', sayRefused(known));
    },

    /** Ids of the applications that list an origin. Undefined: none. Cached ones are returned without a promise. */
    findApplications(origin: string): Promise<Applications | undefined> | Applications | undefined {
      const origins = findOrigins();
      if (!(origins instanceof Promise)) return origins.get(origin);
      // While the database is unavailable no origin is allowed; the response itself reports the outage.
      return origins.then((found) => found.get(origin)).catch(() => undefined);
    },

    addHeaders(
      { headers, applications, applicationId, status }: CorsResponse,
      sent: Record<string, string>,
    ): void {
      sent['vary'] = sent['vary'] === undefined ? 'Origin' : `${sent['vary']}, Origin`;
      const isAllowed =
        applicationId === undefined ? status >= 400 : applications.has(applicationId);
      if (!isAllowed) return;
      sent['access-control-allow-origin'] = headers.get('origin') ?? '';
      sent['access-control-expose-headers'] = EXPOSED;
    },
  };
}

/**
 * Paths that no page of another origin may call or read, whatever origins the applications list: the admin API, the
 * console, the pages of connect links, and the demo's part in them.
 */
export const SAME_ORIGIN_PATHS = /^\/(?:admin|connect|console|demo)(?:\/|$)/;

/** For a request with an `Origin`. */
export function isPreflightRequest({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers.get('access-control-request-method') !== null;
}

/**
 * Allows every requested header: access is decided by the list of origins alone, and monitoring tools in a page add
 * headers of their own to each request.
 */
function toPreflightResponse(origin: string, requestedHeaders: string | null): HttpResponse {
  const names = (requestedHeaders ?? '').split(',').map((name) => name.trim());
  return {
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': names.filter((name) => HEADER_NAME.test(name)).join(', '),
      'access-control-max-age': MAX_AGE_SECONDS,
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  };
}

/** Browsers hide this message from the page, but show it in the network tab. */
function sayRefused(origin: string | undefined): string {
  if (origin === undefined)
    return 'The origin of this page is not a web origin, so that no application can allow it.';
  return `No application allows the origin "${origin}". Allow it: \`${toCommand(origin)}\`.`;
}

/** The command that adds the origin to an application. */
function toCommand(origin: string): string {
  return toOwnCommand(`apps origins APPLICATION --add ${origin}`);
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** The maximum that Chromium caches a preflight response for. */
const MAX_AGE_SECONDS = '7200';

const EXPOSED =
  'etag, ratelimit, ratelimit-limit, ratelimit-policy, ratelimit-remaining, ratelimit-reset, retry-after, x-fetched-at, x-request-id';

export type Cors = ReturnType<typeof createCors>;

type Applications = ReadonlySet<string>;

interface CorsResponse {
  /** The headers of the request. */
  readonly headers: HttpHeaders;
  readonly applications: Applications;
  /** The application of the authenticated caller. Undefined: no credentials, or invalid ones. */
  readonly applicationId: string | undefined;
  readonly status: number;
}

export interface CorsOptions {
  /** Origin → ids of the applications that list it. A cached map is returned without a promise. */
  findOrigins(): Promise<ReadonlyMap<string, Applications>> | ReadonlyMap<string, Applications>;
  /** Called with the origin of each page that is not allowed. */
  onRefused(origin: string): void;
}

/**
 * Logs origins that are not allowed, with the command that allows them, because the browser does not show the reason.
 * Clients choose the origin, so the log is limited to one line per origin and minute, and to few origins.
 */
export function createOriginWarning({ log, now }: Options): (origin: string) => void {
  const saidAt = new Map<string, number>();
  return (origin) => {
    const moment = now();
    for (const [said, at] of saidAt) if (moment - at >= WARNING_EVERY_MS) saidAt.delete(said);
    if (saidAt.has(origin) || saidAt.size >= MOST) return;
    saidAt.set(origin, moment);
    log.warn(
      { origin, command: toCommand(origin) },
      'a page was refused: no application has registered its origin',
    );
  };
}

const WARNING_EVERY_MS = 60_000;
/** The maximum of logged origins per minute. */
const MOST = 20;

interface Options {
  readonly log: Pick<Log, 'warn'>;
  /** Monotonic, in milliseconds. */
  now(): number;
}
