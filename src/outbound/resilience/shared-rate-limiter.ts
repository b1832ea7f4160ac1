import type { DistributedRateLimits } from '../../domain/provider.ts';
import {
  type AcquireOptions,
  createRateLimiter,
  LONGEST_WINDOW_MS,
  type RateLimiter,
  type RateLimiterOptions,
} from './rate-limiter.ts';

/**
 * A rate limiter whose budget several processes share through Redis. A call that has its permit here asks for a shared one;
 * where that is refused it goes back to the front of this queue, which pauses as long. While Redis is away this limits to
 * the process's part of the budget.
 */
export function createSharedRateLimiter({
  sharedRateLimits,
  name,
  ...options
}: SharedRateLimiterOptions): RateLimiter {
  const limiter: RateLimiter = createRateLimiter({
    ...options,
    share: () => sharedRateLimits.share(limiter.intervalMs),
  });
  // Which of them belongs to which call makes no difference.
  const turns: string[] = [];

  return {
    acquire(deadline, options) {
      const turn = limiter.acquire(deadline, options);
      return sharedRateLimits.isConnected() ? askAll(turn, deadline, options) : turn;
    },

    release({ rateLimit, pauseMs } = {}) {
      // A daily limit is followed by each process alone, for one call a minute.
      const isWindow = rateLimit !== undefined && rateLimit.intervalMs <= LONGEST_WINDOW_MS;
      const known = isWindow ? rateLimit : undefined;
      const { intervalMs } = limiter;
      sharedRateLimits.release({ name, turn: turns.shift(), intervalMs, rateLimit: known, pauseMs });
      // What is missing there beside our own calls, our other processes have made: Redis has counted those.
      const isCounted = known !== undefined && sharedRateLimits.isConnected();
      limiter.release({ rateLimit: isCounted ? { ...known, remaining: known.max } : rateLimit, pauseMs });
    },

    cancel(forMs) {
      const turn = turns.shift();
      if (turn !== undefined) sharedRateLimits.cancel(name, turn);
      limiter.cancel(forMs);
    },

    get calls() {
      return limiter.calls;
    },
    get waiting() {
      return limiter.waiting;
    },
    get pausedUntil() {
      return limiter.pausedUntil;
    },
    get intervalMs() {
      return limiter.intervalMs;
    },
    spacingMs: limiter.spacingMs,
    isIdle: limiter.isIdle,
  };

  async function askAll(
    first: Promise<void> | undefined,
    deadline: number,
    { permit }: AcquireOptions = {},
  ): Promise<void> {
    for (let turn = first; ; turn = limiter.acquire(deadline, { inFront: true, permit })) {
      await turn;
      const { calls, intervalMs } = limiter;
      const leaseMs = deadline - options.clock.now();
      const told = await sharedRateLimits.acquire({ name, calls, intervalMs, leaseMs });
      if (told === undefined) {
        // It had its turn here as if all of the budget were this process's: now it needs one within the share.
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
  /** The same in every process. */
  readonly name: string;
}
