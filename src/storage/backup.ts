import { randomBytes } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { withErrorListener } from '../lib/error-listener.ts';
import { cannotOpen } from './database.ts';
import { inTransaction } from './engine/client.ts';
import { applyMigrations, migrate } from './engine/migrate.ts';
import { openEngine, type Target } from './engine/open.ts';
import type { Engine } from './engine/postgres.ts';
import type { RunSql } from './engine/statements.ts';
import { MIGRATIONS } from './migrations.generated.ts';

/**
 * Writes a consistent snapshot of all rows as JSON to a gzip file, which can be restored to another version of
 * PostgreSQL.
 */
export async function backUp(target: Target, file: string) {
  if (existsSync(file))
    throw new Error(`${file} already exists: a backup does not overwrite files.`);
  return withEngine(target, async (engine) => {
    await migrate(engine);
    const draft = `${file}.${randomBytes(4).toString('hex')}`;
    try {
      // Rows are read from one snapshot, which no lock has to protect: migrations and requests continue.
      await engine.session((run) =>
        inTransaction(
          run,
          () =>
            pipeline(
              Readable.from(readRows(run)),
              withErrorListener(createGzip()),
              withErrorListener(createWriteStream(draft, { mode: 0o600, flush: true })),
            ),
          { mode: 'isolation level repeatable read read only' },
        ),
      );
      // Linking makes the file appear atomically and never overwrites.
      linkSync(draft, file);
      return { file, bytes: statSync(file).size };
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/** Restores a backup into a database without applications: all rows or none. */
export async function restore(file: string, target: Target) {
  const header = await verify(file);
  return withEngine(target, async (engine) => {
    await engine.withMigrationLock(async (run) => {
      // Restores the rows into the tables as of the backup; later migrations then change both.
      await applyMigrations(run, { migrations: MIGRATIONS.slice(0, header.migrations.length) });
      await inTransaction(run, async () => {
        const applications = await run('select id from crossbook.applications limit 1');
        if (applications.length > 0)
          throw new Error('This database is not empty: restore to an empty one.');
        await insertRows(run, file);
      });
      await applyMigrations(run, {});
    });
    return { file, bytes: statSync(file).size };
  });
}

async function* readRows(run: RunSql): AsyncGenerator<string> {
  const header: Header = { format: FORMAT, migrations: KNOWN };
  yield `${JSON.stringify(header)}\n`;
  // A cursor sees a snapshot of all tables as of its opening.
  const selects = TABLES.map(
    (table) =>
      `select '${table}' as name, to_jsonb(stored)::text as row from crossbook.${table} stored`,
  );
  await run(`declare backup no scroll cursor for ${selects.join(' union all ')}`);
  let rows = 0;
  for (;;) {
    const batch = (await run(`fetch ${BATCH} from backup`)) as readonly {
      name: string;
      row: string;
    }[];
    for (const { name, row } of batch) yield `["${name}",${row}]\n`;
    rows += batch.length;
    if (batch.length < BATCH) break;
  }
  yield `${JSON.stringify({ rows })}\n`;
}

async function insertRows(run: RunSql, file: string): Promise<void> {
  for (const table of TABLES) {
    let batch: string[] = [];
    const insert = async () => {
      const text = `insert into crossbook.${table} select * from jsonb_populate_recordset(null::crossbook.${table}, $1)`;
      if (batch.length > 0) await run(text, [`[${batch.join(',')}]`]);
      batch = [];
    };
    // Rows are grouped by table.
    const start = `["${table}",`;
    for await (const line of readLines(file)) {
      if (line.startsWith(start)) batch.push(line.slice(start.length, -1));
      if (batch.length >= BATCH) await insert();
    }
    await insert();
  }
}

/** Checks that the file is complete, a backup of ours, and of a known version, before anything is opened or created. */
async function verify(file: string): Promise<Header> {
  let header: Header | undefined;
  let rows = -2;
  let last = '';
  try {
    for await (const line of readLines(file)) {
      header ??= JSON.parse(line) as Header;
      last = line;
      rows += 1;
    }
    if (header?.format !== FORMAT || JSON.parse(last).rows !== rows)
      throw new Error('It is truncated, or has another format.');
  } catch (cause) {
    if (!existsSync(file)) throw new Error(`There is no file ${file}.`, { cause });
    throw new Error(`${file} is not a backup of Crossbook.`, { cause });
  }
  if (header.migrations.some((name, place) => KNOWN[place] !== name))
    throw new Error(
      `${file} was made by a later version of Crossbook: restore it with that version.`,
    );
  return header;
}

async function* readLines(file: string): AsyncGenerator<string> {
  const source = withErrorListener(createReadStream(file));
  const unpacked = withErrorListener(createGunzip());
  const failed = pipeline(source, unpacked);
  failed.catch(() => undefined);
  for await (const line of createInterface({
    input: unpacked,
    crlfDelay: Number.POSITIVE_INFINITY,
  }))
    yield line;
  await failed;
}

async function withEngine<T>(target: Target, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(target, {});
  try {
    return await work(engine);
  } catch (error) {
    throw cannotOpen(target, error);
  } finally {
    await engine.close();
  }
}

/** Tables in order of their foreign keys. Without caches, and without links, which expire within a day. */
export const TABLES = [
  'applications',
  'api_keys',
  'customers',
  'connections',
  'credentials',
  'contact_fields',
  'record_fields',
  'branding',
  'mapping_problems',
  'record_mapping_problems',
  'oauth_clients',
  'events',
  'webhook_endpoints',
  'webhook_deliveries',
  'webhook_responses',
  'operator_audit',
  'usage',
  'sync_destinations',
  'sync_configurations',
  'sync_plans',
  'syncs',
  'sync_runs',
  'customer_sync_tables',
  'row_removals',
  'writes',
] as const;
const FORMAT = 'crossbook rows 1';
const KNOWN = MIGRATIONS.map(({ name }) => name);
const BATCH = 500;

interface Header {
  readonly format: typeof FORMAT;
  readonly migrations: readonly string[];
}
