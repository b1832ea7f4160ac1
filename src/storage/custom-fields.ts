import { and, desc, eq, gt, or, sql } from 'drizzle-orm';
import {
  type CustomFieldStore,
  type CustomFields,
  type CustomFieldsByRecord,
  type FoundProblem,
  MAX_PROBLEMS,
  type MappingProblem,
  NO_CUSTOM_FIELDS,
  type StoredProblem,
} from '../domain/custom-fields.ts';
import { CrossbookError } from '../domain/errors.ts';
import { toWriteMode } from '../domain/expected-version.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { mapRecords } from '../domain/records/record-type.ts';
import { isStorable } from '../lib/text.ts';
import { appendEvents, inTransaction, type Transaction } from './events.ts';
import { connections, recordMappingProblems } from './schema.ts';
import type { StoreDeps } from './store-deps.ts';

/** The custom fields of one application, and the mappings and problems of its connections. */
export function createCustomFields(deps: StoreDeps, applicationId: string): CustomFieldStore {
  const { engine, now } = deps;
  const read = async (): Promise<CustomFieldsByRecord> => {
    const rows = await engine.query<CustomFields>(READ, [applicationId]);
    return mapRecords(
      (record) => rows.find((row) => row.record === record) ?? NO_CUSTOM_FIELDS[record],
    );
  };
  return {
    read,
    replace: async ({ record, definitions, typedSchema }, expectedVersion) => {
      const mode = toWriteMode(expectedVersion);
      const values = [applicationId, JSON.stringify(definitions), typedSchema, now().toISOString()];
      const expected = mode === 'present' ? [expectedVersion] : [];
      const [row] =
        record === 'CONTACT'
          ? await engine.query<CustomFields>(REPLACE.contacts[mode], [...values, ...expected])
          : await engine.query<CustomFields>(REPLACE.others[mode], [
              ...values,
              record,
              ...expected,
            ]);
      if (row) return row;
      const { version } = (await read())[record];
      throw new CrossbookError(
        'CONFLICT',
        `Version ${expectedVersion} of the custom fields was expected, but the stored one is ${version}.`,
      );
    },
    setMappings: async ({ customerId, providerName }, record, mappings) => {
      if (!isStorable(customerId)) return false;
      const given = mappings.length > 0 ? JSON.stringify(mappings) : null;
      const values = [applicationId, customerId, providerName, given, now().toISOString()];
      const rows =
        record === 'CONTACT'
          ? await engine.query(SET_MAPPINGS.contacts, values)
          : await engine.query(SET_MAPPINGS.others, [...values, record]);
      return rows.length > 0;
    },
    listProblems: (connectionId) =>
      engine.repeatable(async () => {
        const rows = await engine.orm
          .select(STORED_PROBLEM)
          .from(recordMappingProblems)
          .where(
            and(
              eq(recordMappingProblems.applicationId, applicationId),
              eq(recordMappingProblems.connectionId, connectionId),
              gt(recordMappingProblems.seenAt, new Date(now().getTime() - KEPT_MS)),
            ),
          )
          .orderBy(desc(recordMappingProblems.seenAt))
          .limit(MAX_PROBLEMS);
        return rows.map(fromRow);
      }),
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
          .update(recordMappingProblems)
          .set({ seenAt: ended })
          .where(
            and(
              eq(recordMappingProblems.applicationId, applicationId),
              eq(recordMappingProblems.connectionId, connectionId),
              or(...problems.map(isUnchanged)),
            ),
          ),
      );
    },
  };
}

/** A column of a key cannot be null. */
function fromRow<Row extends { readonly record: RecordType | '' }>(row: Row) {
  return { ...row, record: row.record === '' ? null : row.record };
}

function isUnchanged({ record, field, source, problem, seenAt }: StoredProblem) {
  return and(
    eq(recordMappingProblems.record, record ?? ''),
    eq(recordMappingProblems.field, field),
    eq(recordMappingProblems.source, source),
    eq(recordMappingProblems.problem, problem),
    eq(recordMappingProblems.seenAt, seenAt),
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
    eq(recordMappingProblems.applicationId, applicationId),
    eq(recordMappingProblems.connectionId, connectionId),
  );
  const forgotten = new Date(at.getTime() - KEPT_MS).toISOString();
  const due = new Date(at.getTime() - REPORTED_EVERY_MS).toISOString();
  // One that has ended is kept for a day after its event, so that it has no other event on that day.
  await tx
    .delete(recordMappingProblems)
    .where(
      and(
        isOfConnection,
        sql`${recordMappingProblems.seenAt} <= ${forgotten}`,
        sql`${recordMappingProblems.reportedAt} <= ${due}`,
      ),
    );
  const noted = await tx
    .insert(recordMappingProblems)
    .values(
      problems.map((problem) => ({
        applicationId,
        connectionId,
        ...problem,
        record: problem.record ?? ('' as const),
        remoteId: problem.remoteId ?? null,
        since: at,
        seenAt: at,
        reportedAt: at,
      })),
    )
    .onConflictDoUpdate({
      target: [
        recordMappingProblems.applicationId,
        recordMappingProblems.connectionId,
        recordMappingProblems.record,
        recordMappingProblems.field,
        recordMappingProblems.source,
        recordMappingProblems.problem,
      ],
      set: {
        seenAt: at,
        remoteId: sql`excluded.remote_id`,
        since: sql`case when ${recordMappingProblems.seenAt} <= ${forgotten}
          then excluded.since else ${recordMappingProblems.since} end`,
        reportedAt: sql`case when ${recordMappingProblems.reportedAt} <= ${due}
          then excluded.reported_at else ${recordMappingProblems.reportedAt} end`,
      },
    })
    .returning({ ...PROBLEM, reportedAt: recordMappingProblems.reportedAt });
  const { status, status_reason } = connection;
  const events = noted
    .filter(({ reportedAt }) => reportedAt.getTime() === at.getTime())
    .map(({ record, field, source, problem }) => ({
      type: 'connection.mapping_problem' as const,
      customerId,
      connectionId,
      data: {
        ...connection,
        status_reason: status === 'connected' ? null : status_reason,
        record: record === '' ? null : (record.toLowerCase() as Lowercase<RecordType>),
        field,
        source,
        problem: problem.toLowerCase() as Lowercase<typeof problem>,
      },
    }));
  await appendEvents(tx, { applicationId, at, events });
  return noted.map(({ reportedAt: _, ...problem }) => fromRow(problem));
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
  record: recordMappingProblems.record,
  field: recordMappingProblems.field,
  source: recordMappingProblems.source,
  problem: recordMappingProblems.problem,
  since: recordMappingProblems.since,
};

const STORED_PROBLEM = {
  ...PROBLEM,
  remoteId: recordMappingProblems.remoteId,
  seenAt: recordMappingProblems.seenAt,
};

const COLUMNS = 'version, fields as definitions, typed_schema as "typedSchema"';
const READ = {
  name: 'read_custom_fields',
  text: `
select 'CONTACT' as record, ${COLUMNS} from crossbook.contact_fields where application_id = $1::uuid
union all
select record, ${COLUMNS} from crossbook.record_fields where application_id = $1::uuid`,
};

/** $1: application, $2: fields, $3: whether the schema is typed, $4: time, then the type of record of others. */
const REPLACE = {
  contacts: toReplace({
    table: 'contact_fields',
    key: 'application_id',
    values: '$1::uuid',
    condition: 'application_id = $1::uuid',
    returned: "'CONTACT' as record",
    expected: '$5::bigint',
  }),
  others: toReplace({
    table: 'record_fields',
    key: 'application_id, record',
    values: '$1::uuid, $5::text',
    condition: 'application_id = $1::uuid and record = $5::text',
    returned: 'record',
    expected: '$6::bigint',
  }),
};

function toReplace({ table, key, values, condition, returned, expected }: Replaced) {
  const stored = `returning ${returned}, ${COLUMNS}`;
  const insert = `
insert into crossbook.${table} as stored (${key}, version, fields, typed_schema, updated_at)
values (${values}, 1, $2::jsonb, $3::boolean, $4::timestamptz) on conflict (${key}) do`;
  return {
    always: {
      name: `replace_${table}`,
      isOnce: true,
      text: `${insert} update set version = stored.version + 1, fields = excluded.fields,
  typed_schema = excluded.typed_schema, updated_at = excluded.updated_at ${stored}`,
    },
    absent: { name: `insert_${table}`, isOnce: true, text: `${insert} nothing ${stored}` },
    /** The expected version may be larger than an int. */
    present: {
      name: `update_${table}`,
      isOnce: true,
      text: `
update crossbook.${table}
set version = version + 1, fields = $2::jsonb, typed_schema = $3::boolean, updated_at = $4::timestamptz
where ${condition} and version = ${expected} ${stored}`,
    },
  };
}

interface Replaced {
  readonly table: string;
  /** Its columns, and their values. */
  readonly key: string;
  readonly values: string;
  readonly condition: string;
  /** The type of record, as a column. */
  readonly returned: string;
  readonly expected: string;
}

/** $4: the mappings or null, $6: the type of record of others. */
const SET_MAPPINGS = {
  contacts: toSetMappings('contact_field_mappings', '$4::jsonb'),
  others: toSetMappings(
    'record_field_mappings',
    `nullif(jsonb_strip_nulls(coalesce(record_field_mappings, '{}') || jsonb_build_object($6::text, $4::jsonb)), '{}')`,
  ),
};

/** What was read with the old mappings is dropped, and what is being read is not stored any more. */
function toSetMappings(column: string, value: string) {
  return {
    name: `set_${column}`,
    text: `
with changed as (
  update crossbook.connections set ${column} = ${value}, updated_at = $5::timestamptz
  where application_id = $1::uuid and customer_id = $2::text and provider_name = $3::text
  returning id
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id in (select id from changed)
)
select id from changed`,
  };
}
