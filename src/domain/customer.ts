import type {
  Connection,
  ConnectionSyncConfig,
  Credentials,
  EntityMapping,
  SchemaMappingsConfig,
} from './connection.ts';
import type { CustomerFilter } from './customer-list.ts';
import type { Page, PageRequest } from './page.ts';
import type { ProviderName } from './provider-names.ts';

/** One customer of one application, by the application's own id. */
export interface Customer {
  readonly applicationId: string;
  readonly customerId: string;
  readonly name: string;
  readonly email: string;
  /** Starts at 1 and grows by one with every upsert. */
  readonly version: number;
  readonly connections: readonly Connection[];
}

/** In characters. */
export const MAX_CUSTOMER_ID_LENGTH = 255;

/** An absent field is left as it is, null clears it: `undefined` and `null` are never the same here. */
export interface CustomerUpsert {
  readonly customerId: string;
  readonly name: string;
  readonly email: string;
  /** Refused with CONFLICT when the stored version is another one. 0 means: must not exist yet. */
  readonly expectedVersion?: number | undefined;
  readonly connections?: readonly ConnectionUpsert[] | undefined;
}

export interface ConnectionUpsert {
  readonly providerName: ProviderName;
  readonly instanceUrl?: string | null | undefined;
  readonly schemaMappingsConfig?: SchemaMappingsConfig | null | undefined;
  readonly entityMappings?: readonly EntityMapping[] | null | undefined;
  readonly connectionSyncConfig?: ConnectionSyncConfig | null | undefined;
  readonly credentials?: Credentials | null | undefined;
}

/** The customers of ONE application: opened for it, and unable to spell another's. */
export interface CustomerStore {
  /** Unknown ids are missing from the map. */
  findMany(customerIds: readonly string[]): Promise<ReadonlyMap<string, Customer>>;
  /** One page, in the order of their ids. */
  list(filter: CustomerFilter, request: PageRequest): Promise<Page<Customer>>;
  /** All in one transaction: the customer and every connection given, or nothing. */
  upsert(upsert: CustomerUpsert): Promise<{ readonly customer: Customer; readonly created: boolean }>;
}
