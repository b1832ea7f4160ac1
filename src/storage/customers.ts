import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import { BACKGROUND_WORK } from '../admission/work.ts';
import type { Connection, ConnectionStore, ConnectionTarget } from '../domain/connection.ts';
import type {
  Customer,
  CustomerFilter,
  CustomerReading,
  CustomerStore,
} from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { partition } from '../lib/partition.ts';
import { isStorable } from '../lib/text.ts';
import {
  CONNECTION_BYTES,
  CONNECTIONS_JSON,
  connectionsOf,
  PLAIN_CONNECTION_BYTES,
  PLAIN_CONNECTIONS_JSON,
} from './connection-sql.ts';
import { type ConnectionRow, isConnectionOf, toConnection, toCustomer } from './customer-rows.ts';
import type { Engine } from './engine/postgres.ts';
import type { Statements } from './engine/statements.ts';
import { PAGE_BYTES, type Sized, STATEMENT_BYTES } from './read-bounds.ts';
import { CONNECTION_COLUMNS, connections, customers } from './schema.ts';
import { createReadBatcher, type Reserving } from './statement-batcher.ts';
import type { SharedStoreDeps } from './store-deps.ts';
import { createUpsert } from './upsert-customer.ts';

/** The returned function opens the store of one application. */
export function createCustomers(
  deps: SharedStoreDeps,
): (applicationId: string, work?: Reserving) => CustomerRecords {
  const { engine } = deps;
  const keyOf = ({ customerId, withConfigurations }: CustomerQuery) =>
    `${withConfigurations} ${customerId}`;
  const read = createReadBatcher<CustomerQuery, Customer>({
    keyOf,
    async read(applicationId, keys) {
      // A statement reads customers with configurations, or without.
      const withConfigurations = keys[0]?.withConfigurations ?? false;
      const [same, others] = partition(
        keys,
        (key) => key.withConfigurations === withConfigurations,
      );
      const own = engine.forApplication(applicationId);
      const ids = same.map(({ customerId }) => customerId);
      const rows = await findCustomers(own, { applicationId, ids, withConfigurations });
      const nameOf = ({ customerId }: CustomerRow) => ({ customerId, withConfigurations });
      const [complete, unread] = partition(rows, isComplete);
      return {
        records: new Map(complete.map((row) => [keyOf(nameOf(row)), toSized(row)])),
        unread: [...unread.map(nameOf), ...others],
      };
    },
  });
  const upsert = createUpsert(deps);
  return (applicationId, work = BACKGROUND_WORK) => {
    const own = engine.forApplication(applicationId);
    const findMany: CustomerStore['findMany'] = (ids, { withConfigurations = true } = {}) =>
      read(
        applicationId,
        ids.map((customerId) => ({ customerId, withConfigurations })),
        work,
      );
    return {
      findMany,
      list: async (filter, request, reading) => {
        const texts = [filter.email, request.boundary].filter((text) => text !== undefined);
        if (!texts.every(isStorable))
          return { items: [], hasNextPage: false, hasPreviousPage: false };
        const ids = await readPageOfIds(own, toCondition(applicationId, filter), request);
        return readPage(own, { applicationId, ids, request, reading, work });
      },
      /**
       * One round trip, except that connections are read afterwards where they are large, or where there was a
       * concurrent write to the same customer.
       */
      upsert: async (upsertInput) => {
        const read = async () => (await findMany([upsertInput.customerId]))[0];
        const row = await upsert(applicationId, upsertInput);
        if (!row) throw versionConflict(upsertInput.expectedVersion, await read());
        deps.onAppended();
        const { customerId } = upsertInput;
        if (upsertInput.connections?.length) deps.onUnplanned({ applicationId, customerId });
        const { version, versionBefore, connections } = row;
        const created = version === 1;
        const customer = toCustomer({ ...upsertInput, applicationId, version }, connections ?? []);
        if (connections && versionBefore === version - 1) return { customer, created };
        const stored = (await read()) ?? customer;
        return { customer: { ...customer, connections: stored.connections }, created };
      },
      raiseTokenGeneration: async (customerId) => {
        if (!isStorable(customerId)) return undefined;
        const key = [applicationId, customerId];
        const [row] = await own.query<{ generation: number }>(RAISE_TOKEN_GENERATION, key);
        return row?.generation;
      },
    };
  };
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

/** One statement: customers in the order of their ids in the list, complete up to `maxBytes` or the first one. */
function findCustomers(
  engine: Statements,
  { applicationId, ids, withConfigurations, maxBytes = STATEMENT_BYTES }: CustomerRead,
) {
  const statement = withConfigurations ? FIND_CUSTOMERS : FIND_PLAIN_CUSTOMERS;
  return engine.query<CustomerRow>(statement, [applicationId, ids, maxBytes]);
}

function isComplete(row: CustomerRow): row is CompleteRow {
  return row.connections !== null;
}

function toSized(row: CompleteRow): Sized<Customer> {
  return { record: toCustomer(row, row.connections), bytes: row.bytes };
}

/** $1: application, $2: ids, $3: bytes. Connections are null if they would exceed the bytes. */
const selectCustomers = (connectionBytes: string, connections: string) => `
select "applicationId", "customerId", name, email, version, bytes,
  case when upto <= $3::int or upto = bytes
    then (select ${connections} from ${connectionsOf('customer')} as connection) end as connections
from (
  select customer.application_id as "applicationId", customer.customer_id as "customerId", customer.customer_id,
    customer.name, customer.email, customer.version, wanted.position, sized.bytes,
    sum(sized.bytes) over (order by wanted.position) as upto
  from unnest($2::text[]) with ordinality as wanted (customer_id, position)
  join crossbook.customers as customer
    on customer.application_id = $1::uuid and customer.customer_id = wanted.customer_id
  cross join lateral (
    select (256 + octet_length(customer.name) + octet_length(customer.email)
      + coalesce(sum(${connectionBytes}), 0))::int as bytes
    from ${connectionsOf('customer')} as connection
  ) as sized
) as customer
order by position`;

const FIND_CUSTOMERS = {
  name: 'find_customers',
  text: selectCustomers(CONNECTION_BYTES, CONNECTIONS_JSON),
};

const FIND_PLAIN_CUSTOMERS = {
  name: 'find_plain_customers',
  text: selectCustomers(PLAIN_CONNECTION_BYTES, PLAIN_CONNECTIONS_JSON),
};

const RAISE_TOKEN_GENERATION = {
  name: 'raise_token_generation',
  text: `
update crossbook.customers set token_generation = token_generation + 1
where application_id = $1::uuid and customer_id = $2::text
returning token_generation as generation`,
};

/**
 * Reads the ids of one page (keyset pagination): each filter has its index, and later pages cost no more. The ids are
 * in the direction of paging.
 */
async function readPageOfIds(
  engine: Statements,
  matching: SQL | undefined,
  { direction, size, boundary, includesBoundary = false }: PageRequest,
): Promise<PageOfIds> {
  const forward = direction === 'forward';
  const [after, before] = includesBoundary === forward ? [gte, lt] : [gt, lte];
  const isBeyond =
    boundary === undefined ? undefined : (forward ? after : before)(customers.customerId, boundary);
  const isBehind =
    boundary === undefined ? undefined : (forward ? before : after)(customers.customerId, boundary);
  const [found, behind] = await Promise.all([
    readIds(engine, and(matching, isBeyond), { forward, limit: size + 1 }),
    isBehind ? readIds(engine, and(matching, isBehind), { forward: !forward, limit: 1 }) : [],
  ]);
  return {
    ids: found.slice(0, size),
    isMoreAhead: found.length > size,
    isMoreBehind: behind.length > 0,
  };
}

/**
 * Reads the customers of a page, which ends early after `PAGE_BYTES`. Those that were deleted meanwhile are missing.
 */
async function readPage(
  engine: Statements,
  { applicationId, ids, request, reading = {}, work }: PageRead,
): Promise<Page<Customer>> {
  const { withConfigurations = true } = reading;
  const items: Customer[] = [];
  let bytes = 0;
  let isCut = false;
  for (let left = ids.ids; left.length > 0 && !isCut; ) {
    const maxBytes = Math.min(STATEMENT_BYTES, PAGE_BYTES - bytes);
    const query = { applicationId, ids: left, withConfigurations, maxBytes };
    const [complete, unread] = partition(await findCustomers(engine, query), isComplete);
    const readBytes = complete.reduce((sum, row) => sum + row.bytes, 0);
    const waiting = work.read(readBytes);
    if (waiting) await waiting;
    bytes += readBytes;
    items.push(...complete.map((row) => toSized(row).record));
    left = unread.map(({ customerId }) => customerId);
    isCut = unread[0] !== undefined && bytes + unread[0].bytes > PAGE_BYTES;
  }
  const isMoreAhead = ids.isMoreAhead || isCut;
  return request.direction === 'forward'
    ? { items, hasNextPage: isMoreAhead, hasPreviousPage: ids.isMoreBehind }
    : { items: items.toReversed(), hasNextPage: ids.isMoreBehind, hasPreviousPage: isMoreAhead };
}

async function readIds(
  engine: Statements,
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
export function createConnections(
  engine: Engine,
): (applicationId: string, work?: Reserving) => ConnectionStore {
  const read = createReadBatcher<ConnectionTarget, Connection>({
    keyOf,
    async read(applicationId, targets) {
      const customerIds = targets.map(({ customerId }) => customerId);
      const providerNames = targets.map(({ providerName }) => providerName);
      const { query } = engine.forApplication(applicationId);
      const values = [applicationId, customerIds, providerNames, STATEMENT_BYTES];
      const rows = await query<SizedRow>(FIND_CONNECTIONS, values);
      const [complete, unread] = partition(
        rows,
        (row): row is CompleteConnectionRow => row.id !== null,
      );
      const records = complete.map(({ bytes, ...row }): [string, Sized<Connection>] => [
        keyOf(row),
        { record: toConnection(row), bytes },
      ]);
      return { records: new Map(records), unread };
    },
  });
  return (applicationId, work = BACKGROUND_WORK) => ({
    findMany: (targets) => read(applicationId, targets, work),
    findCustomerIds: async (ids) => {
      const { query } = engine.forApplication(applicationId);
      const rows = await query<Pick<ConnectionRow, 'id' | 'customerId'>>(FIND_OWNERS, [
        applicationId,
        ids,
      ]);
      const found = new Map(rows.map(({ id, customerId }) => [id, customerId]));
      return ids.map((id) => found.get(id));
    },
  });
}

const { customerId: _, providerName: __, ...SELECTED } = CONNECTION_COLUMNS;

/** $4: bytes. All columns but the key are null if a connection would exceed the bytes. */
const FIND_CONNECTIONS = {
  name: 'find_connections',
  text: `
select sized.customer_id as "customerId", sized.provider_name as "providerName", sized.bytes,
  ${Object.entries(SELECTED)
    .map(([field, { name }]) => `connection.${name} as "${field}"`)
    .join(', ')}
from (
  select id, customer_id, provider_name, ${CONNECTION_BYTES} as bytes,
    sum(${CONNECTION_BYTES}) over (order by id) as upto
  from crossbook.connections
  where application_id = $1::uuid
    and (customer_id, provider_name) in (select * from unnest($2::text[], $3::text[]))
) as sized
left join crossbook.connections as connection
  on connection.application_id = $1::uuid and connection.id = sized.id and (sized.upto <= $4::int or sized.upto = sized.bytes)`,
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

/** The customer store with an operation that requests do not use. */
interface CustomerRecords extends CustomerStore {
  /** Invalidates all tokens of this customer, which are of earlier generations. Undefined if there is none. */
  raiseTokenGeneration(customerId: string): Promise<number | undefined>;
}

interface CustomerRow extends Omit<Customer, 'connections'> {
  /** With its connections. */
  readonly bytes: number;
  /** Null if they did not fit into the statement. */
  readonly connections: readonly ConnectionRow[] | null;
}

interface CompleteRow extends CustomerRow {
  readonly connections: readonly ConnectionRow[];
}

interface CustomerQuery extends Pick<Customer, 'customerId'> {
  readonly withConfigurations: boolean;
}

interface CustomerRead {
  readonly applicationId: string;
  readonly ids: readonly string[];
  readonly withConfigurations: boolean;
  readonly maxBytes?: number;
}

interface PageOfIds {
  readonly ids: readonly string[];
  readonly isMoreAhead: boolean;
  readonly isMoreBehind: boolean;
}

interface PageRead {
  readonly applicationId: string;
  readonly ids: PageOfIds;
  readonly request: PageRequest;
  readonly reading: CustomerReading | undefined;
  readonly work: Reserving;
}

type CompleteConnectionRow = ConnectionRow & { readonly bytes: number };

/** The id is null if the rest of the row did not fit into the statement. */
type SizedRow = CompleteConnectionRow | (ConnectionTarget & { readonly id: null });
