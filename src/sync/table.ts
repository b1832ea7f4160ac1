import type { KeyRange, SyncedRecord, SyncKind } from '../domain/sync.ts';
import { TextArray } from './text-array.ts';

/** The SQL of a table that a sync writes. Names are checked before, and quoted here. */

/** The key. Ids compare by code unit, so that ranges of them are ranges of the index. */
const KEY_COLUMNS = {
  application_id: 'uuid not null',
  provider_name: 'text not null',
  customer_id: 'text not null',
  id: 'text collate "C" not null',
};

const STATE_COLUMNS = {
  is_deleted: 'boolean not null',
  synced_at: 'timestamp with time zone not null',
};

/** The columns of contacts and their values, which are named as in REST. */
const CONTACT_COLUMNS: Columns = {
  account_id: ['text', ({ contact }) => contact?.accountId],
  owner_id: ['text', ({ contact }) => contact?.ownerId],
  first_name: ['text', ({ contact }) => contact?.firstName],
  last_name: ['text', ({ contact }) => contact?.lastName],
  addresses: ['jsonb', ({ contact }) => contact?.addresses.map(toSnakeCased)],
  email_addresses: ['jsonb', ({ contact }) => contact?.emailAddresses.map(toSnakeCased)],
  phone_numbers: ['jsonb', ({ contact }) => contact?.phoneNumbers.map(toSnakeCased)],
  lifecycle_stage: ['text', ({ contact }) => contact?.lifecycleStage],
  last_activity_at: ['timestamp with time zone', ({ contact }) => contact?.lastActivityAt],
  created_at: ['timestamp with time zone', ({ contact }) => contact?.createdAt],
  updated_at: ['timestamp with time zone', ({ contact }) => contact?.updatedAt],
  last_modified_at: ['timestamp with time zone', ({ contact }) => contact?.lastModifiedAt],
  custom_fields: ['jsonb', ({ contact }) => contact?.customFields],
  raw_data: ['jsonb', ({ contact }) => contact?.rawData],
  omitted_fields: ['jsonb', ({ omittedFields }) => omittedFields],
};

const OBJECT_COLUMNS: Columns = {
  last_modified_at: ['timestamp with time zone', ({ lastModifiedAt }) => lastModifiedAt],
  data: ['jsonb', ({ data }) => data],
  omitted_fields: ['jsonb', ({ omittedFields }) => omittedFields],
};

type Columns = Readonly<
  Record<string, readonly [type: string, read: (record: SyncedRecord) => unknown]>
>;

function columnsOf(kind: SyncKind): Columns {
  return kind === 'CONTACTS' ? CONTACT_COLUMNS : OBJECT_COLUMNS;
}

/** Whether a table of any kind has this column from us. */
export function isOwnColumn(name: string): boolean {
  return OWN_COLUMNS.some((columns) => Object.hasOwn(columns, name));
}

const OWN_COLUMNS = [KEY_COLUMNS, STATE_COLUMNS, CONTACT_COLUMNS, OBJECT_COLUMNS];

function toSnakeCased(part: object): object {
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(part)) named[toSnakeCase(name)] = value;
  return named;
}

/** The names are those of the common shape, and thus few. */
function toSnakeCase(name: string): string {
  const known = SNAKE_CASED.get(name);
  if (known !== undefined) return known;
  const found = name.replace(/[A-Z]|\d+/g, (letter) => `_${letter.toLowerCase()}`);
  SNAKE_CASED.set(name, found);
  return found;
}

const SNAKE_CASED = new Map<string, string>();

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

const ID_COLUMN: Columns[string] = ['text', ({ id }) => id];

/** Without what PostgreSQL cannot store. */
function toElement(value: unknown, isJson: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (!isJson) return String(value).replaceAll('\0', '\ufffd');
  const json = JSON.stringify(value);
  return json.includes('\\u') ? json.replace(UNSTORABLE, '$1\\ufffd') : json;
}

/** U+0000 and half of a surrogate pair, which `JSON.stringify` escapes; not an escaped backslash before `u`. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

export function toStatements(kind: SyncKind, schema: string, table: string) {
  const name = toQualifiedName(schema, table);
  const columns = columnsOf(kind);
  const data = Object.keys(columns).map(quoteName);
  const all = { ...KEY_COLUMNS, ...STATE_COLUMNS, ...toTypes(columns) };
  const list = (prefix: string, names: readonly string[]) =>
    names.map((column) => `${prefix}.${column}`).join(', ');
  const isRow = (prefix: string) =>
    `${prefix}application_id = $1::uuid and ${prefix}provider_name = $2::text and ${prefix}customer_id = $3::text`;
  const definitions = Object.entries(all).map(([column, type]) => `${quoteName(column)} ${type}`);
  return {
    columns,
    /** The names of the columns that must be there, without the key. */
    addable: Object.entries({ ...toTypes(columns) }),
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
)
insert into ${name} as stored (application_id, provider_name, customer_id, id, is_deleted, synced_at, ${data.join(', ')})
select $1::uuid, $2::text, $3::text, given.id, false, $4::timestamptz, ${list('given', data)}
from given left join lateral (
  select id, is_deleted, ${data.join(', ')} from ${name} as row
  where ${isRow('row.')} and row.id = given.id offset 0
) as known on true
where known.id is null or known.is_deleted
  or (${list('known', data)}) is distinct from (${list('given', data)})
on conflict (application_id, provider_name, customer_id, id) do update set is_deleted = false,
  synced_at = excluded.synced_at, ${data.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    /** $4: ids, $5: time. A record that was never there leaves no row. */
    markDeleted: `
update ${name} set is_deleted = true, synced_at = $5::timestamptz,
  ${data.map((column) => `${column} = null`).join(', ')}
where ${isRow('')} and id = any ($4::text[]) and not is_deleted`,
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

/** $1: schema, $2: table. Null: there is no table. */
export const FIND_TABLE = `
select n.oid is not null as "hasSchema", c.oid::text as oid, (
  select json_agg(a.attname::text)::text from pg_catalog.pg_attribute a
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
delete from ${name} where application_id = $1::uuid and customer_id = $2::text and ctid = any (array(
  select ctid from ${name} where application_id = $1::uuid and customer_id = $2::text limit $3::int
))`;
}

function toTypes(columns: Columns): Record<string, string> {
  return Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
}

/**
 * The condition of a range of keys: the shorter id is the lower one, as numbers are, then by code unit. Ids of one
 * length are a range of the index. The parameters are numbered from $6 on.
 */
export function toRange({ after, upTo }: KeyRange): { text: string; values: readonly string[] } {
  const id = 'id collate "C"';
  if (after !== null && upTo !== null && after.length === upTo.length) {
    return {
      text: `${id} > $6::text and ${id} <= $7::text and length(id) = length($6::text)`,
      values: [after, upTo],
    };
  }
  const isAfter = '(length(id), id collate "C") > (length($6::text), $6::text collate "C")';
  if (upTo === null)
    return after === null ? { text: 'true', values: [] } : { text: isAfter, values: [after] };
  const place = after === null ? '$6' : '$7';
  const isUpTo = `(length(id), id collate "C") <= (length(${place}::text), ${place}::text collate "C")`;
  return after === null
    ? { text: isUpTo, values: [upTo] }
    : { text: `${isAfter} and ${isUpTo}`, values: [after, upTo] };
}

function toQualifiedName(schema: string, table: string): string {
  return `${quoteName(schema)}.${quoteName(table)}`;
}

/** A name with every quote doubled. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
