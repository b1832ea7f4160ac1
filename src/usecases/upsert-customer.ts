import type { Customer, CustomerStore, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';
import type { TargetDeps } from './resolve-target.ts';
import { type UpsertRules, validateCustomerUpsert } from './validate-customer-upsert.ts';

/** Creates or updates a customer together with its connections: all of it, or nothing. */
export function upsertCustomer(deps: UpsertDeps, upsert: CustomerUpsert): Promise<UpsertedCustomer> {
  return deps.timed('upsertCustomer', () => write(deps, upsert));
}

async function write(deps: UpsertDeps, upsert: CustomerUpsert): Promise<UpsertedCustomer> {
  if (deps.requireCaller().customer) {
    throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may change customers.');
  }
  const { customer, created } = await deps.customers.upsert(validateCustomerUpsert(deps, upsert));
  deps.invalidateCustomer(customer);
  return { customer, created };
}

export interface UpsertedCustomer {
  readonly customer: Customer;
  readonly created: boolean;
}

export interface UpsertDeps extends TargetDeps, UpsertRules, Timing {
  readonly customers: CustomerStore;
  /** What this request, or this process, remembers of the customer is no longer true. */
  invalidateCustomer(customer: Customer): void;
}
