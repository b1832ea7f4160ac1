import type { DistributedRateLimits } from '../../domain/provider.ts';
import {
  type AcquireOptions,
  createRateLimiter,
  LONGEST_WINDOW_MS,
  type RateLimiter,
  type RateLimiterOptions,
} from './rate-limiter.ts';

/**
 * A rate limiter that several processes share through Redis. After its local permit a call acquires a shared one;
 * where that is denied, it returns to the front of the local queue, which pauses as long. While Redis is unreachable
 * each process uses its share of the limit.
 */
export function createSharedRateLimiter({
  sharedRateLimits,
  name,
  ...options
}: SharedRateLimiterOptions): RateLimiter {
  const limiter: RateLimiter = createRateLimiter({
    ...options,
    share: () => sharedRateLimits.share(limiter.intervalMs()),
  });
  // Permits are interchangeable between calls.
  const turns: string[] = [];

  return {
    ...limiter,

    acquire(deadline, options) {
      const turn = limiter.acquire(deadline, options);
      return sharedRateLimits.isConnected() ? askAll(turn, deadline, options) : turn;
    },

    release({ rateLimit, pauseMs } = {}) {
      // Each process tracks a daily limit separately, at the cost of one call a minute.
      const isWindow = rateLimit !== undefined && rateLimit.intervalMs <= LONGEST_WINDOW_MS;
      const known = isWindow ? rateLimit : undefined;
      const turn = turns.shift();
      sharedRateLimits.release({ name, turn, intervalMs: limiter.intervalMs(), rateLimit: known, pauseMs });
      // Calls of our other processes are counted by Redis, so they are not attributed to other consumers.
      const isCounted = known !== undefined && sharedRateLimits.isConnected();
      limiter.release({ rateLimit: isCounted ? { ...known, remaining: known.max } : rateLimit, pauseMs });
    },

    cancel(forMs) {
      const turn = turns.shift();
      if (turn !== undefined) sharedRateLimits.cancel(name, turn);
      limiter.cancel(forMs);
    },
  };

  async function askAll(
    first: Promise<void> | undefined,
    deadline: number,
    { permit }: AcquireOptions = {},
  ): Promise<void> {
    for (let turn = first; ; turn = limiter.acquire(deadline, { inFront: true, permit })) {
      await turn;
      const told = await sharedRateLimits.acquire({
        name,
        calls: limiter.calls(),
        intervalMs: limiter.intervalMs(),
        leaseMs: deadline - options.clock.now(),
      });
      if (told === undefined) {
        // It had acquired a permit of the whole limit: now it needs one within the process's share.
        limiter.cancel();
        await limiter.acquire(deadline, { inFront: true, permit });
        return;
      }
      if ('turn' in told) {
        turns.push(told.turn);
        return;
      }
      limiter.cancel(told.waitMs);
    }
  }
}

interface SharedRateLimiterOptions extends Omit<RateLimiterOptions, 'share'> {
  readonly sharedRateLimits: DistributedRateLimits;
  /** The same name in every process. */
  readonly name: string;
}
