import type {
  CustomerScope,
  PlanScope,
  PlanWalk,
  SyncCounts,
  SyncPlans,
  SyncQueue,
} from '../domain/sync.ts';
import { chunk } from '../lib/batcher.ts';
import { type Clock, runPeriodically } from '../lib/clock.ts';
import type { SyncWorker } from './worker.ts';

/**
 * Looks for due syncs and removals every few seconds, and sooner where this process has changed something. It plans the
 * connections that this process has changed at once, and those of an application whose settings it has changed. One
 * process at a time also walks over all connections, for those that a process has changed and not planned. The worker
 * is loaded when there is something to do.
 */
export function watchSyncs(deps: WatchDeps) {
  const { queue, plans, clock } = deps;
  let worker: ReturnType<WatchDeps['openWorker']> | undefined;
  let counts: SyncCounts | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  const customers = new Map<string, CustomerScope>();
  const applications = new Map<string, PlanWalk>();
  let everything = EVERYTHING;
  let isInUse = true;
  const polling = runPeriodically({
    intervalMs: POLL_MS,
    work,
    onError: deps.onError,
    schedule: deps.schedule,
  });
  return {
    /** Looks soon: something may be due. */
    wake,
    /** Plans soon what has changed. More than fits is left to the walk over all connections. */
    planSoon(scope: PlanScope): void {
      if (!isInUse) return;
      const { applicationId } = scope;
      if ('customerId' in scope) {
        const key = JSON.stringify([applicationId, scope.customerId]);
        if (customers.size < MAX_CHANGED) customers.set(key, scope);
      } else if (applications.size < MAX_CHANGED) {
        applications.set(applicationId, toWalk(applicationId));
      }
      wake();
    },
    /** The counts of some seconds ago; undefined if nothing is synced, and if another process counts. */
    counts: () => counts,
    async stop(): Promise<void> {
      await polling.stop();
      await (await worker?.catch(() => undefined))?.stop();
    },
  };

  function wake(): void {
    if (isInUse) polling.wake();
  }

  async function work(): Promise<void> {
    const seen = await queue.findDue();
    isInUse = seen.isInUse;
    if (!isInUse) {
      counts = undefined;
      return;
    }
    const planned = (await planCustomers()) + (await walk());
    // There is probably more.
    if (planned > 0) polling.wake();
    if (seen.isDue || planned > 0) {
      worker ??= deps.openWorker();
      await (await worker).pump();
    }
    deps.tidy();
    if (clock.now() - countedAt >= COUNT_MS) {
      countedAt = clock.now();
      counts = (await deps.mayCount()) ? await queue.count() : undefined;
    }
  }

  async function planCustomers(): Promise<number> {
    const changed = [...customers.values()];
    customers.clear();
    let total = 0;
    for (const some of chunk(changed, CUSTOMERS_AT_ONCE)) {
      if (!polling.isOver()) total += await plans.planCustomers(some);
    }
    return total;
  }

  /** Until something was planned, for a part of the time. The walks take turns. */
  async function walk(): Promise<number> {
    const until = clock.now() + WALK_MS;
    let isAllWalked = !(await deps.mayWalk(PLAN_LEASE_MS));
    let total = 0;
    while (total === 0 && !polling.isOver() && clock.now() < until) {
      const [application] = applications;
      if (!application && isAllWalked) break;
      if (application) total += await walkApplication(...application);
      if (!isAllWalked) {
        const { planned, rest } = await plans.planNext(everything);
        everything = rest ?? EVERYTHING;
        isAllWalked = rest === undefined;
        total += planned;
      }
    }
    return total;
  }

  async function walkApplication(applicationId: string, walk: PlanWalk): Promise<number> {
    applications.delete(applicationId);
    const { planned, rest } = await plans.planNext(walk);
    // Unless its settings have changed again in the meantime: then its walk starts over.
    if (rest && !applications.has(applicationId)) applications.set(applicationId, rest);
    return planned;
  }
}

const POLL_MS = 3_000;
/** A twentieth of the time, unless something is found that has to be planned. */
const WALK_MS = POLL_MS / 20;
const COUNT_MS = 30_000;
const PLAN_LEASE_MS = 30_000;
const MAX_CHANGED = 1_000;
const CUSTOMERS_AT_ONCE = 50;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
export const EVERYTHING = toWalk(FIRST_ID, LAST_ID);

/** From the first connection of an application on. */
function toWalk(applicationId: string, lastApplicationId = applicationId): PlanWalk {
  return { after: { applicationId, providerName: '', customerId: '' }, lastApplicationId };
}

interface WatchDeps {
  readonly queue: Pick<SyncQueue, 'findDue' | 'count'>;
  readonly plans: SyncPlans;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes or extends the lease of the process that walks over all connections. False: another process has it. */
  mayWalk(leaseMs: number): Promise<boolean>;
  openWorker(): Promise<SyncWorker>;
  /** Whether this process is the one that counts. */
  mayCount(): Promise<boolean>;
  /** Ends what is not used any more. */
  tidy(): void;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'];
}
