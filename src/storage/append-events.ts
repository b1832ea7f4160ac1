import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { NewEvent } from '../domain/event.ts';
import type { Engine } from './engine/engine.ts';
import { APPEND_EVENTS } from './event-statements.ts';

/**
 * Writes events in the change's own transaction: they are there when the change is, and never without it. For what is
 * deleted they are appended before, while its connection can still count them.
 */
export async function appendEvents(tx: Transaction, { applicationId, at, events }: Appended): Promise<void> {
  if (events.length === 0) return;
  const given = events.map(({ type, customerId, connectionId, data }, position) => ({
    position,
    id: randomUUID(),
    customer_id: customerId,
    connection_id: connectionId,
    type,
    data,
  }));
  const [row] = toRows(
    await tx.execute(toQuery(APPEND_EVENTS, [applicationId, JSON.stringify(given), at.toISOString()])),
  );
  if (row?.count !== events.length) {
    throw new Error('An event is about a connection that is not there, or no longer.');
  }
}

/** Drizzle numbers its parameters itself: each `$n` takes the value of its place. */
function toQuery(text: string, values: readonly unknown[]) {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
  );
}

function toRows(result: unknown): readonly { readonly count: number }[] {
  return (result as { readonly rows: readonly { readonly count: number }[] }).rows;
}

/** As `engine.orm.transaction` gives it. */
type Transaction = Pick<Engine['orm'], 'execute'>;

interface Appended {
  readonly applicationId: string;
  /** By the clock that was passed in. */
  readonly at: Date;
  readonly events: readonly NewEvent[];
}
