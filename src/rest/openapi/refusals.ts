import { CrossbookError, ERROR_CODES, type ErrorCode, toErrorBody } from '../../domain/errors.ts';
import { errorsShape } from '../wire/error.ts';
import { refToAnswered } from './components.ts';
import { QUOTA_HEADERS } from './quota.ts';

/** What each status means here, with an error that has it. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: {
    name: 'BadRequest',
    code: 'BAD_REQUEST',
    description: 'The request is malformed. The detail names every field that is.',
    detail: 'query parameter page_size must be at most 1000; filter.emial is not known.',
  },
  401: {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'No API key or token was presented, or it is not valid.',
    detail: 'The API key is not valid.',
  },
  403: {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'A customer token asks for more than its customer.',
    detail: 'This token is for another customer.',
  },
  404: {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'There is no such customer, or it has no connection to the provider.',
    detail: 'There is no customer "customer-1" with a connection to hubspot.',
  },
  409: {
    name: 'Conflict',
    code: 'CONFLICT',
    description: 'The stored version is not the expected one.',
    detail: 'The stored version is 4, not 3.',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than 1 MiB.',
    detail: 'The body is larger than 1048576 bytes.',
  },
  415: {
    name: 'UnsupportedMediaType',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is not application/json in UTF-8, or it is compressed.',
    detail: 'The body must be application/json, in UTF-8.',
  },
  422: {
    name: 'UnprocessableEntity',
    code: 'UNPROCESSABLE_ENTITY',
    description: 'The request is well formed, but what it says cannot be.',
    detail: 'email is not an email address.',
  },
  429: {
    name: 'TooManyRequests',
    code: 'TOO_MANY_REQUESTS',
    description: 'Too many requests: Retry-After says when to try again.',
    detail: 'Too many requests with this API key.',
    retryAfterMs: 1_000,
  },
  499: {
    name: 'RemoteProviderError',
    code: 'REMOTE_PROVIDER_RATE_LIMITED',
    description: 'The provider failed, whatever its own status: that is in meta.cause.',
    detail: 'hubspot takes no more calls for now.',
    retryAfterMs: 10_000,
  },
  500: {
    name: 'InternalServerError',
    code: 'INTERNAL_SERVER_ERROR',
    description: 'A bug on our side: the log has it under the id of the error.',
    detail: 'Something went wrong on our side. The log has it under the id of this error.',
  },
  501: {
    name: 'NotImplemented',
    code: 'NOT_IMPLEMENTED',
    description: 'The provider cannot do this.',
    detail: 'The contacts of pipedrive cannot be searched.',
  },
  503: {
    name: 'ServiceUnavailable',
    code: 'SERVICE_UNAVAILABLE',
    description: 'The service is starting, stopping or overloaded: try again.',
    detail: 'The service is stopping.',
    retryAfterMs: 1_000,
  },
};

export function refToRefusal(status: number): object {
  const refusal = REFUSALS[status];
  if (!refusal) throw new Error(`The status ${status} has no description: give it one in refusals.ts.`);
  return { $ref: `#/components/responses/${refusal.name}` };
}

export function toComponentResponses(): Record<string, object> {
  return Object.fromEntries(Object.values(REFUSALS).map((refusal) => [refusal.name, toResponse(refusal)]));
}

function toResponse({ code, description, detail, retryAfterMs }: Refusal): object {
  const error = new CrossbookError(code, detail, { retryAfterMs });
  const known = ERROR_CODES[code].status !== 401;
  const body = { ...toErrorBody(error, known ? 'Demo' : null), id: '5b0e3f64-9c1f-4c53-8d6e-0a4d1f2b7c88' };
  const retryAfter = { description: 'Seconds to wait, where that is known.', schema: { type: 'integer' } };
  return {
    description,
    ...(retryAfterMs !== undefined && {
      headers: { 'Retry-After': retryAfter, ...(ERROR_CODES[code].status === 429 && QUOTA_HEADERS) },
    }),
    content: { 'application/json': { schema: refToAnswered(errorsShape), example: { errors: [body] } } },
  };
}

interface Refusal {
  readonly name: string;
  readonly code: ErrorCode;
  readonly description: string;
  readonly detail: string;
  readonly retryAfterMs?: number;
}
