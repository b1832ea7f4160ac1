import { randomUUID } from 'node:crypto';
import type { AuditStore, StoredAuditEntry } from '../domain/operator.ts';
import type { Engine } from './engine/postgres.ts';
import { orderByTime } from './events.ts';
import { inBatches } from './sweeps.ts';

/** What operators did in the console: for the operator only. A session is valid until its sign-out is stored here. */
export function createAudit(engine: Engine, now: () => Date): AuditStore {
  return {
    add: async ({ sessionId, action, applicationId, customerId, subject }) => {
      const values = [
        randomUUID(),
        now().toISOString(),
        applicationId ?? NO_APPLICATION,
        sessionId,
      ];
      await engine.query(ADD, [...values, action, customerId ?? null, subject ?? null]);
    },
    list: async ({ before, limit }) => {
      const rows = await engine.query<StoredAuditEntry>(LIST, [before ?? null, limit]);
      return rows.map((row) => ({
        ...row,
        applicationId: row.applicationId === NO_APPLICATION ? null : row.applicationId,
      }));
    },
    isSignedOut: async (sessionId) =>
      (await engine.query(IS_SIGNED_OUT, [NO_APPLICATION, sessionId])).length > 0,
  };
}

/** Deletes entries of before, and yields the number of deleted rows after each statement. */
export function createAuditSweep(engine: Engine) {
  return (olderThan: Date, batch = 2_000) =>
    inBatches(batch, async () => {
      const values = [olderThan.toISOString(), batch];
      const [row] = await engine.query<{ count: number }>(SWEEP, values);
      return row?.count ?? 0;
    });
}

/** Leads the key of entries that concern no application. */
const NO_APPLICATION = '00000000-0000-0000-0000-000000000000';

const ADD = {
  name: 'add_audit',
  isOnce: true,
  text: `
insert into crossbook.operator_audit
  (id, created_at, application_id, session_id, action, customer_id, subject)
values (${orderByTime('$1::uuid', '$2::timestamptz')}, $2::timestamptz, $3::uuid, $4::uuid, $5::text, $6::text, $7::text)`,
};

/** Ids are in order of time. */
const LIST = {
  name: 'list_audit',
  text: `
select id, application_id as "applicationId", session_id as "sessionId", action,
  customer_id as "customerId", subject, created_at as "createdAt"
from crossbook.operator_audit
where id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
order by id desc limit $2::int`,
};

const IS_SIGNED_OUT = {
  name: 'is_signed_out',
  text: `
select id from crossbook.operator_audit
where application_id = $1::uuid and session_id = $2::uuid and action = 'signOut' limit 1`,
};

const SWEEP = {
  name: 'sweep_audit',
  text: `
with deleted as (
  delete from crossbook.operator_audit where (application_id, id) in (
    select application_id, id from crossbook.operator_audit
    where created_at < $1::timestamptz order by created_at limit $2::int
  ) returning 1
)
select count(*)::int as count from deleted`,
};
