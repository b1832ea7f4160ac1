import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { MIGRATIONS } from '../../src/storage/migrations.generated.ts';
import { createEmptyDatabase, TEST_RING } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'src/storage/migrations');
const NOW = { name: 'test_now', text: 'select name from crossbook.migrations order by applied_at' };

describe('the output of npm run db:generate', () => {
  test('the module has every migration of the folder, unchanged', () => {
    const { entries } = JSON.parse(readFileSync(join(FOLDER, 'meta/_journal.json'), 'utf8'));
    const names = entries.map(({ tag }: { tag: string }) => tag);
    const fileOf = ({ name }: { name: string }) =>
      names.find((tag: string) => name === tag || name.startsWith(`${tag}_`));
    expect([...new Set(MIGRATIONS.map(fileOf))]).toEqual(names);
    for (const name of names) {
      const parts = MIGRATIONS.filter((one) => fileOf(one) === name);
      const written = readFileSync(join(FOLDER, `${name}.sql`), 'utf8')
        .split(/--> (?:statement-breakpoint|step \w+)/)
        .map((statement) => statement.trim())
        .filter((statement) => statement !== '');
      expect(parts.flatMap(({ statements }) => statements)).toEqual(written);
    }
  });

  test('the migrations create the tables of schema.ts, with nothing left to generate', () => {
    // drizzle-kit resolves its folder from the project's root.
    const copy = join('test-results', `migrations-${process.pid}`);
    mkdirSync(join(ROOT, 'test-results'), { recursive: true });
    cpSync(FOLDER, join(ROOT, copy), { recursive: true });
    try {
      const given = [
        'generate',
        '--dialect=postgresql',
        '--schema=./src/storage/*schema.ts',
        `--out=./${copy}`,
      ];
      const program = join(ROOT, 'test/all/node_modules/drizzle-kit/bin.cjs');
      const said = execFileSync(process.execPath, [program, ...given], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      expect(said).toContain('No schema changes');
      expect(readdirSync(join(ROOT, copy)).sort()).toEqual(readdirSync(FOLDER).sort());
    } finally {
      rmSync(join(ROOT, copy), { recursive: true });
    }
  });
});

test('migrations are applied in order, once, and a failed one is rolled back', async () => {
  const fresh = await createEmptyDatabase();
  const engine = await openEngine(fresh, PATIENT_DATABASE);
  const one = {
    name: '1',
    statements: ['create schema crossbook', 'create table crossbook.a (id int)'],
  };
  const broken = {
    name: '2',
    statements: ['create table crossbook.b (id int)', 'create nonsense'],
  };
  await migrate(engine, { migrations: [one] });
  await expect(migrate(engine, { migrations: [one, broken] })).rejects.toThrow(/42601/);
  const exists = { name: 'test_exists', text: `select to_regclass('crossbook.b') as name` };
  expect(await engine.query(exists, [])).toEqual([{ name: null }]);
  const mended = { name: '2', statements: ['create table crossbook.b (id int)'] };
  expect(await migrate(engine, { migrations: [one, mended] })).toEqual(['2']);
  expect(await engine.query(NOW, [])).toEqual([{ name: '1' }, { name: '2' }]);
  await engine.close();
  await fresh.drop();
});

test('existing keys that share a name stay valid: the oldest keeps the name, the others get their id appended', async () => {
  const fresh = await createEmptyDatabase();
  const engine = await openEngine(fresh, PATIENT_DATABASE);
  const before = MIGRATIONS.findIndex(({ statements }) =>
    statements.some((one) => /api_keys_active_name/.test(one)),
  );
  await migrate(engine, { migrations: MIGRATIONS.slice(0, before) });
  const run = (text: string) =>
    engine.query<{ name: string }>({ name: text.slice(0, 40), text }, []);
  await run(
    `insert into crossbook.applications (id, name) select gen_random_uuid(), n::text from generate_series(1, 2) n`,
  );
  await run(`insert into crossbook.api_keys (public_id, application_id, name, secret_hash, created_at, revoked_at)
    select key, id, 'default', '', '2026-01-01'::timestamptz + day * interval '1 day', ended
    from crossbook.applications cross join (values
      ('a', 3, null), ('b', 2, null), ('c', 1, '2026-02-01'::timestamptz), ('d', 2, null)) of (key, day, ended)
    where applications.name = '1'
    union all select 'e', id, 'default', '', now(), null from crossbook.applications where name = '2'`);
  await migrate(engine);
  const names = await run('select name from crossbook.api_keys order by public_id');
  expect(names.map(({ name }) => name)).toEqual([
    'default a',
    'default',
    'default',
    'default d',
    'default',
  ]);
  await engine.close();
  await fresh.drop();
});

describe('on a server', () => {
  test('a start that waits for another’s migrations logs it, and one without a wait does not', async () => {
    const fresh = await createEmptyDatabase();
    const rival = await openRival(fresh.url);
    await rival.run('begin');
    await rival.run(`select pg_advisory_xact_lock(hashtextextended('crossbook:alone', 0))`);
    let waits = 0;
    const open = () =>
      openDatabase(fresh, {
        ...PATIENT_DATABASE,
        keyRing: TEST_RING,
        onMigrationWait: () => waits++,
      });
    const opening = open();
    await expect.poll(() => waits).toBe(1);
    await rival.run('rollback');
    await (await opening).close();
    await (await open()).close();
    expect(waits).toBe(1);
    await rival.close();
    await fresh.drop();
  });

  test('ten processes that start at once on an empty database migrate it once', async () => {
    const fresh = await createEmptyDatabase();
    const open = () =>
      openDatabase(fresh, { ...PATIENT_DATABASE, keyRing: TEST_RING, poolSize: 2 });
    const databases = await Promise.all(Array.from({ length: 10 }, open));
    const application = await databases[0]?.admin.createApplication('seen by all');
    for (const { admin } of databases)
      expect(await admin.listApplications()).toEqual([{ ...application, deletedAt: null }]);
    await Promise.all(databases.map((database) => database.close()));

    const engine = await openEngine(fresh, PATIENT_DATABASE);
    expect(await engine.query(NOW, [])).toEqual(MIGRATIONS.map(({ name }) => ({ name })));
    await engine.close();
    await fresh.drop();
  });
});
