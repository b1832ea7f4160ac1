import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { openRival } from '../support/postgres-rival.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };

describe('while the database is away', () => {
  let fresh: TestDatabase;
  let proxy: TcpProxy;
  let url: string;
  let database: Database;
  let patient: Database;
  let applicationId: string;

  beforeAll(async () => {
    fresh = await createTestDatabase();
    const server = new URL(fresh.url);
    proxy = await openTcpProxy({ host: server.hostname, port: Number(server.port || 5432) });
    server.port = String(proxy.port);
    url = server.href;
    database = await openDatabase({ url }, { keyRing: TEST_RING, deadlineMs: 0 });
    patient = await openDatabase(
      { url },
      { keyRing: TEST_RING, deadlineMs: 600_000, lockTimeoutMs: 600_000 },
    );
    applicationId = (await database.admin.createApplication('test')).id;
  });
  afterAll(async () => {
    await database.close();
    await patient.close();
    await proxy.cut();
    await fresh.drop();
  });

  /** A pool may still hold a connection whose end it has not heard of. */
  const untilPingFailsWith = async (wanted: string) => {
    for (let code: unknown; code !== wanted; ) {
      code = await patient.ping().catch((error) => {
        expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        return error.cause.code;
      });
    }
  };

  test('errors say that it is unavailable, without the driver’s message, and statements succeed when it returns', async () => {
    const { customers } = database.forApplication(applicationId);
    await customers.upsert(ADA);
    await proxy.cut();
    const away = {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The database is unavailable at the moment.',
    };
    await expect(database.ping()).rejects.toMatchObject(away);
    await expect(customers.findMany(['ada'])).rejects.toMatchObject(away);
    await expect(customers.upsert(ADA)).rejects.toMatchObject(away);
    await proxy.mend();
    // Joins a probe that began during the outage, and may end after it on a busy machine.
    await database.ping().catch(() => undefined);
    await database.ping();
    expect(await customers.findMany(['ada'])).toMatchObject([{ customerId: 'ada' }]);
  });

  test('reads and writes that begin during the outage are executed when it returns, each write once', async () => {
    const { customers } = patient.forApplication(applicationId);
    await proxy.cut();
    await untilPingFailsWith('ECONNREFUSED');
    const writes = Array.from({ length: 5 }, () => customers.upsert({ ...ADA, customerId: 'bob' }));
    const read = customers.findMany(['ada']);
    await proxy.mend();
    expect(await read).toMatchObject([{ customerId: 'ada' }]);
    const versions = (await Promise.all(writes)).map(({ customer }) => customer.version);
    expect(versions.sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test('a connection that the server closes does not end the process, and reads continue', async () => {
    const { customers } = patient.forApplication(applicationId);
    const rival = await openRival(fresh.url);
    for (let round = 0; round < 10; round += 1) {
      const reads = Array.from({ length: 10 }, () => customers.findMany(['ada']));
      await rival.run(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      for (const found of await Promise.all(reads))
        expect(found).toMatchObject([{ customerId: 'ada' }]);
    }
    await rival.close();
  });

  test('a database that refuses logins for a while counts as unavailable, and statements wait for it', async () => {
    const { customers } = patient.forApplication(applicationId);
    const administrator = await openRival(inject('databaseServer'));
    const name = new URL(fresh.url).pathname.slice(1);
    await administrator.run(`alter database ${name} allow_connections false`);
    await administrator.run(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    );
    await untilPingFailsWith('55000');
    const read = customers.findMany(['ada']);
    await expect(database.ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await administrator.run(`alter database ${name} allow_connections true`);
    expect(await read).toMatchObject([{ customerId: 'ada' }]);
    await administrator.close();
  });

  test('a cache entry that cannot be written is dropped with all queued ones, and its reader calls the provider', async () => {
    const { customers, contactCache } = database.forApplication(applicationId);
    const connections = [{ providerName: 'hubspot' }] as const;
    const { customer } = await customers.upsert({ ...ADA, connections });
    const entry = {
      connectionId: customer.connections[0]?.id ?? '',
      filterKey: () => 'email:ada',
      fetchedAt: new Date(),
      weight: 1,
      payload: () => '[]',
    };
    await proxy.cut();
    await untilPingFailsWith('ECONNREFUSED');
    const written = contactCache.write(entry).catch((error) => error.id);
    const another = contactCache
      .write({ ...entry, filterKey: () => 'email:bob' })
      .catch((error) => error.id);
    const read = contactCache
      .read(entry.connectionId, entry.filterKey())
      .catch((error) => error.id);
    expect(await written).toMatch(/^[\da-f-]{36}$/);
    expect(await another).toBe(await written);
    expect(await read).not.toBe(await written);
    await proxy.mend();
    await patient.ping();
  });

  test('a write that lost its connection halfway is not repeated, because it may have been executed', async () => {
    const { customers } = patient.forApplication(applicationId);
    const rival = await openRival(fresh.url);
    await customers.upsert(ADA);
    await rival.run('begin');
    await rival.run('select from crossbook.customers where application_id = $1 for update', [
      applicationId,
    ]);
    const lost = expect(customers.upsert(ADA)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await rival.untilSomebodyWaits();
    await proxy.cut();
    await lost;
    await rival.run('commit');
    await rival.close();
    await proxy.mend();
    await patient.ping();
  });

  test('a webhook endpoint whose removal lost its connection is not reported as missing', async () => {
    const { webhooks } = patient.forApplication(applicationId);
    const created = await webhooks.create({ url: 'https://hooks.example/', eventTypes: [] });
    const id = created?.endpoint.id ?? '';
    const rival = await openRival(fresh.url);
    await rival.run('begin');
    await rival.run(
      'select from crossbook.webhook_endpoints where application_id = $1 for update',
      [applicationId],
    );
    const lost = expect(webhooks.remove(id)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await rival.untilSomebodyWaits();
    await proxy.cut();
    await rival.run('delete from crossbook.webhook_endpoints where application_id = $1', [
      applicationId,
    ]);
    await rival.run('commit');
    await rival.close();
    await proxy.mend();
    await patient.ping();
    await lost;
  });

  test('a statement that exceeds its deadline is aborted', async () => {
    const impatient = await openDatabase(fresh, {
      keyRing: TEST_RING,
      statementTimeoutMs: 2_000,
      lockTimeoutMs: 0,
    });
    const rival = await openRival(fresh.url);
    await rival.run('begin');
    await rival.run('select from crossbook.customers where application_id = $1 for update', [
      applicationId,
    ]);
    const { customers } = impatient.forApplication(applicationId);
    await expect(customers.upsert(ADA)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await rival.run('commit');
    await rival.close();
    await impatient.close();
  });

  test('a failed start names the server and the reason, without the password', async () => {
    const nobody = new URL(url);
    nobody.password = 'hunter2';
    await proxy.cut();
    const failure = await openDatabase(
      { url: nobody.href },
      { keyRing: TEST_RING, deadlineMs: 0 },
    ).catch(String);
    expect(failure).toMatch(
      /PostgreSQL at 127\.0\.0\.1:\d+\/crossbook_test_\w+ cannot be used: .*ECONNREFUSED/,
    );
    expect(failure).not.toContain('hunter2');
    await proxy.mend();
  });
});
