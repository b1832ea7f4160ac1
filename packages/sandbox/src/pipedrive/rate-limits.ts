import type { Headers } from '../http.ts';
import { createRollingWindow } from '../limits.ts';
import { PipedriveError } from './errors.ts';
import type { PipedriveAccount, PipedriveLimits, PipedriveMeters } from './types.ts';

/** Tokens that a call costs: one record, a write, a list, a search. */
export const COSTS = { one: 1, write: 5, list: 10, search: 20 } as const;
export type Cost = keyof typeof COSTS;

/**
 * Counts the call, or rejects it with 429. Only calls that are within the burst limit spend tokens. Clients that go on
 * regardless are refused by Cloudflare, with 403 and a page.
 */
export function meter(account: PipedriveAccount, now: number, cost: Cost): Headers {
  const meters = metersOf(account, now);
  if (!meters) return {};
  const { limits } = meters;
  const withHeaders = (isSearch: boolean) =>
    account.quirks.withoutLimitHeaders ? {} : headersOf(meters, now, isSearch);
  if (meters.refusals.used(now) >= (limits.refusalsPerMinute ?? Number.POSITIVE_INFINITY))
    throw new Blocked();
  const window = cost === 'search' ? meters.searches : meters.calls;
  if (!window.take(now)) {
    meters.refusals.take(now);
    throw new Limited(burstRefusal(), { ...withHeaders(cost === 'search'), 'retry-after': '2' });
  }
  if (meters.spent + COSTS[cost] > limits.tokensPerDay) {
    meters.refusals.take(now);
    meters.spent = limits.tokensPerDay;
    throw new Limited(dailyRefusal(), withHeaders(false));
  }
  meters.spent += COSTS[cost];
  return withHeaders(cost === 'search');
}

export function burstRefusal(): PipedriveError {
  return new PipedriveError(429, 'request over limit');
}

export function dailyRefusal(): PipedriveError {
  return new PipedriveError(429, 'daily token budget exceeded');
}

/** A rejection with the headers of a limit. */
export class Limited extends Error {
  readonly error: PipedriveError;
  readonly headers: Headers;

  constructor(error: PipedriveError, headers: Headers) {
    super(error.message);
    this.error = error;
    this.headers = headers;
  }
}

export class Blocked extends Error {}

/** Cloudflare's page, in place of a response of Pipedrive. */
export const CLOUDFLARE_PAGE =
  '<!DOCTYPE html><html><head><title>Access denied | api.pipedrive.com used Cloudflare to restrict access</title></head><body><h1>Error 1015</h1></body></html>';

function headersOf(meters: PipedriveMeters, now: number, isSearch: boolean): Headers {
  const { limits } = meters;
  const max = isSearch ? limits.searchesPerTwoSeconds : limits.callsPerTwoSeconds;
  const used = (isSearch ? meters.searches : meters.calls).used(now);
  return {
    'x-ratelimit-limit': String(max),
    'x-ratelimit-remaining': String(max - used),
    'x-ratelimit-reset': '2',
    'x-daily-ratelimit-token-limit': String(limits.tokensPerDay),
    'x-daily-ratelimit-token-remaining': String(limits.tokensPerDay - meters.spent),
  };
}

function metersOf(account: PipedriveAccount, now: number): PipedriveMeters | undefined {
  const { limits, state } = account;
  if (limits === null) return undefined;
  if (state.meters?.limits !== limits) state.meters = createMeters(limits);
  const day = Math.floor(now / DAY_MS);
  if (state.meters.day !== day) Object.assign(state.meters, { day, spent: 0 });
  return state.meters;
}

function createMeters(limits: PipedriveLimits): PipedriveMeters {
  const windowMs = 2_000;
  return {
    limits,
    calls: createRollingWindow({ max: limits.callsPerTwoSeconds, windowMs }),
    searches: createRollingWindow({ max: limits.searchesPerTwoSeconds, windowMs }),
    refusals: createRollingWindow({ max: Number.POSITIVE_INFINITY, windowMs: 60_000 }),
    day: 0,
    spent: 0,
  };
}

const DAY_MS = 24 * 60 * 60_000;
