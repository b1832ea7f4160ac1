import { AbandonedError } from '../../domain/errors.ts';
import type { RateLimit, RateLimitStatus } from '../../domain/provider.ts';
import { type Clock, type Wait, whenOver } from '../../lib/clock.ts';
import { rateLimited } from '../failures.ts';

/**
 * One rate limit of one connection: calls are sent at once while permits are left, and queue otherwise. Calls in the
 * background queue behind all others, and use at most half of the limit.
 */
export function createRateLimiter({
  budget,
  clock,
  maxWaiting,
  share = () => 1,
}: RateLimiterOptions) {
  const window = createRollingWindow();
  /** The queue, first in, first out. */
  let queue = new Set<Waiter>();
  const background = {
    window: createRollingWindow(),
    /** Its calls of a day, for a provider with a daily limit. */
    day: createRollingWindow(),
    queue: new Set<Waiter>(),
    inFlight: 0,
  };
  let daily: RateLimitStatus | undefined;
  let calls = budget.calls ?? Number.POSITIVE_INFINITY;
  let intervalMs = budget.intervalMs ?? DEFAULT_INTERVAL_MS;
  let inFlight = 0;
  let pausedUntil = 0;
  let wake: { readonly at: number; cancel(): void } | undefined;

  return {
    /**
     * Undefined: acquired. A promise: queued; rejects with REMOTE_PROVIDER_RATE_LIMITED as soon as the deadline
     * cannot be met.
     */
    acquire(
      deadline: number,
      { inFront = false, signal, isBackground = false }: AcquireOptions = {},
    ): Promise<void> | undefined {
      const now = clock.now();
      if (isBackground) return acquireInBackground(deadline, now, signal);
      if (isFree(now) && (inFront || queue.size === 0)) {
        inFlight++;
        return undefined;
      }
      const at = earliest(inFront ? 0 : queue.size, now);
      if (at > deadline || queue.size >= maxWaiting) {
        return Promise.reject(rateLimited(Math.max(at - now, MIN_RETRY_AFTER_MS)));
      }
      const waiting = enqueue(deadline, { inFront, signal });
      wakeInTime(now);
      return waiting;
    },

    /** Call after each call, whatever its result. */
    release({ rateLimit, pauseMs, isBackground = false }: Learned = {}): void {
      const now = clock.now();
      inFlight--;
      if (calls !== Number.POSITIVE_INFINITY) window.add(now, intervalMs);
      if (isBackground) {
        background.inFlight--;
        if (calls !== Number.POSITIVE_INFINITY) background.window.add(now, intervalMs);
        background.day.add(now, DAY_MS);
      }
      if (rateLimit) follow(rateLimit, now);
      if (pauseMs !== undefined) pause(now, pauseMs);
      moveUp(now);
    },

    /** Returns the permit of a call that was not made; `forMs`: also pauses the limiter. */
    cancel(forMs?: number, isBackground = false): void {
      const now = clock.now();
      inFlight--;
      if (isBackground) background.inFlight--;
      if (forMs !== undefined) pause(now, forMs);
      moveUp(now);
    },

    /** The known number of calls per interval. */
    calls: () => calls,
    intervalMs: () => intervalMs,
    pausedUntil: () => pausedUntil,
    queueLength: () => queue.size + background.queue.size,

    /** The distance between calls at which the rest of the limit lasts. 0 while plenty is left. */
    spacingMs(): number {
      const isPlenty = window.count(clock.now()) + inFlight < limit() / 2;
      return isPlenty ? 0 : intervalMs / limit();
    },

    isIdle(): boolean {
      const now = clock.now();
      const isQuiet = queue.size === 0 && background.queue.size === 0;
      return inFlight === 0 && isQuiet && now >= pausedUntil && window.count(now) === 0;
    },
  };

  function acquireInBackground(
    deadline: number,
    now: number,
    signal: AcquireOptions['signal'],
  ): Promise<void> | undefined {
    if (isFreeInBackground(now) && background.queue.size === 0) {
      inFlight++;
      background.inFlight++;
      return undefined;
    }
    if (!hasDailyLeft(now)) return Promise.reject(rateLimited(DAILY_RETRY_MS));
    if (background.queue.size >= maxWaiting || pausedUntil > deadline)
      return Promise.reject(rateLimited(retryAfter()));
    const waiting = enqueue(deadline, { signal, isBackground: true });
    wakeInTime(now);
    return waiting;
  }

  /** All other calls come first, and have the other half of the limit and the last tenth of a day's. */
  function isFreeInBackground(now: number): boolean {
    const { window: own, inFlight: ownInFlight } = background;
    return (
      queue.size === 0 &&
      isFree(now) &&
      ownInFlight < half(budget.concurrency) &&
      own.count(now) + ownInFlight < half(limit()) &&
      hasDailyLeft(now)
    );
  }

  function hasDailyLeft(now: number): boolean {
    if (daily === undefined) return true;
    return background.day.count(now) < half(daily.max) && daily.remaining > daily.max / 10;
  }

  /** Resolves when the call may be sent. Rejects at its deadline, or when its client disconnects. */
  function enqueue(
    deadline: number,
    { inFront, signal, isBackground = false }: AcquireOptions,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      let stopWaiting: (() => void) | undefined;
      const waiter: Waiter = {
        deadline,
        leave(error) {
          queue.delete(waiter);
          background.queue.delete(waiter);
          stopWaiting?.();
          if (error) reject(error);
          else resolve();
        },
      };
      if (isBackground) background.queue.add(waiter);
      else if (inFront) queue = new Set([waiter, ...queue]);
      else queue.add(waiter);
      stopWaiting = whenOver({ clock, deadline, signal }, (hasGone) =>
        waiter.leave(hasGone ? new AbandonedError() : rateLimited(retryAfter())),
      );
    });
  }

  function isFree(now: number): boolean {
    return (
      inFlight < budget.concurrency && now >= pausedUntil && window.count(now) + inFlight < limit()
    );
  }

  function limit(): number {
    return Math.max(1, Math.floor(calls * share()));
  }

  function moveUp(now: number): void {
    for (const waiter of queue) {
      if (!isFree(now)) break;
      inFlight++;
      waiter.leave();
    }
    for (const waiter of background.queue) {
      if (!isFreeInBackground(now)) break;
      inFlight++;
      background.inFlight++;
      waiter.leave();
    }
    wakeInTime(now);
  }

  /** A timer is needed only where time must pass: the end of a call dispatches the queue itself. */
  function wakeInTime(now: number): void {
    if (inFlight >= budget.concurrency) return;
    // A call in the background waits for those before it, which wake it when they end, or for its half.
    if (queue.size === 0 && (background.queue.size === 0 || background.inFlight > 0)) return;
    const at =
      queue.size > 0
        ? earliest(0, now)
        : Math.max(earliest(0, now), background.window.releaseAt(0, now + MIN_WAKE_MS), now + 1);
    if (wake && wake.at <= at) return;
    wake?.cancel();
    const cancel = clock.schedule(at - now, () => {
      wake = undefined;
      moveUp(clock.now());
    });
    wake = { at, cancel };
  }

  /** A lower bound for the time at which a call with so many ahead of it can be sent. */
  function earliest(ahead: number, now: number): number {
    const most = limit();
    const place = ahead - (most - window.count(now) - inFlight);
    if (place < 0) return Math.max(now, pausedUntil);
    const released = window.releaseAt(place % most, now + intervalMs);
    return Math.max(pausedUntil, released + Math.floor(place / most) * intervalMs);
  }

  function retryAfter(): number {
    const now = clock.now();
    return Math.max(earliest(queue.size, now) - now, MIN_RETRY_AFTER_MS);
  }

  function pause(now: number, pauseMs: number): void {
    const until = now + Math.min(pauseMs, LONGEST_PAUSE_MS);
    if (until <= pausedUntil) return;
    pausedUntil = until;
    // Calls that cannot wait until then are rejected now.
    for (const waiter of [...queue, ...background.queue])
      if (waiter.deadline <= until) waiter.leave(rateLimited(until - now));
  }

  /** Follows the provider's count: calls beyond ours were made by other processes or programs. */
  function follow(rateLimit: RateLimitStatus, now: number): void {
    if (rateLimit.intervalMs > LONGEST_WINDOW_MS) {
      daily = rateLimit;
      if (rateLimit.remaining <= inFlight) pause(now, LONGEST_WINDOW_MS);
      return;
    }
    calls = Math.max(1, rateLimit.max);
    intervalMs = Math.max(1, rateLimit.intervalMs);
    // Calls in flight may not be counted by the provider yet: leaving them out of ours errs on the safe side.
    const ours = window.count(now) - window.otherConsumers();
    window.setOtherConsumers(Math.max(0, calls - rateLimit.remaining - ours), now, intervalMs);
  }
}

function half(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}

const DEFAULT_INTERVAL_MS = 1_000;
const DAILY_RETRY_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** How often a call in the background looks, where no call of its window tells it when. */
const MIN_WAKE_MS = 1_000;
const MIN_RETRY_AFTER_MS = 100;
const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1_000;

/** For longer intervals (a day) only the remaining calls are followed, and updated once in this time. */
export const LONGEST_WINDOW_MS = 60_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

interface Waiter {
  readonly deadline: number;
  leave(error?: Error): void;
}

interface Learned {
  readonly rateLimit?: RateLimitStatus | undefined;
  readonly pauseMs?: number | undefined;
  readonly isBackground?: boolean;
}

export interface AcquireOptions {
  /** Waits for all others, within half of the limit. */
  readonly isBackground?: boolean;
  readonly inFront?: boolean;
  /** Aborted when the client disconnects: the call then leaves the queue. */
  readonly signal?: Wait['signal'];
}

export interface RateLimiterOptions {
  readonly budget: RateLimit;
  readonly clock: Clock;
  readonly maxWaiting: number;
  /** This limiter's share of the limit, from 0 to 1. */
  readonly share?: (() => number) | undefined;
}

/**
 * Counts calls like a provider's rolling window. A call counts from its sending until one interval after its
 * response: whenever the provider has counted it, its window is over by then.
 */
function createRollingWindow() {
  const buckets: Bucket[] = [];
  let held = 0;
  let others: { readonly bucket: Bucket; readonly count: number } | undefined;

  return {
    /** The number of calls that still count. */
    count(now: number): number {
      for (let first = buckets[0]; first && first.releaseAt <= now; first = buckets[0]) {
        held -= first.count;
        if (first === others?.bucket) others = undefined;
        buckets.shift();
      }
      return held;
    },

    add(now: number, intervalMs: number): void {
      addTo(bucketFor(now, intervalMs), 1);
    },

    /** Sets the calls of other consumers by the provider's last report, replacing the previous one. */
    setOtherConsumers(count: number, now: number, intervalMs: number): void {
      if (others) addTo(others.bucket, -others.count);
      others = count === 0 ? undefined : { bucket: bucketFor(now, intervalMs), count };
      if (others) addTo(others.bucket, count);
    },

    otherConsumers: (): number => others?.count ?? 0,

    /** When the n-th (from 0) counted call leaves the window; `otherwise` if that is unknown. */
    releaseAt(nth: number, otherwise: number): number {
      let before = 0;
      for (const bucket of buckets) {
        before += bucket.count;
        if (nth < before) return bucket.releaseAt;
      }
      return otherwise;
    },
  };

  function addTo(bucket: Bucket, calls: number): void {
    bucket.count += calls;
    held += calls;
  }

  /** Close moments share a bucket, which ends with the latest, so that memory stays bounded. */
  function bucketFor(now: number, intervalMs: number): Bucket {
    const last = buckets.at(-1);
    const releaseAt = now + intervalMs;
    if (last && releaseAt <= last.releaseAt) return last;
    const bucket = { releaseAt: releaseAt + intervalMs / 100, count: 0 };
    buckets.push(bucket);
    return bucket;
  }
}

interface Bucket {
  readonly releaseAt: number;
  count: number;
}
