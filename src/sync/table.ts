import type { CrmRecord } from '../domain/records/record.ts';
import type { Scalar, Shape, Type } from '../domain/shape.ts';
import type { KeyRange, SyncedRecord, SyncKind } from '../domain/sync.ts';
import { SYNCED_KINDS, SYNCED_RECORDS } from '../domain/synced-records.ts';
import { isRecord } from '../lib/json.ts';
import { TextArray } from './text-array.ts';

/** The SQL of a table that a sync writes. Names are checked before, and quoted here. */

/** The names are those of the common shape, and thus few. */
const SNAKE_CASED = new Map<string, string>();

function toSnakeCase(name: string): string {
  const known = SNAKE_CASED.get(name);
  if (known !== undefined) return known;
  const column = name.replace(/[A-Z]|\d+/g, (letter) => `_${letter.toLowerCase()}`);
  SNAKE_CASED.set(name, column);
  return column;
}

/** Whose a row is: of every table of syncs. */
export const OWNER_COLUMNS = {
  application_id: 'uuid',
  provider_name: 'text',
  customer_id: 'text',
};
const KEY_COLUMNS = { ...OWNER_COLUMNS, id: 'text' };
const STATE_COLUMNS = { is_deleted: 'boolean', synced_at: 'timestamp with time zone' };
/** Columns that no run adds: a table without them is not one of records. */
export const FIXED_COLUMNS: readonly string[] = Object.keys({ ...KEY_COLUMNS, ...STATE_COLUMNS });

/** PostgreSQL's types of the scalars of the common shape. One that is missing here is a compile error. */
const SCALAR_TYPES = {
  string: 'text',
  id: 'text',
  uuid: 'text',
  url: 'text',
  int: 'integer',
  float: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  json: 'jsonb',
  moment: 'timestamp with time zone',
  date: 'timestamp with time zone',
  day: 'date',
} as const satisfies Readonly<Record<Scalar<unknown>['scalar'], string>>;

type ColumnType = (typeof SCALAR_TYPES)[Scalar<unknown>['scalar']];
type Column = readonly [type: ColumnType, read: (record: SyncedRecord) => unknown];
type Columns = Readonly<Record<string, Column>>;

const OMITTED_FIELDS: Columns = {
  omitted_fields: ['jsonb', ({ omittedFields }) => omittedFields],
};

const OBJECT_COLUMNS: Columns = {
  last_modified_at: ['timestamp with time zone', ({ lastModifiedAt }) => lastModifiedAt],
  data: ['jsonb', ({ data }) => data],
  ...OMITTED_FIELDS,
};

/** The id and `is_deleted` are columns of every table. */
const KEY_FIELDS: readonly string[] = ['remoteId', 'isDeleted'] satisfies (keyof CrmRecord)[];

/** The columns of records in the common shape are named as in REST. */
const RECORD_COLUMNS = new Map<SyncKind, Columns>(
  SYNCED_KINDS.map((kind) => [kind, toRecordColumns(SYNCED_RECORDS[kind].shape)]),
);

function toRecordColumns({ fields }: Shape<unknown>): Columns {
  const columns = Object.entries(fields)
    .filter(([name]) => !KEY_FIELDS.includes(name))
    .flatMap(([name, { type }]) =>
      toColumns(toSnakeCase(name), type, ({ record }) => partOf(record, name)),
    );
  return {
    ...Object.fromEntries(columns),
    custom_fields: ['jsonb', ({ record }) => record?.customFields],
    raw_data: ['jsonb', ({ record }) => record?.rawData],
    ...OMITTED_FIELDS,
  };
}

/**
 * A shape has a column for each of its fields, so that SQL can filter and add up: `stage_id`. That of its `value` has the
 * name of the shape itself. A list is JSON.
 */
function toColumns(name: string, type: Type, read: Column[1]): readonly [string, Column][] {
  switch (type.kind) {
    case 'scalar':
      return [[name, [SCALAR_TYPES[type.scalar], read]]];
    case 'words':
      return [[name, ['text', read]]];
    case 'shape':
      return Object.entries(type.fields).flatMap(([part, field]) =>
        toColumns(part === 'value' ? name : `${name}_${toSnakeCase(part)}`, field.type, (record) =>
          partOf(read(record), part),
        ),
      );
    default:
      return [[name, ['jsonb', (record) => toSnakeCased(read(record))]]];
  }
}

function partOf(whole: unknown, name: string): unknown {
  return isRecord(whole) ? whole[name] : undefined;
}

/** The items of a list are parts of the common shape. */
function toSnakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCased);
  if (!isRecord(value)) return value;
  const named: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) named[toSnakeCase(name)] = toSnakeCased(part);
  return named;
}

function columnsOf(kind: SyncKind): Columns {
  return RECORD_COLUMNS.get(kind) ?? OBJECT_COLUMNS;
}

/** Whether a table of any kind has this column from us. */
export function isOwnColumn(name: string): boolean {
  return OWN_COLUMNS.some((columns) => Object.hasOwn(columns, name));
}

const OWN_COLUMNS = [KEY_COLUMNS, STATE_COLUMNS, OBJECT_COLUMNS, ...RECORD_COLUMNS.values()];

/** Collects rows as one array of text for each column, the ids first. */
export function createRowArrays(columns: Columns) {
  const all = [ID_COLUMN, ...Object.values(columns)].map(([type, read]) => ({
    isJson: type === 'jsonb',
    read,
    array: new TextArray(),
  }));
  let rows = 0;
  return {
    add(record: SyncedRecord): void {
      rows += 1;
      for (const { isJson, read, array } of all) array.add(toElement(read(record), isJson));
    },
    rows: () => rows,
    byteLength: () => all.reduce((sum, { array }) => sum + array.byteLength, 0),
    toBuffers: (): readonly Buffer[] => all.map(({ array }) => array.toBuffer()),
  };
}

const ID_COLUMN: Column = ['text', ({ id }) => id];

/** Without what PostgreSQL cannot store. */
function toElement(value: unknown, isJson: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (!isJson) return String(value).replaceAll('\0', '\ufffd');
  const json = JSON.stringify(value);
  return json.includes('\\u') ? json.replace(UNSTORABLE, '$1\\ufffd') : json;
}

/** U+0000 and half of a surrogate pair, which `JSON.stringify` escapes; not an escaped backslash before `u`. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** Ids compare by code unit, so that ranges of them are ranges of the index. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FIXED_COLUMNS.map((column) => [column, ' not null'])),
  id: ' collate "C" not null',
};

export function toStatements(kind: SyncKind, schema: string, table: string) {
  const name = toQualifiedName(schema, table);
  const columns = columnsOf(kind);
  const data = Object.keys(columns).map(quoteName);
  const addable = toTypes(columns);
  const types = { ...KEY_COLUMNS, ...STATE_COLUMNS, ...addable };
  const list = (prefix: string, names: readonly string[]) =>
    names.map((column) => `${prefix}.${column}`).join(', ');
  const definitions = Object.entries(types).map(
    ([column, type]) => `${quoteName(column)} ${type}${CONSTRAINTS[column] ?? ''}`,
  );
  return {
    columns,
    types,
    fixed: FIXED_COLUMNS,
    addable: Object.entries(addable),
    create: `create table if not exists ${name} (${definitions.join(', ')},
  primary key (application_id, provider_name, customer_id, id))`,
    addColumn: (column: string, type: string) =>
      `alter table ${name} add column if not exists ${quoteName(column)} ${type}`,
    /**
     * $4: time, from $5 on: arrays of rows. Rows that are the same already are neither written nor locked. `offset 0`:
     * each row is found by its key. Without statistics of a new table, a join would read all rows of the customer.
     */
    merge: `
with given as (
  select id, ${Object.entries(columns)
    .map(([column, [type]]) => `${quoteName(column)}::${type}`)
    .join(', ')}
  from unnest(${['id', ...data].map((_, index) => `$${index + 5}::text[]`).join(', ')}) as given (id, ${data.join(', ')})
), changed as (
  select given.* from given left join lateral (
    select id, is_deleted, ${data.join(', ')} from ${name} as row
    where ${isRow('row.')} and row.id = given.id offset 0
  ) as known on true
  where known.id is null or known.is_deleted
    or (${list('known', data)}) is distinct from (${list('given', data)})
), written as (
  insert into ${name} as stored (application_id, provider_name, customer_id, id, is_deleted, synced_at, ${data.join(', ')})
  select $1::uuid, $2::text, $3::text, id, false, $4::timestamptz, ${data.join(', ')} from changed
  on conflict (application_id, provider_name, customer_id, id) do update set is_deleted = false,
    synced_at = excluded.synced_at, ${data.map((column) => `${column} = excluded.${column}`).join(', ')}
  returning 1
)
${countWritten('changed')}`,
    /** $4: ids, $5: time. A record that was never there leaves no row. */
    markDeleted: `
with deleted as (
  select id from ${name} where ${isRow('')} and id = any ($4::text[]) and not is_deleted
), written as (
  update ${name} set is_deleted = true, synced_at = $5::timestamptz,
    ${data.map((column) => `${column} = null`).join(', ')}
  where ${isRow('')} and id = any ($4::text[]) and not is_deleted returning 1
)
${countWritten('deleted')}`,
    /** $4: ids, $5: time. */
    findWritten: `
select id, is_deleted as "isDeleted" from ${name}
where ${isRow('')} and id = any ($4::text[]) and synced_at >= $5::timestamptz`,
    /** $4: ids, $5: the most, and the bounds of a range from $6 on. */
    findOthers: (range: string) => `
select id from ${name}
where ${isRow('')} and not is_deleted and ${range} and id <> all ($4::text[]) limit $5::int`,
  };
}

export type Statements = ReturnType<typeof toStatements>;

/** What a table needs so that syncs can write to it. */
export interface TableShape {
  /** The type of each column. */
  readonly types: Readonly<Record<string, string>>;
  /** The columns without which a table is not one of syncs. */
  readonly fixed: readonly string[];
  /** The columns that are added where they are missing, with their types. */
  readonly addable: readonly (readonly [column: string, type: string])[];
  readonly create: string;
  addColumn(column: string, type: string): string;
}

/** $1 to $3. */
export function isRow(prefix: string): string {
  return `${prefix}application_id = $1::uuid and ${prefix}provider_name = $2::text and ${prefix}customer_id = $3::text`;
}

/** A trigger or a rule may discard rows, and a statement succeeds nevertheless. */
export function countWritten(due: string): string {
  return `select (select count(*) from ${due}) as due, (select count(*) from written) as written`;
}

/**
 * $1: schema, $2: table. Null: there is no table. A type of text has the type `text` here, and a domain the type that it
 * is made of.
 */
export const FIND_TABLE = `
select n.oid is not null as "hasSchema", c.oid::text as oid, c.relkind in ('r', 'p') as "isTable",
  c.relispartition as "isPartition", (
    select json_object_agg(a.attname::text, case when t.typcategory = 'S' then 'text'
      else format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) end)::text
    from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ) as columns
from (select $1::text as wanted) as given
left join pg_catalog.pg_namespace n on n.nspname = given.wanted
left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = $2`;

/**
 * Deletes rows of a customer from a table of any kind. $1: application, $2: customer, $3: the most. The owner may have
 * partitioned the table: a ctid is unique within one partition only.
 */
export function toDeleteRows(schema: string, table: string): string {
  const name = toQualifiedName(schema, table);
  return `
with deleted as (
  select ctid from ${name} where application_id = $1::uuid and customer_id = $2::text limit $3::int
), written as (
  delete from ${name} where application_id = $1::uuid and customer_id = $2::text
    and ctid = any (array(select ctid from deleted)) returning 1
)
${countWritten('deleted')}`;
}

function toTypes(columns: Columns): Record<string, ColumnType> {
  return Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
}

/**
 * The condition of a range of keys: the shorter id is the lower one, as numbers are, then by code unit. Ids of one
 * length are a range of the index. The parameters are numbered from `first` on.
 */
export function toRange(
  { after, upTo }: KeyRange,
  { column, first }: { readonly column: string; readonly first: number },
): { text: string; values: readonly string[] } {
  const id = `${column} collate "C"`;
  const [one, two] = [`$${first}::text`, `$${first + 1}::text`];
  if (after !== null && upTo !== null && after.length === upTo.length) {
    return {
      text: `${id} > ${one} and ${id} <= ${two} and length(${column}) = length(${one})`,
      values: [after, upTo],
    };
  }
  const isAfter = `(length(${column}), ${id}) > (length(${one}), ${one} collate "C")`;
  if (upTo === null)
    return after === null ? { text: 'true', values: [] } : { text: isAfter, values: [after] };
  const place = after === null ? one : two;
  const isUpTo = `(length(${column}), ${id}) <= (length(${place}), ${place} collate "C")`;
  return after === null
    ? { text: isUpTo, values: [upTo] }
    : { text: `${isAfter} and ${isUpTo}`, values: [after, upTo] };
}

export function toQualifiedName(schema: string, table: string): string {
  return `${quoteName(schema)}.${quoteName(table)}`;
}

/** A name with every quote doubled. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
