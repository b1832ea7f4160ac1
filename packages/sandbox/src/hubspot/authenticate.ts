import { HubSpotError } from './errors.ts';
import type { HubSpotAccount, HubSpotCall } from './types.ts';

/** Authenticates the call. The error for an expired token contains the time of its expiry. */
export function authenticate({ grant, request, now }: HubSpotCall): HubSpotAccount {
  const authorization = request.headers.authorization ?? '';
  if (!/^Bearer \S+$/i.test(authorization) || grant?.ended) throw notAuthenticated();
  if (grant === undefined && /^Bearer pat-/i.test(authorization)) throw notAuthenticated();
  // HubSpot reports an unknown token as one that expired in 1970.
  if (grant === undefined || grant.kind === 'refresh' || grant.kind === 'code')
    throw expired(0, now);
  if (grant.expiresAt !== null && grant.expiresAt <= now) throw expired(grant.expiresAt, now);
  return grant.account;
}

export function expired(at: number, now: number): HubSpotError {
  return new HubSpotError(401, {
    message: `The OAuth token used to make this call expired ${ago(now - at)} ago.`,
    category: 'EXPIRED_AUTHENTICATION',
    context: { 'expire time': [new Date(at).toISOString()] },
  });
}

function notAuthenticated(): HubSpotError {
  return new HubSpotError(401, {
    message:
      'Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview',
    category: 'INVALID_AUTHENTICATION',
  });
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} second(s)`;
  if (seconds < 86_400) return `${Math.floor(seconds / 60)} minute(s)`;
  return `${Math.floor(seconds / 86_400)} day(s)`;
}
