import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Connection, ConnectionStore, ConnectionTarget } from '../domain/connection.ts';
import type { Customer, CustomerFilter, CustomerStore } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { PageRequest } from '../domain/page.ts';
import { PROVIDER_CATEGORIES, type ProviderName } from '../domain/provider-names.ts';
import { isStorable } from '../lib/text.ts';
import type { StoreDeps } from './database.ts';
import type { Engine } from './engine/open.ts';
import { CONNECTION_COLUMNS, connections, customers } from './schema.ts';
import { createReadBatcher } from './statement-batcher.ts';
import { connectionsJson, connectionsOf, createUpsert } from './upsert-customer.ts';

/** The returned function opens the store of one application. */
export function createCustomers(deps: StoreDeps): (applicationId: string) => CustomerRecords {
  const { engine } = deps;
  const read = createReadBatcher<string, Customer>({
    keyOf: (customerId) => customerId,
    read: async (applicationId, customerIds) => {
      const rows = await engine.query<CustomerRow>(FIND_CUSTOMERS, [applicationId, customerIds]);
      return new Map(rows.map((row) => [row.customerId, toCustomer(row, row.connections)]));
    },
  });
  const upsert = createUpsert(deps);
  return (applicationId) => {
    const findMany = (ids: readonly string[]) => read(applicationId, ids);
    return {
      findMany,
      list: async (filter, request) => {
        const texts = [filter.email, request.boundary].filter((text) => text !== undefined);
        if (!texts.every(isStorable))
          return { items: [], hasNextPage: false, hasPreviousPage: false };
        const { ids, ...page } = await readPage(
          engine,
          toCondition(applicationId, filter),
          request,
        );
        const found = await findMany(ids);
        // Customers that were deleted meanwhile are missing.
        return { ...page, items: found.flatMap((customer) => customer ?? []) };
      },
      /** One round trip, except that after a concurrent write to the same customer its connections are read again. */
      upsert: async (given) => {
        const read = async () => (await findMany([given.customerId]))[0];
        const row = await upsert(applicationId, given);
        if (!row) throw versionConflict(given.expectedVersion, await read());
        deps.onAppended();
        const { version, versionBefore } = row;
        const customer = toCustomer({ ...given, applicationId, version }, row.connections);
        const created = version === 1;
        if (versionBefore === version - 1) return { customer, created };
        const { connections } = (await read()) ?? customer;
        return { customer: { ...customer, connections }, created };
      },
      raiseTokenGeneration: async (customerId) => {
        if (!isStorable(customerId)) return undefined;
        const key = [applicationId, customerId];
        const [row] = await engine.query<{ generation: number }>(RAISE_TOKEN_GENERATION, key);
        return row?.generation;
      },
    };
  };
}

export function isCustomer({
  applicationId,
  customerId,
}: CustomerKey<SQLWrapper>): SQL | undefined {
  return and(eq(customers.applicationId, applicationId), eq(customers.customerId, customerId));
}

/** Matches the connections of a customer, or the one to a provider. */
export function isConnectionOf(
  { applicationId, customerId }: CustomerKey<SQLWrapper>,
  providerName?: ProviderName,
) {
  return and(
    eq(connections.applicationId, applicationId),
    eq(connections.customerId, customerId),
    providerName && eq(connections.providerName, providerName),
  );
}

export function versionConflict(
  expected: number | undefined,
  stored: Pick<Customer, 'version'> | undefined,
): CrossbookError {
  const found = stored ? `has version ${stored.version}` : 'does not exist';
  return new CrossbookError(
    'CONFLICT',
    `Version ${expected} was expected, but the customer ${found}.`,
  );
}

const FIND_CUSTOMERS = {
  name: 'find_customers',
  text: `
select application_id as "applicationId", customer_id as "customerId", name, email, version,
  ${connectionsJson(connectionsOf('customer'))}
from crossbook.customers as customer
where application_id = $1::uuid and customer_id = any ($2::text[])`,
};

const RAISE_TOKEN_GENERATION = {
  name: 'raise_token_generation',
  text: `
update crossbook.customers set token_generation = token_generation + 1
where application_id = $1::uuid and customer_id = $2::text
returning token_generation as generation`,
};

/** Reads one page in order of ids (keyset pagination): each filter has its index, and later pages cost no more. */
async function readPage(
  engine: Engine,
  matching: SQL | undefined,
  { direction, size, boundary }: PageRequest,
) {
  const forward = direction === 'forward';
  const isBeyond =
    boundary === undefined ? undefined : (forward ? gt : lt)(customers.customerId, boundary);
  const isBehind =
    boundary === undefined ? undefined : (forward ? lte : gte)(customers.customerId, boundary);
  const [found, behind] = await Promise.all([
    readIds(engine, and(matching, isBeyond), { forward, limit: size + 1 }),
    isBehind ? readIds(engine, and(matching, isBehind), { forward: !forward, limit: 1 }) : [],
  ]);
  const ids = found.slice(0, size);
  if (!forward) ids.reverse();
  const [isMore, isSomeBehind] = [found.length > size, behind.length > 0];
  return {
    ids,
    hasNextPage: forward ? isMore : isSomeBehind,
    hasPreviousPage: forward ? isSomeBehind : isMore,
  };
}

async function readIds(
  engine: Engine,
  condition: SQL | undefined,
  { forward, limit }: { readonly forward: boolean; readonly limit: number },
): Promise<string[]> {
  const rows = await engine.repeatable(() =>
    engine.orm
      .select({ id: customers.customerId })
      .from(customers)
      .where(condition)
      .orderBy((forward ? asc : desc)(customers.customerId))
      .limit(limit),
  );
  return rows.map(({ id }) => id);
}

function toCondition(applicationId: string, filter: CustomerFilter): SQL | undefined {
  const { customerIds, email, provider, status } = filter;
  const named = customerIds?.filter(isStorable);
  return and(
    eq(customers.applicationId, applicationId),
    named && sql`${customers.customerId} = any(${sql.param(named)}::text[])`,
    email === undefined ? undefined : sql`lower(${customers.email}) = ${email}`,
    provider === undefined && status === undefined
      ? undefined
      : sql`exists (select from ${connections} where ${and(
          isConnectionOf(customers, provider),
          status && eq(connections.status, status),
        )})`,
  );
}

/** The returned function opens the store of one application. */
export function createConnections({ query }: Engine): (applicationId: string) => ConnectionStore {
  const read = createReadBatcher<ConnectionTarget, Connection>({
    keyOf,
    read: async (applicationId, targets) => {
      const customerIds = targets.map(({ customerId }) => customerId);
      const providerNames = targets.map(({ providerName }) => providerName);
      const rows = await query<ConnectionRow>(FIND_CONNECTIONS, [
        applicationId,
        customerIds,
        providerNames,
      ]);
      return new Map(rows.map((row) => [keyOf(row), toConnection(row)]));
    },
  });
  return (applicationId) => ({
    findMany: (targets) => read(applicationId, targets),
    findCustomerIds: async (ids) => {
      const rows = await query<Pick<ConnectionRow, 'id' | 'customerId'>>(FIND_OWNERS, [
        applicationId,
        ids,
      ]);
      const found = new Map(rows.map(({ id, customerId }) => [id, customerId]));
      return ids.map((id) => found.get(id));
    },
  });
}

const SELECTED = Object.entries(CONNECTION_COLUMNS).map(
  ([field, { name }]) => `${name} as "${field}"`,
);

const FIND_CONNECTIONS = {
  name: 'find_connections',
  text: `
select ${SELECTED.join(', ')}
from crossbook.connections
where application_id = $1::uuid
  and (customer_id, provider_name) in (select * from unnest($2::text[], $3::text[]))`,
};

const FIND_OWNERS = {
  name: 'find_connection_owners',
  text: `
select id, customer_id as "customerId" from crossbook.connections
where application_id = $1::uuid and id = any ($2::uuid[])`,
};

/** A space is a safe separator: provider names contain none. */
function keyOf({ providerName, customerId }: ConnectionTarget): string {
  return `${providerName} ${customerId}`;
}

export function toConnection(row: ConnectionRow): Connection {
  const { accountId: id, accountName: name, accountUrl: url, accountUserId: userId, ...rest } = row;
  return {
    ...rest,
    category: PROVIDER_CATEGORIES[row.providerName],
    // Timestamps in JSON results are strings.
    statusChangedAt: new Date(row.statusChangedAt).toISOString(),
    account: id === null ? null : { id, name, url, userId },
  };
}

/** Connections are sorted by provider name, so that results are stable. */
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

/** By values, or also by columns and placeholders of a statement. */
export interface CustomerKey<Sql = never> {
  readonly applicationId: string | Sql;
  readonly customerId: string | Sql;
}

/** The customer store with an operation that requests do not use. */
interface CustomerRecords extends CustomerStore {
  /** Invalidates all tokens of this customer, which are of earlier generations. Undefined where there is none. */
  raiseTokenGeneration(customerId: string): Promise<number | undefined>;
}

export type ConnectionRow = Omit<
  Pick<typeof connections.$inferSelect, keyof typeof CONNECTION_COLUMNS>,
  'statusChangedAt'
> & {
  readonly statusChangedAt: Date | string;
};

interface CustomerRow extends Omit<Customer, 'connections'> {
  readonly connections: readonly ConnectionRow[];
}
