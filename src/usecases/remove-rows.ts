import {
  type ClaimedRemoval,
  type Destinations,
  identityOf,
  REMOVAL_RETRIES_MS,
  type RowRemovals,
  type SyncQueue,
} from '../domain/sync.ts';
import { backoff } from '../lib/backoff.ts';

/** Deletes the rows of a customer that was deleted, in all tables that the application's syncs have written to. */
export async function removeRows(deps: RemoveDeps, removal: ClaimedRemoval): Promise<void> {
  try {
    if (await deleteAll(deps, removal)) await deps.removals.end(removal, { kind: 'done' });
  } catch (error) {
    deps.onError(error);
    const age = deps.wall() - removal.createdAt.getTime();
    await deps.removals.end(
      removal,
      age >= REMOVAL_RETRIES_MS
        ? { kind: 'given up' }
        : { kind: 'failed', retryAfterMs: toPause(removal.attempts) },
    );
  }
}

/** False: another process has the removal now. */
async function deleteAll(deps: RemoveDeps, removal: ClaimedRemoval): Promise<boolean> {
  const { applicationId, tables } = removal;
  const destination = await deps.queue.findDestination(applicationId);
  const current = destination && identityOf(destination);
  const failures: unknown[] = [];
  for (const table of tables) {
    try {
      if (!destination || table.destination !== current) throw new Error(MOVED);
      for (;;) {
        const rows = await deps.destinations.open(destination).deleteRows(table, removal);
        if (!(await deps.removals.extend(removal, rows))) return false;
        if (rows === 0) break;
      }
    } catch (error) {
      // The other tables are not kept waiting by one that fails.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return true;
}

const MOVED = 'Rows of a deleted customer are at a destination that is no longer configured.';

/** A minute after the first attempt, and at most six hours. */
function toPause(attempts: number): number {
  return backoff(60_000, 6 * 60 * 60_000, attempts - 1);
}

interface RemoveDeps {
  readonly queue: Pick<SyncQueue, 'findDestination'>;
  readonly removals: Pick<RowRemovals, 'extend' | 'end'>;
  readonly destinations: Pick<Destinations, 'open'>;
  wall(): number;
  onError(error: unknown): void;
}
