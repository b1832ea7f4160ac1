import type { Caller } from '../domain/caller.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { RemovalStore, RemovedConnection, Revocation } from '../domain/tenant.ts';

/** Deletes a customer with everything of theirs, and ends at the providers what they granted, where that harms nobody else. */
export function deleteCustomer(deps: RemovalDeps, { customerId, expectedVersion }: Deletion): Promise<void> {
  return deps.withSpan('deleteCustomer', async () => {
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

/**
 * Removes a customer's connection with its credentials and cached answers, and ends the grant at the provider where that
 * harms no other connection. The provider may be down: then the connection is removed all the same.
 */
export function disconnectProvider(
  deps: DisconnectDeps,
  { customerId, provider }: { readonly customerId: string; readonly provider: ProviderName },
): Promise<Disconnected> {
  return deps.withSpan('disconnectProvider', async () => {
    if (deps.requireCaller().customer) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may disconnect.');
    }
    const removed = await deps.removals.removeConnection(customerId, provider);
    if (!removed) {
      throw new CrossbookError(
        'NOT_FOUND',
        `There is no customer ${JSON.stringify(customerId)} with a connection to ${provider}.`,
      );
    }
    const revoked = deps.revoke(removed);
    await deps.settleRemoval(customerId, [removed]);
    const customer = await deps.loadCustomer(customerId);
    if (customer) return { customer, revocation: await revoked };
    throw new CrossbookError(
      'NOT_FOUND',
      `The customer ${JSON.stringify(customerId)} was deleted meanwhile.`,
    );
  });
}

interface Deletion {
  readonly customerId: string;
  /** Absent: whatever it is. */
  readonly expectedVersion?: number | undefined;
}

interface Disconnected {
  readonly customer: Customer;
  readonly revocation: Revocation;
}

interface DisconnectDeps extends RemovalDeps {
  loadCustomer(customerId: string): Promise<Customer | undefined>;
}

/** What this and the deletion of a customer touch of the request. */
interface RemovalDeps extends Tracer {
  requireCaller(): Caller;
  readonly removals: RemovalStore;
  /** Never rejects, and goes on where the request ends early. */
  revoke(removed: RemovedConnection): Promise<Revocation>;
  /** Resolves when no process answers from what it remembers of them. */
  settleRemoval(customerId: string, removed: readonly RemovedConnection[]): Promise<void>;
}
