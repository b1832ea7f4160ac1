import { hash as hashOnce } from 'node:crypto';
import type { Quota } from '../domain/log.ts';
import type { Clock } from '../lib/clock.ts';
import { toSubnet } from '../lib/to-subnet.ts';
import type { SharedRedis } from './redis.ts';
import type { SharedCount } from './redis-counter.ts';

/** A rate limit for each key, in a minute's fixed window: counted in Redis, and by this process while Redis is away. */
export function createLimiter({ name, perMinute, redis, clock }: LimiterOptions): Limiter {
  const count = createFixedWindowCounter({ windowMs: WINDOW_SECONDS * 1_000, now: clock.now });
  const alone = (key: string, units: number): ConsumeResult => {
    const taken = count.add(key, units);
    return toConsumeResult(taken.count, taken.resetMs);
  };
  const shared = redis?.createCount({ name, points: perMinute, windowMs: WINDOW_SECONDS * 1_000 });
  return { take: shared ? (key, units) => takeShared(shared, key, units) : alone };

  async function takeShared(count: SharedCount, key: string, units: number): Promise<ConsumeResult> {
    // Redis is away: no request is rejected for that, so that the whole limit holds here, and not a share of it.
    const taken = await count(key, units).catch(() => undefined);
    return taken ? toConsumeResult(taken.count, taken.resetMs) : alone(key, units);
  }

  function toConsumeResult(taken: number, resetMs: number): ConsumeResult {
    return {
      limit: perMinute,
      remaining: Math.max(0, perMinute - taken),
      resetMs,
      isOver: taken > perMinute,
    };
  }
}

/**
 * One of a fixed number of keys for an address, so that a million addresses fill no memory; no client can choose whose it shares.
 * `hash` has a key of its own: it is the same in every process of an installation.
 */
export function toAddressBucket(address: string, hash: (text: string) => string): string {
  return hashOnce('sha256', hash(toSubnet(address))).slice(0, BUCKET_DIGITS);
}

/** 65,536 buckets. */
const BUCKET_DIGITS = 4;

const WINDOW_SECONDS = 60;

interface Limiter {
  /** So many more of this key's. */
  take(key: string, units: number): ConsumeResult | Promise<ConsumeResult>;
}

export interface ConsumeResult extends Quota {
  readonly isOver: boolean;
}

interface LimiterOptions {
  readonly name: string;
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** Counts by key in this process. Windows expire in insertion order, so expired ones are deleted from the front of the map. */
export function createFixedWindowCounter({ windowMs, now }: CounterOptions): FixedWindowCounter {
  const windows = new Map<string, Window>();

  return {
    size: () => windows.size,
    add(key, units) {
      const at = now();
      const known = windows.get(key);
      const window = known && known.endsAt > at ? known : begin(key, at);
      window.count += units;
      return { count: window.count, resetMs: window.endsAt - at };
    },
  };

  function begin(key: string, at: number): Window {
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > at) break;
      windows.delete(oldest);
    }
    const window = { count: 0, endsAt: at + windowMs };
    windows.set(key, window);
    return window;
  }
}

interface FixedWindowCounter {
  /** So many more of this key's. */
  add(key: string, units: number): { readonly count: number; readonly resetMs: number };
  /** Keys that are remembered. */
  size(): number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

interface CounterOptions {
  readonly windowMs: number;
  /** Milliseconds that never go back. */
  now(): number;
}

/** What is left, in both spellings: the structured one of the current draft, and the three fields that clients know. */
export function setRateLimitHeaders(
  { limit, remaining, resetMs }: Quota,
  headers: Record<string, string>,
): void {
  const left = String(remaining);
  const reset = String(Math.ceil(resetMs / 1_000));
  const { all, policy } = limit === known?.limit ? known : say(limit);
  headers['ratelimit-policy'] = policy;
  headers['ratelimit'] = `"${POLICY}";r=${left};t=${reset}`;
  headers['ratelimit-limit'] = all;
  headers['ratelimit-remaining'] = left;
  headers['ratelimit-reset'] = reset;
}

function say(limit: number): Known {
  known = { limit, all: String(limit), policy: `"${POLICY}";q=${limit};w=${WINDOW_SECONDS}` };
  return known;
}

/** Nearly every caller has the same. */
let known: Known | undefined;

const POLICY = 'requests';

interface Known {
  readonly limit: number;
  readonly all: string;
  readonly policy: string;
}
