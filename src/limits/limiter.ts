import type { Quota } from '../domain/journal.ts';
import type { Clock } from '../lib/clock.ts';
import { createCount } from './count.ts';
import type { SharedRedis } from './redis.ts';
import type { SharedCount } from './shared-limiter.ts';

/** So many a minute of each key: counted in Redis where it can be asked, else by this process. */
export function createLimiter({ name, perMinute, redis, clock }: LimiterOptions): Limiter {
  const count = createCount({ windowMs: WINDOW_SECONDS * 1_000, now: clock.now });
  const alone = (key: string, units: number): Taken => {
    const taken = count.add(key, units);
    return toTaken(taken.count, taken.resetMs);
  };
  const shared = redis?.createCount({ name, points: perMinute, windowMs: WINDOW_SECONDS * 1_000 });
  return { take: shared ? (key, units) => takeShared(shared, key, units) : alone };

  async function takeShared(count: SharedCount, key: string, units: number): Promise<Taken> {
    // Redis is away, and nobody is refused for that, so that the whole limit holds here, and not a share of it.
    const taken = await count(key, units).catch(() => undefined);
    return taken ? toTaken(taken.count, taken.resetMs) : alone(key, units);
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
  /** So many more of this key's. */
  take(key: string, units: number): Taken | Promise<Taken>;
}

export interface Taken extends Quota {
  readonly isOver: boolean;
}

interface LimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  readonly clock: Pick<Clock, 'now'>;
}
