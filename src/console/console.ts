import { type Application, isAdminKey } from '../domain/caller.ts';
import { CrossbookError, ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { AuditStore, Operator } from '../domain/operator.ts';
import type { RequestState } from '../domain/request-state.ts';
import {
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  toRetryAfter,
} from '../lib/http-message.ts';
import { isRecord } from '../lib/json.ts';
import { readJson } from '../request/read-json.ts';
import { createFiles } from './files.ts';
import { createSessions, forged, isSameOrigin, type SessionOptions } from './sessions.ts';

/** The operator's console: its files, and its sessions. */
export function createConsole({ keyHash, audit, facts, ...options }: ConsoleOptions) {
  const sessions = createSessions({ keyHash, audit, ...options });
  const files = createFiles();

  return {
    /** The paths of the console. */
    paths: /^\/console(?:\/|$)/,

    findRoute: (pathname: string): string | undefined => ROUTES[pathname] ?? findPage(pathname),

    /**
     * Called before the body of a request is received. Rejects with TOO_MANY_REQUESTS at too many sign-ins. Resolves
     * with the operator, who does not count as an unauthenticated client.
     */
    async admit({ method, pathname, headers }: HttpRequest, address: string | undefined) {
      if (method === 'POST' && pathname === SESSION) await options.limitSignIns(address);
      return toOperator(await sessions.find(headers));
    },

    /** The operator of a request to the admin API. Rejects with UNAUTHORIZED or FORBIDDEN. */
    requireOperator: async (headers: Headers): Promise<Operator> => {
      const { sessionId } = await sessions.require(headers);
      return { sessionId };
    },

    /** Whether a request brings a cookie of the console, and no admin key. */
    hasCookie: (headers: Headers): boolean =>
      headers.get('x-admin-key') === null && /crossbook-console=/.test(headers.get('cookie') ?? ''),

    /** The caller of a request for one application. Rejects with UNAUTHORIZED or FORBIDDEN. */
    async findCaller(token: string, headers: Headers) {
      const { applicationId, operator } = await sessions.requireApplication(token, headers);
      const application = await requireApplication(applicationId);
      return { application, credentialId: `console-${operator.sessionId}`, operator };
    },

    async answer(request: HttpRequest, state: RequestState): Promise<HttpResponse> {
      state.requestLog.record({ api: 'console' });
      try {
        const response = await route(request, state);
        return request.method === 'HEAD' ? { ...response, body: null } : response;
      } catch (thrown) {
        return toErrorResponse(toCrossbookError(thrown), state);
      }
    },

    toErrorResponse,
  };

  async function route(request: HttpRequest, state: RequestState): Promise<HttpResponse> {
    const { method, pathname, headers } = request;
    if (pathname === SESSION) {
      if (method === 'GET') return toJson(200, describe(await sessions.find(headers)));
      if (method === 'POST') return signIn(request, state);
      if (method === 'DELETE') return signOut(request, state);
      return refuseMethod('GET, POST, DELETE');
    }
    if (pathname === APPLICATION_SESSIONS)
      return method === 'POST' ? openApplication(request, state) : refuseMethod('POST');
    if (method !== 'GET' && method !== 'HEAD') return refuseMethod('GET, HEAD');
    if (pathname === ERRORS) return toJson(200, ERROR_CODES);
    const accepted = headers.get('accept-encoding');
    if (!pathname.startsWith(ASSETS)) return files.page(options.basePath());
    const asset = files.asset(pathname.slice(ASSETS.length), accepted);
    if (asset) return asset;
    throw new CrossbookError('NOT_FOUND', 'The console has no such file: reload the page.');
  }

  async function signIn(request: HttpRequest, state: RequestState): Promise<HttpResponse> {
    state.requestLog.record({ operation: 'signIn' });
    if (!isSameOrigin(request.headers)) throw forged();
    const { key } = readBody(request);
    if (typeof key !== 'string')
      throw new CrossbookError('BAD_REQUEST', 'The body must be {"key": "cba_…"}.');
    if (!isAdminKey(key, keyHash)) {
      options.log.warn({}, 'an attempt to sign in to the console was refused: wrong admin key');
      throw new CrossbookError('UNAUTHORIZED', 'The admin key is not valid.');
    }
    const { session, header } = sessions.begin();
    await audit.add({ sessionId: session.sessionId, action: 'signIn' });
    return toJson(200, describe(session), { 'set-cookie': header });
  }

  async function signOut({ headers }: HttpRequest, state: RequestState): Promise<HttpResponse> {
    state.requestLog.record({ operation: 'signOut' });
    const session = await sessions.require(headers);
    await audit.add({ sessionId: session.sessionId, action: 'signOut' });
    sessions.end(session);
    const removal = { 'set-cookie': sessions.toRemoval(), 'cache-control': 'no-store' };
    return { status: 204, headers: removal, body: null };
  }

  async function openApplication(request: HttpRequest, state: RequestState): Promise<HttpResponse> {
    state.requestLog.record({ operation: 'openApplication' });
    const session = await sessions.require(request.headers);
    const { application_id: applicationId } = readBody(request);
    if (typeof applicationId !== 'string')
      throw new CrossbookError('BAD_REQUEST', 'The body must be {"application_id": "…"}.');
    const application = await requireApplication(applicationId);
    const { sessionId } = session;
    await audit.add({ sessionId, action: 'openApplication', applicationId: application.id });
    const { token, expiresAt } = sessions.signApplication(session, application.id);
    return toJson(201, { token, expires_at: expiresAt });
  }

  async function requireApplication(id: string): Promise<Application> {
    const found = await options.findApplication(id);
    if (found) return found;
    throw new CrossbookError('NOT_FOUND', 'There is no application with this id.');
  }

  /** What the page needs to know before it shows anything. */
  function describe(session: Awaited<ReturnType<typeof sessions.find>>) {
    if (!session) return { session: null };
    const { csrfToken, expiresAt } = session;
    return { session: { csrf_token: csrfToken, expires_at: expiresAt }, ...facts };
  }
}

const SESSION = '/console/session';
const APPLICATION_SESSIONS = '/console/application_sessions';
/** What each error code means, for the guide. */
const ERRORS = '/console/errors';
const ASSETS = '/console/assets/';
const ROUTES: Readonly<Record<string, string>> = {
  [SESSION]: SESSION,
  [APPLICATION_SESSIONS]: APPLICATION_SESSIONS,
  [ERRORS]: ERRORS,
};

/** Addresses of views contain ids of customers, so the log has a template. */
function findPage(pathname: string): string | undefined {
  if (pathname.startsWith(ASSETS)) return `${ASSETS}{file}`;
  return /^\/console(?:\/|$)/.test(pathname) ? '/console' : undefined;
}

function toOperator(session: Operator | undefined): Operator | undefined {
  return session && { sessionId: session.sessionId };
}

function readBody(request: HttpRequest): Readonly<Record<string, unknown>> {
  const value = readJson(request);
  if (isRecord(value)) return value;
  throw new CrossbookError('BAD_REQUEST', 'The body must be a JSON object.');
}

function refuseMethod(allow: string): HttpResponse {
  const error = new CrossbookError('METHOD_NOT_ALLOWED', `This path supports only ${allow}.`);
  return toJson(405, { errors: [toErrorBody(error, null)] }, { allow });
}

function toErrorResponse(error: CrossbookError, state: RequestState): HttpResponse {
  state.requestLog.record({ api: 'console' });
  state.requestLog.failed(error);
  const headers = toRetryAfter(error.retryAfterMs);
  return toJson(ERROR_CODES[error.code].status, { errors: [toErrorBody(error, null)] }, headers);
}

function toJson(status: number, body: object, headers = {}): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

type Headers = Pick<HttpHeaders, 'get'>;

export type Console = ReturnType<typeof createConsole>;

interface ConsoleOptions extends SessionOptions {
  readonly audit: AuditStore;
  /** Rejects with TOO_MANY_REQUESTS. */
  limitSignIns(address: string | undefined): Promise<void>;
  /** Returns undefined if no application has the id, or if it is being deleted. */
  findApplication(id: string): Promise<Application | undefined>;
  /** The path of the public URL. */
  basePath(): string;
  /** Settings that change what the page shows. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly log: { warn(fields: object, message: string): void };
}
