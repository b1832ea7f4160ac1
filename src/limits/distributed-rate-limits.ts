import { randomUUID } from 'node:crypto';
import type { DistributedRateLimits } from '../domain/distributed-rate-limits.ts';
import type { Clock } from '../lib/clock.ts';
import { NOW, OTHERS_RETURN_MS, type SharedRedis } from './redis.ts';

/**
 * Distributed rate limits for providers: sliding windows in Redis, in which each permit is acquired by one atomic
 * script.
 */
export function createDistributedRateLimits(
  redis: SharedRedis,
  { now }: Pick<Clock, 'now'>,
): DistributedRateLimits {
  const acquire = redis.define('crossbookAcquire', ACQUIRE_SCRIPT);
  const release = redis.define('crossbookRelease', RELEASE_SCRIPT);
  /** Permits of calls that ended while Redis was unreachable: id → name of the limit. */
  const ended = new Map<string, string>();

  return {
    isConnected: redis.isConnected,

    share(intervalMs) {
      const since = redis.connectedSince();
      // After an outage each process has counted alone; full sharing starts after those calls have left the window.
      if (since !== undefined && now() - since > intervalMs + OTHERS_RETURN_MS) return 1;
      return redis.hasBeenAway() ? 1 / redis.processes() : 1;
    },

    take: () => undefined,

    async acquire({ name, calls, intervalMs, leaseMs }) {
      if (!redis.isConnected()) return undefined;
      // Otherwise these permits would stay taken until their leases expire.
      for (const [permitId, limit] of ended) cancel(limit, permitId);
      ended.clear();
      const permitId = randomUUID();
      try {
        const waitMs = Number(
          await acquire(toKeys(name), [
            calls,
            intervalMs,
            Math.ceil(Math.max(0, leaseMs)),
            permitId,
          ]),
        );
        return waitMs === 0 ? { permitId } : { waitMs };
      } catch {
        redis.markInterrupted();
        // The script may have run although its reply was lost.
        cancel(name, permitId);
        return undefined;
      }
    },

    cancel,

    release({ name, permitId, intervalMs, rateLimit, pauseMs = 0 }) {
      if (!redis.isConnected()) {
        if (permitId !== undefined) ended.set(permitId, name);
        return;
      }
      const { max = 0, remaining = 0, intervalMs: told = intervalMs } = rateLimit ?? {};
      release(toKeys(name), [
        permitId ?? randomUUID(),
        told,
        Math.ceil(pauseMs),
        max,
        remaining,
      ]).catch(ignore);
    },
  };

  function cancel(name: string, permitId: string): void {
    const [permits] = toKeys(name);
    if (redis.isConnected()) redis.client.zrem(permits, permitId).catch(ignore);
    else ended.set(permitId, name);
  }
}

/**
 * The hash tag in braces puts both keys on one node of a Redis cluster. The names stay, because old and new processes
 * run side by side.
 */
function toKeys(name: string) {
  return [`budget:{${name}}:turns`, `budget:{${name}}:facts`] as const;
}

/** The permit expires with its lease, and an outage of Redis is logged elsewhere. */
function ignore(): void {}

/** Extends the TTL of a key, and never shortens it. */
const KEEP = `
local function keep(key, ms)
  if redis.call('PTTL', key) < ms then redis.call('PEXPIRE', key, ms) end
end
`;

/**
 * Keys: permits, scored by when they leave the window, and facts. Arguments: calls, interval, lease, permit id. A
 * permit in use counts until its lease expires, so that a crashed process gives it back. Returns 0, or how long to
 * wait.
 */
export const ACQUIRE_SCRIPT = `${NOW}${KEEP}
local facts = redis.call('HMGET', KEYS[2], 'calls', 'interval', 'pausedUntil', 'foreign', 'foreignUntil')
local calls = tonumber(facts[1] or ARGV[1])
local interval = tonumber(facts[2] or ARGV[2])
local pausedUntil = tonumber(facts[3] or 0)
if pausedUntil > now then return pausedUntil - now end
local foreignUntil = tonumber(facts[5] or 0)
local foreign = foreignUntil > now and tonumber(facts[4]) or 0
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local over = redis.call('ZCARD', KEYS[1]) + foreign - calls
if over < 0 then
  local lease = ARGV[3] + interval
  redis.call('ZADD', KEYS[1], now + lease, ARGV[4])
  keep(KEYS[1], lease)
  return 0
end
local wait = interval
local next = redis.call('ZRANGE', KEYS[1], over, over, 'WITHSCORES')
if next[2] then wait = math.min(wait, next[2] - now) end
if foreign > 0 then wait = math.min(wait, foreignUntil - now) end
return math.max(1, math.ceil(wait))
`;

/**
 * Keys as above. Arguments: permit id, interval, pause (0: none), and what the provider reported: calls (0: nothing)
 * and remaining calls. Calls that the provider counts beyond ours were made by other clients of the same account; our
 * calls in flight may not be counted by it yet.
 */
export const RELEASE_SCRIPT = `${NOW}${KEEP}
local interval = tonumber(redis.call('HGET', KEYS[2], 'interval') or ARGV[2])
local told = tonumber(ARGV[4])
if told > 0 then interval = tonumber(ARGV[2]) end
local release = now + interval + math.ceil(interval / 100)
redis.call('ZADD', KEYS[1], release, ARGV[1])
keep(KEYS[1], release - now)
if told > 0 then
  local ours = redis.call('ZCOUNT', KEYS[1], '(' .. now, release)
  local foreign = math.max(0, told - ARGV[5] - ours)
  redis.call('HSET', KEYS[2], 'calls', told, 'interval', interval, 'foreign', foreign, 'foreignUntil', release)
  keep(KEYS[2], 3600000)
end
local paused = tonumber(redis.call('HGET', KEYS[2], 'pausedUntil') or 0)
if tonumber(ARGV[3]) > 0 and now + ARGV[3] > paused then
  redis.call('HSET', KEYS[2], 'pausedUntil', now + ARGV[3])
  keep(KEYS[2], ARGV[3] + 1000)
end
return 0
`;
