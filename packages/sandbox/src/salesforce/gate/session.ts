import { bearerOf } from '../../http.ts';
import { isAlive } from '../../tokens.ts';
import { SalesforceError } from '../errors.ts';
import type { SalesforceAccount, SalesforceCall } from '../types.ts';

/** Authenticates the call. Every invalid token gets the same error, except one in JWT form. */
export function checkSession({ grant, now, request }: SalesforceCall): SalesforceAccount {
  if (grant?.kind === 'access' && isAlive(grant, now)) {
    const { account, token } = grant;
    account.useToken(token, { slides: account.quirks.sessionSlides });
    return account;
  }
  throw /^eyJ/.test(bearerOf(request) ?? '')
    ? new SalesforceError(401, 'INVALID_AUTH_HEADER', 'INVALID_AUTH_HEADER')
    : new SalesforceError(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
}
