import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * Loaded only where Redis is used. A named import, because bundlers lose the names of dynamic imports from CommonJS
 * packages.
 */
export { Redis };

/** A counter in Redis. Rejects where Redis is unreachable. */
export function createSharedCount(
  client: Redis,
  {
    name,
    points,
    windowMs,
  }: { readonly name: string; readonly points: number; readonly windowMs: number },
) {
  const limiter = new RateLimiterRedis({
    keyPrefix: `rate:${name}`,
    points,
    duration: windowMs / 1_000,
    storeClient: client,
    rejectIfRedisNotReady: true,
  });
  /** Consumes units of a key. */
  return async (key: string, units: number) => {
    const { consumedPoints, msBeforeNext } = await limiter
      .consume(key, units)
      .catch((thrown: unknown) => {
        // The library throws its result where the limit is exceeded.
        if (thrown instanceof RateLimiterRes) return thrown;
        throw thrown;
      });
    return { count: consumedPoints, resetMs: Math.max(0, msBeforeNext) };
  };
}
