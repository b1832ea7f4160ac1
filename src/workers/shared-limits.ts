import type { DistributedRateLimits, PermitRelease } from '../domain/distributed-rate-limits.ts';
import { type Clock, withLimit } from '../lib/clock.ts';
import type { SharedCount } from '../limits/limits.ts';
import type { SupervisorCalls } from './calls.ts';
import type { Link } from './link.ts';
import { createPermitsAhead } from './permits-ahead.ts';

/** The rate limits that the workers keep together, by asking their supervisor. */
export function createSharedLimits({ link, workers, clock }: SharedLimitsOptions) {
  /** Until this time the worker uses its own share of each limit, because the supervisor did not respond in time. */
  let aloneUntil = Number.NEGATIVE_INFINITY;

  const returnUnused = (name: string, permitIds: readonly string[]) =>
    link.tell('cancel', { name, permitIds });
  const ahead = createPermitsAhead({ clock, returnUnused });
  const release = createReleases({ link, clock });

  const distributedRateLimits: DistributedRateLimits = {
    isConnected: link.isOpen,
    share: () => (clock.now() < aloneUntil ? 1 / workers : 1),
    take: ahead.take,
    async acquire(request) {
      const permitsRequest = ahead.extend(request);
      const at = clock.now();
      const granted = link.ask('acquire', permitsRequest);
      try {
        const result = await withLimit(granted, { limitMs: ASK_MS, clock });
        if ('waitMs' in result) return result;
        const [permitId = '', ...others] = result.permitIds;
        ahead.add(permitsRequest, others, at);
        return { permitId };
      } catch {
        aloneUntil = clock.now() + request.intervalMs + ASK_MS;
        // Permits that come too late are returned.
        granted.then(
          (late) => 'permitIds' in late && returnUnused(request.name, late.permitIds),
          () => undefined,
        );
        return undefined;
      }
    },
    cancel: (name, permitId) => returnUnused(name, [permitId]),
    release,
  };

  return {
    distributedRateLimits,
    /** A counter of all workers. Rejects if the supervisor does not answer in time. */
    createCount: ({ name, points, windowMs }: CountOptions): SharedCount => {
      const held = createHeldUnits(clock.now);
      return async (owner, units) => {
        const own = held.take(owner, units, points);
        if (own) return own;
        const key = `${name} ${owner}`;
        const counted = await withLimit(link.ask('count', { key, units, points, windowMs }), {
          limitMs: ASK_MS,
          clock,
        });
        return held.add(owner, counted);
      };
    },
  };
}

/**
 * Reports the ends of calls together. A later report is on the safe side: the permits count for longer. A pause is
 * reported at once.
 */
function createReleases({ link, clock }: Pick<SharedLimitsOptions, 'link' | 'clock'>) {
  let ended: PermitRelease[] = [];
  let cancelReport: (() => void) | undefined;
  const report = () => {
    cancelReport?.();
    cancelReport = undefined;
    link.tell('release', ended);
    ended = [];
  };
  return (release: PermitRelease): void => {
    ended.push(release);
    if (release.pauseMs !== undefined || ended.length >= MAX_ENDED) report();
    else cancelReport ??= clock.schedule(REPORT_MS, report);
  };
}

const REPORT_MS = 25;
const MAX_ENDED = 100;

/** The units that the supervisor has given to this worker in advance, by owner. */
function createHeldUnits(now: () => number) {
  const windows = new Map<string, HeldWindow>();
  return {
    /** Undefined: the supervisor has to be asked. */
    take(owner: string, units: number, points: number) {
      const window = windows.get(owner);
      const resetMs = window ? window.endsAt - now() : 0;
      if (!window || resetMs <= 0) return undefined;
      // Once the limit is reached, it stays so until the window ends.
      if (window.count > points) return { count: window.count, resetMs };
      if (window.spare < units) return undefined;
      window.spare -= units;
      return { count: window.count - window.spare, resetMs };
    },
    add(owner: string, { count, resetMs, spare }: Awaited<ReturnType<SupervisorCalls['count']>>) {
      const at = now();
      // The oldest that have ended. Some may stay behind one that ends later, until that one has ended too.
      for (const [oldest, { endsAt }] of windows) {
        if (endsAt > at) break;
        windows.delete(oldest);
      }
      const known = windows.get(owner);
      const isOpen = known !== undefined && known.endsAt > at;
      if (!isOpen) windows.delete(owner);
      const window = isOpen ? known : { count: 0, spare: 0, endsAt: at + resetMs };
      window.count = Math.max(window.count, count);
      window.spare += spare;
      windows.set(owner, window);
      return { count: window.count - window.spare, resetMs };
    },
  };
}

/** A caller waits for this: the supervisor has little to do. */
const ASK_MS = 250;

interface HeldWindow {
  /** Of all workers, as of the last answer. */
  count: number;
  spare: number;
  readonly endsAt: number;
}

interface CountOptions {
  readonly name: string;
  readonly points: number;
  readonly windowMs: number;
}

interface SharedLimitsOptions {
  readonly link: Link<SupervisorCalls>;
  readonly workers: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}
