import * as z from 'zod';
import {
  type CrossbookError,
  ERROR_CODES,
  toCrossbookError,
  toErrorBody,
} from '../domain/errors.ts';
import type { RequestState } from '../domain/request-state.ts';
import { type HttpResponse, toRetryAfter } from '../lib/http-message.ts';
import { type BodyMeter, toJsonBody } from '../lib/response-body.ts';
import type { RequestContext } from '../request/context.ts';
import { requireApiKey } from '../usecases/authorization.ts';
import { type InputParts, type RoutedRequest, readInput } from './read-input.ts';

/** Defines an operation: its schemas validate requests, type `handle`, and generate the OpenAPI document. */
export function defineOperation<Parts extends Partial<InputParts>>(
  definition: OperationFacts & RouteDefinition<RequestContext, Parts>,
): Operation {
  const { callers = ['apiKey'] } = definition;
  const route = toRoute(definition);
  return {
    ...definition,
    ...route,
    async run(context, request, meter) {
      // What a customer token may not do is forbidden to it, however it is asked for.
      if (!callers.includes('customerToken')) requireApiKey(context);
      return route.run(context, request, meter);
    },
  };
}

/** The shared part of operations of callers and of the operator. `handle` resolves with the body. */
export function toRoute<Context, Parts extends Partial<InputParts>>(
  definition: RouteDefinition<Context, Parts>,
): Route<Context> {
  const { id, route, response, handle } = definition;
  const [method = '', path = ''] = route.split(' ');
  const input = z.object({ ...NO_INPUT, ...definition.input });
  return {
    id,
    method,
    path,
    input,
    async run(context, request, meter) {
      const head: ResponseHead = { status: response?.status ?? 200, headers: {} };
      const read = readInput(input, request) as InputOf<Parts>;
      const body = await handle(context, read, head);
      if (body !== undefined) {
        const written = toJsonBody(body, meter);
        return jsonResponse(written instanceof Promise ? await written : written, head);
      }
      return {
        status: head.status,
        headers: { ...head.headers, 'cache-control': 'no-store' },
        body: null,
      };
    },
  };
}

const NO_INPUT: InputParts = {
  path: z.strictObject({}),
  query: z.strictObject({}),
  headers: z.object({}),
  body: z.undefined(),
};

/** The response for any thrown value; the request log has the same error id. */
export function errorResponse(thrown: unknown, state: RequestState, headers = {}): HttpResponse {
  const error = toCrossbookError(thrown);
  const { status } = ERROR_CODES[error.code];
  return jsonResponse(toJsonBody({ errors: [toLoggedError(error, state)] }), {
    status,
    headers: {
      ...headers,
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="crossbook"' }),
      ...toRetryAfter(error.retryAfterMs),
    },
  });
}

/** The body of an error. The request log has the same error id. */
export function toLoggedError(
  error: CrossbookError,
  state: Pick<RequestState, 'caller' | 'requestLog'>,
) {
  state.requestLog.failed(error);
  return toErrorBody(error, state.caller?.application.name ?? null);
}

/** Responses are private to the caller: shared caches must not store them. */
function jsonResponse(body: HttpResponse['body'], { status, headers }: ResponseHead): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body,
  };
}

/** Whether `If-None-Match` contains the ETag. Weak and strong tags compare equal. */
export function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map(toStrong);
  return tags.includes('*') || tags.includes(toStrong(etag));
}

function toStrong(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

interface Operation extends OperationFacts, Route<RequestContext> {}

export interface Route<Context> {
  readonly id: string;
  readonly method: string;
  /** The path, with parameters in braces. */
  readonly path: string;
  readonly input: z.ZodObject<InputParts>;
  /** `meter` counts the bytes of the body during serialization. */
  run(context: Context, request: RoutedRequest, meter?: BodyMeter): Promise<HttpResponse>;
}

interface RouteDefinition<Context, Parts> {
  readonly id: string;
  /** Method and path, relative to the prefix of its group. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** A part that is not listed accepts nothing. */
  readonly input: Parts;
  readonly response?: Pick<ResponseFacts, 'status'>;
  /** Resolves with the body; undefined: the response has none. */
  handle(context: Context, input: InputOf<Parts>, head: ResponseHead): Promise<unknown>;
}

type InputOf<Parts> = {
  [Part in keyof Parts]: Parts[Part] extends z.ZodType ? z.output<Parts[Part]> : never;
};

/** A handler may change status and headers. */
interface ResponseHead {
  status: number;
  readonly headers: Record<string, string>;
}

interface OperationFacts {
  readonly summary: string;
  readonly description: string;
  /** Allowed credentials: an application's API key, a customer token. Absent: API key only. */
  readonly callers?: readonly ('apiKey' | 'customerToken')[];
  readonly bodyExample?: unknown;
  readonly response: ResponseFacts;
  /** The meaning of a 304, where it is possible. */
  readonly notModified?: string;
  /** Error statuses in addition to the common ones. */
  readonly errors?: readonly number[];
}

export interface ResponseFacts {
  /** Absent: 200. */
  readonly status?: 201 | 202 | 204;
  readonly description: string;
  /** The schema of the body; absent without a body. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Documented response headers. */
  readonly headers?: Readonly<Record<string, string>>;
}
