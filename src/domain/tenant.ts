import type { Connection } from './connection.ts';
import type { ContactCache } from './contact-cache.ts';
import type { CredentialStore } from './credentials.ts';
import type { CustomerStore } from './customer.ts';
import type { ProviderName } from './provider-names.ts';

/** Everything stored for ONE application. It is opened for its id, and nothing in it can name another's. */
export interface Tenant {
  readonly customers: CustomerStore;
  readonly connections: ConnectionStore;
  readonly credentials: CredentialStore;
  readonly contactCache: ContactCache;
}

export interface ConnectionStore {
  /** In the order asked for; undefined where there is no such customer or no such connection. */
  findMany(keys: readonly ConnectionKey[]): Promise<readonly (Connection | undefined)[]>;
}

export interface ConnectionKey {
  readonly customerId: string;
  readonly provider: ProviderName;
}
