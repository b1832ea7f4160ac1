import { and, eq, sql } from 'drizzle-orm';
import type {
  ConnectedAccount,
  Connection,
  ConnectionStore,
  ConnectionTarget,
} from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import { PROVIDER_CATEGORIES } from '../domain/provider-names.ts';
import { isStorable } from '../lib/text.ts';
import type { Engine } from './engine/open.ts';
import { connections, type customers } from './schema.ts';
import { createReadBatcher } from './statement-batcher.ts';

/** Prepares the statement once; the function that it returns opens the store for one application. */
export function createConnections(engine: Engine): (applicationId: string) => ConnectionStore {
  const select = prepareSelect(engine);
  const selectOwners = prepareSelectOwners(engine);
  const read = createReadBatcher<ConnectionTarget, Connection>({
    keyOf,
    read: async (applicationId, targets) => {
      const rows = await engine.repeatable(() =>
        select.execute({
          applicationId,
          customerIds: targets.map(({ customerId }) => customerId),
          providerNames: targets.map(({ providerName }) => providerName),
        }),
      );
      return new Map(rows.map((row) => [keyOf(row), toConnection(row)]));
    },
  });
  return (applicationId) => ({
    findMany: async (targets) => {
      const possible = targets.filter(({ customerId }) => isStorable(customerId));
      const found = await read(applicationId, possible);
      return targets.map((target) => found.get(keyOf(target)));
    },
    findCustomerIds: async (ids) => {
      const rows = await engine.repeatable(() => selectOwners.execute({ applicationId, ids: [...ids] }));
      return new Map(rows.map(({ id, customerId }) => [id, customerId]));
    },
  });
}

function prepareSelect({ orm }: Engine) {
  const targets = sql`unnest(${sql.placeholder('customerIds')}::text[], ${sql.placeholder('providerNames')}::text[])`;
  return orm
    .select()
    .from(connections)
    .where(
      and(
        eq(connections.applicationId, sql.placeholder('applicationId')),
        sql`(${connections.customerId}, ${connections.providerName}) in (select * from ${targets})`,
      ),
    )
    .prepare('find_connections');
}

function prepareSelectOwners({ orm }: Engine) {
  return orm
    .select({ id: connections.id, customerId: connections.customerId })
    .from(connections)
    .where(
      and(
        eq(connections.applicationId, sql.placeholder('applicationId')),
        sql`${connections.id} = any(${sql.placeholder('ids')}::uuid[])`,
      ),
    )
    .prepare('find_connection_owners');
}

/** A provider's name holds no space, so that no two targets share a key. */
function keyOf({ providerName, customerId }: ConnectionTarget): string {
  return `${providerName} ${customerId}`;
}

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
