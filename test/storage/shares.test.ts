import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import type { Engine } from '../../src/storage/engine/postgres.ts';
import { createFakeClock } from '../support/clock.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { openRival, type Rival } from '../support/postgres-rival.ts';
import { SYNC_CONTACTS } from '../support/sync-settings.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const WAIT = {
  name: 'wait',
  text: 'select pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1)',
};

const clock = createFakeClock();
let fresh: TestDatabase;
let engine: Engine;
let database: Database;
let rival: Rival;

beforeAll(async () => {
  fresh = await createTestDatabase();
  engine = await openEngine(fresh, { clock, poolSize: 10, lockTimeoutMs: 0 });
  await migrate(engine);
  database = createDatabase(engine, { keyRing: TEST_RING, clock });
  rival = await openRival(fresh.url);
});
afterAll(async () => {
  await engine.close();
  await rival.close();
  await fresh.drop();
});

test('slow statements of several applications leave connections to others', async () => {
  await rival.run('select pg_advisory_lock(1)');
  const slow = Array.from({ length: 3 }, (_, n) => engine.forApplication(`slow ${n}`)).flatMap(
    ({ query }) => Array.from({ length: 50 }, () => query(WAIT, [])),
  );
  const { id } = await database.admin.createApplication('quick');
  const { customers } = database.forApplication(id);
  expect((await customers.upsert(ADA)).created).toBe(true);
  expect(await customers.findMany(['ada'])).toMatchObject([ADA]);
  expect(engine.connections()).toMatchObject({ open: 9, waiting: 142 });
  await rival.run('select pg_advisory_unlock(1)');
  await Promise.all(slow);
  expect(engine.connections().waiting).toBe(0);
});

describe('every statement of a store counts as a statement of its application', () => {
  const counted: string[] = [];
  let stores: ReturnType<Database['forApplication']>;
  let applicationId: string;

  beforeAll(async () => {
    applicationId = (await database.admin.createApplication('counted')).id;
    const uncounted = () => {
      throw new Error('This statement counts as nobody’s.');
    };
    const watched: Engine = {
      ...engine,
      query: uncounted,
      repeatable: uncounted,
      once: uncounted,
      forApplication: (owner) => {
        counted.push(owner);
        return engine.forApplication(owner);
      },
    };
    const options = { keyRing: TEST_RING, clock, cacheDelayMs: 0 };
    stores = createDatabase(watched, options).forApplication(applicationId);
    await stores.customers.upsert(ADA);
  });

  const id = randomUUID();
  const target = { customerId: 'ada', providerName: 'hubspot' } as const;
  const page = { direction: 'forward', size: 10, boundary: undefined } as const;
  const link = { ...target, providers: ['hubspot'], optionalScopes: [] } as never;
  const STATEMENTS: Readonly<Record<string, () => Promise<unknown>>> = {
    'customers.findMany': () => stores.customers.findMany(['ada']),
    'customers.list': () => stores.customers.list({}, page),
    'customers.upsert': () => stores.customers.upsert({ ...ADA, expectedVersion: 1 }),
    'customers.raiseTokenGeneration': () => stores.customers.raiseTokenGeneration('ada'),
    'connections.findMany': () => stores.connections.findMany([target]),
    'connections.findCustomerIds': () => stores.connections.findCustomerIds([id]),
    'credentials.read': () => stores.credentials.read(id),
    'credentials.refreshOnce': () => stores.credentials.refreshOnce(id, 1, unexpected),
    'credentials.markRefused': () => stores.credentials.markRefused(id, 1, 'REVOKED' as never),
    'credentials.markTried': () => stores.credentials.markTried({ id, credentialsVersion: 1 }),
    'contactCache.read': () => stores.contactCache.read(id, 'key'),
    'contactCache.refuse': () => stores.contactCache.refuse(id),
    'connectLinks.find': () => stores.connectLinks.find(id),
    'connectLinks.create': () => stores.connectLinks.create(link),
    'connectLinks.cancel': () => stores.connectLinks.cancel(id),
    'connectLinks.confirm': () => stores.connectLinks.confirm(id, 'hash'),
    'oauthClients.find': () => stores.oauthClients.find('hubspot'),
    'oauthClients.list': () => stores.oauthClients.list(),
    'oauthClients.set': () =>
      stores.oauthClients.set('hubspot', { clientId: 'id', clientSecret: 'secret' }),
    'oauthClients.delete': () => stores.oauthClients.delete('hubspot'),
    'webhooks.list': () => stores.webhooks.list(),
    'webhooks.create': () => stores.webhooks.create({ url: 'https://a.example', eventTypes: [] }),
    'webhooks.update': () => stores.webhooks.update(id, { enabled: false } as never),
    'webhooks.remove': () => stores.webhooks.remove(id),
    'webhooks.rotateSecret': () => stores.webhooks.rotateSecret(id),
    'webhooks.redeliver': () => stores.webhooks.redeliver(id, { since: new Date(0) }),
    'webhooks.sendTest': () => stores.webhooks.sendTest(id),
    'events.list': () => stores.events.list({ customerId: undefined, after: undefined, limit: 1 }),
    'branding.read': () => stores.branding.read(),
    'branding.change': () => stores.branding.change({ displayName: 'Acme' }),
    'customFields.read': () => stores.customFields.read(),
    'customFields.replace': () =>
      stores.customFields.replace(
        { record: 'COMPANY', definitions: [], typedSchema: false },
        undefined,
      ),
    'customFields.setMappings': () =>
      stores.customFields.setMappings(
        { customerId: 'ada', providerName: 'hubspot' },
        'COMPANY',
        [],
      ),
    'customFields.listProblems': () => stores.customFields.listProblems(id),
    'customFields.noteProblems': () =>
      stores.customFields.noteProblems({ id, customerId: 'ada' }, [
        { record: 'CONTACT', field: 'color', source: 'x', problem: 'MISSING' },
      ]),
    'customFields.endProblems': () =>
      stores.customFields.endProblems(id, [
        {
          record: 'CONTACT',
          field: 'color',
          source: 'x',
          problem: 'MISSING',
          remoteId: null,
          since: new Date(0),
          seenAt: new Date(0),
        },
      ]),
    'syncs.findDestination': () => stores.syncs.findDestination(),
    'syncs.setDestination': () =>
      stores.syncs.setDestination({
        host: 'db.example',
        port: 5432,
        database: 'x',
        user: 'x',
        password: 'x',
        schema: 'x',
        caCertificate: null,
      }),
    'syncs.deleteDestination': () => stores.syncs.deleteDestination(),
    'syncs.listConfigurations': () => stores.syncs.listConfigurations(),
    'syncs.setConfiguration': () => stores.syncs.setConfiguration('hubspot', SYNC_CONTACTS),
    'syncs.listSyncs': () => stores.syncs.listSyncs([id]),
    'syncs.changeSyncs': () =>
      stores.syncs.changeSyncs(
        { customerId: 'ada', providerName: 'hubspot', table: undefined },
        { to: 'pause' },
      ),
    'writes.begin': () =>
      stores.writes.begin({
        ...LEASED_WRITE,
        provider: 'hubspot',
        operation: 'upsertContacts',
        credentialId: 'key',
        idempotencyKey: 'once',
        input: '[]',
        items: { version: 1, items: [] },
      }),
    'writes.progress': () => stores.writes.progress(LEASED_WRITE, { version: 1, items: [] }),
    'writes.finish': () =>
      stores.writes.finish(
        LEASED_WRITE,
        { version: 1, items: [] },
        { isComplete: true, isOpen: false, lookAgainAt: null, hasSent: true, isSettled: false },
      ),
    'writes.forget': () => stores.writes.forget(LEASED_WRITE),
    'writes.find': () => stores.writes.find(id),
    'writes.list': () => stores.writes.list({ customerId: 'ada', after: undefined, limit: 1 }),
    'removals.removeConnection': () => stores.removals.removeConnection('ada', 'hubspot'),
    'removals.removeCustomer': () => stores.removals.removeCustomer('ada', undefined),
  };

  test.each(Object.entries(STATEMENTS))('%s', async (_name, execute) => {
    const outcome = await execute().then(String, String);
    expect(outcome).not.toContain('counts as nobody’s');
    expect(new Set(counted)).toEqual(new Set([applicationId, 'connect pages']));
  });

  test('except for the writes of the cache, which are those of all applications, and for hashes', () => {
    const methods = Object.entries(stores).flatMap(([name, store]) =>
      Object.keys(store).map((method) => `${name}.${method}`),
    );
    const missing = methods.filter((method) => !(method in STATEMENTS));
    expect(missing).toEqual(['contactCache.write', 'writes.hash', 'writes.isHashOf']);
  });
});

const LEASED_WRITE = {
  id: '0b0e7a34-8f0e-4f3e-9f43-1d6ae0a3b111',
  customerId: 'ada',
  connectionId: '0b0e7a34-8f0e-4f3e-9f43-1d6ae0a3b112',
  lease: '0b0e7a34-8f0e-4f3e-9f43-1d6ae0a3b113',
  leaseMs: 1_000,
};

function unexpected(): never {
  throw new Error('This is not called.');
}
