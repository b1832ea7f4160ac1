import {
  CrossbookError,
  type ErrorCode,
  type ErrorOrigin,
  LocalRefusal,
} from '../domain/errors.ts';
import { RemoteFailure } from '../domain/remote.ts';
import { PrivateAddressError } from './http/addresses.ts';

/** A copy of the same kind with its own error id, so that each caller's error can be found in the log. */
export function cloneError(error: unknown): unknown {
  if (!(error instanceof CrossbookError)) return error;
  const { code, message, origin, remote, retryAfterMs } = error;
  const Kind = error instanceof LocalRefusal ? LocalRefusal : CrossbookError;
  return new Kind(code, message, { cause: error, origin, remote, retryAfterMs });
}

export function codeOf(error: unknown): ErrorCode {
  const isOurs = error instanceof CrossbookError || error instanceof RemoteFailure;
  return isOurs ? error.code : 'INTERNAL_SERVER_ERROR';
}

/** The origin is the provider only where it was called. */
export function timedOut(origin: ErrorOrigin, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'The provider did not respond in time.', {
    cause,
    origin,
  });
}

export function rateLimited(retryAfterMs: number): LocalRefusal {
  return new LocalRefusal(
    'REMOTE_PROVIDER_RATE_LIMITED',
    "The provider's rate limit for this connection is exhausted, and this call cannot wait for it to reset.",
    { retryAfterMs: Math.max(0, retryAfterMs) },
  );
}

/** Maps errors of undici, the system and TLS to error codes. */
export function toTransportFailure(error: TransportError, origin: string): Error {
  // An invalid request is a bug of ours.
  if (error instanceof CrossbookError || error.code === 'UND_ERR_INVALID_ARG') return error;
  const problem = findTransportProblem(error);
  if (problem === 'timeout') return timedOut('remote-provider', error);
  return new CrossbookError(
    problem === 'not HTTP' ? 'REMOTE_PROVIDER_BAD_RESPONSE' : 'REMOTE_PROVIDER_UNAVAILABLE',
    toDetail(problem, error, new URL(origin).host),
    { cause: error, origin: OURS.has(problem) ? 'crossbook' : 'remote-provider' },
  );
}

/** Whether a retry may succeed. */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof LocalRefusal) return false;
  if (codeOf(error) !== 'REMOTE_PROVIDER_UNAVAILABLE') return false;
  const problem = error.cause instanceof Error ? findTransportProblem(error.cause) : 'broken off';
  return problem !== 'not trusted' && !OURS.has(problem);
}

/** Whether the provider certainly has not received the call. */
export function wasNotReached(error: unknown): boolean {
  if (!(error instanceof Error && error.cause instanceof Error)) return false;
  const problem = findTransportProblem(error.cause);
  return problem === 'not connected' || problem === 'unresolved';
}

/** Why a call has no complete response. */
export function findTransportProblem(error: TransportError): TransportProblem {
  if (error instanceof PrivateAddressError) return 'private address';
  if (error instanceof AggregateError) return 'not connected';
  // Errors of undici's parser have no code.
  if (error.name === 'HTTPParserError') return 'not HTTP';
  const { code = '' } = error;
  return PROBLEMS.find(([, codes]) => codes.test(code))?.[0] ?? 'broken off';
}

function toDetail(
  problem: TransportProblem,
  { message, code }: TransportError,
  host: string,
): string {
  switch (problem) {
    case 'private address':
      return message;
    case 'not HTTP':
      return `The response from ${host} is not valid HTTP.`;
    case 'unresolved':
      return `The host name ${host} cannot be resolved.`;
    case 'not connected':
      return `Cannot connect to ${host}.`;
    case 'not trusted':
      return `The TLS certificate of ${host} cannot be verified (${code}).`;
    case 'shut down':
      return 'Crossbook is shutting down.';
    default:
      return `${host} closed the connection before the response was complete.`;
  }
}

/** The error codes of each problem: undici's, the system's, those of the resolver of names, and TLS's. */
const PROBLEMS = [
  ['timeout', /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/],
  ['not HTTP', /^UND_ERR_(HEADERS_OVERFLOW|RES_)/],
  ['unresolved', /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|ETIMEOUT|EAI_)/],
  ['not connected', /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/],
  ['not trusted', /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/],
  ['shut down', /^UND_ERR_(DESTROYED|CLOSED)$/],
] as const;

type TransportProblem = (typeof PROBLEMS)[number][0] | 'private address' | 'broken off';

/** Problems that say nothing about the provider. */
const OURS: ReadonlySet<TransportProblem> = new Set(['private address', 'shut down']);

type TransportError = Error & { readonly code?: string };
