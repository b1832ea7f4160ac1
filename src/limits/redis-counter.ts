import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts in Redis. Rejects where that cannot be asked. Loaded with Redis alone. */
export function createSharedCount(client: Redis, { name, points, windowMs }: CountOptions): SharedCount {
  const limiter = new RateLimiterRedis({
    keyPrefix: `rate:${name}`,
    points,
    duration: windowMs / 1_000,
    storeClient: client,
    rejectIfRedisNotReady: true,
  });
  return async (key, units) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, units).catch((thrown: unknown) => {
      // A rejected request is thrown as a result.
      if (thrown instanceof RateLimiterRes) return thrown;
      throw thrown;
    });
    return { count: consumedPoints, resetMs: Math.max(0, msBeforeNext) };
  };
}

/** So many more of this key's. */
export type SharedCount = (
  key: string,
  units: number,
) => Promise<{ readonly count: number; readonly resetMs: number }>;

export interface CountOptions {
  readonly name: string;
  /** As many are allowed in one window. */
  readonly points: number;
  readonly windowMs: number;
}
