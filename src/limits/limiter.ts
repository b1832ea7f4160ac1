import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Quota } from '../domain/journal.ts';
import { createCount } from './count.ts';
import type { SharedRedis } from './redis.ts';

/** So many a minute of each key: counted in Redis where it can be asked, else by this process. */
export function createLimiter({ name, perMinute, redis }: LimiterOptions): Limiter {
  const count = createCount({ windowMs: WINDOW_SECONDS * 1_000, now: () => performance.now() });
  const alone = (key: string): Taken => {
    const taken = count.add(key);
    return toTaken(taken.count, taken.resetMs);
  };
  return { take: redis ? shareIn(redis) : alone };

  function shareIn({ client }: SharedRedis): Limiter['take'] {
    const limiter = new RateLimiterRedis({
      keyPrefix: `rate:${name}`,
      points: perMinute,
      duration: WINDOW_SECONDS,
      storeClient: client,
      rejectIfRedisNotReady: true,
    });
    return (key) =>
      limiter.consume(key).then(readResult, (thrown: unknown) =>
        // A refusal is thrown as a result. Anything else: Redis is away, and nobody is refused for that, so that the
        // whole limit holds here, and not a share of it.
        thrown instanceof RateLimiterRes ? readResult(thrown) : alone(key),
      );
  }

  function readResult({ consumedPoints, msBeforeNext }: RateLimiterRes): Taken {
    return toTaken(consumedPoints, Math.max(0, msBeforeNext));
  }

  function toTaken(taken: number, resetMs: number): Taken {
    return {
      limit: perMinute,
      remaining: Math.max(0, perMinute - taken),
      resetMs,
      isOver: taken > perMinute,
    };
  }
}

export const WINDOW_SECONDS = 60;

export interface Limiter {
  /** One more of this key's. */
  take(key: string): Taken | Promise<Taken>;
}

export interface Taken extends Quota {
  readonly isOver: boolean;
}

interface LimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
}
