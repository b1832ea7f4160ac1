import { hash as hashOnce } from 'node:crypto';
import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Log, Quota, RequestLog } from '../domain/log.ts';
import type { Clock } from '../lib/clock.ts';
import { createDistributedRateLimits } from './distributed-rate-limits.ts';
import { openRedis, type RedisOptions, type SharedRedis } from './redis.ts';

/** The rate limits of this installation: of one process, or of several that share a Redis. */
export async function openLimits({ log, hash, clock, ...options }: LimitOptions) {
  const redis = options.redis && (await openRedis({ ...options.redis, log, clock }));
  const limiter = (name: string, perMinute = 0) =>
    perMinute > 0 ? createLimiter({ name, perMinute, redis, clock }) : undefined;
  const keys = limiter('key', options.perKey);
  const tokens = limiter('token', options.perToken);
  const pages = limiter('page', options.pages);
  /** One of 65,536, so that a million addresses fill no memory; no client can choose whose it shares. */
  const toBucket = (address: string) => hashOnce('sha256', hash(address)).slice(0, BUCKET_DIGITS);

  return {
    /** One more request of this caller. Throws or rejects with TOO_MANY_REQUESTS; undefined where nothing has to be waited for. */
    checkRateLimit: (requestLog: RateLimitedRequest, caller: Caller) => take(requestLog, caller, 1),

    /**
     * What the same request costs so far, beyond the units that it took already: one when it comes, and one more for each
     * further 1,000 of its cost. Fails as `checkRateLimit` does.
     */
    charge(requestLog: RateLimitedRequest, caller: Caller, cost: number): Promise<void> | undefined {
      const units = Math.ceil(cost / COST_PER_UNIT) - (requestLog.rateLimit?.units ?? 0);
      return units > 0 ? take(requestLog, caller, units) : undefined;
    },

    /** Failed look-ups of API keys, by address. */
    failures: createFailedAuthentications(limiter('guess', options.failedAuthentications), {
      ...{ toBucket, now: clock.now },
      onError: (cause) => log.warn({ cause }, 'a failed authentication was not counted'),
    }),

    /** Pages that anybody may ask for, by address. Throws or rejects with TOO_MANY_REQUESTS. */
    limitPages(address: string | undefined): Promise<void> | undefined {
      // Without an address nothing tells one stranger from another: the slots for strangers bound them all.
      if (!pages || address === undefined) return undefined;
      return settle(pages(toBucket(address), 1), ({ isOver, resetMs }) => {
        if (isOver) throw tooMany('Too many pages are asked for from this address.', resetMs);
      });
    },

    /** Adds to the headers of a response what there is to say of the caller's limit. */
    addQuota({ rateLimit }: RateLimitedRequest, headers: Record<string, string>): void {
      if (rateLimit?.quota) setRateLimitHeaders(rateLimit.quota, headers);
    },

    /** Undefined without Redis. */
    sharedRateLimits: redis && createDistributedRateLimits(redis, clock),
    close: async () => redis?.close(),
  };

  function take(requestLog: RateLimitedRequest, { credentialId, customer }: Caller, more: number) {
    const units = (requestLog.rateLimit?.units ?? 0) + more;
    requestLog.rateLimit = { quota: undefined, units };
    const limit = customer ? tokens : keys;
    if (!limit) return undefined;
    return settle(limit(credentialId, more), (quota) => {
      requestLog.rateLimit = { quota, units };
      if (!quota.isOver) return;
      const who = customer ? 'customer token' : 'API key';
      const detail = `This ${who} makes more than ${quota.limit} requests a minute, weighted by their cost.`;
      throw tooMany(detail, quota.resetMs);
    });
  }
}

/** What is known at once is settled at once: nothing waits for a promise. */
function settle(
  consumed: ReturnType<Limiter>,
  check: (result: ConsumeResult) => void,
): Promise<void> | undefined {
  if (consumed instanceof Promise) return consumed.then(check);
  check(consumed);
  return undefined;
}

function tooMany(detail: string, retryAfterMs: number): CrossbookError {
  return new CrossbookError('TOO_MANY_REQUESTS', detail, { retryAfterMs });
}

/**
 * After too many failed look-ups from an address, its look-ups are slowed down for the rest of the minute. Nothing is
 * refused: guessing 256 bits is no danger, the load on the database would be.
 */
function createFailedAuthentications(
  limiter: Limiter | undefined,
  { toBucket, now, onError }: FailedAuthenticationOptions,
) {
  const slowUntil = new Map<string, number>();

  return {
    /** What stands for an address with too many failures; undefined for all others. */
    slowBucketOf(address: string): string | undefined {
      if (slowUntil.size === 0) return undefined;
      const bucket = toBucket(address);
      if ((slowUntil.get(bucket) ?? 0) > now()) return bucket;
      slowUntil.delete(bucket);
      return undefined;
    },

    count(address: string): void {
      if (!limiter) return;
      const bucket = toBucket(address);
      const slowDown = ({ remaining, resetMs }: ConsumeResult) => {
        if (remaining === 0) slowUntil.set(bucket, now() + resetMs);
      };
      settle(limiter(bucket, 1), slowDown)?.catch(onError);
    },
  };
}

/** A rate limit for each key, in a minute's fixed window: counted in Redis, and by this process while Redis is away. */
function createLimiter({ name, perMinute, redis, clock }: LimiterOptions): Limiter {
  const windowMs = WINDOW_SECONDS * 1_000;
  const counter = createFixedWindowCounter({ windowMs, now: clock.now });
  const alone = (key: string, units: number) => toConsumeResult(counter.add(key, units));
  const shared = redis?.createCount({ name, points: perMinute, windowMs });
  if (!shared) return alone;
  return async (key, units) => {
    // Redis is away: no request is rejected for that, so that the whole limit holds here, and not a share of it.
    const counted = await shared(key, units).catch(() => undefined);
    return counted ? toConsumeResult(counted) : alone(key, units);
  };

  function toConsumeResult({ count, resetMs }: WindowCount): ConsumeResult {
    const remaining = Math.max(0, perMinute - count);
    return { limit: perMinute, remaining, resetMs, isOver: count > perMinute };
  }
}

/** Counts by key in this process. Windows expire in insertion order, so expired ones are deleted from the front of the map. */
export function createFixedWindowCounter({ windowMs, now }: { readonly windowMs: number; now(): number }) {
  const windows = new Map<string, { count: number; readonly endsAt: number }>();

  return {
    /** Keys that are remembered. */
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

/** What is left, in both spellings: the structured one of the current draft, and the three fields that clients know. */
function setRateLimitHeaders({ limit, remaining, resetMs }: Quota, headers: Record<string, string>): void {
  const left = String(remaining);
  const reset = String(Math.ceil(resetMs / 1_000));
  // Nearly every caller has the same limit.
  if (limit !== policy?.limit)
    policy = { limit, all: String(limit), text: `"${POLICY}";q=${limit};w=${WINDOW_SECONDS}` };
  headers['ratelimit-policy'] = policy.text;
  headers['ratelimit'] = `"${POLICY}";r=${left};t=${reset}`;
  headers['ratelimit-limit'] = policy.all;
  headers['ratelimit-remaining'] = left;
  headers['ratelimit-reset'] = reset;
}

let policy: { readonly limit: number; readonly all: string; readonly text: string } | undefined;

const POLICY = 'requests';
const WINDOW_SECONDS = 60;
/** A look-up of one contact costs 150 to 300, a page of 100 with ten fields each some 1,200. */
const COST_PER_UNIT = 1_000;
const BUCKET_DIGITS = 4;

export type Limits = Awaited<ReturnType<typeof openLimits>>;

interface LimitOptions extends Pick<LimiterOptions, 'clock'> {
  /** Units a minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  /** Failed look-ups a minute from one address; 0: no limit. */
  readonly failedAuthentications: number;
  /** Pages of connect links a minute for one address; 0 or absent: no limit. */
  readonly pages?: number | undefined;
  readonly redis: Omit<RedisOptions, 'log' | 'clock'> | undefined;
  readonly log: Log;
  /** With a key of its own: the same in every process of an installation. */
  hash(text: string): string;
}

/** One request: what it is told stays with it. */
type RateLimitedRequest = Pick<RequestLog, 'rateLimit'>;

/** So many more of this key's. */
type Limiter = (key: string, units: number) => ConsumeResult | Promise<ConsumeResult>;

interface ConsumeResult extends Quota {
  readonly isOver: boolean;
}

interface WindowCount {
  readonly count: number;
  readonly resetMs: number;
}

interface LimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

interface FailedAuthenticationOptions {
  toBucket(address: string): string;
  now(): number;
  onError(cause: unknown): void;
}
