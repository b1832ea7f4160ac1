import { and, asc, desc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Customer } from '../domain/customer.ts';
import type { CustomerFilter } from '../domain/customer-list.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { isStorable } from '../lib/is-storable.ts';
import type { Engine } from './engine/engine.ts';
import { connections, customers } from './schema.ts';

/** One page in the order of the ids: each part of the filter has its index, and no page costs more the further it lies. */
export async function listCustomers(
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

interface ListDeps {
  readonly engine: Engine;
  readonly applicationId: string;
  findMany(customerIds: readonly string[]): Promise<ReadonlyMap<string, Customer>>;
}
