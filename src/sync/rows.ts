import type pg from 'pg';
import { SyncFailure, type TableOfSync } from '../domain/sync.ts';
import { quote } from '../lib/text.ts';

/** Runs a statement that returns how many rows it had to write, and how many it has written. */
export async function writeRows(
  client: pg.PoolClient,
  place: PlaceOfRows,
  statement: WritingStatement,
): Promise<number> {
  return (await countRows(client, place, statement)).written;
}

export async function countRows(
  client: pg.PoolClient,
  { schema, table }: PlaceOfRows,
  { text, values }: WritingStatement,
): Promise<{ readonly written: number; readonly removed: number }> {
  const { rows } = await client.query<Counts>(text, values);
  const due = Number(rows[0]?.due);
  const written = Number(rows[0]?.written);
  if (written >= due) return { written, removed: Number(rows[0]?.removed ?? 0) };
  throw new SyncFailure(
    'DESTINATION_TABLE',
    `The table ${quote(table)} in the schema ${quote(schema)} took ${written} of ${due} rows, because a trigger of the table discards rows: change or drop the trigger.`,
  );
}

interface Counts {
  readonly due: string;
  readonly written: string;
  /** Of those that were written. */
  readonly removed?: string;
}

interface WritingStatement {
  readonly text: string;
  readonly values: unknown[];
}

export type PlaceOfRows = Pick<TableOfSync, 'schema' | 'table'>;
