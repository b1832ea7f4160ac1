import * as z from 'zod';
import { ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { type BodyMeter, toJsonBody } from '../lib/json-body.ts';
import type { RequestContext } from '../request/context.ts';
import { type InputParts, type RoutedRequest, readInput } from './read-input.ts';

/** One operation: its schemas check what arrives, type `handle`, and are what the OpenAPI document says. */
export function defineOperation<Parts extends Partial<InputParts>>(
  definition: OperationFacts & RouteDefinition<RequestContext, Parts>,
): Operation {
  return { ...definition, ...toRoute(definition) };
}

/** What an operation of a caller and one of the operator have in common. What `handle` resolves with is the body. */
export function toRoute<Context, Parts extends Partial<InputParts>>(
  definition: RouteDefinition<Context, Parts>,
): Route<Context> {
  const { id, route, response, handle } = definition;
  const [method = '', path = ''] = route.split(' ');
  const input = z.object({ ...NO_INPUT, ...definition.input });
  return {
    ...{ id, method, path, input },
    async run(context, request, meter) {
      const head: ResponseHead = { status: response?.status ?? 200, headers: {} };
      const body = await handle(context, readInput(input, request) as InputOf<Parts>, head);
      return body === undefined ? emptyResponse(head) : jsonResponse(body, head, meter);
    },
  };
}

const NO_INPUT: InputParts = {
  path: z.strictObject({}),
  query: z.strictObject({}),
  headers: z.object({}),
  body: z.undefined(),
};

/** Whatever was thrown, as the response for it; the request log has it under the same id. */
export function errorResponse(
  thrown: unknown,
  requestLog: Pick<RequestLog, 'failed' | 'caller'>,
  { applicationName = requestLog.caller?.application.name ?? null, headers = {} }: ErrorResponseOptions = {},
): HttpResponse {
  const error = toCrossbookError(thrown);
  const { status } = ERROR_CODES[error.code];
  requestLog.failed(error);
  return jsonResponse(
    { errors: [toErrorBody(error, applicationName)] },
    {
      status,
      headers: {
        ...headers,
        ...(status === 401 && { 'www-authenticate': 'Bearer realm="crossbook"' }),
        ...(error.retryAfterMs !== undefined && {
          'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)),
        }),
      },
    },
  );
}

interface ErrorResponseOptions {
  /** Absent: the caller's. */
  readonly applicationName?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Data is the caller's own: no cache between us keeps it. */
function jsonResponse(body: unknown, { status, headers }: ResponseHead, meter?: BodyMeter): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    ...toJsonBody(body, meter),
  };
}

function emptyResponse({ status, headers }: ResponseHead): HttpResponse {
  return { status, headers: { ...headers, 'cache-control': 'no-store' }, body: null };
}

/** Does `If-None-Match` hold the tag of the response? Weak and strong are the same here. */
export function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map(toStrong);
  return tags.includes('*') || tags.includes(toStrong(etag));
}

function toStrong(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

export interface Operation extends OperationFacts, Route<RequestContext> {}

export interface Route<Context> {
  readonly id: string;
  readonly method: string;
  /** Parameters in braces. */
  readonly path: string;
  readonly input: z.ZodObject<InputParts>;
  /** The meter counts the body while it is written. */
  run(context: Context, request: RoutedRequest, meter?: BodyMeter): Promise<HttpResponse>;
}

export interface RouteDefinition<Context, Parts> {
  readonly id: string;
  /** The path is below the prefix of its group. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** Of what is not named nothing is taken. */
  readonly input: Parts;
  readonly response?: Pick<ResponseFacts, 'status'>;
  handle(context: Context, input: InputOf<Parts>, head: ResponseHead): Promise<object | undefined>;
}

type InputOf<Parts> = {
  [Part in keyof Parts]: Parts[Part] extends z.ZodType ? z.output<Parts[Part]> : never;
};

/** A handler may change both. */
interface ResponseHead {
  status: number;
  readonly headers: Record<string, string>;
}

interface OperationFacts {
  readonly summary: string;
  readonly description: string;
  /** An application by its key, a customer by its token. Absent: by key alone. */
  readonly callers?: readonly ('apiKey' | 'customerToken')[];
  readonly bodyExample?: unknown;
  readonly response: ResponseFacts;
  /** What 304 means, where it is a response. */
  readonly notModified?: string;
  /** The statuses of its errors, beside those that every operation has, or every one with a body. */
  readonly errors?: readonly number[];
}

export interface ResponseFacts {
  /** Absent: 200. */
  readonly status?: 201 | 202 | 204;
  readonly description: string;
  /** Of the body; absent where there is none. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Headers of interest and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}
