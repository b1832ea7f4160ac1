import type { RateLimit, RateLimitStatus } from '../../domain/provider.ts';
import type { WorkPermit } from '../../domain/resources.ts';
import type { Clock } from '../../lib/clock.ts';
import { rateLimited } from '../failures.ts';
import { createWaitQueue } from './wait-queue.ts';

/** One rate limit of one connection: calls are sent at once while it lasts, and queue when it is used up. */
export function createRateLimiter({
  budget,
  clock,
  maxWaiting,
  share = () => 1,
}: RateLimiterOptions): RateLimiter {
  const window = createRollingWindow();
  const queue = createWaitQueue(clock);
  let calls = budget.calls ?? Number.POSITIVE_INFINITY;
  let intervalMs = budget.intervalMs ?? DEFAULT_INTERVAL_MS;
  let underWay = 0;
  let pausedUntil = 0;
  let wake: { readonly at: number; cancel(): void } | undefined;

  return {
    acquire(deadline, { inFront = false, permit } = {}) {
      const now = clock.now();
      if (isFree(now) && (inFront || queue.length === 0)) {
        underWay++;
        return undefined;
      }
      const at = earliest(inFront ? 0 : queue.length, now);
      if (at > deadline || queue.length >= maxWaiting) {
        return Promise.reject(rateLimited(Math.max(at - now, MIN_RETRY_AFTER_MS)));
      }
      const waiting = queue.enqueue({ deadline, inFront, permit, retryAfterMs: retryAfter });
      wakeInTime(now);
      return waiting;
    },

    release({ rateLimit, pauseMs } = {}) {
      const now = clock.now();
      underWay--;
      if (calls !== Number.POSITIVE_INFINITY) window.add(now + intervalMs, bucketMs());
      if (rateLimit) follow(rateLimit, now);
      if (pauseMs !== undefined) pause(now, pauseMs);
      moveUp(now);
    },

    cancel(forMs) {
      const now = clock.now();
      underWay--;
      if (forMs !== undefined) pause(now, forMs);
      moveUp(now);
    },

    get calls() {
      return calls;
    },

    get waiting() {
      return queue.length;
    },

    get pausedUntil() {
      return pausedUntil;
    },

    get intervalMs() {
      return intervalMs;
    },

    spacingMs() {
      const isPlenty = window.count(clock.now()) + underWay < limit() / 2;
      return isPlenty ? 0 : intervalMs / limit();
    },

    isIdle() {
      const now = clock.now();
      return underWay === 0 && queue.length === 0 && now >= pausedUntil && window.count(now) === 0;
    },
  };

  function isFree(now: number): boolean {
    return underWay < budget.concurrency && now >= pausedUntil && window.count(now) + underWay < limit();
  }

  function limit(): number {
    return Math.max(1, Math.floor(calls * share()));
  }

  function moveUp(now: number): void {
    while (queue.length > 0 && isFree(now)) {
      underWay++;
      queue.dequeue();
    }
    wakeInTime(now);
  }

  /** Only what waits for time to pass needs a timer: a call that ends dispatches the queue itself. */
  function wakeInTime(now: number): void {
    if (queue.length === 0 || underWay >= budget.concurrency) return;
    const at = earliest(0, now);
    if (wake && wake.at <= at) return;
    wake?.cancel();
    const cancel = clock.schedule(at - now, () => {
      wake = undefined;
      moveUp(clock.now());
    });
    wake = { at, cancel };
  }

  /** The earliest moment at which a call with so many ahead of it can go: it may be later, never sooner. */
  function earliest(ahead: number, now: number): number {
    const most = limit();
    const turn = ahead - (most - window.count(now) - underWay);
    if (turn < 0) return Math.max(now, pausedUntil);
    const released = window.releaseAt(turn % most, now + intervalMs);
    return Math.max(pausedUntil, released + Math.floor(turn / most) * intervalMs);
  }

  function retryAfter(): number {
    const now = clock.now();
    return Math.max(earliest(queue.length, now) - now, MIN_RETRY_AFTER_MS);
  }

  function pause(now: number, pauseMs: number): void {
    const until = now + Math.min(pauseMs, LONGEST_PAUSE_MS);
    if (until <= pausedUntil) return;
    pausedUntil = until;
    queue.refuseBefore(until, until - now);
  }

  /** What the provider counts and we did not send, others have: another process of ours, or another program. */
  function follow(rateLimit: RateLimitStatus, now: number): void {
    if (rateLimit.intervalMs > LONGEST_WINDOW_MS) {
      if (rateLimit.remaining <= underWay) pause(now, LONGEST_WINDOW_MS);
      return;
    }
    calls = Math.max(1, rateLimit.max);
    intervalMs = Math.max(1, rateLimit.intervalMs);
    // What is under way may not be counted yet: it is left out of what is ours, which errs on the safe side.
    const ours = window.count(now) - window.otherConsumers();
    window.setOtherConsumers(Math.max(0, calls - rateLimit.remaining - ours), now + intervalMs, bucketMs());
  }

  function bucketMs(): number {
    return intervalMs / 100;
  }
}

const DEFAULT_INTERVAL_MS = 1_000;
const MIN_RETRY_AFTER_MS = 100;
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1_000;

/** Of a longer interval (a day) only the rest is followed, and asked about again once in this time. */
export const LONGEST_WINDOW_MS = 60_000;

export interface RateLimiter {
  /** Undefined: go now. Else wait; rejects with REMOTE_PROVIDER_RATE_LIMITED as soon as the deadline cannot be held. */
  acquire(deadline: number, options?: AcquireOptions): Promise<void> | undefined;
  /** After the call, whatever came of it. */
  release(learned?: {
    readonly rateLimit?: RateLimitStatus | undefined;
    readonly pauseMs?: number | undefined;
  }): void;
  /** Where the call was not made after all; `forMs`: and where none would be for so long. */
  cancel(forMs?: number): void;
  /** In one interval, as far as is known. */
  readonly calls: number;
  /** Calls in the queue. */
  readonly waiting: number;
  readonly pausedUntil: number;
  readonly intervalMs: number;
  /** How far apart calls would have to be for the rest of the budget to last. 0 while there is plenty. */
  spacingMs(): number;
  isIdle(): boolean;
}

export interface AcquireOptions {
  readonly inFront?: boolean;
  /** Whose clients may go while the call waits: it leaves the queue with them. */
  readonly permit?: Pick<WorkPermit, 'whenGone'> | undefined;
}

export interface RateLimiterOptions {
  readonly budget: RateLimit;
  readonly clock: Clock;
  readonly maxWaiting: number;
  /** The part of the budget that is this limiter's, from 0 to 1. */
  readonly share?: (() => number) | undefined;
}

/**
 * Counts calls the way a provider's rolling window does. A call is counted from its sending until one interval after
 * its answer: whenever in between the provider counted it, its window is over by then.
 */
function createRollingWindow() {
  const buckets: Bucket[] = [];
  let held = 0;
  let otherConsumers: Bucket | undefined;

  return {
    /** Calls that still count. */
    count(now: number): number {
      while (buckets[0] && buckets[0].releaseAt <= now) {
        held -= buckets[0].count;
        if (buckets[0] === otherConsumers) otherConsumers = undefined;
        buckets.shift();
      }
      return held;
    },

    add(releaseAt: number, bucketMs: number): void {
      bucketFor(releaseAt, bucketMs).count++;
      held++;
    },

    /** Calls of others that the provider has told about; replaces what it told before. */
    setOtherConsumers(count: number, releaseAt: number, bucketMs: number): void {
      if (otherConsumers) {
        otherConsumers.count -= otherConsumers.otherConsumers;
        held -= otherConsumers.otherConsumers;
        otherConsumers.otherConsumers = 0;
      }
      otherConsumers = count === 0 ? undefined : bucketFor(releaseAt, bucketMs);
      if (!otherConsumers) return;
      otherConsumers.otherConsumers = count;
      otherConsumers.count += count;
      held += count;
    },

    otherConsumers: (): number => otherConsumers?.otherConsumers ?? 0,

    /** When the n-th (from 0) of the counted calls stops to count; `otherwise` where that is not known yet. */
    releaseAt(nth: number, otherwise: number): number {
      let before = 0;
      for (const bucket of buckets) {
        before += bucket.count;
        if (nth < before) return bucket.releaseAt;
      }
      return otherwise;
    },
  };

  /** Moments close together share a bucket that ends with the latest of them, so that memory stays bounded. */
  function bucketFor(releaseAt: number, bucketMs: number): Bucket {
    const last = buckets.at(-1);
    if (last && releaseAt <= last.releaseAt) return last;
    const bucket = { releaseAt: releaseAt + bucketMs, count: 0, otherConsumers: 0 };
    buckets.push(bucket);
    return bucket;
  }
}

interface Bucket {
  readonly releaseAt: number;
  count: number;
  /** How many of them are calls of others. */
  otherConsumers: number;
}
