import {
  type Customer,
  type CustomerFilter,
  type CustomerStore,
  MAX_CUSTOMER_ID_LENGTH,
} from '../domain/customer.ts';
import { normalizeEmailInput } from '../domain/email.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ListPage, PageInput, Signer } from '../domain/page.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import {
  type CallerDeps,
  customerNotFound,
  resolveCustomerId,
  showCustomer,
  type TargetDeps,
  withApiKey,
} from './authorization.ts';
import { readPageRequest, signCursor, signPlaceOf } from './page.ts';

/** Finds a customer of the caller's application. Those of other applications do not exist for it. */
export function findCustomer(
  deps: FindCustomerDeps,
  customerId: string | null | undefined,
  withConfigurations = true,
) {
  return deps.withSpan('findCustomer', async () => {
    const resolved = resolveCustomerId(deps, customerId);
    const customer = await deps.loadCustomer(resolved, withConfigurations);
    if (customer) return showCustomer(deps, customer);
    throw customerNotFound(resolved);
  });
}

/** Finds a connection by id; undefined if there is none, or none that the caller may read. */
export function findConnection(deps: FindConnectionDeps, id: string, withConfigurations: boolean) {
  return deps.withSpan('findConnection', async () => {
    const { customer: token } = deps.requireCaller();
    const customerId = await deps.loadCustomerIdOf(id);
    if (customerId === undefined || (token && token.customerId !== customerId)) return undefined;
    const customer = await deps.loadCustomer(customerId, withConfigurations);
    const shown = customer && showCustomer(deps, customer);
    return shown?.connections.find((connection) => connection.id === id);
  });
}

/** Finds a customer's connection to a provider. */
export async function findCustomerConnection(
  deps: FindCustomerDeps,
  customerId: string,
  provider: ProviderName,
) {
  const customer = await findCustomer(deps, customerId);
  const connection = customer.connections.find(({ providerName }) => providerName === provider);
  if (connection) return connection;
  throw customerNotFound(customerId, provider);
}

export const MAX_LISTED_IDS = 1_000;

/** Lists a page of the application's customers by id, with their connections. */
export function listCustomers(
  deps: ListCustomersDeps,
  { filter, page, withConfigurations = true }: CustomerList,
): Promise<ListPage<Customer>> {
  return withApiKey(deps, 'listCustomers', async (application) => {
    const read = readFilter(filter);
    const { customerIds = null, email = null, provider = null, status = null } = read;
    // A canonical form: equal filters give equal bindings.
    const binding = ['customers', application.id, [customerIds, email, provider, status]];
    const cursors = deps.cursors.bind(() => JSON.stringify(binding));
    const request = readPageRequest(cursors, page);
    return {
      ...(await deps.customers.list(read, request, { withConfigurations })),
      cursorOf: (item, direction) =>
        item
          ? signCursor(cursors, { key: item.customerId, direction })
          : signPlaceOf(cursors, request, direction),
    };
  });
}

function readFilter({ customerIds, email, ...rest }: CustomerFilter): CustomerFilter {
  if (customerIds && customerIds.length > MAX_LISTED_IDS) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The filter takes at most ${MAX_LISTED_IDS} ids, but has ${customerIds.length}.`,
    );
  }
  return {
    ...rest,
    customerIds:
      customerIds &&
      [...new Set(customerIds.filter((id) => id.length <= MAX_CUSTOMER_ID_LENGTH))].sort(),
    email: email === undefined ? undefined : normalizeEmailInput(email),
  };
}

interface CustomerList {
  readonly filter: CustomerFilter;
  readonly page: PageInput;
  /** False: the configurations of the connections are not read. */
  readonly withConfigurations?: boolean;
}

export interface FindCustomerDeps extends TargetDeps {
  loadCustomer(customerId: string, withConfigurations?: boolean): Promise<Customer | undefined>;
}

export interface FindConnectionDeps extends CallerDeps {
  /** Batched: the id of a connection's customer. */
  loadCustomerIdOf(connectionId: string): Promise<string | undefined>;
  loadCustomer(customerId: string, withConfigurations?: boolean): Promise<Customer | undefined>;
}

export interface ListCustomersDeps extends CallerDeps {
  readonly cursors: Signer;
  readonly customers: Pick<CustomerStore, 'list'>;
}
