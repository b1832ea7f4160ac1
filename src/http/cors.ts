import { CrossbookError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { toWebOrigin } from '../domain/urls.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';

/**
 * Lets pages of other origins call, where the application that is called for names them. A preflight says nothing of
 * the application: it is allowed where any names the origin, and so is a refusal without a caller, so that a frontend
 * can read why. Cookies play no part here, and are never allowed.
 */
export function createCors({ findOrigins, onRefused }: CorsOptions) {
  return {
    /** It costs no look-up of a caller and reaches no face. Rejects with FORBIDDEN where no application names its origin. */
    async answerPreflight({ headers }: HttpRequest): Promise<HttpResponse> {
      const origin = headers.get('origin') ?? '';
      if ((await findOrigins()).has(origin))
        return toPreflightResponse(origin, headers.get('access-control-request-headers'));
      const known = toWebOrigin(origin);
      if (known !== undefined) onRefused(known);
      throw new CrossbookError('FORBIDDEN', sayRefused(known));
    },

    /** Ids of the applications that name an origin. Undefined: none does. */
    findApplications(origin: string): Promise<Applications | undefined> | Applications | undefined {
      const origins = findOrigins();
      if (!(origins instanceof Promise)) return origins.get(origin);
      // While the storage is away no page may read anything, and the response says that it is away.
      return origins.then(
        (found) => found.get(origin),
        () => undefined,
      );
    },

    addHeaders(
      { headers, applications, applicationId, status }: CorsResponse,
      sent: Record<string, string>,
    ): void {
      sent['vary'] = sent['vary'] === undefined ? 'Origin' : `${sent['vary']}, Origin`;
      const isAllowed = applicationId === undefined ? status >= 400 : applications.has(applicationId);
      if (!isAllowed) return;
      sent['access-control-allow-origin'] = headers.get('origin') ?? '';
      sent['access-control-expose-headers'] = EXPOSED;
    },
  };
}

export function isPreflightRequest({ method, headers }: HttpRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.get('origin') !== null &&
    headers.get('access-control-request-method') !== null
  );
}

/**
 * The list of origins is the gate, and cookies play no part: a page that may call may send the headers that it asks for.
 * Monitoring adds some of its own to every request of a page.
 */
function toPreflightResponse(origin: string, asked: string | null): HttpResponse {
  const names = (asked ?? '').split(',').map((name) => name.trim());
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

/** A browser hides this from the page, and shows it in its network tab. */
function sayRefused(origin: string | undefined): string {
  if (origin === undefined) return 'The origin of this page is none that an application can name.';
  return `No application names the origin "${origin}": \`${toCommand(origin)}\` lets its pages call.`;
}

/** What makes an application name the origin. */
function toCommand(origin: string): string {
  return `crossbook apps origins APPLICATION --add ${origin}`;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** The longest that Chromium keeps it. */
const MAX_AGE_SECONDS = '7200';

const EXPOSED =
  'etag, ratelimit, ratelimit-limit, ratelimit-policy, ratelimit-remaining, ratelimit-reset, retry-after, x-fetched-at, x-request-id';

export type Cors = ReturnType<typeof createCors>;

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
  /** Told of the origin of each page that may not call. */
  onRefused(origin: string): void;
}

/**
 * A page that may not call fails in a browser, which does not say why: the log says which origin it was, and the command that
 * lets it call. A stranger chooses what is said here, so that it is said once a minute of each origin, and of few.
 */
export function createOriginWarning({ log, now }: Options): (origin: string) => void {
  const saidAt = new Map<string, number>();
  return (origin) => {
    const moment = now();
    for (const [said, at] of saidAt) if (moment - at >= WARNING_EVERY_MS) saidAt.delete(said);
    if (saidAt.has(origin) || saidAt.size >= MOST) return;
    saidAt.set(origin, moment);
    log.warn({ origin, command: toCommand(origin) }, 'a page may not call: no application names its origin');
  };
}

const WARNING_EVERY_MS = 60_000;
/** Origins in a minute. */
const MOST = 20;

interface Options {
  readonly log: Pick<Log, 'warn'>;
  /** Monotonic, in milliseconds. */
  now(): number;
}
