import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import { createLimiter } from './limiter.ts';
import type { SharedRedis } from './redis.ts';

/** Requests of each API key and of each customer token. */
export function createRequestLimits({ perKey, perToken, redis }: RequestLimitOptions): RequestLimits {
  const keys = perKey > 0 ? createLimiter({ name: 'key', perMinute: perKey, redis }) : undefined;
  const tokens = perToken > 0 ? createLimiter({ name: 'token', perMinute: perToken, redis }) : undefined;

  return {
    async admit(visit, { credentialId, customer }) {
      visit.admission = UNLIMITED;
      const limiter = customer ? tokens : keys;
      if (!limiter) return;
      const quota = await limiter.take(credentialId);
      visit.admission = { quota };
      if (!quota.isOver) return;
      const what = customer ? 'customer token' : 'API key';
      throw new CrossbookError(
        'TOO_MANY_REQUESTS',
        `This ${what} makes more than ${quota.limit} requests a minute.`,
        {
          retryAfterMs: quota.resetMs,
        },
      );
    },
  };
}

export interface RequestLimits {
  /** One more request of this caller. Rejects with TOO_MANY_REQUESTS. */
  admit(visit: Visit, caller: Caller): Promise<void>;
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
