import type { ErrorCode } from './errors.ts';

/**
 * A call to a provider. It has a path but no host: the `Send` is bound to the connection's origin, so that an adapter
 * cannot call another host.
 */
export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with a slash; query string included. */
  readonly path: string;
  /** Additional headers. By default JSON is accepted, and a body is JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The provider's rate limit that it counts towards. */
  readonly budget: string;
  readonly retry: Retry;
  /** Whether it describes an object: such responses are long, and cannot be read in smaller pages. */
  readonly isDescription?: boolean;
}

/**
 * Whether a call that failed is repeated:
 * - `safe`: also where it may have been carried out, after a timeout of the connection or a 5xx.
 * - `throttled`: only where it certainly was not: the provider was not reached, or refused it because of a rate limit or a lock.
 * - `never`: a rotating refresh token, an authorization code.
 */
export type Retry = 'safe' | 'throttled' | 'never';

export interface ProviderResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, up to a length that holds every error response. */
  readonly body: string;
  /** The length of the whole body in bytes. Absent: `body` is whole. */
  readonly bodyBytes?: number;
}

/** A response whose body may be long JSON. */
export interface JsonResponse extends ProviderResponse {
  /** Parses the body. Undefined: it is not JSON. */
  readJson(): unknown;
  /** Called when the body has been processed, so that it can be released. */
  discardBody?(): void;
}

/**
 * Sends with the connection's token, within its rate limit and the request's deadline. Resolves with the final status
 * after retries; rejects with a CrossbookError without a response.
 */
export type Send = (request: RemoteRequest) => Promise<JsonResponse>;

/**
 * A provider's unexpected response. It may contain secrets, so it is no CrossbookError yet: `outbound/redaction`,
 * which knows the connection's secrets, converts it.
 */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly #answer: ProviderResponse;

  /** The detail may quote the response. */
  constructor(
    code: ErrorCode,
    detail: string,
    answer: ProviderResponse,
    options: RemoteFailureOptions = {},
  ) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.#answer = answer;
  }

  /** A getter instead of a field, so that printing the error does not print it. */
  get answer(): ProviderResponse {
    return this.#answer;
  }
}

/**
 * A call that may be carried out only once, and certainly was not: the provider was not reached, or Crossbook did not
 * make it. Thrown for requests that are not `safe`, in place of the reason.
 */
export class NotCarriedOut extends Error {
  override readonly name = 'NotCarriedOut';
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('The call was not carried out.', { cause: reason });
    this.reason = reason;
  }
}

/** The response is larger than any that is read. A smaller page, or fewer fields, may fit. */
export class ResponseTooLarge extends RemoteFailure {
  /** The largest response that is read. */
  readonly maxBytes: number;

  constructor(maxBytes: number, detail: string, answer: ProviderResponse, cause?: unknown) {
    super('REMOTE_PROVIDER_BAD_RESPONSE', detail, answer, { cause });
    this.maxBytes = maxBytes;
  }
}

interface RemoteFailureOptions {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}
