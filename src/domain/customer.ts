import {
  type Connection,
  type ConnectionStatus,
  connection,
  connectionUpsert,
} from './connection.ts';

import type { Page, PageRequest } from './page.ts';
import { PROVIDER_NAMES, type ProviderName } from './provider-names.ts';
import { field, id, int, listOf, type Of, patch, shape, string, uuid } from './shape.ts';

const names = {
  customerId: field(id, 'Your own id of the customer.', { example: 'customer-1' }),
  name: field(string, 'Name of the customer.', { example: 'Analytical Engines Ltd' }),
  email: field(string, 'Email address of the customer.', { example: 'office@example.com' }),
};

/** A customer of an application, identified by the application's own id. */
export const customer = shape('Customer', 'A customer of your application, with its connections.', {
  applicationId: field(uuid, 'Id of your application.'),
  ...names,
  version: field(
    int,
    'Version, which starts at 1 and increases by one with every upsert. Pass it as `expectedVersion` for optimistic locking.',
    { graphqlOnly: true },
  ),
  connections: field(listOf(connection), 'Connections of the customer.', { items: 18 }),
});

export const customerUpsert = patch('CustomerUpsert', 'A customer to create or update.', names, {
  connections: field(
    listOf(connectionUpsert),
    'Connections to create or update, at most one for each provider. Connections that are not listed are unchanged.',
    { most: PROVIDER_NAMES.length },
  ),
});

export type Customer = Omit<Of<typeof customer>, 'connections'> & {
  readonly connections: readonly Connection[];
};
export type ConnectionUpsert = Of<typeof connectionUpsert>;
export type CustomerUpsert = Of<typeof customerUpsert> & {
  /** Rejected with CONFLICT if the stored version differs. 0: must not exist yet. */
  readonly expectedVersion?: number | undefined;
};

/**
 * The maximum length in characters. Check it before an id is hashed or repeated: one long text may be the id in a
 * thousand places of a request.
 */
export const MAX_CUSTOMER_ID_LENGTH = 255;

/** The customers of ONE application; others are unreachable. */
export interface CustomerStore {
  /** One result per id, in order; undefined if there is no such customer. */
  findMany(
    customerIds: readonly string[],
    reading?: CustomerReading,
  ): Promise<readonly (Customer | undefined)[]>;
  /** A page, ordered by id. It ends early where its customers are large. */
  list(
    filter: CustomerFilter,
    request: PageRequest,
    reading?: CustomerReading,
  ): Promise<Page<Customer>>;
  /** Writes the customer and all given connections in one transaction. */
  upsert(
    upsert: CustomerUpsert,
  ): Promise<{ readonly customer: Customer; readonly created: boolean }>;
}

/** How customers are read. Default: completely. */
export interface CustomerReading {
  /** False: the configurations of the connections, up to 64 KiB each, are not read, and are null. */
  readonly withConfigurations?: boolean | undefined;
}

/** All given criteria must match. */
export interface CustomerFilter {
  readonly customerIds?: readonly string[] | undefined;
  /** Case-insensitive. */
  readonly email?: string | undefined;
  /** Provider and status must match the same connection. */
  readonly provider?: ProviderName | undefined;
  readonly status?: ConnectionStatus | undefined;
}
