import { and, desc, eq, gt, or, sql } from 'drizzle-orm';
import {
  type CustomFieldStore,
  type CustomFields,
  type FoundProblem,
  MAX_PROBLEMS,
  type MappingProblem,
  NO_CUSTOM_FIELDS,
  type StoredProblem,
} from '../domain/custom-fields.ts';
import { CrossbookError } from '../domain/errors.ts';
import { toWriteMode } from '../domain/expected-version.ts';
import { isStorable } from '../lib/text.ts';
import { appendEvents, inTransaction, type Transaction } from './events.ts';
import { connections, mappingProblems } from './schema.ts';
import type { StoreDeps } from './store-deps.ts';

/** The custom fields of one application, and the mappings and problems of its connections. */
export function createCustomFields(deps: StoreDeps, applicationId: string): CustomFieldStore {
  const { engine, now } = deps;
  const read = async (): Promise<CustomFields> => {
    const [row] = await engine.query<CustomFields>(READ, [applicationId]);
    return row ?? NO_CUSTOM_FIELDS;
  };
  return {
    read,
    replace: async ({ definitions, typedSchema }, expectedVersion) => {
      const values = [applicationId, JSON.stringify(definitions), typedSchema, now().toISOString()];
      const mode = toWriteMode(expectedVersion);
      const all = mode === 'present' ? [...values, expectedVersion] : values;
      const [row] = await engine.query<CustomFields>(REPLACE[mode], all);
      if (row) return row;
      const { version } = await read();
      throw new CrossbookError(
        'CONFLICT',
        `Version ${expectedVersion} of the custom fields was expected, but the stored one is ${version}.`,
      );
    },
    setMappings: async ({ customerId, providerName }, mappings) => {
      if (!isStorable(customerId)) return false;
      const given = mappings.length > 0 ? JSON.stringify(mappings) : null;
      const key = [applicationId, customerId, providerName];
      const rows = await engine.query(SET_MAPPINGS, [...key, given, now().toISOString()]);
      return rows.length > 0;
    },
    listProblems: (connectionId) =>
      engine.repeatable(() =>
        engine.orm
          .select(STORED_PROBLEM)
          .from(mappingProblems)
          .where(
            and(
              eq(mappingProblems.applicationId, applicationId),
              eq(mappingProblems.connectionId, connectionId),
              gt(mappingProblems.seenAt, new Date(now().getTime() - KEPT_MS)),
            ),
          )
          .orderBy(desc(mappingProblems.seenAt))
          .limit(MAX_PROBLEMS),
      ),
    noteProblems: (connection, problems) =>
      problems.length === 0
        ? Promise.resolve([])
        : inTransaction(deps, (tx) =>
            noteProblems(tx, { ...connection, applicationId, problems, at: now() }),
          ),
    endProblems: async (connectionId, problems) => {
      if (problems.length === 0) return;
      const ended = new Date(now().getTime() - KEPT_MS);
      await engine.repeatable(() =>
        engine.orm
          .update(mappingProblems)
          .set({ seenAt: ended })
          .where(
            and(
              eq(mappingProblems.applicationId, applicationId),
              eq(mappingProblems.connectionId, connectionId),
              or(...problems.map(isUnchanged)),
            ),
          ),
      );
    },
  };
}

function isUnchanged({ field, source, problem, seenAt }: StoredProblem) {
  return and(
    eq(mappingProblems.field, field),
    eq(mappingProblems.source, source),
    eq(mappingProblems.problem, problem),
    eq(mappingProblems.seenAt, seenAt),
  );
}

/** Locks the connection, so that of concurrent notes one appends the events. Nothing where it was removed. */
async function noteProblems(
  tx: Transaction,
  { id: connectionId, customerId, applicationId, problems, at }: Noted,
): Promise<readonly MappingProblem[]> {
  const isConnection = and(
    eq(connections.applicationId, applicationId),
    eq(connections.id, connectionId),
  );
  const [connection] = await tx
    .select({
      provider_name: connections.providerName,
      status: connections.status,
      status_reason: connections.statusReason,
    })
    .from(connections)
    .where(isConnection)
    .for('no key update');
  if (!connection) return [];
  const isOfConnection = and(
    eq(mappingProblems.applicationId, applicationId),
    eq(mappingProblems.connectionId, connectionId),
  );
  const forgotten = new Date(at.getTime() - KEPT_MS).toISOString();
  const due = new Date(at.getTime() - REPORTED_EVERY_MS).toISOString();
  // One that has ended is kept for a day after its event, so that it has no other event on that day.
  await tx
    .delete(mappingProblems)
    .where(
      and(
        isOfConnection,
        sql`${mappingProblems.seenAt} <= ${forgotten}`,
        sql`${mappingProblems.reportedAt} <= ${due}`,
      ),
    );
  const noted = await tx
    .insert(mappingProblems)
    .values(
      problems.map((problem) => ({
        applicationId,
        connectionId,
        ...problem,
        remoteId: problem.remoteId ?? null,
        since: at,
        seenAt: at,
        reportedAt: at,
      })),
    )
    .onConflictDoUpdate({
      target: [
        mappingProblems.applicationId,
        mappingProblems.connectionId,
        mappingProblems.field,
        mappingProblems.source,
        mappingProblems.problem,
      ],
      set: {
        seenAt: at,
        remoteId: sql`excluded.remote_id`,
        since: sql`case when ${mappingProblems.seenAt} <= ${forgotten}
          then excluded.since else ${mappingProblems.since} end`,
        reportedAt: sql`case when ${mappingProblems.reportedAt} <= ${due}
          then excluded.reported_at else ${mappingProblems.reportedAt} end`,
      },
    })
    .returning({ ...PROBLEM, reportedAt: mappingProblems.reportedAt });
  const { status, status_reason } = connection;
  const events = noted
    .filter(({ reportedAt }) => reportedAt.getTime() === at.getTime())
    .map(({ field, source, problem }) => ({
      type: 'connection.mapping_problem' as const,
      customerId,
      connectionId,
      data: {
        ...connection,
        status_reason: status === 'connected' ? null : status_reason,
        field,
        source,
        problem: problem.toLowerCase() as Lowercase<typeof problem>,
      },
    }));
  await appendEvents(tx, { applicationId, at, events });
  return noted.map(({ reportedAt: _, ...problem }) => problem);
}

interface Noted {
  readonly id: string;
  readonly customerId: string;
  readonly applicationId: string;
  /** Unique. */
  readonly problems: readonly FoundProblem[];
  readonly at: Date;
}

/** How long a problem is shown after it was last seen. */
const KEPT_MS = 2 * 24 * 60 * 60_000;
const REPORTED_EVERY_MS = 24 * 60 * 60_000;

const PROBLEM = {
  field: mappingProblems.field,
  source: mappingProblems.source,
  problem: mappingProblems.problem,
  since: mappingProblems.since,
};

const STORED_PROBLEM = {
  ...PROBLEM,
  remoteId: mappingProblems.remoteId,
  seenAt: mappingProblems.seenAt,
};

const READ = {
  name: 'read_contact_fields',
  text: 'select version, fields as definitions, typed_schema as "typedSchema" from crossbook.contact_fields where application_id = $1::uuid',
};

const STORED = 'returning version, fields as definitions, typed_schema as "typedSchema"';
/** $1: application, $2: fields, $3: whether the schema is typed, $4: time. */
const INSERT = `
insert into crossbook.contact_fields as stored (application_id, version, fields, typed_schema, updated_at)
values ($1::uuid, 1, $2::jsonb, $3::boolean, $4::timestamptz) on conflict (application_id) do`;
const REPLACE = {
  always: {
    name: 'replace_contact_fields',
    isOnce: true,
    text: `${INSERT} update set version = stored.version + 1, fields = excluded.fields,
  typed_schema = excluded.typed_schema, updated_at = excluded.updated_at ${STORED}`,
  },
  absent: {
    name: 'insert_contact_fields',
    isOnce: true,
    text: `${INSERT} nothing ${STORED}`,
  },
  /** $5: the expected version, which may be larger than an int. */
  present: {
    name: 'update_contact_fields',
    isOnce: true,
    text: `
update crossbook.contact_fields
set version = version + 1, fields = $2::jsonb, typed_schema = $3::boolean, updated_at = $4::timestamptz
where application_id = $1::uuid and version = $5::bigint ${STORED}`,
  },
};

/** What was read with the old mappings is dropped, and what is being read is not stored any more. */
const SET_MAPPINGS = {
  name: 'set_contact_field_mappings',
  text: `
with changed as (
  update crossbook.connections set contact_field_mappings = $4::jsonb, updated_at = $5::timestamptz
  where application_id = $1::uuid and customer_id = $2::text and provider_name = $3::text
  returning id
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id in (select id from changed)
)
select id from changed`,
};
