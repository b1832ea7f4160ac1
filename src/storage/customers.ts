import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Customer, CustomerFilter, CustomerStore } from '../domain/customer.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { Clock } from '../lib/clock.ts';
import { isStorable } from '../lib/text.ts';
import { type ConnectionRow, toCustomer } from './connections.ts';
import type { Engine } from './engine/open.ts';
import { connections, customers } from './schema.ts';
import type { Sealer } from './sealing/seal.ts';
import { createReadBatcher } from './statement-batcher.ts';
import { createUpsertWriter, storeCustomer } from './upsert-customer.ts';

/** Prepares the statements once; the function that it returns opens the store for one application. */
export function createCustomers(deps: CustomersDeps): (applicationId: string) => CustomerRecords {
  const { engine, sealer } = deps;
  const select = prepareSelect(engine);
  const read = createReadBatcher<string, Customer>({
    keyOf: (customerId) => customerId,
    read: async (applicationId, customerIds) =>
      gather(await engine.repeatable(() => select.execute({ applicationId, customerIds }))),
  });
  const write = createUpsertWriter(deps);
  return (applicationId) => {
    const scope = { applicationId, sealer, write };
    const own = (customerId: string) =>
      and(eq(customers.applicationId, applicationId), eq(customers.customerId, customerId));
    const records: CustomerRecords = {
      findMany: async (ids) => {
        const customerIds = ids.filter(isStorable);
        const found = await read(applicationId, customerIds);
        return new Map(
          customerIds.flatMap((id) => {
            const customer = found.get(id);
            return customer ? [[id, customer]] : [];
          }),
        );
      },
      list: (filter, request) =>
        selectCustomerPage({ engine, applicationId, findMany: records.findMany }, filter, request),
      upsert: async (upsert) => {
        const upserted = await storeCustomer(scope, upsert, async () =>
          (await records.findMany([upsert.customerId])).get(upsert.customerId),
        );
        deps.onAppended();
        return upserted;
      },
      readTokenGeneration: async (customerId) => {
        if (!isStorable(customerId)) return undefined;
        const [row] = await engine.repeatable(() =>
          engine.orm.select({ generation: customers.tokenGeneration }).from(customers).where(own(customerId)),
        );
        return row?.generation;
      },
      raiseTokenGeneration: async (customerId) => {
        if (!isStorable(customerId)) return undefined;
        const [row] = await engine.repeatable(() =>
          engine.orm
            .update(customers)
            .set({ tokenGeneration: sql`${customers.tokenGeneration} + 1` })
            .where(own(customerId))
            .returning({ generation: customers.tokenGeneration }),
        );
        return row?.generation;
      },
    };
    return records;
  };
}

function prepareSelect({ orm }: Engine) {
  return orm
    .select({ customer: customers, connection: connections })
    .from(customers)
    .leftJoin(
      connections,
      and(
        eq(connections.applicationId, customers.applicationId),
        eq(connections.customerId, customers.customerId),
      ),
    )
    .where(
      and(
        eq(customers.applicationId, sql.placeholder('applicationId')),
        sql`${customers.customerId} = any(${sql.placeholder('customerIds')}::text[])`,
      ),
    )
    .prepare('find_customers');
}

function gather(rows: readonly JoinedRow[]): Map<string, Customer> {
  const found = new Map<string, { row: JoinedRow['customer']; links: ConnectionRow[] }>();
  for (const { customer, connection } of rows) {
    const entry = found.get(customer.customerId) ?? { row: customer, links: [] };
    if (connection) entry.links.push(connection);
    found.set(customer.customerId, entry);
  }
  return new Map([...found].map(([id, { row, links }]) => [id, toCustomer(row, links)]));
}

/** One page in the order of the ids: each part of the filter has its index, and no page costs more the further it lies. */
async function selectCustomerPage(
  { engine, applicationId, findMany }: ListDeps,
  filter: CustomerFilter,
  { direction, size, boundary }: PageRequest,
): Promise<Page<Customer>> {
  const texts = [filter.email, boundary].filter((text) => text !== undefined);
  if (!texts.every(isStorable)) return NOTHING;
  const forward = direction === 'forward';
  const matching = toCondition(applicationId, filter);
  const beyond = boundary === undefined ? undefined : (forward ? gt : lt)(customers.customerId, boundary);
  const [ids, behind] = await Promise.all([
    readIds(engine, and(matching, beyond), { forward, limit: size + 1 }),
    boundary === undefined
      ? []
      : readIds(engine, and(matching, (forward ? lte : gte)(customers.customerId, boundary)), {
          forward: !forward,
          limit: 1,
        }),
  ]);
  const shown = ids.slice(0, size);
  if (!forward) shown.reverse();
  const found = await findMany(shown);
  const isMore = ids.length > size;
  return {
    // One that was deleted meanwhile is missing.
    items: shown.flatMap((id) => found.get(id) ?? []),
    hasNextPage: forward ? isMore : behind.length > 0,
    hasPreviousPage: forward ? behind.length > 0 : isMore,
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
          eq(connections.applicationId, customers.applicationId),
          eq(connections.customerId, customers.customerId),
          provider && eq(connections.providerName, provider),
          status && eq(connections.status, status),
        )})`,
  );
}

const NOTHING: Page<never> = { items: [], hasNextPage: false, hasPreviousPage: false };

/** What storage can do with customers beyond what requests need. */
export interface CustomerRecords extends CustomerStore {
  /** Tokens of an earlier generation are void. Undefined where there is no such customer. */
  readTokenGeneration(customerId: string): Promise<number | undefined>;
  /** Voids every token that this customer was given. */
  raiseTokenGeneration(customerId: string): Promise<number | undefined>;
}

interface CustomersDeps {
  /** Events may be there that were not. */
  readonly onAppended: () => void;
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
}

interface JoinedRow {
  readonly customer: typeof customers.$inferSelect;
  readonly connection: ConnectionRow | null;
}

interface ListDeps {
  readonly engine: Engine;
  readonly applicationId: string;
  findMany(customerIds: readonly string[]): Promise<ReadonlyMap<string, Customer>>;
}
