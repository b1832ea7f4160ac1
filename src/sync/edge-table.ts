import type { KeyRange } from '../domain/sync.ts';
import { EDGE_TABLES, type EdgeTable, SYNCED_RECORDS } from '../domain/synced-records.ts';
import {
  countWritten,
  isRow,
  OWNER_COLUMNS,
  quoteName,
  type TableShape,
  toQualifiedName,
  toRange,
} from './table.ts';

/** The SQL of a table of edges: one row for each link between two records. */
export function toEdgeStatements(edgeTable: EdgeTable, schema: string, recordTable: string) {
  const name = toQualifiedName(schema, edgeTable);
  const { from, to } = columnsOf(edgeTable);
  const types = {
    ...OWNER_COLUMNS,
    [from]: 'text',
    [to]: 'text',
    is_primary: 'boolean',
    synced_at: 'timestamp with time zone',
  };
  const definitions = Object.entries(types).map(
    ([column, type]) =>
      `${quoteName(column)} ${type}${[from, to].includes(column) ? ' collate "C"' : ''} not null`,
  );
  const isSame = `stored.${from} = given.from_id and stored.${to} = given.to_id`;
  const shape: TableShape = {
    types,
    fixed: Object.keys(types),
    addable: [],
    // The index finds the edges of a deleted record at their other end.
    create: `create table if not exists ${name} (${definitions.join(', ')},
  primary key (application_id, provider_name, customer_id, ${from}, ${to}));
create index on ${name} (application_id, provider_name, customer_id, ${to})`,
    addColumn: () => '',
  };
  return {
    ...shape,
    /**
     * Replaces all edges of some records. $4: their ids, $5 to $7: arrays of edges, $8: time. Edges that are the same
     * already are not written.
     */
    replace: `
with given as (
  select from_id, to_id, is_primary::boolean as is_primary
  from unnest($5::text[], $6::text[], $7::text[]) as given (from_id, to_id, is_primary)
), gone as (
  select ${from}, ${to} from ${name} as stored where ${isRow('stored.')} and ${from} = any ($4::text[])
    and not exists (select from given where ${isSame})
), removed as (
  delete from ${name} as stored where ${isRow('stored.')} and ${from} = any ($4::text[])
    and not exists (select from given where ${isSame}) returning 1
), changed as (
  select given.* from given left join lateral (
    select is_primary from ${name} as stored where ${isRow('stored.')} and ${isSame} offset 0
  ) as known on true
  where known.is_primary is distinct from given.is_primary
), written as (
  insert into ${name} (application_id, provider_name, customer_id, ${from}, ${to}, is_primary, synced_at)
  select $1::uuid, $2::text, $3::text, from_id, to_id, is_primary, $8::timestamptz from changed
  on conflict (application_id, provider_name, customer_id, ${from}, ${to})
    do update set is_primary = excluded.is_primary, synced_at = excluded.synced_at
  returning 1
)
select (select count(*) from changed) + (select count(*) from gone) as due,
  (select count(*) from written) + (select count(*) from removed) as written,
  (select count(*) from removed) as removed`,
    /** Deletes the edges of deleted records at either end. $4: their ids. */
    deleteFrom: deleteWhere(name, `${from} = any ($4::text[])`),
    deleteTo: deleteWhere(name, `${to} = any ($4::text[])`),
    /**
     * Deletes the edges in a range of records that have no row any more. The bounds of the range are from $4 on.
     * `offset 0`: each record is found by its key. Without statistics of a new table, a join would read all rows of the
     * customer for each edge.
     */
    deleteOrphans: (range: KeyRange) => {
      const { text, values } = toRange(range, { column: from, first: 4 });
      return {
        text: deleteWhere(
          name,
          `${text} and not exists (
    select from ${toQualifiedName(schema, recordTable)} as record
    where ${isRow('record.')} and record.id = stored.${from} and not record.is_deleted offset 0)`,
        ),
        values,
      };
    },
  };
}

export type EdgeStatements = ReturnType<typeof toEdgeStatements>;

/** The columns of the two ids, such as `contact_id` and `company_id`. */
function columnsOf(table: EdgeTable) {
  const { from, to } = EDGE_TABLES[table];
  const columnOf = (kind: typeof from | typeof to) => `${SYNCED_RECORDS[kind].noun}_id`;
  return { from: columnOf(from), to: columnOf(to) };
}

/** The columns by which tables of edges are known, for each of them. */
export const EDGE_COLUMNS: readonly (readonly string[])[] = (
  Object.keys(EDGE_TABLES) as EdgeTable[]
).map((table) => toEdgeStatements(table, '', '').fixed);

function deleteWhere(name: string, condition: string): string {
  const rows = `from ${name} as stored where ${isRow('stored.')} and ${condition}`;
  return `
with gone as (select 1 ${rows}), written as (delete ${rows} returning 1)
${countWritten('gone')}`;
}
