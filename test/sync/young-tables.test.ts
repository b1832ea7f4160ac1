import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toEdgeStatements } from '../../src/sync/edge-table.ts';
import { toStatements } from '../../src/sync/table.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/databases.ts';

const KEY = ['00000000-0000-4000-8000-000000000001', 'hubspot', 'demo'];
const ROWS = 2_000;
const NOW = new Date(0).toISOString();

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** PostgreSQL assumes that one row has a customer's key until it has analyzed a table. */
test('no statement reads all rows of a customer for each of its rows, also before the tables have statistics', async () => {
  const records = toStatements('CONTACTS', 'public', 'contacts');
  const edges = toEdgeStatements('contact_companies', 'public', 'contacts');
  await client.query(`${records.create}; ${edges.create}`);
  await client.query(
    `insert into contacts (application_id, provider_name, customer_id, id, is_deleted, synced_at)
    select $1::uuid, $2, $3, lpad(number::text, 6, '0'), false, now() from generate_series(1, ${ROWS}) as number`,
    KEY,
  );
  await client.query(
    `insert into contact_companies
    select $1::uuid, $2, $3, lpad(number::text, 6, '0'), 'c' || number, true, now() from generate_series(1, ${ROWS}) as number`,
    KEY,
  );
  const ids = ['000001', '000002', '000003'];
  const orphans = edges.deleteOrphans({ after: '000100', upTo: '000900' });
  const columns = Object.keys(records.columns).map(() => ids.map(() => null));
  const statements: readonly (readonly [string, readonly unknown[]])[] = [
    [records.merge, [NOW, ids, ...columns]],
    [records.markDeleted, [ids, NOW]],
    [records.findWritten, [ids, NOW]],
    [edges.replace, [ids, ids, ['c1', 'c2', 'c4'], ['true', 'false', 'true'], NOW]],
    [edges.deleteFrom, [ids]],
    [edges.deleteTo, [['c5']]],
    [orphans.text, orphans.values],
  ];
  for (const [text, values] of statements) {
    await client.query('begin');
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, [
      ...KEY,
      ...values,
    ]);
    await client.query('rollback');
    const discarded = countDiscarded(rows[0]?.['QUERY PLAN'][0].Plan);
    expect([text, discarded < 4 * ROWS]).toEqual([text, true]);
  }
});

/** The rows that a plan reads and does not use. */
function countDiscarded(plan: Plan): number {
  const perLoop =
    (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  const below = (plan.Plans ?? []).map(countDiscarded);
  return below.reduce((sum, one) => sum + one, perLoop * plan['Actual Loops']);
}

interface Plan {
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Plan[];
}
