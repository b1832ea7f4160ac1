import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations.generated.ts';
import { findMigrationProblems } from './migration-rules.ts';

/** The first migration under the rules: those before it were released, or run on empty tables. */
const FIRST = '0006_webhook_indexes';

test('a migration does nothing to an existing table that takes as long as the table has rows', () => {
  const first = MIGRATIONS.findIndex(({ name }) => name === FIRST);
  const bound = MIGRATIONS.slice(first);
  expect(bound.length).toBeGreaterThan(1);
  expect(bound.flatMap(findMigrationProblems)).toEqual([]);
});

test('a migration is a transaction, a list of index builds, or of changes in batches', () => {
  for (const { name, statements } of MIGRATIONS) {
    const kinds = statements.map(
      (statement) => /CONCURRENTLY|^-- in batches$/im.exec(statement)?.[0],
    );
    expect([name, new Set(kinds).size]).toEqual([name, 1]);
  }
});

test('a column becomes NOT NULL after an earlier migration has validated the CHECK that says so', () => {
  const all = MIGRATIONS.map(({ statements }) => statements.join('\n'));
  const dropped = all.flatMap((text, place) =>
    [...text.matchAll(/DROP CONSTRAINT ("\w+_given")/g)].map(([, name]) => ({ name, place })),
  );
  expect(dropped).not.toEqual([]);
  for (const { name, place } of dropped) {
    const before = all
      .slice(0, place)
      .filter((text) => text.includes(`VALIDATE CONSTRAINT ${name}`));
    expect([name, before.length]).toEqual([name, 1]);
  }
});

const ON = 'ON "crossbook"."customers" USING btree ("email")';
const TABLE = 'ALTER TABLE "crossbook"."customers"';

test.each([
  `CREATE INDEX "a" ${ON}`,
  `CREATE UNIQUE INDEX "a" ${ON}`,
  `CREATE INDEX CONCURRENTLY ${ON}`,
  'LOCK TABLE "crossbook"."customers" IN SHARE ROW EXCLUSIVE MODE',
  'UPDATE "crossbook"."customers" SET "name" = lower("name")',
  `${TABLE} ALTER COLUMN "version" SET DATA TYPE bigint`,
  `${TABLE} ALTER COLUMN "name" SET NOT NULL`,
  `${TABLE} ADD CONSTRAINT "a" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id")`,
  `${TABLE} ADD CONSTRAINT "a" CHECK (version > 0)`,
  `${TABLE} ADD CONSTRAINT "a" UNIQUE ("email")`,
  `${TABLE} ADD COLUMN "a" uuid DEFAULT gen_random_uuid() NOT NULL`,
  `${TABLE} ADD COLUMN "a" uuid REFERENCES "crossbook"."applications"("id")`,
])('a migration must not have: %s', (statement) => {
  expect(findMigrationProblems({ name: 'bad', statements: [statement] })).toHaveLength(1);
});

test.each([
  [`CREATE INDEX CONCURRENTLY "a" ${ON}`],
  [`CREATE UNIQUE INDEX CONCURRENTLY "a" ${ON}`],
  [`${TABLE} ADD COLUMN "a" text`],
  [`${TABLE} ADD COLUMN "a" timestamp with time zone DEFAULT now() NOT NULL`],
  [`${TABLE} ADD CONSTRAINT "a" CHECK (version > 0) NOT VALID`],
  [
    '-- in batches\nWITH batch AS (SELECT 1) UPDATE "crossbook"."customers" SET "name" = lower("name")',
  ],
  [`${TABLE} ALTER COLUMN "name" SET NOT NULL`, `${TABLE} DROP CONSTRAINT "customers_name_given"`],
  [
    'CREATE TABLE "crossbook"."jobs" ("id" uuid PRIMARY KEY NOT NULL)',
    'CREATE INDEX "jobs_by_id" ON "crossbook"."jobs" USING btree ("id")',
    'ALTER TABLE "crossbook"."jobs" ADD CONSTRAINT "a" FOREIGN KEY ("id") REFERENCES "crossbook"."applications"("id")',
  ],
])('a migration may have: %s', (...statements) => {
  expect(findMigrationProblems({ name: 'good', statements })).toEqual([]);
});
