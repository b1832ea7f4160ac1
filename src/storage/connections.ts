import { and, eq, sql } from 'drizzle-orm';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore, ConnectionTarget } from '../domain/connection-store.ts';
import { isStorable } from '../lib/is-storable.ts';
import type { Engine } from './engine/engine.ts';
import { toConnection } from './rows.ts';
import { connections } from './schema.ts';

/** Prepares the statement once; the function that it returns opens the store for one application. */
export function createConnections(engine: Engine): (applicationId: string) => ConnectionStore {
  const select = prepareSelect(engine);
  return (applicationId) => ({
    findMany: async (targets) => {
      const possible = targets.filter(({ customerId }) => isStorable(customerId));
      if (possible.length === 0) return targets.map(() => undefined);
      const rows = await engine.repeatable(() =>
        select.execute({
          applicationId,
          customerIds: possible.map(({ customerId }) => customerId),
          providerNames: possible.map(({ providerName }) => providerName),
        }),
      );
      const found = new Map<string, Connection>(rows.map((row) => [keyOf(row), toConnection(row)]));
      return targets.map((target) => found.get(keyOf(target)));
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

/** A provider's name holds no space, so that no two targets share a key. */
function keyOf({ providerName, customerId }: ConnectionTarget): string {
  return `${providerName} ${customerId}`;
}
