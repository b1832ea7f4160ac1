import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { MIGRATIONS } from '../migrations.generated.ts';
import { inTransaction } from './client.ts';
import { isLockedOut } from './failures.ts';
import { type OnMigrationWaits, watchMigrationWaits } from './migration-waits.ts';
import type { Engine } from './postgres.ts';
import type { RunSql } from './statements.ts';

/**
 * Applies pending migrations, each in a transaction of its own, and returns their names. Of concurrent processes one
 * does it.
 */
export async function migrate(
  engine: Engine,
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  const { migrations = MIGRATIONS, onBlocked, onLater, onWaits: onWait } = options;
  const later = await findLater(engine, migrations);
  if (later.length > 0) onLater?.(later);
  // The usual start has no pending migration, and needs neither the lock nor the right to change tables.
  if ((await findPending(engine, migrations)).length === 0) return [];
  const { clock = systemClock } = options;
  return engine.repeatable(async () => {
    const waits = watchMigrationWaits({ engine, clock, onWait: onWait ?? (() => undefined) });
    try {
      return await engine.withMigrationLock(async (run) => {
        const [session] = await run('select pg_backend_pid() as pid');
        waits.begin(Number(session?.['pid']));
        return applyMigrations(run, { migrations, onBlocked, onNext: waits.next });
      });
    } finally {
      waits.stop();
    }
  });
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
  { migrations = MIGRATIONS, onBlocked, onNext }: MigrateOptions & NextMigration,
): Promise<readonly string[]> {
  const missing = await pending(migrations, run);
  for (const migration of missing) {
    onNext?.(migration.name);
    await untilUnlocked(
      () => toApply(migration)(run, migration),
      () => onBlocked?.(migration.name),
    );
  }
  return missing.map(({ name }) => name);
}

function toApply({ statements }: Migration) {
  if (statements.every((statement) => INDEX_NAME.test(statement))) return buildIndexes;
  if (statements.every((statement) => IN_BATCHES.test(statement))) return changeRows;
  return applyTogether;
}

/** What a statement that changes rows begins with: it is repeated until it returns no row. */
const IN_BATCHES = /^-- in batches\n/;

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

/** A migration that locks two tables may make a statement wait for twice this time. */
const LOCK_TIMEOUT_MS = 150;
const PAUSE_MS = 1_000;

async function applyTogether(run: RunSql, migration: Migration): Promise<void> {
  const work = async () => {
    for (const statement of migration.statements) await run(statement);
    await record(run, migration);
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
  await inTransaction(run, () => record(run, { name }));
}

/** Each batch is a transaction of its own, so that no row is locked for long. */
async function changeRows(run: RunSql, { name, statements }: Migration): Promise<void> {
  for (const statement of statements) {
    const changeBatch = () =>
      inTransaction(run, () => run(statement), { lockTimeoutMs: LOCK_TIMEOUT_MS });
    while ((await changeBatch()).length > 0);
  }
  await inTransaction(run, () => record(run, { name }));
}

const INDEX_NAME = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY ("\w+")/;

const FIND_INDEX =
  'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1::text)';

async function record(
  run: RunSql,
  { name, requires }: Omit<Migration, 'statements'>,
): Promise<void> {
  await run(LIST);
  await run('insert into crossbook.migrations (name) values ($1)', [name]);
  if (requires === undefined) return;
  await run('alter table crossbook.migrations add column if not exists requires text');
  await run('update crossbook.migrations set requires = $2 where name = $1', [name, requires]);
}

/**
 * The migrations of later versions that this database has. Rejects if one of them has removed what this version
 * uses.
 */
export async function findLater(
  engine: Pick<Engine, 'query'>,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const known = new Set(migrations.map(({ name }) => name));
  const [list] = await engine.query<{ name: string | null }>(FIND_LIST, []);
  if (!list?.name) return [];
  // The column exists only where such a migration was applied.
  const applied = await engine.query<{ row: AppliedMigration }>(LIST_APPLIED, []);
  const later = applied.map(({ row }) => row).filter(({ name }) => !known.has(name));
  const removal = later.find(({ requires }) => requires && !known.has(requires));
  if (!removal) return later.map(({ name }) => name);
  throw new Error(
    `A later version of Crossbook has removed what this version needs from the database (migration ${removal.name}). Start that version again, or restore a backup of this version to an empty database.`,
  );
}

const FIND_LIST = {
  name: 'find_migrations',
  text: `select to_regclass('crossbook.migrations')::text as name`,
};
const LIST_APPLIED = {
  name: 'list_migrations',
  text: 'select to_jsonb(applied) as row from crossbook.migrations as applied order by applied_at, name',
};

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

interface AppliedMigration {
  readonly name: string;
  readonly requires?: string | null;
}

export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
  /**
   * For a migration that removes something: the migration that a version must know to run on the database afterwards.
   */
  readonly requires?: string | undefined;
}

interface MigrateOptions {
  readonly migrations?: readonly Migration[] | undefined;
  /** Called once for each migration that cannot have its lock yet. */
  readonly onBlocked?: ((migration: string) => void) | undefined;
  /** Called where the database has migrations of a later version. */
  readonly onLater?: ((migrations: readonly string[]) => void) | undefined;
  /** Called where it has waited for other sessions for ten seconds, and every minute. */
  readonly onWaits?: OnMigrationWaits | undefined;
  readonly clock?: Pick<Clock, 'schedule'> | undefined;
}

interface NextMigration {
  /** Called before each. */
  readonly onNext?: (migration: string) => void;
}
