import type { ErrorCode } from '../../domain/errors.ts';
import type { RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import { isRecord, parseJson } from '../../lib/parse-json.ts';
import { type Failure, readFailure, toRemoteFailure } from './failure.ts';
import { movedTokenOrigin, tokenOrigin } from './instance.ts';

/** Salesforce says nothing of when a token ends: only a refusal tells, and only one kind of refusal. */
export function isTokenExpired({ status, body }: ProviderResponse): boolean {
  if (status !== 401) return false;
  const { errorCode, message } = readFailure(body);
  // An expired access token in JWT form.
  if (errorCode === 'INVALID_AUTH_HEADER') return true;
  // The two that a new token would not change: refreshing for them would go round in circles.
  return errorCode === 'INVALID_SESSION_ID' && !/not valid for use with|not attached to/i.test(message ?? '');
}

export const refresh: TokenRefresh = {
  origin: tokenOrigin,
  movedOrigin: movedTokenOrigin,
  toRequest({ client, refreshToken }) {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      refresh_token: refreshToken,
      format: 'json',
    });
    return {
      method: 'POST',
      path: '/services/oauth2/token',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      budget: 'token',
      // With rotation on, the second of two tries would come with a dead token.
      repeatable: false,
    };
  },
  readAnswer: readToken,
};

/** Of a refresh and of an exchange. */
export function readToken(answer: ProviderResponse, now: Date): RefreshedToken {
  if (answer.status < 200 || answer.status >= 300) throw toRefusal(answer);
  const token = toToken(parseJson(answer.body), now);
  if (token !== undefined) return token;
  // A token that nobody knows yet may be in it.
  const shown = { ...answer, body: '[withheld]' };
  throw new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', 'Salesforce gave no token and no reason', shown);
}

function toToken(json: unknown, now: Date): RefreshedToken | undefined {
  if (!isRecord(json)) return undefined;
  const { access_token: accessToken, refresh_token: rotated, instance_url: instanceUrl } = json;
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  return {
    accessToken,
    // Only with rotation on there is a new one, and then the old one is already dead.
    refreshToken: typeof rotated === 'string' && rotated !== '' ? rotated : null,
    expiresAt: toExpiry(json['expires_in'], now),
    // It changes when the org moves. Whoever keeps it checks it like every other instance URL.
    instanceUrl: typeof instanceUrl === 'string' ? instanceUrl : undefined,
  };
}

/** Salesforce has never sent it; should it begin to, it is believed. */
function toExpiry(seconds: unknown, now: Date): string | null {
  const valid = typeof seconds === 'number' && seconds > 0 && seconds < MAX_LIFE_SECONDS;
  return valid ? new Date(now.getTime() + seconds * 1_000).toISOString() : null;
}

function toRefusal(answer: ProviderResponse): RemoteFailure {
  const { code, message, retryAfterMs } = toRemoteFailure(answer);
  return new RemoteFailure(toRefusalCode(readFailure(answer.body), code), message, answer, { retryAfterMs });
}

function toRefusalCode(failure: Failure, plain: ErrorCode): ErrorCode {
  if (isBusy(failure)) return 'REMOTE_PROVIDER_UNAVAILABLE';
  if (isRestricted(failure) || failure.errorCode === BLOCKED) return 'REMOTE_PROVIDER_FORBIDDEN';
  if (failure.errorCode === 'rate_limit_exceeded') return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (FINAL.has(failure.errorCode ?? '')) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  // A client that is set up wrongly is this installation's mistake: no customer's consent is over for it.
  return plain === 'REMOTE_PROVIDER_UNAUTHORIZED' ? 'REMOTE_PROVIDER_ERROR' : plain;
}

/** Two refreshes at a time with one token: whichever code this comes with, it passes. */
function isBusy({ message }: Failure): boolean {
  return /already being processed|retry your request/i.test(message ?? '');
}

/** From this address, or at this hour, nobody may log in to the org. The same refresh token works from elsewhere, or later. */
function isRestricted({ message }: Failure): boolean {
  return /ip restricted|invalid login hours/i.test(message ?? '');
}

/** The org's administrator blocks the application, and can let it in again. */
const BLOCKED = 'OAUTH_APP_BLOCKED';

/** Only a new consent of the customer helps. */
const FINAL: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_app_access',
  'inactive_user',
  'inactive_org',
]);
const MAX_LIFE_SECONDS = 10 * 365 * 24 * 60 * 60;
