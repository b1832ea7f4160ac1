import { hash as hashOnce } from 'node:crypto';
import type { Caller } from '../domain/caller.ts';
import type { DistributedRateLimits } from '../domain/distributed-rate-limits.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { SIGN_INS_PER_MINUTE } from '../domain/operator.ts';
import type { Quota, RequestState } from '../domain/request-state.ts';
import type { Clock } from '../lib/clock.ts';
import { createDistributedRateLimits } from './distributed-rate-limits.ts';
import { openRedis, type RedisOptions } from './redis.ts';

/** Rate limits, kept by one process, by the workers of one supervisor, or by several processes through Redis. */
export async function openLimits({ log, hash, clock, ...options }: LimitOptions) {
  const redis = options.redis && (await openRedis({ ...options.redis, log, clock }));
  const shared = redis
    ? {
        createCount: redis.createCount,
        distributedRateLimits: createDistributedRateLimits(redis, clock),
      }
    : options.workers;
  const limiter = (name: string, perMinute = 0) =>
    perMinute > 0 ? createLimiter({ name, perMinute, shared, clock }) : undefined;
  const applications = limiter('application', options.perApplication);
  const customers = limiter('customer', options.perCustomer);
  const pages = limiter('page', options.pages);
  const signIns = limiter('sign-in', SIGN_INS_PER_MINUTE);
  /**
   * A keyed hash maps addresses to 65,536 buckets: bounded memory, and clients cannot choose whose bucket they share.
   */
  const toBucket = (address: string) => hashOnce('sha256', hash(address)).slice(0, BUCKET_DIGITS);

  return {
    /** Consumes one unit of the caller's rate limits. Throws or rejects with TOO_MANY_REQUESTS. */
    consumeRateLimit: (request: RateLimitedRequest, caller: Caller) => take(request, caller, 1),

    /**
     * Charges the query cost of a request so far, minus the units that it has consumed already: one on arrival, and
     * one more for each further 1,000 of its cost. Fails as `consumeRateLimit` does.
     */
    charge(request: RateLimitedRequest, caller: Caller, cost: number): Promise<void> | undefined {
      const units = Math.ceil(cost / COST_PER_UNIT) - (request.rateLimit?.units ?? 0);
      return units > 0 ? take(request, caller, units) : undefined;
    },

    /** Counts failed API keys by address. */
    failures: createFailedAuthentications(limiter('guess', options.failedAuthentications), {
      toBucket,
      clock,
      log,
    }),

    /** Limits the public pages of connect links by address. Rejects with TOO_MANY_REQUESTS. */
    async limitPages(address: string | undefined): Promise<void> {
      // Without an address clients cannot be distinguished; the limit of unauthenticated requests bounds them.
      if (!pages || address === undefined) return;
      const { isOver, resetMs } = await pages.takeShared(toBucket(address), 1);
      if (isOver) throw tooMany('Too many pages are requested from this address.', resetMs);
    },

    /** Limits attempts to sign in to the console by address. Rejects with TOO_MANY_REQUESTS. */
    async limitSignIns(address = 'unknown'): Promise<void> {
      const counted = await signIns?.takeShared(toBucket(address), 1);
      if (counted?.isOver)
        throw tooMany(
          `More than ${SIGN_INS_PER_MINUTE} attempts a minute to sign in came from this address.`,
          counted.resetMs,
        );
    },

    /** Adds the rate limit headers of the caller. */
    addRateLimitHeaders({ rateLimit }: RateLimitedRequest, headers: Record<string, string>): void {
      if (rateLimit?.quota) setRateLimitHeaders(rateLimit.quota, headers);
    },

    /** Undefined if one process has all limits for itself. */
    distributedRateLimits: shared?.distributedRateLimits,
    close: async () => redis?.close(),
  };

  /**
   * Consumes units of each limit of the caller. The headers of the response tell the one with the least left.
   * Undefined: done; only limits that are shared with other processes need a promise.
   */
  function take(
    request: RateLimitedRequest,
    caller: Caller,
    units: number,
  ): Promise<void> | undefined {
    const { quota, units: before } = request.rateLimit ?? NOTHING_CONSUMED;
    request.rateLimit = { quota, units: before + units };
    const owned = limitsOf(caller);
    if (shared) return takeShared(request, owned, units);
    let tightest: ConsumeResult | undefined;
    for (const { owner, limit, key } of owned)
      tightest = note(request, owner, limit.take(key, units), tightest);
    return undefined;
  }

  async function takeShared(
    request: RateLimitedRequest,
    owned: readonly OwnedLimit[],
    units: number,
  ): Promise<void> {
    let tightest: ConsumeResult | undefined;
    for (const { owner, limit, key } of owned)
      tightest = note(request, owner, await limit.takeShared(key, units), tightest);
  }

  /** Returns the result with the least left. Throws if the limit is exceeded. */
  function note(
    request: RateLimitedRequest,
    owner: OwnedLimit['owner'],
    consumed: ConsumeResult,
    before: ConsumeResult | undefined,
  ): ConsumeResult {
    const tightest = before && before.remaining < consumed.remaining ? before : consumed;
    request.rateLimit = { quota: tightest, units: request.rateLimit?.units ?? 0 };
    if (consumed.isOver)
      throw tooMany(
        `This ${owner} makes more than ${consumed.limit} requests a minute, weighted by their cost.`,
        consumed.resetMs,
      );
    return tightest;
  }

  /**
   * The limits are those of customers and applications, so that more keys and tokens allow no more requests. A
   * customer's comes first: what exceeds it takes nothing from the other customers of the application.
   */
  function limitsOf({ application, customer }: Caller) {
    const limits: OwnedLimit[] = [];
    if (customer && customers) {
      // Hashed, because customer ids may be email addresses, and Redis need not know them.
      const key = hash(`${application.id} ${customer.customerId}`);
      limits.push({ owner: 'customer', limit: customers, key });
    }
    if (applications)
      limits.push({ owner: 'application', limit: applications, key: application.id });
    return limits;
  }
}

const NOTHING_CONSUMED = { quota: undefined, units: 0 };

function tooMany(detail: string, retryAfterMs: number): CrossbookError {
  return new CrossbookError('TOO_MANY_REQUESTS', detail, { retryAfterMs });
}

/**
 * After too many failed keys from an address its look-ups are slowed down for the rest of the minute. They are not
 * rejected: guessing 256 bits is hopeless, only the load on the database matters.
 */
function createFailedAuthentications(
  limiter: Limiter | undefined,
  { toBucket, clock, log }: FailedAuthenticationOptions,
) {
  const slowUntil = new Map<string, number>();

  return {
    /** The bucket of an address with too many failures; undefined for all others. */
    slowBucketOf(address: string): string | undefined {
      if (slowUntil.size === 0) return undefined;
      const bucket = toBucket(address);
      if ((slowUntil.get(bucket) ?? 0) > clock.now()) return bucket;
      slowUntil.delete(bucket);
      return undefined;
    },

    count(address: string): void {
      if (!limiter) return;
      const bucket = toBucket(address);
      const slowDown = ({ remaining, resetMs }: ConsumeResult) => {
        if (remaining === 0) slowUntil.set(bucket, clock.now() + resetMs);
      };
      limiter
        .takeShared(bucket, 1)
        .then(slowDown, (cause: unknown) =>
          log.warn({ cause }, 'failed to count a failed authentication'),
        );
    },
  };
}

/**
 * A rate limiter by key with a fixed window of a minute, counted in Redis or by the supervisor, and in this process
 * while that is unreachable.
 */
function createLimiter({ name, perMinute, ...options }: LimiterOptions): Limiter {
  const { clock } = options;
  const windowMs = WINDOW_SECONDS * 1_000;
  const counter = createFixedWindowCounter({ windowMs, now: clock.now });
  const take = (key: string, units: number) => toConsumeResult(counter.add(key, units));
  const shared = options.shared?.createCount({ name, points: perMinute, windowMs });
  return {
    take,
    async takeShared(key, units) {
      // While it is unreachable each process grants the whole limit rather than a share, so that the outage rejects
      // no request.
      const counted = await shared?.(key, units).catch(() => undefined);
      return counted ? toConsumeResult(counted) : take(key, units);
    },
  };

  function toConsumeResult({ count, resetMs }: WindowCount): ConsumeResult {
    const remaining = Math.max(0, perMinute - count);
    return { limit: perMinute, remaining, resetMs, isOver: count > perMinute };
  }
}

/** Counts by key in this process. Windows expire in insertion order, so expired ones are at the front of the map. */
export function createFixedWindowCounter({
  windowMs,
  now,
}: {
  readonly windowMs: number;
  now(): number;
}) {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();

  return {
    /** The number of keys in memory. */
    size: () => windows.size,
    add(key: string, units: number): WindowCount {
      const at = now();
      const known = windows.get(key);
      const window = known && known.endsAt > at ? known : begin(key, at);
      window.count += units;
      return { count: window.count, resetMs: window.endsAt - at };
    },
  };

  function begin(key: string, at: number) {
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > at) break;
      windows.delete(oldest);
    }
    const window = { count: 0, endsAt: at + windowMs };
    windows.set(key, window);
    return window;
  }
}

/**
 * Sets the rate limit headers in both forms: the structured ones of the IETF draft, and the three older ones that
 * clients know.
 */
function setRateLimitHeaders(
  { limit, remaining, resetMs }: Quota,
  headers: Record<string, string>,
): void {
  const reset = Math.ceil(resetMs / 1_000);
  headers['ratelimit-policy'] = `"requests";q=${limit};w=${WINDOW_SECONDS}`;
  headers['ratelimit'] = `"requests";r=${remaining};t=${reset}`;
  headers['ratelimit-limit'] = `${limit}`;
  headers['ratelimit-remaining'] = `${remaining}`;
  headers['ratelimit-reset'] = `${reset}`;
}

const WINDOW_SECONDS = 60;
/** Typical costs: 150 to 300 for one contact, some 1,200 for a page of 100 with ten fields each. */
const COST_PER_UNIT = 1_000;
const BUCKET_DIGITS = 4;

export type Limits = Awaited<ReturnType<typeof openLimits>>;

interface LimitOptions {
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** Units per minute; 0: no limit. */
  readonly perApplication: number;
  /** Counts the requests by customer tokens. */
  readonly perCustomer: number;
  /** Failed look-ups per minute and address; 0: no limit. */
  readonly failedAuthentications: number;
  /** Pages of connect links per minute and address; 0 or absent: no limit. */
  readonly pages?: number | undefined;
  readonly redis: Omit<RedisOptions, 'log' | 'clock'> | undefined;
  /** What the workers of one supervisor share. Redis, if it is configured, comes first. */
  readonly workers?: SharedLimits | undefined;
  readonly log: Log;
  /** A keyed hash, with the same key in every process of an installation. */
  hash(text: string): string;
}

type RateLimitedRequest = Pick<RequestState, 'rateLimit'>;

/** Consumes units of a key. */
interface Limiter {
  /** In this process alone. */
  take(key: string, units: number): ConsumeResult;
  /** Together with the other processes, where these share a limit. */
  takeShared(key: string, units: number): Promise<ConsumeResult>;
}

interface OwnedLimit {
  readonly owner: 'application' | 'customer';
  readonly limit: Limiter;
  readonly key: string;
}

interface ConsumeResult extends Quota {
  readonly isOver: boolean;
}

interface WindowCount {
  readonly count: number;
  readonly resetMs: number;
}

/** The rate limits that several processes keep together. */
export interface SharedLimits {
  readonly distributedRateLimits: DistributedRateLimits;
  createCount(options: {
    readonly name: string;
    readonly points: number;
    readonly windowMs: number;
  }): SharedCount;
}

/** Counts units of a key for all processes. Rejects if they cannot be reached. */
export type SharedCount = (key: string, units: number) => Promise<WindowCount>;

interface LimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly shared: SharedLimits | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

interface FailedAuthenticationOptions extends Pick<LimitOptions, 'clock' | 'log'> {
  toBucket(address: string): string;
}
