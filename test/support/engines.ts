import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Application } from '../../src/domain/caller.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../../src/storage/database.ts';
import type { Engine } from '../../src/storage/engine/engine.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { type KeyRing, parseKeyRing } from '../../src/storage/sealing/key-ring.ts';

/** The suite once on PGlite, and once on PostgreSQL where TEST_DATABASE_URL names a server. */
export function describeEachEngine(title: string, suite: (on: EngineUnderTest) => void): void {
  describeOn('pglite', title, suite);
  describeOn('postgres', title, suite);
}

function describeOn(kind: Engine['kind'], title: string, suite: (on: EngineUnderTest) => void): void {
  describe.skipIf(kind === 'postgres' && !HAS_POSTGRES)(`${title} (${kind})`, () => {
    let opened: { engine: Engine; database: Database } | undefined;
    let dropDatabase = async () => {};
    const get = () => {
      if (!opened) throw new Error('The database opens before the first test, not while tests are collected');
      return opened;
    };
    beforeAll(async () => {
      const fresh = kind === 'postgres' ? await createPostgresDatabase() : undefined;
      dropDatabase = async () => fresh?.drop();
      const engine = await openEngine(fresh ?? { memory: true }, {});
      await migrate(engine);
      opened = { engine, database: createDatabase(engine, { keyRing: TEST_RING, cacheDelayMs: 0 }) };
    });
    afterAll(async () => {
      await opened?.engine.close();
      await dropDatabase();
    });
    suite({
      kind,
      database: () => get().database,
      another: (options) => createDatabase(get().engine, { keyRing: TEST_RING, cacheDelayMs: 0, ...options }),
      rows: (text, values = []) => get().engine.query({ name: text.slice(0, 60), text }, values),
      createApplication: () => get().database.admin.createApplication(`application ${randomUUID()}`),
    });
  });
}

/** For suites about what only a server can do. */
export function describeOnPostgres(title: string, suite: () => void): void {
  describe.skipIf(!HAS_POSTGRES)(`${title} (postgres)`, suite);
}

export const HAS_POSTGRES = Boolean(process.env['TEST_DATABASE_URL']);

/** Every file has its own database: files run side by side. */
export async function createPostgresDatabase(): Promise<PostgresDatabase> {
  const name = `crossbook_test_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name}`);
  const url = new URL(process.env['TEST_DATABASE_URL'] ?? '');
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client(process.env['TEST_DATABASE_URL']);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export function ringOf(...ids: readonly string[]): KeyRing {
  return parseKeyRing(ids.map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`).join(','));
}

export const TEST_RING = ringOf('test');

export interface EngineUnderTest {
  readonly kind: 'pglite' | 'postgres';
  /** One for the whole file: starting takes seconds. */
  database(): Database;
  /** As another process with other options would see the same data. */
  another(options: Partial<DatabaseOptions>): Database;
  /** What is really stored. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Tests share the tables, and keep apart by their application. */
  createApplication(): Promise<Application>;
}

export interface PostgresDatabase {
  readonly url: string;
  drop(): Promise<void>;
}
