import type { Caller } from '../domain/caller.ts';
import type { PageInput } from '../domain/contact-search.ts';
import type { CursorSigner } from '../domain/cursor-signer.ts';
import type { CustomerStore } from '../domain/customer.ts';
import type { CustomerFilter, CustomerPage } from '../domain/customer-list.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';
import { readPageRequest, signCursor } from './page-cursor.ts';

export const MAX_LISTED_IDS = 1_000;

/** One page of an application's customers, each with its connections. */
export function listCustomers(deps: ListDeps, { filter, page }: CustomerList): Promise<CustomerPage> {
  return deps.timed('listCustomers', async () => {
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

export interface CustomerList {
  readonly filter: CustomerFilter;
  readonly page: PageInput;
}

export interface ListDeps extends Timing {
  requireCaller(): Caller;
  readonly cursors: CursorSigner;
  readonly customers: Pick<CustomerStore, 'list'>;
}
