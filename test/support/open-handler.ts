import { createHeavyPlaces } from '../../src/admission/heavy-places.ts';
import { RequestQueue } from '../../src/admission/request-queue.ts';
import type { RequestWork } from '../../src/admission/work.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { RequestRecord } from '../../src/domain/log.ts';
import type { RequestState } from '../../src/domain/request-state.ts';
import { type CorsOptions, createCors } from '../../src/http/cors.ts';
import {
  createRequestHandler,
  type RequestHandlerOptions,
} from '../../src/http/request-handler.ts';
import { UnreadBytes } from '../../src/http/unread-bytes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ArrivingRequest, HttpRequest, HttpResponse } from '../../src/lib/http-message.ts';
import { createRequestLogs } from '../../src/telemetry/request-log.ts';
import { createFakeLog } from './fake-log.ts';

/** The request handler with one API. A key is its application's id; `wrong` is invalid. */
export function openHandler(options: HandlerOptions = {}) {
  const {
    max = 10,
    maxUnauthenticated = max,
    status = 200,
    findOrigins = () => new Map(),
    maxBytes = 1e6,
  } = options;
  const answered: string[] = [];
  const lookedUp: string[] = [];
  const refusedOrigins: string[] = [];
  const records: RequestRecord[] = [];
  const callers: (Caller | undefined)[] = [];
  const works: RequestWork[] = [];
  const unread = new UnreadBytes(maxBytes);
  const heavy = createHeavyPlaces({ clock: systemClock, max: options.maxHeavy });
  const queue = new RequestQueue({
    maxBegun: max,
    maxUnauthenticated: maxUnauthenticated,
    heavy,
    clock: systemClock,
  });
  const answer =
    options.answer ?? (async () => ({ status, headers: { vary: 'accept' }, body: 'answer' }));
  const api = {
    findRoute: (pathname: string) => pathname,
    async answer(request: HttpRequest, state: RequestState, work: RequestWork) {
      answered.push(request.method);
      callers.push(state.caller);
      works.push(work);
      return answer(request, work);
    },
    toErrorResponse: ({ code, message, retryAfterMs }: CrossbookError) => ({
      status: code === 'SERVICE_UNAVAILABLE' ? 503 : code === 'PAYLOAD_TOO_LARGE' ? 413 : 401,
      headers: retryAfterMs === undefined ? {} : { 'retry-after': String(retryAfterMs / 1_000) },
      body: message,
    }),
  };
  const handle = createRequestHandler({
    responseBytes: { caller: 16 * 1024 * 1024, unauthenticated: 1024 * 1024 },
    graphql: api,
    rest: api,
    queue,
    unread,
    bodyBytes: { caller: 1_000, unauthenticated: 10 },
    allowsUnauthenticated: maxUnauthenticated > 0,
    cors: createCors({ findOrigins, onRefused: (origin) => refusedOrigins.push(origin) }),
    findCaller({ headers }) {
      const key = headers.get('x-api-key');
      if (key === null) return undefined;
      lookedUp.push(key);
      if (key === 'wrong') throw new CrossbookError('UNAUTHORIZED', 'The key is wrong.');
      return toCaller(key);
    },
    openRequestLog: createRequestLogs({
      log: createFakeLog(),
      clock: systemClock,
      onDone: (record) => records.push(record),
    }),
    consumeRateLimit: () => undefined,
    addRateLimitHeaders: () => {},
    probes: {
      paths: /^\/livez$/,
      answer: () => Promise.resolve({ status: 200, headers: {}, body: 'ok' }),
    },
    ...options.patch,
  });
  const ask = (
    method: string,
    headers: Record<string, string>,
    patch: Partial<ArrivingRequest> = {},
  ) => handle({ ...toRequest(method, headers), ...patch }, '192.0.2.9');
  return {
    handle,
    ask,
    answered,
    lookedUp,
    refusedOrigins,
    records,
    callers,
    works,
    queue,
    unread,
  };
}

export function toCaller(id: string): Caller {
  return { application: { id, name: id }, credentialId: id };
}

function toRequest(method: string, headers: Record<string, string>): ArrivingRequest {
  const url = new URL('http://crossbook.test/graphql');
  return {
    method,
    url,
    pathname: url.pathname,
    headers: new Headers(headers),
    hasBody: false,
    receiveBody: async () => {},
    readBody: () => Buffer.alloc(0),
    onClose: () => {},
  };
}

interface HandlerOptions {
  readonly max?: number;
  readonly maxUnauthenticated?: number;
  /** The status of the API's response. */
  readonly status?: number;
  /** The limit of unread bytes. */
  readonly maxBytes?: number;
  readonly maxHeavy?: number;
  readonly findOrigins?: CorsOptions['findOrigins'];
  readonly answer?: (request: HttpRequest, work: RequestWork) => Promise<HttpResponse>;
  readonly patch?: Partial<RequestHandlerOptions>;
}
