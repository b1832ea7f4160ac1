import { randomUUID } from 'node:crypto';
import { EXAMPLE_PROVIDERS, PROVIDER_TITLES } from './provider-names.ts';

/**
 * All error codes with their HTTP statuses: a closed table. `npm run docs` prints the table of `docs/api.md` from it.
 * OpenAPI's responses use the first code of a status, with the example that one of its codes has.
 */
export const ERROR_CODES = {
  BAD_REQUEST: code(
    400,
    'Bad request',
    'The request is malformed: syntax, a missing header, a page size, a cursor of another search. The detail names all wrong fields of an input, but only the first of several missing headers.',
    {
      example:
        'query parameter page_size must be at most 1000; filter.emial is not known: use email, emails, email_domain, phone, name_prefix, modified_since, custom_field or all.',
    },
  ),
  UNAUTHORIZED: code(
    401,
    'Unauthorized',
    'No API key or token was presented, or it is not valid.',
    {
      example: 'The API key is not valid: it may be mistyped or revoked.',
    },
  ),
  FORBIDDEN: code(
    403,
    'Forbidden',
    'The key, token, origin, host or connection is not allowed to do this. For example, a customer token requests another customer, a connection was not allowed to read deals, or an operation is not a trusted document.',
    { example: 'This token is for another customer.' },
  ),
  NOT_FOUND: code(
    404,
    'Not found',
    'There is no such path, customer, link, endpoint or application, or the customer has no connection to the provider.',
    {
      example: `The customer "customer-1" does not exist, or has no connection to ${PROVIDER_TITLES[EXAMPLE_PROVIDERS.first]}.`,
    },
  ),
  PERSISTED_QUERY_NOT_FOUND: code(
    404,
    'Persisted query not found',
    'No document with this hash is stored here: send its text once (200 in plain JSON, as clients expect).',
  ),
  METHOD_NOT_ALLOWED: code(405, 'Method not allowed', 'The path does not support this method.'),
  NOT_ACCEPTABLE: code(
    406,
    'Not acceptable',
    'The response has no media type that the client accepts.',
  ),
  REQUEST_TIMEOUT: code(408, 'Request timeout', 'The request arrived too slowly.', {
    retryable: true,
  }),
  CONFLICT: code(
    409,
    'Conflict',
    'The stored version is not the expected one, the state of a link or an endpoint does not allow this, or a write with the same idempotency key is under way.',
    { example: 'Version 3 was expected, but the customer has version 4.' },
  ),
  PAYLOAD_TOO_LARGE: code(
    413,
    'Payload too large',
    'The body is larger than 1 MiB, or than 32 KiB without an API key or a token.',
    { example: 'The body is larger than 1024 KiB.' },
  ),
  UNSUPPORTED_MEDIA_TYPE: code(
    415,
    'Unsupported media type',
    'The body is not application/json in UTF-8, or it is compressed.',
    { example: 'The body must be JSON in UTF-8, with the header content-type: application/json.' },
  ),
  EXPECTATION_FAILED: code(
    417,
    'Expectation failed',
    'The header `Expect` differs from `100-continue`.',
  ),
  UNPROCESSABLE_ENTITY: code(
    422,
    'Unprocessable entity',
    'The request is well formed but invalid, such as a malformed email address, a host that does not belong to the provider, or a duplicate provider.',
    { example: 'The email must be an address such as ada@example.com.' },
  ),
  TOO_MANY_REQUESTS: code(
    429,
    'Too many requests',
    'Too many requests: Retry-After says when to try again.',
    {
      retryable: true,
      example: 'This application makes more than 6000 requests a minute, weighted by their cost.',
      retryAfterMs: 1000,
    },
  ),
  REQUEST_HEADER_FIELDS_TOO_LARGE: code(
    431,
    'Request header fields too large',
    'The headers are longer than 16 KiB.',
  ),
  REMOTE_PROVIDER_ERROR: code(
    499,
    'Remote provider error',
    'The provider returned an error. Its own status is in meta.cause.',
  ),
  REMOTE_PROVIDER_UNAUTHORIZED: code(
    499,
    'Remote provider refused the credentials',
    'The provider permanently refused the credentials: the customer has to connect again.',
  ),
  REMOTE_PROVIDER_FORBIDDEN: code(
    499,
    'Remote provider forbids this',
    'The credentials are valid, but lack permission for this.',
  ),
  REMOTE_PROVIDER_RATE_LIMITED: code(
    499,
    'Remote provider rate limit reached',
    'The provider’s rate limit is exhausted.',
    {
      retryable: true,
      example:
        "The provider's rate limit for this connection is exhausted, and this call cannot wait for it to reset.",
      retryAfterMs: 10000,
    },
  ),
  REMOTE_PROVIDER_TIMEOUT: code(
    499,
    'Remote provider did not respond in time',
    'The provider did not respond within the deadline.',
    { retryable: true },
  ),
  REMOTE_PROVIDER_UNAVAILABLE: code(
    499,
    'Remote provider unavailable',
    'The provider cannot be reached, responds with 5xx, or its circuit breaker is open.',
    { retryable: true },
  ),
  REMOTE_PROVIDER_BAD_RESPONSE: code(
    499,
    'Remote provider sent an invalid response',
    'The provider’s response does not match its documentation.',
  ),
  INTERNAL_SERVER_ERROR: code(
    500,
    'Internal server error',
    'A bug in Crossbook. It is logged with the id of the error.',
    { example: 'Something went wrong on our side. It is logged with the id of this error.' },
  ),
  NOT_IMPLEMENTED: code(
    501,
    'Not implemented',
    'The provider cannot do this: its records cannot be searched, or not by this filter.',
    {
      example: `The contacts of ${PROVIDER_TITLES[EXAMPLE_PROVIDERS.unsearchable]} cannot be searched.`,
    },
  ),
  SERVICE_UNAVAILABLE: code(
    503,
    'Service unavailable',
    'The service is starting, stopping or overloaded, or its database is unavailable: try again.',
    {
      retryable: true,
      example: 'This process is starting. Send the request again in a moment.',
      retryAfterMs: 1000,
    },
  ),
};

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorFacts extends Example {
  readonly status: number;
  readonly title: string;
  readonly when: string;
  readonly retryable: boolean;
}

interface Example {
  /** An example of `detail`. */
  readonly example?: string;
  readonly retryAfterMs?: number;
}

function code(
  status: number,
  title: string,
  when: string,
  { retryable = false, ...example }: Example & { readonly retryable?: boolean } = {},
): ErrorFacts {
  return { status, title, when, retryable, ...example };
}

/** The class of all expected errors. Any other thrown value is a bug. */
export class CrossbookError extends Error {
  override readonly name = 'CrossbookError';
  /** The id of this instance in the response and in the log, for support. */
  readonly id: string = randomUUID();
  readonly code: ErrorCode;
  /** The origin of the error: the provider only where it was called. */
  readonly origin: ErrorOrigin;
  readonly remote: RemoteCause | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, detail: string, options: CrossbookErrorOptions = {}) {
    // No stack trace: for bugs the cause has it, and creating one takes a millisecond, which clients could provoke
    // thousands of times.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.origin = options.origin ?? (options.remote ? 'remote-provider' : 'crossbook');
    this.remote = options.remote;
    this.retryAfterMs = options.retryAfterMs && Math.ceil(options.retryAfterMs);
  }
}

/** Ends work for a request that has ended or whose client has disconnected. Never reaches a client. */
export class AbandonedError extends CrossbookError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The request has ended, or its client has disconnected.');
  }
}

/**
 * Crossbook refuses the work itself, before or instead of a provider's response: a rate limit, an open circuit breaker
 * or the memory limit. A call that was refused is not retried.
 */
export class LocalRefusal extends CrossbookError {}

/** Wraps bugs: clients only learn the error id; the cause is for the log. */
export function toCrossbookError(thrown: unknown): CrossbookError {
  if (thrown instanceof CrossbookError) return thrown;
  return new CrossbookError(
    'INTERNAL_SERVER_ERROR',
    'Something went wrong on our side. It is logged with the id of this error.',
    { cause: thrown },
  );
}

/** The public form of an error, the same in both APIs. */
export function toErrorBody(error: CrossbookError, applicationName: string | null) {
  const { status, title, retryable } = ERROR_CODES[error.code];
  return {
    id: error.id,
    code: error.code,
    problem_type: error.code,
    status: String(status),
    title,
    detail: error.message,
    meta: {
      origin: error.origin,
      // Absent without an authenticated caller.
      ...(applicationName !== null && { application_name: applicationName }),
      ...(error.remote && { cause: error.remote }),
      retryable: retryable || error.retryAfterMs !== undefined,
      ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    },
  };
}

declare const redacted: unique symbol;

export type ErrorOrigin = 'remote-provider' | 'crossbook';

/** A provider's response, truncated and redacted. Created only by `outbound/redaction`. */
export interface RemoteCause {
  readonly [redacted]: true;
  readonly code: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export type ErrorBody = ReturnType<typeof toErrorBody>;

interface CrossbookErrorOptions {
  readonly cause?: unknown;
  /** Required if a provider was called without a response. */
  readonly origin?: ErrorOrigin | undefined;
  readonly remote?: RemoteCause | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** False: not this mistake. */
export type Mistakes = readonly (string | false)[];

/** Throws if an input has mistakes, with the first of them. */
export function refuseMistakes(mistakes: Mistakes): void {
  const found = mistakes.filter((mistake) => mistake !== false);
  if (found.length > 0) throw invalidInput(found);
}

/** An input with these mistakes, of which each becomes a sentence. An input of a megabyte can have thousands. */
export function invalidInput(mistakes: readonly string[]): CrossbookError {
  const listed = mistakes.slice(0, MAX_MISTAKES);
  const more = mistakes.length - listed.length;
  if (more > 0) listed.push(`There are ${more} more mistakes`);
  return new CrossbookError('UNPROCESSABLE_ENTITY', `${listed.join('. ')}.`);
}

const MAX_MISTAKES = 20;
