import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Quota } from '../domain/journal.ts';
import type { SharedRedis } from './redis.ts';

/** So many a minute of each key: counted in Redis where it can be asked, else by this process. */
export function createLimiter({ name, perMinute, redis }: LimiterOptions): Limiter {
  const options = { keyPrefix: `rate:${name}`, points: perMinute, duration: WINDOW_SECONDS };
  const alone = new RateLimiterMemory(options);
  const limiter = redis
    ? new RateLimiterRedis({
        ...options,
        storeClient: redis.client,
        rejectIfRedisNotReady: true,
        // The whole limit, not a share of it: nobody is refused because Redis is away.
        insuranceLimiter: alone,
      })
    : alone;

  return {
    async take(key) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(key).catch(readRefusal);
      const resetMs = Math.max(0, msBeforeNext);
      const remaining = Math.max(0, perMinute - consumedPoints);
      return { limit: perMinute, remaining, resetMs, isOver: consumedPoints > perMinute };
    },
  };
}

/** A refusal is thrown as a result, not as an error. */
function readRefusal(thrown: unknown): RateLimiterRes {
  if (thrown instanceof RateLimiterRes) return thrown;
  throw thrown;
}

export const WINDOW_SECONDS = 60;

export interface Limiter {
  /** One more of this key's. */
  take(key: string): Promise<Taken>;
}

export interface Taken extends Quota {
  readonly isOver: boolean;
}

interface LimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
}
