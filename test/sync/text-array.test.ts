import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TextArray } from '../../src/sync/text-array.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/databases.ts';
import { fc } from '../support/fast-check.ts';

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

async function store(values: readonly (string | null)[]): Promise<unknown> {
  const array = new TextArray();
  for (const value of values) array.add(value);
  const { rows } = await client.query('select $1::text[] as read', [array.toBuffer()]);
  return rows[0]?.read;
}

/** PostgreSQL stores no U+0000. */
const text = fc.string({ unit: 'binary', maxLength: 3_000 }).map((one) => one.replaceAll('\0', ''));

test('an array that a sync sends has the same texts in PostgreSQL, whatever they are', async () => {
  const values = fc.array(fc.option(text), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      expect(await store(given)).toEqual(given);
    }),
  );
  const syntax = ['', 'NULL', 'null', '{}', '{a,"b"}', '\\', '"', ',', ' ', '\n', 'ö', '明', '😀'];
  expect(await store(syntax)).toEqual(syntax);
});

test('half of a surrogate pair is U+FFFD', async () => {
  expect(await store(['a\ud800b', '\udfff'])).toEqual(['a\ufffdb', '\ufffd']);
});
