import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import type { Clock } from '../lib/clock.ts';
import { createLimiter, type Taken } from './limiter.ts';
import type { SharedRedis } from './redis.ts';

/**
 * Requests of each API key and of each customer token, weighted by their cost: a request takes one unit when it comes, and
 * one more for each further 1,000 of its cost once that is known.
 */
export function createRequestLimits({ perKey, perToken, redis, clock }: RequestLimitOptions): RequestLimits {
  const keys = perKey > 0 ? createLimiter({ name: 'key', perMinute: perKey, redis, clock }) : undefined;
  const tokens =
    perToken > 0 ? createLimiter({ name: 'token', perMinute: perToken, redis, clock }) : undefined;

  return {
    admit: (visit, caller) => take(visit, caller, 1),
    charge(visit, caller, cost) {
      const units = Math.ceil(cost / COST_PER_UNIT) - (visit.admission?.units ?? 0);
      return units > 0 ? take(visit, caller, units) : undefined;
    },
  };

  function take(visit: Visit, { credentialId, customer }: Caller, more: number): Promise<void> | undefined {
    const units = (visit.admission?.units ?? 0) + more;
    visit.admission = { quota: undefined, units };
    const taken = (customer ? tokens : keys)?.take(credentialId, more);
    const settle = (quota: Taken) => {
      visit.admission = { quota, units };
      if (quota.isOver) throw tooMany(customer ? 'customer token' : 'API key', quota);
    };
    if (taken instanceof Promise) return taken.then(settle);
    if (taken) settle(taken);
    return undefined;
  }
}

function tooMany(what: string, { limit, resetMs }: Taken): CrossbookError {
  const detail = `This ${what} makes more than ${limit} requests a minute, weighted by their cost.`;
  return new CrossbookError('TOO_MANY_REQUESTS', detail, { retryAfterMs: resetMs });
}

/** A look-up of one contact costs some 150, a page of 100 with ten fields each some 1,200. */
const COST_PER_UNIT = 1_000;

export interface RequestLimits {
  /** One more request of this caller. Throws or rejects with TOO_MANY_REQUESTS; undefined where nothing has to be waited for. */
  admit(visit: Visit, caller: Caller): Promise<void> | undefined;
  /** What the same request costs so far, beyond the units that it took already. Fails as `admit` does. */
  charge(visit: Visit, caller: Caller, cost: number): Promise<void> | undefined;
}

/** One request: what it is told stays with it. */
export type Visit = Pick<Journal, 'admission'>;

export interface RequestLimitOptions {
  /** Units a minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly redis: SharedRedis | undefined;
}
