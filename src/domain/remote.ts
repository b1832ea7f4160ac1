import type { ErrorCode } from './errors.ts';

/**
 * One call to a provider. It names a path and never a host: the origin belongs to the connection and is bound by
 * the maker of the `Send`, so that an adapter has no way to spell another host.
 */
export interface RemoteRequest {
  readonly method: 'GET' | 'POST';
  /** Starts with a slash; query string included. */
  readonly path: string;
  /** Beside those of every call: JSON is accepted, and a body is JSON where nothing else is said. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Which of the provider's declared budgets pays for it. */
  readonly budget: string;
  /** False where asking twice could do harm (a rotating refresh token). Everything else here only reads. */
  readonly repeatable?: boolean;
}

export interface ProviderResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called when the body is understood, and needed no more. */
  discardBody?(): void;
}

/**
 * Sends with the connection's token, within its budget and the request's deadline. Resolves with whatever status the
 * provider gave after retries; rejects with a CrossbookError where no answer came.
 */
export type Send = (request: RemoteRequest) => Promise<ProviderResponse>;

/**
 * A provider answered, and not with what was asked for. The answer is here as it came, secrets in it included, so
 * this is no CrossbookError yet: it becomes one where the connection's secrets are known (`outbound/redaction`).
 */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly #answer: ProviderResponse;

  /** The detail may quote the answer. */
  constructor(code: ErrorCode, detail: string, answer: ProviderResponse, options: RemoteFailureOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.#answer = answer;
  }

  /** Not a field: nothing that prints an error prints it. */
  get answer(): ProviderResponse {
    return this.#answer;
  }
}

interface RemoteFailureOptions {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}
