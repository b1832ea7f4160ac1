import { SalesforceRefusal } from '../errors.ts';
import type { SalesforceAccount, SalesforceCall } from '../types.ts';

/** Whose call this is. Whatever is wrong with the token, the words are the same. */
export function checkSession({ grant, now }: SalesforceCall): SalesforceAccount {
  const isAlive = grant && !grant.isRevoked && (grant.expiresAt === null || grant.expiresAt > now);
  if (isAlive && grant.kind === 'access') return grant.account;
  throw new SalesforceRefusal(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
}
