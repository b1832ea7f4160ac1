import type { ErrorCode } from './errors.ts';
import type { ProviderResponse } from './remote.ts';

/**
 * A provider answered, and not with what was asked for. The answer is here as it came, with whatever is secret in it, so
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
