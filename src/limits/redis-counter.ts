import { Redis, type RedisOptions } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { withErrorListener } from '../lib/error-listener.ts';
import { parseRedisUrl } from '../lib/redis-url.ts';

/** Creates a client of a server, or of the master that Sentinels name. This file is loaded only where Redis is used. */
export function createRedisClient(text: string, options: ClientOptions): Redis {
  const parsed = parseRedisUrl(text);
  if (!parsed) throw new Error('The URL of Redis cannot be read.');
  if ('url' in parsed) return withErrorListener(new Redis(parsed.url, options));
  const { sentinels, name, database, isSecure, username, password, sentinelPassword } = parsed;
  return withErrorListener(
    new Redis({
      sentinels: [...sentinels],
      name,
      db: database,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(sentinelPassword !== undefined && { sentinelPassword }),
      ...(isSecure && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
      sentinelCommandTimeout: options.connectTimeout ?? 0,
      // The delay after all of them were asked in vain. Null: that ends the client.
      sentinelRetryStrategy: options.retryStrategy ?? (() => null),
      // The master has become a replica.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
      ...options,
    }),
  );
}

/** The replies are the driver's default ones. */
type ClientOptions = Omit<RedisOptions, 'replyMapping'>;

/** A counter in Redis. Rejects if Redis is unreachable. */
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
        // The library throws its result if the limit is exceeded.
        if (thrown instanceof RateLimiterRes) return thrown;
        throw thrown;
      });
    return { count: consumedPoints, resetMs: Math.max(0, msBeforeNext) };
  };
}
