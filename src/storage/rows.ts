import type { ConnectedAccount, Connection } from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import { PROVIDER_CATEGORIES } from '../domain/provider-names.ts';
import type { connections, customers } from './schema.ts';

export function toConnection(row: ConnectionRow): Connection {
  return {
    id: row.id,
    applicationId: row.applicationId,
    customerId: row.customerId,
    providerId: row.providerId,
    providerName: row.providerName,
    category: PROVIDER_CATEGORIES[row.providerName],
    instanceUrl: row.instanceUrl,
    schemaMappingsConfig: row.schemaMappingsConfig,
    entityMappings: row.entityMappings,
    connectionSyncConfig: row.connectionSyncConfig,
    status: row.status,
    statusReason: row.statusReason,
    // A statement that answers in JSON writes moments as text.
    statusChangedAt: new Date(row.statusChangedAt).toISOString(),
    account: toAccount(row),
    grantedScopes: row.grantedScopes,
  };
}

function toAccount(row: ConnectionRow): ConnectedAccount | null {
  const { accountId: id, accountName: name, accountUrl: url, accountUserId: userId } = row;
  return id === null ? null : { id, name, url, userId };
}

/** Connections come in the order of their providers' names, so that the same customer always reads the same. */
export function toCustomer(row: CustomerRow, rows: readonly ConnectionRow[]): Customer {
  return {
    applicationId: row.applicationId,
    customerId: row.customerId,
    name: row.name,
    email: row.email,
    version: row.version,
    connections: rows
      .map(toConnection)
      .sort((left, right) => (left.providerName < right.providerName ? -1 : 1)),
  };
}

type CustomerRow = Pick<
  typeof customers.$inferSelect,
  'applicationId' | 'customerId' | 'name' | 'email' | 'version'
>;
export type ConnectionRow = Omit<
  typeof connections.$inferSelect,
  'createdAt' | 'updatedAt' | 'statusChangedAt'
> & { readonly statusChangedAt: Date | string };
