import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Connection, ConnectionStore, ConnectionTarget } from '../domain/connection.ts';
import type { Customer } from '../domain/customer.ts';
import { PROVIDER_CATEGORIES } from '../domain/provider-names.ts';
import type { Engine } from './engine/open.ts';
import { connections } from './schema.ts';
import { createReadBatcher } from './statement-batcher.ts';

/** Prepares the statements once; the function that it returns opens the store for one application. */
export function createConnections({ orm, repeatable }: Engine): (applicationId: string) => ConnectionStore {
  const isOwn = eq(connections.applicationId, sql.placeholder('applicationId'));
  const targets = sql`unnest(${sql.placeholder('customerIds')}::text[], ${sql.placeholder('providerNames')}::text[])`;
  const select = orm
    .select(CONNECTION_COLUMNS)
    .from(connections)
    .where(
      and(isOwn, sql`(${connections.customerId}, ${connections.providerName}) in (select * from ${targets})`),
    )
    .prepare('find_connections');
  const selectOwners = orm
    .select({ id: connections.id, customerId: connections.customerId })
    .from(connections)
    .where(and(isOwn, sql`${connections.id} = any(${sql.placeholder('ids')}::uuid[])`))
    .prepare('find_connection_owners');
  const read = createReadBatcher<ConnectionTarget, Connection>({
    keyOf,
    read: async (applicationId, targets) => {
      const customerIds = targets.map(({ customerId }) => customerId);
      const providerNames = targets.map(({ providerName }) => providerName);
      const rows = await repeatable(() => select.execute({ applicationId, customerIds, providerNames }));
      return new Map(rows.map((row) => [keyOf(row), toConnection(row)]));
    },
  });
  return (applicationId) => ({
    findMany: async (targets) => {
      const found = await read(applicationId, targets);
      return targets.map((target) => found.get(keyOf(target)));
    },
    findCustomerIds: async (ids) => {
      const rows = await repeatable(() => selectOwners.execute({ applicationId, ids: [...ids] }));
      return new Map(rows.map(({ id, customerId }) => [id, customerId]));
    },
  });
}

/** A provider's name holds no space, so that no two targets share a key. */
function keyOf({ providerName, customerId }: ConnectionTarget): string {
  return `${providerName} ${customerId}`;
}

const { eventSequence, lastEventId, createdAt, updatedAt, ...columns } = getTableColumns(connections);
/** What a connection is made of. */
export const CONNECTION_COLUMNS = columns;

export function toConnection(row: ConnectionRow): Connection {
  const { accountId: id, accountName: name, accountUrl: url, accountUserId: userId, ...rest } = row;
  return {
    ...rest,
    category: PROVIDER_CATEGORIES[row.providerName],
    // A statement that answers in JSON writes moments as text.
    statusChangedAt: new Date(row.statusChangedAt).toISOString(),
    account: id === null ? null : { id, name, url, userId },
  };
}

/** Connections come in the order of their providers' names, so that the same customer always reads the same. */
export function toCustomer(
  customer: Omit<Customer, 'connections'>,
  rows: readonly ConnectionRow[],
): Customer {
  const { applicationId, customerId, name, email, version } = customer;
  const connections = rows
    .map(toConnection)
    .sort((left, right) => (left.providerName < right.providerName ? -1 : 1));
  return { applicationId, customerId, name, email, version, connections };
}

export type ConnectionRow = Omit<
  Pick<typeof connections.$inferSelect, keyof typeof CONNECTION_COLUMNS>,
  'statusChangedAt'
> & {
  readonly statusChangedAt: Date | string;
};
