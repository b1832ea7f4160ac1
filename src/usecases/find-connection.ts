import type { Caller } from '../domain/caller.ts';
import type { Connection } from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import type { Timing } from '../domain/journal.ts';

/** One connection by its id; undefined where there is none, or none that the caller may read. */
export function findConnection(deps: FindConnectionDeps, id: string): Promise<Connection | undefined> {
  return deps.timed('findConnection', async () => {
    const { customer: token } = deps.requireCaller();
    const customerId = await deps.loadConnectionOwner(id);
    if (customerId === undefined || (token && token.customerId !== customerId)) return undefined;
    const customer = await deps.loadCustomer(customerId);
    return customer?.connections.find((connection) => connection.id === id);
  });
}

export interface FindConnectionDeps extends Timing {
  requireCaller(): Caller;
  /** Batched: the customer that a connection belongs to. */
  loadConnectionOwner(connectionId: string): Promise<string | undefined>;
  loadCustomer(customerId: string): Promise<Customer | undefined>;
}
