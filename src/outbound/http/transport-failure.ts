import { CrossbookError } from '../../domain/errors.ts';
import { codeOf, timedOut } from '../failures.ts';
import { PrivateAddressError } from './guarded-connector.ts';

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']);
const NOT_HTTP = /^UND_ERR_(HEADERS_OVERFLOW|RES_)/;
const NOT_TRUSTED = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$/;
const SHUT_DOWN = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What undici, the system or TLS say went wrong, in the product's words. */
export function toTransportFailure(error: Error & { readonly code?: string }, origin: string): Error {
  if (error instanceof CrossbookError) return error;
  const host = new URL(origin).host;
  const code = error.code ?? '';
  // A request that cannot be written is a mistake of ours.
  if (code === 'UND_ERR_INVALID_ARG') return error;
  if (TIMEOUTS.has(code)) return timedOut('remote-provider', error);
  // The parser's own errors come without a code.
  if (error.name === 'HTTPParserError' || NOT_HTTP.test(code)) {
    const detail = `The answer of ${host} is not HTTP that can be read.`;
    return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, called(error));
  }
  const isOurs = error instanceof PrivateAddressError || SHUT_DOWN.has(code);
  const options = isOurs ? { cause: error } : called(error);
  return new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', toDetail(error, host, code), options);
}

function called(cause: unknown): { readonly cause: unknown; readonly origin: 'remote-provider' } {
  return { cause, origin: 'remote-provider' };
}

/** Another try may find what this one did not. */
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
