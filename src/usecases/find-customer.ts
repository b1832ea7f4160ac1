import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';
import { resolveCustomerId, type TargetDeps } from './resolve-target.ts';

/** One customer of the caller's application. Another application's does not exist. */
export function findCustomer(
  deps: FindCustomerDeps,
  customerId: string | null | undefined,
): Promise<Customer> {
  return deps.timed('findCustomer', () => find(deps, customerId));
}

async function find(deps: FindCustomerDeps, customerId: string | null | undefined): Promise<Customer> {
  const resolved = resolveCustomerId(deps, customerId);
  const customer = await deps.loadCustomer(resolved);
  if (customer) return customer;
  throw new CrossbookError('NOT_FOUND', `There is no customer ${JSON.stringify(resolved)}.`);
}

export interface FindCustomerDeps extends TargetDeps, Timing {
  loadCustomer(customerId: string): Promise<Customer | undefined>;
}
