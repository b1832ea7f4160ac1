import type { SharedBudgets } from '../../domain/shared-budget.ts';
import { createLane, type EnterOptions, type Lane, type LaneOptions, LONGEST_WINDOW_MS } from './lane.ts';

/**
 * A lane whose budget several processes keep together. Whoever has its turn here asks them all; who is refused goes back
 * to the front of this line, which pauses until it can be asked again. While nobody can be asked this is a lane like
 * any other, with a share of the budget.
 */
export function createSharedLane({ budgets, name, ...options }: SharedLaneOptions): Lane {
  const { clock } = options;
  const lane: Lane = createLane({ ...options, share: () => budgets.share(lane.intervalMs) });
  // Which of them belongs to which call makes no difference.
  const turns: string[] = [];

  return {
    enter(deadline, options) {
      const turn = lane.enter(deadline, options);
      return budgets.isThere() ? askAll(turn, deadline, options) : turn;
    },

    leave({ allowance, pauseMs } = {}) {
      // A day's rest is looked after by each process: asking about it again is one call a minute.
      const isWindow = allowance !== undefined && allowance.intervalMs <= LONGEST_WINDOW_MS;
      const known = isWindow ? allowance : undefined;
      budgets.settle({ name, turn: turns.shift(), intervalMs: lane.intervalMs, allowance: known, pauseMs });
      // What is missing there the others of ours have had, who are counted already.
      const isCounted = known !== undefined && budgets.isThere();
      lane.leave({ allowance: isCounted ? { ...known, remaining: known.max } : allowance, pauseMs });
    },

    leaveUnsent(forMs) {
      const turn = turns.shift();
      if (turn !== undefined) budgets.giveBack(name, turn);
      lane.leaveUnsent(forMs);
    },

    get calls() {
      return lane.calls;
    },
    get waiting() {
      return lane.waiting;
    },
    get pausedUntil() {
      return lane.pausedUntil;
    },
    get intervalMs() {
      return lane.intervalMs;
    },
    spacingMs: lane.spacingMs,
    isIdle: lane.isIdle,
  };

  async function askAll(
    first: Promise<void> | undefined,
    deadline: number,
    { permit }: EnterOptions = {},
  ): Promise<void> {
    for (let turn = first; ; turn = lane.enter(deadline, { inFront: true, permit })) {
      await turn;
      const { calls, intervalMs } = lane;
      const told = await budgets.take({ name, calls, intervalMs, leaseMs: deadline - clock.now() });
      if (told === undefined) return goAlone(deadline, permit);
      if ('turn' in told) {
        turns.push(told.turn);
        return;
      }
      lane.leaveUnsent(told.waitMs);
    }
  }

  /** It had its turn here as if all of the budget were this process's: now it needs one within the share. */
  async function goAlone(deadline: number, permit: EnterOptions['permit']): Promise<void> {
    lane.leaveUnsent();
    await lane.enter(deadline, { inFront: true, permit });
  }
}

export interface SharedLaneOptions extends Omit<LaneOptions, 'share'> {
  readonly budgets: SharedBudgets;
  /** The same in every process. */
  readonly name: string;
}
