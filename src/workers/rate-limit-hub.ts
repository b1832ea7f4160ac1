import type { PermitRelease } from '../domain/distributed-rate-limits.ts';
import { createFixedWindowCounter } from '../limits/limits.ts';
import type { CountedUnits, CountResult, HubPermits, PermitsResult } from './calls.ts';
import type { PermitsRequest } from './permits-ahead.ts';

/** The rate limits of all workers, in the supervisor: what Redis does for several hosts. */
export function createRateLimitHub({ workers, now }: HubOptions) {
  const counters = new Map<number, ReturnType<typeof createFixedWindowCounter>>();
  const toSpare = (free: number) => Math.max(0, Math.floor(free / (SPARE_PARTS * workers)));
  const permits = createPermits({ now, toSpare });

  return {
    /**
     * Counts units, and some more that the worker may use without asking. These get fewer as the limit comes nearer,
     * so that a caller is refused too early by a sixteenth of the limit at most, and never too late.
     */
    count({ key, units, points, windowMs }: CountedUnits): CountResult {
      const counter = counters.get(windowMs) ?? createFixedWindowCounter({ windowMs, now });
      counters.set(windowMs, counter);
      const { count } = counter.add(key, units);
      const spare = toSpare(points - count);
      return { ...counter.add(key, spare), spare };
    },
    ...permits,
  };
}

const SPARE_PARTS = 16;

/**
 * Sliding windows of provider calls. The rules are those of `limits/distributed-rate-limits.ts`: a permit counts from
 * its call until one interval after the response, and expires by itself if its worker dies.
 */
function createPermits({ now, toSpare }: PermitsOptions) {
  const limits = new Map<string, Limit>();
  let lastId = 0;
  let tidyAt = now() + TIDY_EVERY_MS;

  return {
    /** Grants one, and as many more as the worker could use while plenty are left. */
    acquire({ name, calls, intervalMs, leaseMs, ahead }: PermitsRequest): PermitsResult {
      const at = now();
      tidy(at);
      const limit = limitOf(name);
      if (limit.pausedUntil > at) return { waitMs: limit.pausedUntil - at };
      const interval = limit.told?.intervalMs ?? intervalMs;
      const foreign = limit.foreignUntil > at ? limit.foreign : 0;
      dropExpired(limit, at);
      const over = limit.running.size + limit.ended.length + foreign - (limit.told?.calls ?? calls);
      if (over < 0) {
        const count = 1 + Math.min(ahead, toSpare(-over - 1));
        const permitIds = Array.from({ length: count }, () => String(++lastId));
        const expiresAt = at + Math.max(0, leaseMs) + interval;
        for (const permitId of permitIds) limit.running.set(permitId, expiresAt);
        return { permitIds };
      }
      const ends = [...limit.running.values(), ...limit.ended].sort((a, b) => a - b);
      const waits = [interval, (ends[over] ?? Number.POSITIVE_INFINITY) - at];
      if (foreign > 0) waits.push(limit.foreignUntil - at);
      return { waitMs: Math.max(1, Math.ceil(Math.min(...waits))) };
    },

    cancel({ name, permitIds }: HubPermits): void {
      for (const permitId of permitIds) limits.get(name)?.running.delete(permitId);
    },

    release(permits: readonly PermitRelease[]): void {
      for (const permit of permits) release(permit);
    },

    /** The number of limits in memory. */
    size: () => limits.size,
  };

  function release({ name, permitId, intervalMs, rateLimit, pauseMs = 0 }: PermitRelease): void {
    const at = now();
    const limit = limitOf(name);
    const interval = rateLimit?.intervalMs ?? limit.told?.intervalMs ?? intervalMs;
    const ends = at + interval + Math.ceil(interval / 100);
    if (permitId !== undefined) limit.running.delete(permitId);
    insert(limit.ended, ends);
    if (rateLimit) {
      dropExpired(limit, at);
      let ours = countUntil(limit.ended, ends);
      for (const end of limit.running.values()) if (end <= ends) ours += 1;
      limit.told = { calls: rateLimit.max, intervalMs: rateLimit.intervalMs };
      // Calls that the provider counts beyond ours were made by other clients of the same account.
      limit.foreign = Math.max(0, rateLimit.max - rateLimit.remaining - ours);
      limit.foreignUntil = ends;
    }
    limit.pausedUntil = Math.max(limit.pausedUntil, pauseMs > 0 ? at + pauseMs : 0);
  }

  function limitOf(name: string): Limit {
    const known = limits.get(name);
    if (known) return known;
    const limit: Limit = {
      running: new Map(),
      ended: [],
      told: undefined,
      foreign: 0,
      foreignUntil: 0,
      pausedUntil: 0,
    };
    limits.set(name, limit);
    return limit;
  }

  function tidy(at: number): void {
    if (at < tidyAt) return;
    tidyAt = at + TIDY_EVERY_MS;
    for (const [name, limit] of limits) {
      dropExpired(limit, at);
      const isUnused = limit.running.size === 0 && limit.ended.length === 0;
      if (isUnused && limit.pausedUntil <= at) limits.delete(name);
    }
  }
}

function dropExpired({ running, ended }: Limit, at: number): void {
  for (const [id, end] of running) if (end <= at) running.delete(id);
  const expired = countUntil(ended, at);
  if (expired > 0) ended.splice(0, expired);
}

/** The number of sorted times that are not later. */
function countUntil(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(times: number[], time: number): void {
  const last = times.at(-1);
  if (last === undefined || last <= time) times.push(time);
  else times.splice(countUntil(times, time), 0, time);
}

const TIDY_EVERY_MS = 60_000;

export type RateLimitHub = ReturnType<typeof createRateLimitHub>;

interface Limit {
  /** When the permit of each running call leaves the window at the latest. */
  readonly running: Map<string, number>;
  /** When the permits of calls that have ended leave the window, sorted. */
  readonly ended: number[];
  /** What the provider has reported. */
  told: { readonly calls: number; readonly intervalMs: number } | undefined;
  /** Calls of other clients, until then. */
  foreign: number;
  foreignUntil: number;
  pausedUntil: number;
}

interface PermitsOptions extends Pick<HubOptions, 'now'> {
  /** How much of what is free a worker gets in advance at most. */
  toSpare(free: number): number;
}

interface HubOptions {
  readonly workers: number;
  /** Monotonic, in milliseconds. */
  now(): number;
}
