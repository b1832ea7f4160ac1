import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApplicationStores, type Database, openDatabase } from '../../src/storage/database.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival, type Rival } from '../support/postgres-rival.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const TOKEN = { type: 'token', value: 'v' } as const;

/** A concurrent transaction commits exactly while our statement, which began before, waits for its row. */
describe('an upsert that began before a concurrent one committed', () => {
  let fresh: TestDatabase;
  let database: Database;
  let rival: Rival;
  let stores: ApplicationStores;
  let applicationId: string;

  beforeAll(async () => {
    fresh = await createTestDatabase();
    database = await openDatabase(fresh, { ...PATIENT_DATABASE, keyRing: TEST_RING });
    rival = await openRival(fresh.url);
  });
  afterAll(async () => {
    await rival.close();
    await database.close();
    await fresh.drop();
  });
  beforeEach(async () => {
    applicationId = (await database.admin.createApplication(randomUUID())).id;
    stores = database.forApplication(applicationId);
  });

  const writeCustomer = () =>
    rival.run(
      `insert into crossbook.customers (application_id, customer_id, name, email, version)
       values ($1, 'ada', 'rival', 'rival@example.com', 1)
       on conflict (application_id, customer_id) do update set version = customers.version + 1`,
      [applicationId],
    );
  const writeConnection = (providerName: string) =>
    rival.run(
      `insert into crossbook.connections (id, application_id, customer_id, provider_name, provider_id, status)
       values (gen_random_uuid(), $1, 'ada', $2, gen_random_uuid(), 'connected') returning id`,
      [applicationId, providerName],
    );

  test('updates when it is the second of two first inserts, and returns the other’s connection', async () => {
    await rival.run('begin');
    await writeCustomer();
    const pending = stores.customers.upsert({ ...ADA, connections: [{ providerName: 'gong' }] });
    await rival.untilSomebodyWaits();
    await writeConnection('slack');
    await rival.run('commit');
    const { created, customer } = await pending;
    expect({ created, version: customer.version, name: customer.name }).toEqual({
      created: false,
      version: 2,
      name: 'Ada',
    });
    expect(customer.connections.map(({ providerName }) => providerName)).toEqual(['gong', 'slack']);
  });

  test('keeps what the concurrent one wrote in the absent fields of the same new connection', async () => {
    await rival.run('begin');
    await writeCustomer();
    const pending = stores.customers.upsert({
      ...ADA,
      connections: [{ providerName: 'slack', instanceUrl: 'https://a.b' }],
    });
    await rival.untilSomebodyWaits();
    const [row] = await writeConnection('slack');
    await rival.run('commit');
    const { customer } = await pending;
    expect(customer.connections).toMatchObject([
      { id: row?.['id'], instanceUrl: 'https://a.b', status: 'connected' },
    ]);
  });

  test('clears also credentials that the concurrent one has just stored', async () => {
    const { customer } = await stores.customers.upsert({
      ...ADA,
      connections: [{ providerName: 'gong' }],
    });
    const id = customer.connections[0]?.id ?? '';
    await rival.run('begin');
    await writeCustomer();
    const pending = stores.customers.upsert({
      ...ADA,
      connections: [{ providerName: 'gong', credentials: null }],
    });
    await rival.untilSomebodyWaits();
    await rival.run(
      `insert into crossbook.credentials (connection_id, application_id, sealed, key_id, generation)
       values ($1, $2, 'test.AAAA', 'test', 1)`,
      [id, applicationId],
    );
    await rival.run('commit');
    await pending;
    expect(await stores.credentials.read(id)).toBeUndefined();
    const stored = await rival.run(
      'select sealed, generation from crossbook.credentials where connection_id = $1',
      [id],
    );
    expect(stored).toEqual([{ sealed: null, generation: 2 }]);
  });

  test('checks the expected version after the concurrent one committed', async () => {
    await stores.customers.upsert(ADA);
    await rival.run('begin');
    await writeCustomer();
    const pending = stores.customers.upsert({
      ...ADA,
      expectedVersion: 1,
      connections: [{ providerName: 'gong' }],
    });
    const refusal = expect(pending).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('version 2'),
    });
    await rival.untilSomebodyWaits();
    await rival.run('commit');
    await refusal;
    expect((await stores.customers.findMany(['ada']))[0]?.connections).toEqual([]);
  });

  test('does not delay others while its customers are locked', async () => {
    await rival.run('begin');
    await writeCustomer();
    await rival.run(
      `insert into crossbook.customers (application_id, customer_id, name, email, version)
       values ($1, 'bob', 'rival', 'rival@example.com', 1)`,
      [applicationId],
    );
    const held = ['ada', 'bob'].map((customerId) =>
      stores.customers.upsert({ ...ADA, customerId }),
    );
    const free = ['cyd', 'dan'].map((customerId) =>
      stores.customers.upsert({ ...ADA, customerId }),
    );
    expect((await Promise.all(free)).map(({ created }) => created)).toEqual([true, true]);
    await rival.run('commit');
    expect((await Promise.all(held)).map(({ customer }) => customer.version)).toEqual([2, 2]);
  });

  test('is not undone by a late refusal: new credentials are not marked as refused', async () => {
    const connections = [{ providerName: 'hubspot' as const, credentials: TOKEN }];
    const { customer } = await stores.customers.upsert({ ...ADA, connections });
    const id = customer.connections[0]?.id ?? '';
    await rival.run('begin');
    await rival.run(`update crossbook.connections set status = 'connected' where id = $1`, [id]);
    const pending = stores.credentials.markRefused(id, 1, 'refresh_token_refused');
    await rival.untilSomebodyWaits();
    await rival.run('update crossbook.credentials set generation = 2 where connection_id = $1', [
      id,
    ]);
    await rival.run('commit');
    await pending;
    const [connection] = await stores.connections.findMany([
      { customerId: 'ada', providerName: 'hubspot' },
    ]);
    expect(connection?.status).toBe('connected');
  });
});
