import type { Caller } from '../domain/caller.ts';
import type { Connection } from '../domain/connection.ts';

import type { Customer, CustomerFilter, CustomerPage, CustomerStore } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { CursorSigner, PageInput } from '../domain/page.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { resolveCustomerId, type TargetDeps } from './open-contact-client.ts';
import { readPageRequest, signCursor } from './page.ts';

/** One customer of the caller's application. Another application's does not exist. */
export function findCustomer(
  deps: FindCustomerDeps,
  customerId: string | null | undefined,
): Promise<Customer> {
  return deps.withSpan('findCustomer', () => find(deps, customerId));
}

async function find(deps: FindCustomerDeps, customerId: string | null | undefined): Promise<Customer> {
  const resolved = resolveCustomerId(deps, customerId);
  const customer = await deps.loadCustomer(resolved);
  if (customer) return customer;
  throw new CrossbookError('NOT_FOUND', `There is no customer ${JSON.stringify(resolved)}.`);
}

/** One connection by its id; undefined where there is none, or none that the caller may read. */
export function findConnection(deps: FindConnectionDeps, id: string): Promise<Connection | undefined> {
  return deps.withSpan('findConnection', async () => {
    const { customer: token } = deps.requireCaller();
    const customerId = await deps.loadCustomerIdOf(id);
    if (customerId === undefined || (token && token.customerId !== customerId)) return undefined;
    const customer = await deps.loadCustomer(customerId);
    return customer?.connections.find((connection) => connection.id === id);
  });
}

/** A customer's connection to one provider. */
export async function findCustomerConnection(
  deps: FindCustomerDeps,
  customerId: string,
  provider: ProviderName,
): Promise<Connection> {
  const customer = await findCustomer(deps, customerId);
  const connection = customer.connections.find(({ providerName }) => providerName === provider);
  if (connection) return connection;
  throw new CrossbookError(
    'NOT_FOUND',
    `There is no customer ${JSON.stringify(customerId)} with a connection to ${provider}.`,
  );
}

export const MAX_LISTED_IDS = 1_000;

/** One page of an application's customers, each with its connections. */
export function listCustomers(deps: ListDeps, { filter, page }: CustomerList): Promise<CustomerPage> {
  return deps.withSpan('listCustomers', async () => {
    const { application, customer: token } = deps.requireCaller();
    if (token) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads its customer; only an API key may list.');
    }
    const read = readFilter(filter);
    const cursors = deps.cursors.bind(() => JSON.stringify(['customers', application.id, toBinding(read)]));
    const request = readPageRequest(cursors, page);
    const { items, ...ends } = await deps.customers.list(read, request);
    return {
      customers: items,
      ...ends,
      cursorOf: (customer, direction) => signCursor(cursors, { key: customer.customerId, direction }),
    };
  });
}

function readFilter({ customerIds, email, ...rest }: CustomerFilter): CustomerFilter {
  if (customerIds && customerIds.length > MAX_LISTED_IDS) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The filter takes at most ${MAX_LISTED_IDS} ids; these are ${customerIds.length}.`,
    );
  }
  return {
    ...rest,
    customerIds: customerIds && [...new Set(customerIds)].sort(),
    email: email?.trim().toLowerCase(),
  };
}

/** The same filter, however it was written down. */
function toBinding({ customerIds, email, provider, status }: CustomerFilter): readonly unknown[] {
  return [customerIds ?? null, email ?? null, provider ?? null, status ?? null];
}

interface FindCustomerDeps extends TargetDeps, Tracer {
  loadCustomer(customerId: string): Promise<Customer | undefined>;
}

interface FindConnectionDeps extends Tracer {
  requireCaller(): Caller;
  /** Batched: the customer that a connection belongs to. */
  loadCustomerIdOf(connectionId: string): Promise<string | undefined>;
  loadCustomer(customerId: string): Promise<Customer | undefined>;
}

interface CustomerList {
  readonly filter: CustomerFilter;
  readonly page: PageInput;
}

interface ListDeps extends Tracer {
  requireCaller(): Caller;
  readonly cursors: CursorSigner;
  readonly customers: Pick<CustomerStore, 'list'>;
}
