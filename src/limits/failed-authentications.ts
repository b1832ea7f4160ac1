import type { Clock } from '../lib/clock.ts';
import { createLimiter, toAddressBucket } from './limiter.ts';
import type { SharedRedis } from './redis.ts';

/**
 * Failed look-ups of API keys, by the address that they come from. After too many of them its look-ups are slowed down
 * for the rest of the minute. Nothing is refused: guessing 256 bits is no danger, the load on the database would be.
 */
export function createFailedAuthentications(options: FailedAuthenticationOptions): FailedAuthentications {
  const { perMinute, redis, hash, clock, onError } = options;
  const limiter = createLimiter({ name: 'guess', perMinute: Math.max(1, perMinute), redis, clock });
  const slowUntil = new Map<string, number>();

  return {
    slowPlace(address) {
      if (slowUntil.size === 0) return undefined;
      const place = toAddressBucket(address, hash);
      if ((slowUntil.get(place) ?? 0) > clock.now()) return place;
      slowUntil.delete(place);
      return undefined;
    },

    count(address) {
      const place = toAddressBucket(address, hash);
      const settle = ({ remaining, resetMs }: { remaining: number; resetMs: number }) => {
        if (remaining === 0) slowUntil.set(place, clock.now() + resetMs);
      };
      const taken = limiter.take(place, 1);
      if (taken instanceof Promise) taken.then(settle, onError);
      else settle(taken);
    },
  };
}

export interface FailedAuthentications {
  /** What stands for an address with too many failures; undefined for all others. */
  slowPlace(address: string): string | undefined;
  count(address: string): void;
}

export interface FailedAuthenticationOptions {
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  /** With a key: the same in every process, and nobody else's. */
  hash(text: string): string;
  readonly clock: Pick<Clock, 'now'>;
  onError(cause: unknown): void;
}
