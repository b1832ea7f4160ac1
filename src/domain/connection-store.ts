import type { Connection } from './connection.ts';
import type { ProviderName } from './provider-names.ts';

/** The connections of ONE application's customers. */
export interface ConnectionStore {
  /** One answer for each target, in their order; undefined where there is no such connection. */
  findMany(targets: readonly ConnectionTarget[]): Promise<readonly (Connection | undefined)[]>;
  /** The customer of each connection, by the connection's id. */
  findOwners(connectionIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface ConnectionTarget {
  readonly customerId: string;
  readonly providerName: ProviderName;
}
