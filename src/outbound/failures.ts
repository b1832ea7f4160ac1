import { CrossbookError, type ErrorCode, type ErrorOrigin } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { RemoteFailure } from '../domain/remote.ts';

/** The same facts under an id of its own: every caller's error can be found in the log by itself. */
export function cloneError(error: unknown): unknown {
  if (!(error instanceof CrossbookError)) return error;
  const { code, message, origin, remote, retryAfterMs } = error;
  return new CrossbookError(code, message, { cause: error, origin, remote, retryAfterMs });
}

export function codeOf(error: unknown): ErrorCode {
  const isOurs = error instanceof CrossbookError || error instanceof RemoteFailure;
  return isOurs ? error.code : 'INTERNAL_SERVER_ERROR';
}

/** The provider's fault only where it was called. */
export function timedOut(origin: ErrorOrigin, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'The provider did not answer in time.', {
    cause,
    origin,
  });
}

/** It is not shown: the client has closed the connection. */
export class AbandonedError extends CrossbookError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The client has gone before the provider answered.');
  }
}

export function rateLimited(retryAfterMs: number): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_RATE_LIMITED',
    'The budget that the provider gives this connection is used up for longer than this call can wait.',
    { retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)) },
  );
}

export function toReconnectDetail(provider: ProviderName): string {
  return `${provider} no longer accepts this connection's authorization: the customer has to reconnect.`;
}
