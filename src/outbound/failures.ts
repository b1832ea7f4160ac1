import { CrossbookError } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** The same facts under an id of its own: every caller's error can be found in the log by itself. */
export function anew(error: unknown): unknown {
  if (!(error instanceof CrossbookError)) return error;
  const { code, message, remote, retryAfterMs } = error;
  return new CrossbookError(code, message, { cause: error, remote, retryAfterMs });
}

export function timedOut(cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'The provider did not answer in time.', { cause });
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
