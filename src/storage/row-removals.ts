import type { ClaimedRemoval, RowRemovals } from '../domain/sync.ts';
import { appendEvents, inTransaction, toQuery } from './events.ts';
import { isFree, RELEASE_ROW, takeRow } from './leases.ts';
import type { StoreDeps } from './store-deps.ts';

/** The queue of removals: the rows of deleted customers in destinations of syncs. A process claims one at a time. */
export function createRowRemovals(deps: StoreDeps): RowRemovals {
  const { engine, now } = deps;
  const { query } = engine;
  const at = (offsetMs = 0) => new Date(now().getTime() + offsetMs).toISOString();
  return {
    claim: async (lease, leaseMs) => {
      const values = [at(), lease, leaseMs];
      const [row] = await query<Omit<ClaimedRemoval, 'lease' | 'leaseMs'>>(CLAIM_REMOVAL, values);
      return row && { ...row, lease, leaseMs };
    },
    extend: async ({ applicationId, id, lease, leaseMs }, rows) =>
      (await query(EXTEND_REMOVAL, [applicationId, id, lease, leaseMs, rows])).length > 0,
    end: (removal, outcome) =>
      inTransaction(deps, async (tx) => {
        const { applicationId, id, lease, customerId } = removal;
        if (outcome.kind === 'failed') {
          const next = at(outcome.retryAfterMs);
          const retried = await tx.execute<{ attempts: number }>(
            toQuery(RETRY_REMOVAL, [applicationId, id, lease, next]),
          );
          const [row] = retried.rows;
          if (row)
            await tx.execute(toQuery(POSTPONE_REMOVALS, [applicationId, next, row.attempts]));
          return;
        }
        const ended = await tx.execute<{ rows: number }>(
          toQuery(DELETE_REMOVAL, [applicationId, id, lease]),
        );
        const [data] = ended.rows;
        if (!data) return;
        const type =
          outcome.kind === 'done' ? 'customer.rows_deleted' : 'customer.rows_not_deleted';
        const events = [{ type, customerId, connectionId: null, data } as const];
        await appendEvents(tx, { applicationId, at: now(), events });
      }),
  };
}

const CLAIM_REMOVAL = {
  name: 'claim_row_removal',
  isOnce: true,
  text: `
update crossbook.row_removals as stored set ${takeRow('$2', '$3')}, attempts = attempts + 1
from (
  select application_id, id from crossbook.row_removals as removal
  where next_attempt_at <= $1::timestamptz and ${isFree('removal')}
  order by next_attempt_at limit 1 for no key update skip locked
) as due
where stored.application_id = due.application_id and stored.id = due.id
returning stored.application_id as "applicationId", stored.id, customer_id as "customerId", tables, attempts,
  created_at as "createdAt"`,
};

const EXTEND_REMOVAL = {
  name: 'extend_row_removal',
  text: `
update crossbook.row_removals set ${takeRow('$3', '$4')}, deleted_rows = deleted_rows + $5::int
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid returning 1`,
};

const RETRY_REMOVAL = `
update crossbook.row_removals set ${RELEASE_ROW}, next_attempt_at = $4::timestamptz
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid
returning attempts`;

/**
 * $1: application, $2: time, $3: attempts. The other removals of an application have the same destination: they wait as
 * long as one that failed, so that its timeouts delay no other application. Those that a process has are skipped, not
 * waited for.
 */
const POSTPONE_REMOVALS = `
update crossbook.row_removals as stored
set next_attempt_at = $2::timestamptz, attempts = greatest(stored.attempts, $3::int)
from (
  select application_id, id from crossbook.row_removals as removal
  where application_id = $1::uuid and next_attempt_at < $2::timestamptz and ${isFree('removal')}
  for no key update skip locked
) as other
where stored.application_id = other.application_id and stored.id = other.id`;

const DELETE_REMOVAL = `
delete from crossbook.row_removals
where application_id = $1::uuid and id = $2::uuid and lease = $3::uuid
returning deleted_rows as rows`;

/** Forgets which tables have rows of a customer: its rows stay. */
export const FORGET_TABLES = `
delete from crossbook.customer_sync_tables where application_id = $1::uuid and customer_id = $2::text`;

/** Inserts the removal of a customer's rows where there are any tables. $3: time, $4: first attempt. */
export const ADD_REMOVAL = `
with forgotten as (${FORGET_TABLES} returning destination, schema_name, table_name)
insert into crossbook.row_removals (application_id, id, customer_id, tables, created_at, next_attempt_at)
select $1::uuid, gen_random_uuid(), $2::text,
  jsonb_agg(jsonb_build_object('destination', destination, 'schema', schema_name, 'table', table_name)),
  $3::timestamptz, $4::timestamptz
from forgotten having count(*) > 0`;
