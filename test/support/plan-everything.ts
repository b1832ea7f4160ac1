import type { PlanWalk, SyncPlans } from '../../src/domain/sync.ts';
import { EVERYTHING } from '../../src/sync/watch.ts';

/** Plans all syncs, as the walk of the product does. The number of connections of each part that were planned. */
export async function planEverything(
  plans: Pick<SyncPlans, 'planNext'>,
): Promise<readonly number[]> {
  const parts: number[] = [];
  for (let walk: PlanWalk | undefined = EVERYTHING; walk; ) {
    const { planned, rest }: Awaited<ReturnType<SyncPlans['planNext']>> =
      await plans.planNext(walk);
    parts.push(planned);
    walk = rest;
  }
  return parts;
}
