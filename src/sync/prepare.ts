import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { SyncFailure, type TablePlace } from '../domain/sync.ts';
import { quote } from '../lib/text.ts';
import { EDGE_COLUMNS } from './edge-table.ts';
import { FIND_TABLE, FIXED_COLUMNS, quoteName, type TableShape, toQualifiedName } from './table.ts';

/** Creates a table in a transaction that is rolled back. */
export async function checkSchema(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ hasSchema: string | null; encoding: string }>(
    `select (select true from pg_catalog.pg_namespace where nspname = $1) as "hasSchema",
      current_setting('server_encoding') as encoding`,
    [schema],
  );
  const [row] = rows;
  if (row?.hasSchema !== TRUE) throw noSchema(schema);
  if (row.encoding !== 'UTF8') {
    throw new SyncFailure(
      'DESTINATION_TABLE',
      'The database is not encoded in UTF-8, and cannot store every record: create a database with the encoding UTF8.',
    );
  }
  const table = quoteName(`crossbook_check_${randomBytes(6).toString('hex')}`);
  await client.query(`create table ${quoteName(schema)}.${table} (id int)`);
}

/**
 * Creates the table, or the columns that it lacks. Returns its OID, which another table of that name does not have.
 * Nothing of a table that syncs cannot write is altered.
 */
export async function prepareTable(
  client: pg.ClientBase,
  place: Place,
  statements: TableShape,
): Promise<string> {
  const found = await findTable(client, place);
  if (found.oid !== null && checkTable(found, place, statements).length === 0) return found.oid;
  // Another process may do the same at the same time, which `if not exists` does not prevent.
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `crossbook ${place.schema}.${place.table}`,
  ]);
  const current = await findTable(client, place);
  if (current.oid !== null) {
    for (const [name, type] of checkTable(current, place, statements))
      await client.query(statements.addColumn(name, type));
    return current.oid;
  }
  await client.query(statements.create);
  const { oid } = await findTable(client, place);
  if (oid === null) throw new Error('A table that was created is not there');
  return oid;
}

/** Whether there is a table of syncs, which has rows of customers. */
export async function hasTable(client: pg.ClientBase, place: Place): Promise<boolean> {
  const { columns } = await findTable(client, place, { isSchemaNeeded: false });
  return [FIXED_COLUMNS, ...EDGE_COLUMNS].some((names) => names.every((name) => columns.has(name)));
}

/**
 * Gathers statistics of a table that has none. Until PostgreSQL does so by itself, it plans a join as if each customer had
 * one row: with 25,000 of them, it takes minutes.
 */
export async function analyzeNew(
  client: pg.ClientBase,
  { schema, table }: Place,
  { fixed }: Pick<TableShape, 'fixed'>,
): Promise<void> {
  const { rows } = await client.query(
    'select from pg_catalog.pg_stats where schemaname = $1 and tablename = $2 limit 1',
    [schema, table],
  );
  if (rows.length > 0) return;
  const columns = fixed.map(quoteName).join(', ');
  await client.query(`analyze ${toQualifiedName(schema, table)} (${columns})`);
}

/** The columns that the table lacks. Throws if syncs cannot write to it. */
function checkTable(
  { isTable, isPartition, columns }: FoundTable,
  place: Place,
  { types, fixed, addable }: TableShape,
): TableShape['addable'] {
  const fail = (detail: string) =>
    new SyncFailure('DESTINATION_TABLE', `${describe(place)} ${detail}`);
  if (!isTable) throw fail('is a view or another object that is not a table: choose another name.');
  const lacking = fixed.filter((name) => !columns.has(name));
  if (lacking.length > 0) {
    throw fail(
      `is not a table of syncs, because it lacks ${listColumns(lacking)}. It was not changed: choose another name or schema, or rename it.`,
    );
  }
  const [changed] = Object.entries(types).filter(
    ([name, type]) => columns.has(name) && columns.get(name) !== type,
  );
  if (changed) {
    const [name, type] = changed;
    throw fail(
      `has ${listColumns([name])} of another type than ${type}: change its type, or rename the column if it is yours.`,
    );
  }
  const missing = addable.filter(([name]) => !columns.has(name));
  if (isPartition && missing.length > 0) {
    const names = missing.map(([name, type]) => `${quote(name)} (${type})`).join(', ');
    throw fail(
      `is a partition, to which columns cannot be added: add ${names} to the table that it is a partition of.`,
    );
  }
  return missing;
}

async function findTable(
  client: pg.ClientBase,
  { schema, table }: Place,
  { isSchemaNeeded = true } = {},
): Promise<FoundTable> {
  const { rows } = await client.query<FoundRow>(FIND_TABLE, [schema, table]);
  const [row] = rows;
  if (row?.hasSchema !== TRUE && isSchemaNeeded) throw noSchema(schema);
  return {
    oid: row?.oid ?? null,
    isTable: row?.isTable === TRUE,
    isPartition: row?.isPartition === TRUE,
    columns: readColumns(row?.columns ?? '{}'),
  };
}

/** The names of columns and their types, in JSON. */
function readColumns(json: string): ReadonlyMap<string, unknown> {
  const columns: unknown = JSON.parse(json);
  return new Map(columns instanceof Object ? Object.entries(columns) : []);
}

function noSchema(schema: string): SyncFailure {
  return new SyncFailure(
    'DESTINATION_TABLE',
    `The schema ${quote(schema)} does not exist: create it, or choose another one.`,
  );
}

function describe({ schema, table }: Place): string {
  return `The table ${quote(table)} in the schema ${quote(schema)}`;
}

function listColumns(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'column' : 'columns'} ${names.map(quote).join(', ')}`;
}

/** All values are read as text. */
const TRUE = 't';

type Place = Pick<TablePlace, 'schema' | 'table'>;

interface FoundTable {
  /** Null: there is no table. */
  readonly oid: string | null;
  readonly isTable: boolean;
  readonly isPartition: boolean;
  /** The type of each column. */
  readonly columns: ReadonlyMap<string, unknown>;
}

interface FoundRow {
  readonly hasSchema: string;
  readonly oid: string | null;
  readonly isTable: string | null;
  readonly isPartition: string | null;
  readonly columns: string | null;
}
