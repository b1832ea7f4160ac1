import { randomUUID } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { EventStore, NewEvent } from '../domain/event.ts';
import { isStorable } from '../lib/text.ts';
import { events } from './connect-schema.ts';
import type { Statements } from './engine/statements.ts';
import type { StoreDeps } from './store-deps.ts';

/** The events of one application. */
export function createEvents({ repeatable, orm }: Statements, applicationId: string): EventStore {
  return {
    list: async ({ customerId, after, limit }) => {
      if (customerId !== undefined && !isStorable(customerId)) return [];
      return repeatable(() =>
        orm
          .select()
          .from(events)
          .where(
            and(
              eq(events.applicationId, applicationId),
              customerId === undefined ? undefined : eq(events.customerId, customerId),
              after &&
                sql`(${events.createdAt}, ${events.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
            ),
          )
          .orderBy(desc(events.createdAt), desc(events.id))
          .limit(limit),
      );
    },
  };
}

/**
 * The transactional outbox: events and their deliveries to subscribed endpoints, as CTEs of the statement (or
 * transaction) that makes the change. `source` yields id, customer_id, connection_id, type, sequence and data; `at`
 * is the time, and $1 the application. The time also leads the stored id, so that new rows are neighbours in the
 * index of the primary key. `recipients` is the condition of the enabled endpoints that receive an event.
 */
export const recordEvents = (source: string, at: string, recipients = IS_SUBSCRIBED) => `
happened as (
  insert into crossbook.events
    (id, application_id, customer_id, connection_id, type, sequence, data, created_at)
  select ${orderByTime('id', at)}, $1::uuid, customer_id, connection_id, type, sequence, data, ${at}
  from (${source}) as source
  returning id, type
), scheduled as (
  insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id, next_attempt_at, created_at)
  select $1::uuid, happened.id, endpoint.id, ${at}, ${at}
  from happened join crossbook.webhook_endpoints as endpoint
    on endpoint.application_id = $1::uuid and endpoint.enabled
      and ${recipients}
)`;

const IS_SUBSCRIBED = `(endpoint.event_types = '{}' or happened.type = any (endpoint.event_types))`;

/** Makes a UUID of version 7 (RFC 9562) of one of version 4. PostgreSQL itself can from version 18 on. */
export const orderByTime = (id: string, at: string) =>
  `(lpad(to_hex(floor(extract(epoch from ${at}) * 1000)::bigint), 12, '0')
    || '7' || right(replace(${id}::text, '-', ''), 19))::uuid`;

/** The data of connection events, from a row with the connection's columns. */
export const CONNECTION_DATA = `jsonb_build_object('provider_name', provider_name, 'status', status,
  'status_reason', status_reason)`;

/** $2: the events; $3: the time. Increments the sequence in each connection's row; a deleted connection has none. */
const APPEND_EVENTS = `
with given as (
  select * from jsonb_to_recordset($2::jsonb) as given
    (position int, id uuid, customer_id text, connection_id uuid, type text, data jsonb)
), locked as (
  select id from crossbook.connections
  where application_id = $1::uuid and id in (select connection_id from given)
  order by id for no key update
), counted as (
  update crossbook.connections as stored
  set event_sequence = stored.event_sequence + added.number
  from (select connection_id, count(*)::int as number from given group by connection_id) as added
  where stored.application_id = $1::uuid and stored.id = added.connection_id
    and stored.id in (select id from locked)
  returning stored.id, stored.event_sequence - added.number as before
), ${recordEvents(
  `select given.id, customer_id, connection_id, type, data,
    counted.before + row_number() over (partition by connection_id order by position)::int as sequence
  from given left join counted on counted.id = given.connection_id
  where given.connection_id is null or counted.id is not null`,
  '$3::timestamptz',
)}
select count(*)::int as count from happened`;

/** Runs a change that appends events in one transaction. */
export async function inTransaction<T>(
  { engine, onAppended }: StoreDeps,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const result = await engine.once(() => engine.orm.transaction(change));
  onAppended();
  return result;
}

/**
 * Appends events in the transaction of the change, so that they commit together. For deletions they are appended
 * before, while the connection's row can still count them.
 */
export async function appendEvents(
  tx: Transaction,
  { applicationId, at, events }: Appended,
): Promise<void> {
  if (events.length === 0) return;
  const eventRows = events.map(({ type, customerId, connectionId, data }, position) => ({
    position,
    id: randomUUID(),
    customer_id: customerId,
    connection_id: connectionId,
    type,
    data,
  }));
  const values = [applicationId, JSON.stringify(eventRows), at.toISOString()];
  const { rows } = await tx.execute<{ count: number }>(toQuery(APPEND_EVENTS, values));
  if (rows[0]?.count !== events.length) {
    throw new Error('An event is about a connection that is not there, or no longer.');
  }
}

/** Drizzle numbers parameters itself, so each `$n` is replaced by its value. */
export function toQuery(text: string, values: readonly unknown[]) {
  const parts = text.split(/\$(\d+)/);
  return sql.join(
    parts.map((part, index) =>
      index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`,
    ),
  );
}

export type Transaction = Parameters<Parameters<Statements['orm']['transaction']>[0]>[0];

interface Appended {
  readonly applicationId: string;
  /** By the injected clock. */
  readonly at: Date;
  readonly events: readonly NewEvent[];
}
