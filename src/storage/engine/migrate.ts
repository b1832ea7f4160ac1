import { setTimeout as wait } from 'node:timers/promises';
import { MIGRATIONS } from '../migrations.generated.ts';
import { inTransaction } from './client.ts';
import { isLockedOut } from './failures.ts';
import type { Engine, RunSql } from './open.ts';

/**
 * Applies pending migrations, each in a transaction of its own, and returns their names. Of concurrent processes one
 * does it.
 */
export async function migrate(
  engine: Engine,
  { migrations = MIGRATIONS, onBlocked }: MigrateOptions = {},
): Promise<readonly string[]> {
  // The usual start has no pending migration, and needs neither the lock nor the right to change tables.
  if ((await findPending(engine, migrations)).length === 0) return [];
  return engine.repeatable(() =>
    engine.withMigrationLock((run) => applyMigrations(run, { migrations, onBlocked })),
  );
}

/** The names of pending migrations. */
export async function findPending(
  engine: Pick<Engine, 'query'>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const missing = await pending(migrations, (text) => engine.query({ name: text, text }, []));
  return missing.map(({ name }) => name);
}

/** Applies pending migrations. The caller holds the migration lock. */
export async function applyMigrations(
  run: RunSql,
  { migrations = MIGRATIONS, onBlocked }: MigrateOptions,
): Promise<readonly string[]> {
  const missing = await pending(migrations, run);
  for (const migration of missing) {
    const apply = isConcurrent(migration) ? buildIndexes : applyTogether;
    await untilUnlocked(
      () => apply(run, migration),
      () => onBlocked?.(migration.name),
    );
  }
  return missing.map(({ name }) => name);
}

/**
 * A lock that has to be waited for makes all later statements on the table wait as well, so the wait is shorter than
 * the lock timeout of a request's statement, and is repeated after a pause in which those statements are executed.
 */
async function untilUnlocked(work: () => Promise<void>, onBlocked: () => void): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockedOut(error)) throw error;
    }
    if (tries === 0) onBlocked();
    await wait(PAUSE_MS);
  }
}

const LOCK_TIMEOUT_MS = 300;
const PAUSE_MS = 1_000;

async function applyTogether(run: RunSql, { name, statements }: Migration): Promise<void> {
  const work = async () => {
    for (const statement of statements) await run(statement);
    await record(run, name);
  };
  await inTransaction(run, work, { lockTimeoutMs: LOCK_TIMEOUT_MS });
}

/** Builds indexes outside of a transaction, while rows are read and written. */
async function buildIndexes(run: RunSql, { name, statements }: Migration): Promise<void> {
  for (const statement of statements) {
    const index = `crossbook.${INDEX_NAME.exec(statement)?.[1]}`;
    const [found] = await run(FIND_INDEX, [index]);
    if (found?.['isValid']) continue;
    // A build that was interrupted leaves an index that is not used.
    if (found) await run(`drop index concurrently ${index}`);
    await run(statement);
  }
  await inTransaction(run, () => record(run, name));
}

/** A migration is either a transaction or a list of index builds: `embed.mjs` separates the two. */
function isConcurrent({ statements }: Migration): boolean {
  return statements.every((statement) => INDEX_NAME.test(statement));
}

const INDEX_NAME = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY ("\w+")/;

const FIND_INDEX =
  'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1::text)';

async function record(run: RunSql, name: string): Promise<void> {
  await run(LIST);
  await run('insert into crossbook.migrations (name) values ($1)', [name]);
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

export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

interface MigrateOptions {
  readonly migrations?: readonly Migration[] | undefined;
  /** Called once for each migration that cannot have its lock yet. */
  readonly onBlocked?: ((migration: string) => void) | undefined;
}
