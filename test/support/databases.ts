import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { Application } from '../../src/domain/caller.ts';
import { createDatabase, type Database, type DatabaseOptions } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import type { Engine } from '../../src/storage/engine/postgres.ts';
import { type KeyRing, parseKeyRing } from '../../src/storage/key-ring.ts';
import { administer, TEMPLATE, withName } from './administer.ts';
import { PATIENT_DATABASE } from './patience.ts';

/** Runs the suite once on the embedded server, and once on that of TEST_DATABASE_URL. */
export function describeEachServer(title: string, suite: (on: ServerUnderTest) => void): void {
  describeOn('embedded', title, suite);
  describeOn('external', title, suite);
}

function describeOn(kind: ServerKind, title: string, suite: (on: ServerUnderTest) => void): void {
  describe.skipIf(kind === 'external' && !EXTERNAL)(`${title} (${kind})`, () => {
    let opened: { engine: Engine; database: Database } | undefined;
    let dropDatabase = async () => {};
    const get = () => {
      if (!opened)
        throw new Error('The database opens before the first test, not while tests are collected');
      return opened;
    };
    beforeAll(async () => {
      const { url, drop } = await (kind === 'embedded'
        ? createTestDatabase()
        : createEmptyDatabase(kind));
      dropDatabase = drop;
      const engine = await openEngine({ url }, PATIENT_DATABASE);
      await migrate(engine);
      opened = {
        engine,
        database: createDatabase(engine, { keyRing: TEST_RING, cacheDelayMs: 0 }),
      };
    });
    afterAll(async () => {
      await opened?.engine.close();
      await dropDatabase();
    });
    suite({
      kind,
      database: () => get().database,
      another: (options) =>
        createDatabase(get().engine, { keyRing: TEST_RING, cacheDelayMs: 0, ...options }),
      rows: (text, values = []) => get().engine.query({ name: text.slice(0, 60), text }, values),
      createApplication: () =>
        get().database.admin.createApplication(`application ${randomUUID()}`),
    });
  });
}

/** With all tables, and no rows. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(inject('databaseServer'), `template ${TEMPLATE} strategy file_copy`);
}

export function createEmptyDatabase(kind: ServerKind = 'embedded'): Promise<TestDatabase> {
  return create(kind === 'embedded' ? inject('databaseServer') : (EXTERNAL ?? ''), '');
}

/** Every file has a database of its own, because files run in parallel. */
async function create(serverUrl: string, options: string): Promise<TestDatabase> {
  const name = `crossbook_test_${randomBytes(6).toString('hex')}`;
  await administer(serverUrl, `create database ${name} ${options}`);
  return {
    url: withName(serverUrl, name),
    drop: () => administer(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

export function ringOf(...ids: readonly string[]): KeyRing {
  return parseKeyRing(
    ids.map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`).join(','),
  );
}

export const TEST_RING = ringOf('test');

/** The oldest supported version, or another. */
export const EXTERNAL = process.env['TEST_DATABASE_URL'];

type ServerKind = 'embedded' | 'external';

export interface ServerUnderTest {
  readonly kind: ServerKind;
  /** One for the whole file. */
  database(): Database;
  /** A second instance with other options on the same data, like another process. */
  another(options: Partial<DatabaseOptions>): Database;
  /** Reads the stored rows directly. */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Tests share the tables, and are isolated by their application. */
  createApplication(): Promise<Application>;
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}
