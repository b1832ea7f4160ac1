import { randomUUID } from 'node:crypto';

/** Every way a request can fail, with the status that the specification gives it. The table is closed. */
export const ERROR_CODES = {
  BAD_REQUEST: { status: 400, title: 'Bad request', retryable: false },
  UNAUTHORIZED: { status: 401, title: 'Unauthorized', retryable: false },
  FORBIDDEN: { status: 403, title: 'Forbidden', retryable: false },
  NOT_FOUND: { status: 404, title: 'Not found', retryable: false },
  PERSISTED_QUERY_NOT_FOUND: { status: 404, title: 'Persisted query not found', retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed', retryable: false },
  NOT_ACCEPTABLE: { status: 406, title: 'Not acceptable', retryable: false },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout', retryable: true },
  CONFLICT: { status: 409, title: 'Conflict', retryable: false },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large', retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type', retryable: false },
  EXPECTATION_FAILED: { status: 417, title: 'Expectation failed', retryable: false },
  UNPROCESSABLE_ENTITY: { status: 422, title: 'Unprocessable entity', retryable: false },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests', retryable: true },
  REQUEST_HEADER_FIELDS_TOO_LARGE: {
    status: 431,
    title: 'Request header fields too large',
    retryable: false,
  },
  REMOTE_PROVIDER_ERROR: { status: 499, title: 'Remote provider error', retryable: false },
  REMOTE_PROVIDER_UNAUTHORIZED: {
    status: 499,
    title: 'Remote provider refused the credentials',
    retryable: false,
  },
  REMOTE_PROVIDER_FORBIDDEN: {
    status: 499,
    title: 'Remote provider forbids this',
    retryable: false,
  },
  REMOTE_PROVIDER_RATE_LIMITED: {
    status: 499,
    title: 'Remote provider rate limit reached',
    retryable: true,
  },
  REMOTE_PROVIDER_TIMEOUT: {
    status: 499,
    title: 'Remote provider did not answer in time',
    retryable: true,
  },
  REMOTE_PROVIDER_UNAVAILABLE: {
    status: 499,
    title: 'Remote provider unavailable',
    retryable: true,
  },
  REMOTE_PROVIDER_BAD_RESPONSE: {
    status: 499,
    title: 'Remote provider gave an answer that cannot be understood',
    retryable: false,
  },
  INTERNAL_SERVER_ERROR: { status: 500, title: 'Internal server error', retryable: false },
  NOT_IMPLEMENTED: { status: 501, title: 'Not implemented', retryable: false },
  SERVICE_UNAVAILABLE: { status: 503, title: 'Service unavailable', retryable: true },
} as const satisfies Record<string, { status: number; title: string; retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The one class for everything that goes wrong in a way we know. Anything else that is thrown is a bug. */
export class CrossbookError extends Error {
  override readonly name = 'CrossbookError';
  /** Names this instance in the answer and in the log, so that support can find one by the other. */
  readonly id: string = randomUUID();
  readonly code: ErrorCode;
  /** Whose fault it is said to be: a provider's only where it was called. */
  readonly origin: ErrorOrigin;
  readonly remote: RemoteCause | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, detail: string, options: CrossbookErrorOptions = {}) {
    // Without a stack, which nobody reads: a bug's is its cause's. To write one takes a millisecond, and whoever provokes
    // errors would spend it thousands of times.
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

/** Anything else that is thrown is a bug: what a client learns of it is where to ask. The cause stays for the log. */
export function toCrossbookError(thrown: unknown): CrossbookError {
  if (thrown instanceof CrossbookError) return thrown;
  return new CrossbookError(
    'INTERNAL_SERVER_ERROR',
    'Something went wrong on our side. The log has it under the id of this error.',
    { cause: thrown },
  );
}

/** What a client sees of an error: the same object in both faces. */
export function toErrorBody(error: CrossbookError, applicationName: string | null): ErrorBody {
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
      ...(applicationName !== null && { application_name: applicationName }),
      ...(error.remote && { cause: error.remote }),
      retryable,
      ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
    },
  };
}

declare const redacted: unique symbol;

export type ErrorOrigin = 'remote-provider' | 'crossbook';

/** What a provider answered, cut and without secrets. Only `outbound/redaction` makes one. */
export interface RemoteCause {
  readonly [redacted]: true;
  readonly code: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ErrorBody {
  readonly id: string;
  readonly code: ErrorCode;
  readonly problem_type: ErrorCode;
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  readonly meta: {
    readonly origin: ErrorOrigin;
    /** Absent where no caller is known yet. */
    readonly application_name?: string;
    readonly cause?: RemoteCause;
    readonly retryable: boolean;
    readonly retry_after_ms?: number;
  };
}

interface CrossbookErrorOptions {
  readonly cause?: unknown;
  /** Needed where a provider was called and no answer came. */
  readonly origin?: ErrorOrigin | undefined;
  readonly remote?: RemoteCause | undefined;
  readonly retryAfterMs?: number | undefined;
}
