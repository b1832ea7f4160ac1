import { and, eq, sql } from 'drizzle-orm';
import type { Customer, CustomerStore } from '../domain/customer.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { Clock } from '../lib/clock.ts';
import { isStorable } from '../lib/is-storable.ts';
import type { Engine } from './engine/engine.ts';
import { listCustomers } from './list-customers.ts';
import { toCustomer } from './rows.ts';
import { connections, customers } from './schema.ts';
import { createReadBatcher } from './statement-batcher.ts';
import { upsertCustomer } from './upsert-customer.ts';
import { createUpsertWriter } from './upsert-writer.ts';

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
        listCustomers({ engine, applicationId, findMany: records.findMany }, filter, request),
      upsert: async (upsert) => {
        const upserted = await upsertCustomer(scope, upsert, async () =>
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

/** What storage can do with customers beyond what requests need. */
export interface CustomerRecords extends CustomerStore {
  /** Tokens of an earlier generation are void. Undefined where there is no such customer. */
  readTokenGeneration(customerId: string): Promise<number | undefined>;
  /** Voids every token that this customer was given. */
  raiseTokenGeneration(customerId: string): Promise<number | undefined>;
}

export interface CustomersDeps {
  /** Events may be there that were not. */
  readonly onAppended: () => void;
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
}

type ConnectionRow = typeof connections.$inferSelect;

interface JoinedRow {
  readonly customer: typeof customers.$inferSelect;
  readonly connection: ConnectionRow | null;
}
