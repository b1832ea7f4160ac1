import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { describeMigration, openEngine } from '../../src/storage/engine/open.ts';
import { createFakeClock } from '../support/clock.ts';
import { createTestDatabase, TEST_RING } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const COLUMN = {
  name: 'test_column',
  statements: ['ALTER TABLE crossbook.customers ADD COLUMN test_column text'],
};
const INDEX = {
  name: 'test_index',
  statements: [
    'CREATE INDEX CONCURRENTLY "test_index" ON "crossbook"."customers" USING btree ("test_column")',
  ],
};

test('while a long read delays a migration, writes to the table are executed, and the migration follows the read', async () => {
  const { engine, database, rival } = await open();
  const { id } = await database.admin.createApplication('test');
  await rival.run('begin');
  await rival.run('select count(*) from crossbook.customers');
  const blocked: string[] = [];
  const migrations = [COLUMN, INDEX];
  const migrating = migrate(engine, { migrations, onBlocked: (name) => blocked.push(name) });
  await expect.poll(() => blocked).toEqual(['test_column']);
  // The reader keeps its lock: each write must get through between two tries of the migration.
  for (let version = 1; version <= 5; version += 1) {
    const { customer } = await database.forApplication(id).customers.upsert(ADA);
    expect(customer.version).toBe(version);
  }
  await rival.run('commit');
  expect(await migrating).toEqual(['test_column', 'test_index']);
  expect(blocked).toEqual(['test_column']);
});

test('what an index waits for is named after ten seconds: the session, its state, for how long, and what to do', async () => {
  const { url, engine, rival } = await open();
  await migrate(engine, { migrations: [COLUMN] });
  await rival.run(`set application_name = 'a report'`);
  const [{ pid } = {}] = await rival.run('select pg_backend_pid() as pid');
  await rival.run('begin isolation level repeatable read');
  await rival.run('select 1');
  const clock = createFakeClock();
  const lines: string[] = [];
  const { onMigrationWaits: onWaits } = describeMigration((line) => lines.push(line));
  const migrating = migrate(engine, { migrations: [INDEX], onWaits, clock });
  const observer = await openRival(url);
  closing.push(observer.close);
  await observer.untilSomebodyWaits();
  await clock.advance(9_999);
  expect(lines).toEqual([]);
  // Another process waits for the first: of it, the session with the lock is named.
  const second: string[] = [];
  const waiting = migrate(engine, {
    migrations: [INDEX],
    onWaits: describeMigration((line) => second.push(line)).onMigrationWaits,
    clock,
  });
  await expect.poll(() => clock.pending).toBe(2);
  await clock.advance(10_000);
  await expect.poll(() => [lines.length, second.length]).toEqual([1, 1]);
  const words = new RegExp(
    `^migration test_index waits for the session pid ${pid} \\(application_name "a report", idle in transaction, in a transaction for \\d+ s\\): end its transaction, or end the session with select pg_terminate_backend\\(${pid}\\);$`,
  );
  expect(lines[0]).toMatch(words);
  expect(second[0]).toMatch(
    /^this process waits for the migration of another process, which has the session pid \d+ \(application_name "crossbook migration lock", idle in transaction, in a transaction for \d+ s\): let it finish, or stop that process$/,
  );
  await clock.advance(60_000);
  await expect.poll(() => lines.length).toBe(2);
  await rival.run('commit');
  expect(await migrating).toEqual(['test_index']);
  expect(await waiting).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('an index is built while rows are written, and one whose build was interrupted is built again', async () => {
  const { engine, database, rival } = await open();
  const { id } = await database.admin.createApplication('test');
  await migrate(engine, { migrations: [COLUMN] });
  await rival.run('create index test_index on crossbook.customers (test_column)');
  await rival.run(
    `update pg_index set indisvalid = false where indexrelid = 'crossbook.test_index'::regclass`,
  );
  // The build waits for this write, and later writes do not wait for the build.
  await rival.run('begin');
  await rival.run(
    `insert into crossbook.customers (application_id, customer_id, name, email, version) values ($1, 'bob', '', '', 1)`,
    [id],
  );
  const migrating = migrate(engine, { migrations: [INDEX] });
  await rival.untilSomebodyWaits();
  await database.forApplication(id).customers.upsert(ADA);
  await rival.run('commit');
  expect(await migrating).toEqual(['test_index']);
  const valid = `select indisvalid from pg_index where indexrelid = 'crossbook.test_index'::regclass`;
  expect(await rival.run(valid)).toEqual([{ indisvalid: true }]);
});

test('processes that start together apply each migration once, also where one builds an index', async () => {
  const { url } = await open();
  const engines = await Promise.all(
    Array.from({ length: 5 }, () => openEngine({ url }, PATIENT_DATABASE)),
  );
  const migrations = [COLUMN, INDEX];
  const applied = await Promise.all(engines.map((engine) => migrate(engine, { migrations })));
  expect(applied.flat()).toEqual(['test_column', 'test_index']);
  await Promise.all(engines.map((engine) => engine.close()));
});

test('a process that uses the demo’s data does not keep an index from being built', async () => {
  const { engine, database } = await open();
  await database.demoData.use();
  expect(await migrate(engine, { migrations: [COLUMN, INDEX] })).toEqual([
    'test_column',
    'test_index',
  ]);
});

async function open() {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  const database = await openDatabase({ url }, { ...PATIENT_DATABASE, keyRing: TEST_RING });
  closing.push(database.close);
  const engine = await openEngine({ url }, PATIENT_DATABASE);
  closing.push(engine.close);
  const rival = await openRival(url);
  closing.push(rival.close);
  return { url, database, engine, rival };
}
