import type { Headers } from '../http.ts';
import { createDailyMeter, createRollingWindow } from '../limits.ts';
import { HubSpotError } from './errors.ts';
import type { HubSpotAccount, HubSpotCall, HubSpotLimits, HubSpotMeters } from './types.ts';

/**
 * Counts the call, or rejects it. Search and associations have separate limits and do not count towards the
 * ten-second limit. The daily limit applies to static tokens only. Response headers contain the remaining calls.
 */
export function meter(
  account: HubSpotAccount,
  { grant, now }: HubSpotCall,
  policy: Policy,
): Headers {
  const meters = metersOf(account);
  if (meters === undefined) return {};
  const isStatic = grant?.kind === 'static';
  const { limits } = meters;
  if (policy === 'search' && !meters.second.take(now)) throw searchRefusal();
  if (policy === 'associations' && !meters.associations.take(now)) throw tenSecondlyRefusal();
  const burst = isStatic ? meters.tenSeconds : meters.tenSecondsOAuth;
  if (policy === 'burst' && !burst.take(now)) throw tenSecondlyRefusal();
  if (isStatic && !meters.day.take(now)) throw dailyRefusal();
  const max = isStatic ? limits.perTenSeconds : limits.perTenSecondsOAuth;
  return {
    ...(policy === 'burst' && burstHeaders(max, max - burst.used(now))),
    ...(isStatic && {
      'x-hubspot-ratelimit-daily': String(limits.perDay),
      'x-hubspot-ratelimit-daily-remaining': String(limits.perDay - meters.day.used(now)),
    }),
  };
}

export function dailyUse(account: HubSpotAccount, now: number): number {
  return metersOf(account)?.day.used(now) ?? 0;
}

export function searchRefusal(): HubSpotError {
  return new HubSpotError(429, {
    message: 'You have reached your secondly limit.',
    category: 'RATE_LIMITS',
  });
}

export function tenSecondlyRefusal(): HubSpotError {
  return rateRefusal('You have reached your ten_secondly_rolling limit.', 'TEN_SECONDLY_ROLLING');
}

export function dailyRefusal(): HubSpotError {
  return rateRefusal('You have reached your daily limit.', 'DAILY');
}

function rateRefusal(message: string, policyName: string): HubSpotError {
  return new HubSpotError(429, { message, errorType: 'RATE_LIMIT', policyName });
}

function burstHeaders(max: number, remaining: number): Headers {
  return {
    'x-hubspot-ratelimit-max': String(max),
    'x-hubspot-ratelimit-remaining': String(remaining),
    'x-hubspot-ratelimit-interval-milliseconds': '10000',
    'x-hubspot-ratelimit-secondly': String(Math.ceil(max / 10)),
    'x-hubspot-ratelimit-secondly-remaining': String(Math.min(remaining, Math.ceil(max / 10) - 1)),
  };
}

function metersOf(account: HubSpotAccount): HubSpotMeters | undefined {
  const { limits, state } = account;
  if (limits === null) return undefined;
  if (state.meters?.limits !== limits) state.meters = createMeters(limits);
  return state.meters;
}

function createMeters(limits: HubSpotLimits): HubSpotMeters {
  return {
    limits,
    second: createRollingWindow({ max: limits.searchPerSecond, windowMs: 1_000 }),
    tenSeconds: createRollingWindow({ max: limits.perTenSeconds, windowMs: 10_000 }),
    tenSecondsOAuth: createRollingWindow({ max: limits.perTenSecondsOAuth, windowMs: 10_000 }),
    day: createDailyMeter({ max: limits.perDay }),
    associations: createRollingWindow({
      max: limits.associationsPerTenSeconds ?? Number.POSITIVE_INFINITY,
      windowMs: 10_000,
    }),
  };
}

export type Policy = 'burst' | 'search' | 'associations';
