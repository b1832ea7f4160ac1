import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digest } from '../../src/lib/digest.ts';
import { type Database, migrateDatabase } from '../../src/storage/database.ts';
import { findLater, migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { MIGRATIONS } from '../../src/storage/migrations.generated.ts';
import { compile } from '../support/compile.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/databases.ts';
import { openRival } from '../support/postgres-rival.ts';
import { PREVIOUS, unpackVersion } from '../support/previous-version.ts';
import * as current from '../support/storage-of-processes.ts';
import { listStatements } from './list-statements.ts';

const KEYS = `k:${Buffer.alloc(32, 'k').toString('base64')}`;

describe.skipIf(!PREVIOUS)('the previous version', () => {
  let folder = '';
  let previous: typeof current;
  let remove = () => {};
  beforeAll(async () => {
    const unpacked = unpackVersion(PREVIOUS ?? '');
    ({ folder, remove } = unpacked);
    const { file, remove: forget } = compile('test/support/storage-of-processes.ts', folder);
    previous = await import(pathToFileURL(file).href);
    forget();
  });
  afterAll(() => remove());

  test('has statements that the database of this version can still plan', async () => {
    const { url, drop } = await createTestDatabase();
    const rival = await openRival(url);
    const statements = (await listStatements(folder)).filter(({ name }) => !PARTS.has(name));
    // The list is not empty: the smallest of these versions has 70.
    expect(statements.length).toBeGreaterThanOrEqual(70);
    const failed: string[] = [];
    await rival.run('set plan_cache_mode = force_generic_plan');
    for (const [index, { name, text }] of statements.entries()) {
      const plan = async () => {
        await rival.run(`prepare statement_${index} as ${text}`);
        const [row] = await rival.run(
          'select cardinality(parameter_types) as count from pg_prepared_statements where name = $1',
          [`statement_${index}`],
        );
        const values = Array(Number(row?.['count'])).fill('null').join(', ');
        await rival.run(`explain execute statement_${index}${values && `(${values})`}`);
      };
      await plan().catch((error) => failed.push(`${name}: ${error.message}`));
    }
    expect(failed).toEqual([]);
    await rival.close();
    await drop();
  });

  test('writes while this version migrates, then alongside it, and nothing fails or is lost', async () => {
    const { url, drop } = await createEmptyDatabase();
    const old = await previous.openDatabase({ url }, { keyRing: previous.parseKeyRing(KEYS) });
    const writers = [await openWriter(old, 'old'), await openWriter(old, 'old too')];
    const running = writers.map(({ run }) => run());
    await expect.poll(() => writers.every(({ rounds }) => rounds() > 2)).toBe(true);
    const applied = await migrateDatabase({ url }, {});
    expect(applied.length).toBeGreaterThan(0);
    const young = await current.openDatabase({ url }, { keyRing: current.parseKeyRing(KEYS) });
    const newWriters = [await openWriter(young, 'new'), await openWriter(young, 'new too')];
    running.push(...newWriters.map(({ run }) => run()));
    const before = writers.map(({ rounds }) => rounds());
    // Both versions write, and each continues what the other has begun.
    await expect
      .poll(() => [...writers, ...newWriters].every(({ rounds }) => rounds() > 5))
      .toBe(true);
    await expect
      .poll(() => writers.every(({ rounds }, index) => rounds() > (before[index] ?? 0) + 5))
      .toBe(true);
    for (const { stop } of [...writers, ...newWriters]) stop();
    await Promise.all(running);
    for (const { check } of [...writers, ...newWriters]) {
      await check(old);
      await check(young);
    }
    const rival = await openRival(url);
    expect(await rival.run(UNFILLED)).toEqual([{ deliveries: 0, flows: 0 }]);
    await Promise.all([old.close(), young.close(), rival.close()]);
    await drop();
  });
});

/** Constants that statements are composed of. */
const PARTS = new Set([
  'job',
  'insert',
  'insert_customers',
  'customer_events',
  'connection_events',
  'lock_current',
  'first_attempt',
]);

const UNFILLED = `select
  (select count(*)::int from crossbook.webhook_deliveries where application_id is null) as deliveries,
  (select count(*)::int from crossbook.connect_flows where application_id is null) as flows`;

/** Writes to each table whose key changes, in rounds, for customers of its own. */
async function openWriter(database: Database, name: string) {
  const { id } = await database.admin.createApplication(name);
  const stores = database.forApplication(id);
  const endpoint = await stores.webhooks.create({ url: 'https://app.example', eventTypes: [] });
  const endpointId = endpoint?.endpoint.id ?? '';
  let rounds = 0;
  let isOver = false;
  return {
    rounds: () => rounds,
    stop: () => {
      isOver = true;
    },
    async run(): Promise<void> {
      for (; !isOver; rounds += 1) await writeRound();
    },
    /** Each version reads what either has written. */
    async check({ forApplication }: Database): Promise<void> {
      const { customers, credentials, events } = forApplication(id);
      const [customer] = await customers.findMany(['ada']);
      expect(customer?.version).toBe(2 * rounds);
      const [connection] = customer?.connections ?? [];
      const stored = await credentials.read(connection?.id ?? '');
      expect(stored?.credentials).toEqual({ type: 'token', value: `${rounds - 1}` });
      const newest = await events.list({ customerId: 'ada', after: undefined, limit: 3 });
      expect(newest.length).toBe(3);
    },
  };

  async function writeRound(): Promise<void> {
    const credentials = { type: 'token', value: `${rounds}` } as const;
    const connections = [{ providerName: 'hubspot', credentials } as const];
    const { customer } = await stores.customers.upsert({ ...ADA, name: `${rounds}`, connections });
    const [connection] = customer.connections;
    if (!connection) throw new Error('There is no connection.');
    await problemsOf(stores).noteProblems(connection, [
      { record: 'CONTACT', field: 'color', source: `${rounds % 3}`, problem: 'MISSING' },
    ]);
    await stores.credentials.markRefused(connection.id, rounds + 1, 'refresh_token_refused');
    const [newest] = await stores.events.list({ customerId: 'ada', after: undefined, limit: 1 });
    await stores.webhooks.redeliver(endpointId, { eventIds: [newest?.id ?? ''] });
    const link = await stores.connectLinks.create(toLink());
    await database.connectFlows.start(toFlow(link?.id ?? ''));
    await database.connectFlows.finish(link?.id ?? '', FINISHED);
    expect((await stores.connectLinks.find(link?.id ?? ''))?.status).toBe('COMPLETED');
    await stores.removals.removeConnection('ada', 'salesforce');
  }
}

/** The store that the previous version has under its former name. */
function problemsOf(stores: ReturnType<Database['forApplication']>) {
  const former = stores as { readonly ownFields?: typeof stores.customFields };
  return former.ownFields ?? stores.customFields;
}

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const toLink = () =>
  ({
    customerId: 'ada',
    providers: ['salesforce'],
    returnUrl: 'https://app.example/connected',
    mode: 'REDIRECT',
    confirm: false,
    loginUrl: null,
    optionalScopes: [],
    allowAccountChange: true,
    expiresAt: new Date(Date.now() + 15 * 60_000),
  }) as const;
const toFlow = (linkId: string) =>
  ({
    linkId,
    codeVerifier: 'verifier',
    providerName: 'salesforce',
    stateHash: digest(randomUUID()),
    cookieHash: digest('cookie'),
    loginOrigin: 'https://login.example',
    oauthClientId: 'client',
  }) as const;
const REQUESTED = { readableRecords: ['CONTACT'], writableRecords: [] } as const;
const FINISHED = {
  providerName: 'salesforce',
  grant: {
    accessToken: 'access',
    refreshToken: 'refresh',
    expiresAt: null,
    instanceUrl: null,
    scopes: [],
    account: { id: '42', name: 'Acme', url: 'https://acme.example', userId: '7' },
  },
  requested: REQUESTED,
  /** What the previous version calls it. */
  asked: REQUESTED,
  oauthClientId: 'client',
  codeHash: undefined,
} as const;

describe('a database of a later version', () => {
  const LATER = { name: '9998_added', statements: ['create table crossbook.later (id int)'] };
  const REMOVAL = {
    name: '9999_removed',
    statements: ['drop table crossbook.later'],
    requires: LATER.name,
  };

  test('is used where the later migrations only add, and the log names the last one', async () => {
    const { url, drop } = await createTestDatabase();
    const engine = await openEngine({ url }, {});
    await migrate(engine, { migrations: [...MIGRATIONS, LATER] });
    const later: string[] = [];
    const keyRing = current.parseKeyRing(KEYS);
    const onLaterMigrations = (names: readonly string[]) => void later.push(...names);
    const database = await current.openDatabase({ url }, { keyRing, onLaterMigrations });
    expect(later).toEqual([LATER.name]);
    await Promise.all([database.close(), engine.close()]);
    await drop();
  });

  test('is refused where something was removed that this version uses, with what to do', async () => {
    const { url, drop } = await createTestDatabase();
    const engine = await openEngine({ url }, {});
    await migrate(engine, { migrations: [...MIGRATIONS, LATER, REMOVAL] });
    await expect(
      current.openDatabase({ url }, { keyRing: current.parseKeyRing(KEYS) }),
    ).rejects.toThrow(
      'A later version of Crossbook has removed what this version needs from the database (migration 9999_removed). Start that version again, or restore a backup of this version to an empty database.',
    );
    // A version that knows what replaces it may start.
    expect(await findLater(engine, [...MIGRATIONS, LATER])).toEqual([REMOVAL.name]);
    await engine.close();
    await drop();
  });
});
