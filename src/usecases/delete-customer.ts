import { CrossbookError } from '../domain/errors.ts';
import type { RemovalDeps } from './disconnect-provider.ts';

/** Deletes a customer with everything of theirs, and ends at the providers what they granted, where that harms nobody else. */
export function deleteCustomer(deps: RemovalDeps, { customerId, expectedVersion }: Deletion): Promise<void> {
  return deps.timed('deleteCustomer', async () => {
    if (deps.requireCaller().customer) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may delete customers.');
    }
    const removed = await deps.removals.removeCustomer(customerId, expectedVersion);
    if (!removed)
      throw new CrossbookError('NOT_FOUND', `There is no customer ${JSON.stringify(customerId)}.`);
    // Nobody waits for the providers: what becomes of it is in the log and the metrics.
    for (const one of removed) void deps.revoke(one);
    await deps.settleRemoval(customerId, removed);
  });
}

interface Deletion {
  readonly customerId: string;
  /** Absent: whatever it is. */
  readonly expectedVersion?: number | undefined;
}
