import { CrossbookError, type ErrorCode, type ErrorOrigin } from '../domain/errors.ts';
import { RemoteFailure } from '../domain/remote.ts';
import { PrivateAddressError } from './http/addresses.ts';

/** A copy with its own error id, so that each caller's error can be found in the log. */
export function cloneError(error: unknown): unknown {
  if (!(error instanceof CrossbookError)) return error;
  const { code, message, origin, remote, retryAfterMs } = error;
  return new CrossbookError(code, message, { cause: error, origin, remote, retryAfterMs });
}

export function codeOf(error: unknown): ErrorCode {
  const isOurs = error instanceof CrossbookError || error instanceof RemoteFailure;
  return isOurs ? error.code : 'INTERNAL_SERVER_ERROR';
}

/** The origin is the provider only where it was called. */
export function timedOut(origin: ErrorOrigin, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'The provider did not answer in time.', {
    cause,
    origin,
  });
}

/** Never sent, because the client has disconnected. */
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

/** Maps errors of undici, the system and TLS to error codes. */
export function toTransportFailure(error: Error & { readonly code?: string }, origin: string): Error {
  if (error instanceof CrossbookError) return error;
  const host = new URL(origin).host;
  const code = error.code ?? '';
  const called = { cause: error, origin: 'remote-provider' } as const;
  // An invalid request is a bug of ours.
  if (code === 'UND_ERR_INVALID_ARG') return error;
  if (TIMEOUTS.has(code)) return timedOut('remote-provider', error);
  // Errors of undici's parser have no code.
  if (error.name === 'HTTPParserError' || NOT_HTTP.test(code)) {
    const detail = `The answer of ${host} is not HTTP that can be read.`;
    return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, called);
  }
  const isOurs = error instanceof PrivateAddressError || SHUT_DOWN.has(code);
  const options = isOurs ? { cause: error } : called;
  return new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', toDetail(error, host, code), options);
}

/** Whether a retry may succeed. */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error) || codeOf(error) !== 'REMOTE_PROVIDER_UNAVAILABLE') return false;
  const cause = error.cause as { readonly code?: string } | undefined;
  const code = cause?.code ?? '';
  return !(cause instanceof PrivateAddressError) && !NOT_TRUSTED.test(code) && !SHUT_DOWN.has(code);
}

function toDetail(error: Error, host: string, code: string): string {
  if (error instanceof PrivateAddressError) return error.message;
  if (UNRESOLVED.has(code)) return `The name ${host} cannot be resolved.`;
  if (NOT_CONNECTED.has(code) || error instanceof AggregateError) return `${host} cannot be connected to.`;
  if (NOT_TRUSTED.test(code)) return `${host} does not prove that it is who it says (TLS: ${code}).`;
  if (SHUT_DOWN.has(code)) return 'Crossbook is shutting down.';
  return `${host} broke the connection off before its answer was complete.`;
}

export const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']);
const NOT_HTTP = /^UND_ERR_(HEADERS_OVERFLOW|RES_)/;
export const NOT_TRUSTED = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/;
const SHUT_DOWN = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
export const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
