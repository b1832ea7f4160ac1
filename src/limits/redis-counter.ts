import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * What is loaded with Redis alone. Imported by name: bundlers give no names to what is imported dynamically from a CommonJS
 * package.
 */
export { Redis };

/** Counts in Redis. Rejects where that cannot be asked. */
export function createSharedCount(
  client: Redis,
  { name, points, windowMs }: { readonly name: string; readonly points: number; readonly windowMs: number },
) {
  const limiter = new RateLimiterRedis({
    keyPrefix: `rate:${name}`,
    points,
    duration: windowMs / 1_000,
    storeClient: client,
    rejectIfRedisNotReady: true,
  });
  /** So many more of this key's. */
  return async (key: string, units: number) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, units).catch((thrown: unknown) => {
      // A rejected request is thrown as a result.
      if (thrown instanceof RateLimiterRes) return thrown;
      throw thrown;
    });
    return { count: consumedPoints, resetMs: Math.max(0, msBeforeNext) };
  };
}
