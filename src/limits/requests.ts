import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import { createLimiter, type Taken } from './limiter.ts';
import type { SharedRedis } from './redis.ts';

/** Requests of each API key and of each customer token. */
export function createRequestLimits({ perKey, perToken, redis }: RequestLimitOptions): RequestLimits {
  const keys = perKey > 0 ? createLimiter({ name: 'key', perMinute: perKey, redis }) : undefined;
  const tokens = perToken > 0 ? createLimiter({ name: 'token', perMinute: perToken, redis }) : undefined;

  return {
    admit(visit, { credentialId, customer }) {
      visit.admission = UNLIMITED;
      const taken = (customer ? tokens : keys)?.take(credentialId);
      const what = customer ? 'customer token' : 'API key';
      if (taken instanceof Promise) return taken.then((quota) => settle(visit, what, quota));
      if (taken) settle(visit, what, taken);
      return undefined;
    },
  };
}

function settle(visit: Visit, what: string, quota: Taken): void {
  visit.admission = { quota };
  if (!quota.isOver) return;
  const detail = `This ${what} makes more than ${quota.limit} requests a minute.`;
  throw new CrossbookError('TOO_MANY_REQUESTS', detail, { retryAfterMs: quota.resetMs });
}

export interface RequestLimits {
  /** One more request of this caller. Throws or rejects with TOO_MANY_REQUESTS; undefined where nobody had to be asked. */
  admit(visit: Visit, caller: Caller): Promise<void> | undefined;
}

const UNLIMITED = { quota: undefined };

/** One request: what it is told stays with it. */
export type Visit = Pick<Journal, 'admission'>;

export interface RequestLimitOptions {
  /** A minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  readonly redis: SharedRedis | undefined;
}
