import type { DistributedRateLimits, PermitRequest } from '../../domain/distributed-rate-limits.ts';
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
export function createDistributedRateLimiter({
  distributedRateLimits,
  name,
  ...options
}: DistributedRateLimiterOptions): RateLimiter {
  const limiter: RateLimiter = createRateLimiter({
    ...options,
    share: () => distributedRateLimits.share(limiter.intervalMs()),
  });
  // Permits are interchangeable between calls.
  const permitIds: string[] = [];

  return {
    ...limiter,

    acquire(deadline, options) {
      const local = limiter.acquire(deadline, options);
      if (!distributedRateLimits.isConnected() || (!local && take(deadline))) return local;
      return askAll(local, deadline, options);
    },

    release({ rateLimit, pauseMs, isBackground = false } = {}) {
      // Each process tracks a daily limit separately, at the cost of one call a minute.
      const isWindow = rateLimit !== undefined && rateLimit.intervalMs <= LONGEST_WINDOW_MS;
      const known = isWindow ? rateLimit : undefined;
      const permitId = permitIds.shift();
      distributedRateLimits.release({
        name,
        permitId,
        intervalMs: limiter.intervalMs(),
        rateLimit: known,
        pauseMs,
      });
      // Calls of our other processes are counted by Redis, so they are not attributed to other consumers.
      const isCounted = known !== undefined && distributedRateLimits.isConnected();
      limiter.release({
        rateLimit: isCounted ? { ...known, remaining: known.max } : rateLimit,
        pauseMs,
        isBackground,
      });
    },

    cancel(forMs, isBackground) {
      const permitId = permitIds.shift();
      if (permitId !== undefined) distributedRateLimits.cancel(name, permitId);
      limiter.cancel(forMs, isBackground);
    },
  };

  /** Whether a permit was at hand. */
  function take(deadline: number): boolean {
    const permitId = distributedRateLimits.take(toRequest(deadline));
    if (permitId !== undefined) permitIds.push(permitId);
    return permitId !== undefined;
  }

  function toRequest(deadline: number): PermitRequest {
    return {
      name,
      calls: limiter.calls(),
      intervalMs: limiter.intervalMs(),
      leaseMs: deadline - options.clock.now(),
    };
  }

  async function askAll(
    first: Promise<void> | undefined,
    deadline: number,
    { signal, isBackground = false }: AcquireOptions = {},
  ): Promise<void> {
    const again = { inFront: true, signal, isBackground };
    for (let local = first; ; local = limiter.acquire(deadline, again)) {
      await local;
      if (take(deadline)) return;
      const result = await distributedRateLimits.acquire(toRequest(deadline));
      if (result === undefined) {
        // It had acquired a permit of the whole limit: now it needs one within the process's share.
        limiter.cancel(undefined, isBackground);
        await limiter.acquire(deadline, again);
        return;
      }
      if ('permitId' in result) {
        permitIds.push(result.permitId);
        return;
      }
      limiter.cancel(result.waitMs, isBackground);
    }
  }
}

interface DistributedRateLimiterOptions extends Omit<RateLimiterOptions, 'share'> {
  readonly distributedRateLimits: DistributedRateLimits;
  /** The same name in every process. */
  readonly name: string;
}
