import { MIGRATIONS } from '../migrations.generated.ts';
import type { Engine, RunSql } from './open.ts';

/** Applies pending migrations in one transaction. Of concurrent processes one does it. */
export async function migrate(
  engine: Engine,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  // The usual start has no pending migration, and needs neither the lock nor the right to change tables.
  const missing = await findPending(engine, migrations);
  if (missing.length > 0)
    await engine.repeatable(() =>
      engine.withAdvisoryLock((run) => applyMigrations(run, migrations)),
    );
}

/** The names of pending migrations. */
export async function findPending(
  engine: Engine,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const missing = await pending(migrations, (text) => engine.query({ name: text, text }, []));
  return missing.map(({ name }) => name);
}

/** Applies pending migrations in the transaction of `run`. */
export async function applyMigrations(
  run: RunSql,
  migrations: readonly Migration[],
): Promise<void> {
  for (const { name, statements } of await pending(migrations, run)) {
    for (const statement of statements) await run(statement);
    await run(LIST);
    await run('insert into crossbook.migrations (name) values ($1)', [name]);
  }
}

async function pending(
  migrations: readonly Migration[],
  run: RunSql,
): Promise<readonly Migration[]> {
  const [list] = await run(`select to_regclass('crossbook.migrations')::text as name`);
  if (!list?.['name']) return migrations;
  const applied = new Set(
    (await run('select name from crossbook.migrations')).map((row) => row['name']),
  );
  return migrations.filter(({ name }) => !applied.has(name));
}

const LIST = `create table if not exists crossbook.migrations
  (name text primary key, applied_at timestamptz not null default now())`;

interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
