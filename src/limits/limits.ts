import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Log, RequestLog } from '../domain/log.ts';
import type { DistributedRateLimits } from '../domain/provider.ts';
import type { Clock } from '../lib/clock.ts';
import { createDistributedRateLimits } from './distributed-rate-limits.ts';
import { type ConsumeResult, createLimiter, setRateLimitHeaders, toAddressBucket } from './limiter.ts';
import { openRedis, type RedisOptions, type SharedRedis } from './redis.ts';

/** The limits of this installation: of one process, or of several that share a Redis. */
export async function openLimits(options: LimitOptions): Promise<Limits> {
  const { perKey, perToken, failedAuthentications: perMinute, pages = 0, log, hash, clock } = options;
  const redis = options.redis && (await openRedis({ ...options.redis, log, clock }));
  const { checkRateLimit, charge } = createRequestLimits({ perKey, perToken, redis, clock });
  const onError = (cause: unknown) => log.warn({ cause }, 'a failed authentication was not counted');

  return {
    checkRateLimit,
    charge,
    failures:
      perMinute > 0 ? createFailedAuthentications({ perMinute, redis, hash, clock, onError }) : NO_FAILURES,
    limitPages: createPageLimit({ perMinute: pages, redis, hash, clock }),
    addQuota: ({ rateLimit }, headers) => {
      if (rateLimit?.quota) setRateLimitHeaders(rateLimit.quota, headers);
    },
    sharedRateLimits: redis && createDistributedRateLimits(redis, clock),
    close: async () => redis?.close(),
  };
}

const NO_FAILURES: FailedAuthentications = { slowBucketOf: () => undefined, count: () => {} };

/**
 * Requests of each API key and of each customer token, weighted by their cost: a request takes one unit when it comes, and
 * one more for each further 1,000 of its cost once that is known.
 */
function createRequestLimits({ perKey, perToken, redis, clock }: RequestLimitOptions): RequestLimits {
  const keys = perKey > 0 ? createLimiter({ name: 'key', perMinute: perKey, redis, clock }) : undefined;
  const tokens =
    perToken > 0 ? createLimiter({ name: 'token', perMinute: perToken, redis, clock }) : undefined;

  return {
    checkRateLimit: (requestLog, caller) => take(requestLog, caller, 1),
    charge(requestLog, caller, cost) {
      const units = Math.ceil(cost / COST_PER_UNIT) - (requestLog.rateLimit?.units ?? 0);
      return units > 0 ? take(requestLog, caller, units) : undefined;
    },
  };

  function take(
    requestLog: RateLimitedRequest,
    { credentialId, customer }: Caller,
    more: number,
  ): Promise<void> | undefined {
    const units = (requestLog.rateLimit?.units ?? 0) + more;
    requestLog.rateLimit = { quota: undefined, units };
    const taken = (customer ? tokens : keys)?.take(credentialId, more);
    const settle = (quota: ConsumeResult) => {
      requestLog.rateLimit = { quota, units };
      if (quota.isOver) throw tooMany(customer ? 'customer token' : 'API key', quota);
    };
    if (taken instanceof Promise) return taken.then(settle);
    if (taken) settle(taken);
    return undefined;
  }
}

function tooMany(what: string, { limit, resetMs }: ConsumeResult): CrossbookError {
  const detail = `This ${what} makes more than ${limit} requests a minute, weighted by their cost.`;
  return new CrossbookError('TOO_MANY_REQUESTS', detail, { retryAfterMs: resetMs });
}

/** A look-up of one contact costs 150 to 300, a page of 100 with ten fields each some 1,200. */
const COST_PER_UNIT = 1_000;

/** Pages for strangers, by the address that asks for them: so many a minute, and the rest is refused. */
function createPageLimit({ perMinute, redis, hash, clock }: PageLimitOptions): LimitPages {
  if (perMinute === 0) return () => undefined;
  const limiter = createLimiter({ name: 'page', perMinute, redis, clock });
  return (address) => {
    // Without an address nothing tells one stranger from another: the places at work bound them all.
    if (address === undefined) return undefined;
    const taken = limiter.take(toAddressBucket(address, hash), 1);
    return taken instanceof Promise ? taken.then(check) : check(taken);
  };
}

function check({ isOver, resetMs }: ConsumeResult): undefined {
  if (!isOver) return undefined;
  throw new CrossbookError('TOO_MANY_REQUESTS', 'Too many pages are asked for from this address.', {
    retryAfterMs: resetMs,
  });
}

export interface Limits extends RequestLimits {
  /** Failed look-ups of API keys, by address. */
  readonly failures: FailedAuthentications;
  /** Pages that anybody may ask for, by address. */
  readonly limitPages: LimitPages;
  /** Adds to the headers of a response what there is to say of the caller's limit. */
  addQuota(request: Pick<RequestLog, 'rateLimit'>, headers: Record<string, string>): void;
  /** Undefined without Redis. */
  readonly sharedRateLimits: DistributedRateLimits | undefined;
  close(): Promise<void>;
}

interface LimitOptions {
  /** Units a minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  /** Failed look-ups a minute from one address; 0: no limit. */
  readonly failedAuthentications: number;
  /** Pages of connect links a minute for one address; 0 or absent: no limit. */
  readonly pages?: number | undefined;
  readonly redis: Omit<RedisOptions, 'log' | 'clock'> | undefined;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  hash(text: string): string;
}

interface RequestLimits {
  /** One more request of this caller. Throws or rejects with TOO_MANY_REQUESTS; undefined where nothing has to be waited for. */
  checkRateLimit(requestLog: RateLimitedRequest, caller: Caller): Promise<void> | undefined;
  /** What the same request costs so far, beyond the units that it took already. Fails as `checkRateLimit` does. */
  charge(requestLog: RateLimitedRequest, caller: Caller, cost: number): Promise<void> | undefined;
}

/** One request: what it is told stays with it. */
type RateLimitedRequest = Pick<RequestLog, 'rateLimit'>;

interface RequestLimitOptions {
  /** Units a minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly redis: SharedRedis | undefined;
}

/** Throws or rejects with TOO_MANY_REQUESTS. */
type LimitPages = (address: string | undefined) => Promise<void> | undefined;

interface PageLimitOptions {
  /** 0: no limit. */
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  /** With a key: the same in every process of an installation. */
  hash(text: string): string;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Failed look-ups of API keys, by the address that they come from. After too many of them its look-ups are slowed down
 * for the rest of the minute. Nothing is refused: guessing 256 bits is no danger, the load on the database would be.
 */
export function createFailedAuthentications(options: FailedAuthenticationOptions): FailedAuthentications {
  const { perMinute, redis, hash, clock, onError } = options;
  const limiter = createLimiter({ name: 'guess', perMinute: Math.max(1, perMinute), redis, clock });
  const slowUntil = new Map<string, number>();

  return {
    slowBucketOf(address) {
      if (slowUntil.size === 0) return undefined;
      const bucket = toAddressBucket(address, hash);
      if ((slowUntil.get(bucket) ?? 0) > clock.now()) return bucket;
      slowUntil.delete(bucket);
      return undefined;
    },

    count(address) {
      const bucket = toAddressBucket(address, hash);
      const settle = ({ remaining, resetMs }: { remaining: number; resetMs: number }) => {
        if (remaining === 0) slowUntil.set(bucket, clock.now() + resetMs);
      };
      const taken = limiter.take(bucket, 1);
      if (taken instanceof Promise) taken.then(settle, onError);
      else settle(taken);
    },
  };
}

interface FailedAuthentications {
  /** What stands for an address with too many failures; undefined for all others. */
  slowBucketOf(address: string): string | undefined;
  count(address: string): void;
}

interface FailedAuthenticationOptions {
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  /** With a key: the same in every process of an installation. */
  hash(text: string): string;
  readonly clock: Pick<Clock, 'now'>;
  onError(cause: unknown): void;
}
