import { randomUUID } from 'node:crypto';
import type { SharedBudgets } from '../domain/shared-budget.ts';
import type { Clock } from '../lib/clock.ts';
import { OTHERS_RETURN_MS, type SharedRedis } from './redis.ts';
import { SETTLE, TAKE } from './scripts.ts';

/** The rolling windows of the providers, in Redis: each turn is taken in one atomic step. */
export function createSharedBudgets(redis: SharedRedis, { now }: Pick<Clock, 'now'>): SharedBudgets {
  const take = redis.define('crossbookTake', TAKE);
  const settle = redis.define('crossbookSettle', SETTLE);
  /** Turns of calls that ended while Redis was away, by id, with the name of the budget. */
  const ended = new Map<string, string>();

  return {
    isThere: redis.isThere,

    share(intervalMs) {
      const since = redis.thereSince();
      // What the processes did by themselves is known to none of the others: it has to be over first.
      if (since !== undefined && now() - since > intervalMs + OTHERS_RETURN_MS) return 1;
      return redis.hasBeenAway() ? 1 / redis.processes() : 1;
    },

    async take({ name, calls, intervalMs, leaseMs }) {
      if (!redis.isThere()) return undefined;
      giveBackEnded();
      const turn = randomUUID();
      try {
        const waitMs = Number(
          await take(toKeys(name), [calls, intervalMs, Math.ceil(Math.max(0, leaseMs)), turn]),
        );
        return waitMs === 0 ? { turn } : { waitMs };
      } catch {
        redis.missed();
        // It may have been taken all the same.
        giveBack(name, turn);
        return undefined;
      }
    },

    giveBack,

    settle({ name, turn, intervalMs, allowance, pauseMs = 0 }) {
      if (!redis.isThere()) {
        if (turn !== undefined) ended.set(turn, name);
        return;
      }
      const { max = 0, remaining = 0, intervalMs: told = intervalMs } = allowance ?? {};
      settle(toKeys(name), [turn ?? randomUUID(), told, Math.ceil(pauseMs), max, remaining]).catch(ignore);
    },
  };

  function giveBack(name: string, turn: string): void {
    const [turns = ''] = toKeys(name);
    if (redis.isThere()) redis.client.zrem(turns, turn).catch(ignore);
    else ended.set(turn, name);
  }

  /** Their leases would keep them from everybody until the deadlines of their calls. */
  function giveBackEnded(): void {
    for (const [turn, name] of ended) giveBack(name, turn);
    ended.clear();
  }
}

/** In braces: both live on one node of a cluster. */
function toKeys(name: string): readonly string[] {
  return [`budget:{${name}}:turns`, `budget:{${name}}:facts`];
}

/** The turn ends with its lease; that Redis is away is told elsewhere. */
function ignore(): void {}
