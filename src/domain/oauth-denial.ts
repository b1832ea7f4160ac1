import type { ConnectFailure } from './connect-link.ts';

/** What the names of RFC 6749 mean that an authorization server sends back in place of a code. */
export function readOAuthDenial(error: string): ConnectFailure {
  return DENIALS.get(error.toLowerCase().replaceAll('-', '_')) ?? 'VENDOR_REFUSED';
}

const DENIALS: ReadonlyMap<string, ConnectFailure> = new Map([
  ['access_denied', 'ACCESS_DENIED'],
  ['server_error', 'VENDOR_UNAVAILABLE'],
  ['temporarily_unavailable', 'VENDOR_UNAVAILABLE'],
]);
