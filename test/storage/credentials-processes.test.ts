import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';

const oauth = (accessToken: string) =>
  ({ type: 'oauth2', accessToken, refreshToken: 'r', expiresAt: null }) as const;

const DAY_MS = 86_400_000;
/** A process that waits gives up after twice the lease time: on a busy machine another takes over well before. */
const LEASE_MS = 2_000;

/** Several Databases on one server are to it what several processes are. */
describe('a refresh by several processes', () => {
  let fresh: TestDatabase;
  let databases: readonly Database[] = [];
  /** Their leases do not expire before the test ends. */
  let patient: readonly Database[] = [];
  beforeAll(async () => {
    fresh = await createTestDatabase();
    const open = (refreshLeaseMs: number) =>
      openDatabase(fresh, { ...PATIENT_DATABASE, keyRing: TEST_RING, poolSize: 3, refreshLeaseMs });
    databases = [await open(LEASE_MS), await open(LEASE_MS), await open(LEASE_MS)];
    patient = [await open(DAY_MS), await open(DAY_MS), await open(DAY_MS)];
  });
  afterAll(async () => {
    await Promise.all([...databases, ...patient].map((database) => database.close()));
    await fresh.drop();
  });
  const setUp = async (customerIds: readonly string[], processes = databases) => {
    const application = await processes[0]?.admin.createApplication(randomUUID());
    const stores = processes.map((database) => database.forApplication(application?.id ?? ''));
    const connections = [{ providerName: 'hubspot' as const, credentials: oauth('first') }];
    const ids = await Promise.all(
      customerIds.map(async (customerId) => {
        const answer = await stores[0]?.customers.upsert({
          customerId,
          name: 'N',
          email: 'a@b.c',
          connections,
        });
        return answer?.customer.connections[0]?.id ?? '';
      }),
    );
    return { stores, ids };
  };

  const readLease = async (connectionId: string) => {
    const rival = await openRival(fresh.url);
    const [row] = await rival.run(
      'select application_id, refresh_lease from crossbook.credentials where connection_id = $1',
      [connectionId],
    );
    await rival.close();
    return row;
  };

  test('is made by one of them, once', async () => {
    const { stores, ids } = await setUp(['a'], patient);
    const refresh = vi.fn(async () => ({ credentials: oauth('second') }));
    const waiters = stores.flatMap(({ credentials }) =>
      Array.from({ length: 50 }, () => credentials.refreshOnce(ids[0] ?? '', 1, refresh)),
    );
    for (const stored of await Promise.all(waiters)) {
      expect(stored).toMatchObject({ generation: 2, credentials: oauth('second') });
    }
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test('is not repeated by another process while it runs', async () => {
    const { ids } = await setUp(['lasting']);
    const id = ids[0] ?? '';
    const row = await readLease(id);
    const [one, other] = await Promise.all(
      [1, 2].map(() =>
        openDatabase(fresh, { ...PATIENT_DATABASE, keyRing: TEST_RING, refreshLeaseMs: DAY_MS }),
      ),
    );
    const storeOf = (database: Database | undefined) =>
      database?.forApplication(String(row?.['application_id'])).credentials;
    let finish = () => {};
    let first: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      const finished = new Promise<void>((end) => {
        finish = end;
      });
      first = storeOf(one)?.refreshOnce(id, 1, async () => {
        resolve();
        await finished;
        return { credentials: oauth('first of two') };
      });
    });
    const refresh = vi.fn(async () => ({ credentials: oauth('second of two') }));
    const second = storeOf(other)?.refreshOnce(id, 1, refresh);
    for (let n = 0; n < 20; n += 1) await storeOf(other)?.read(id);
    finish();
    for (const stored of [await first, await second])
      expect(stored).toMatchObject({ generation: 2, credentials: oauth('first of two') });
    expect(refresh).not.toHaveBeenCalled();
    await Promise.all([one?.close(), other?.close()]);
  });

  test('does not hold a pooled connection while it hangs, even for 500 connections', async () => {
    const { stores, ids } = await setUp(
      Array.from({ length: 500 }, (_, index) => `customer-${index}`),
    );
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    const refresh = async () => {
      begun += 1;
      await released;
      return { credentials: oauth('second') };
    };
    const pending = ids.map((id) => stores[0]?.credentials.refreshOnce(id, 1, refresh));
    await expect.poll(() => begun).toBe(ids.length);
    expect(databases[0]?.countConnections?.()).toMatchObject({ waiting: 0 });
    const other = await setUp(['another']);
    const refreshed = other.stores[0]?.credentials.refreshOnce(other.ids[0] ?? '', 1, async () => ({
      credentials: oauth('meanwhile'),
    }));
    expect((await refreshed)?.credentials).toEqual(oauth('meanwhile'));
    expect(await stores[0]?.customers.findMany(['customer-1'])).toMatchObject([
      { customerId: 'customer-1' },
    ]);
    const link = { providerName: 'hubspot' as const, credentials: oauth('given') };
    await stores[1]?.customers.upsert({
      customerId: 'customer-0',
      name: 'N',
      email: 'a@b.c',
      connections: [link],
    });
    release();
    const [first, ...others] = await Promise.all(pending);
    expect(first?.credentials).toEqual(oauth('given'));
    for (const stored of others) expect(stored?.credentials).toEqual(oauth('second'));
  });

  test('is made once by another process within the lease time when its process dies', async () => {
    const { stores, ids } = await setUp(['dead']);
    const id = ids[0] ?? '';
    const died = new Promise<never>(() => undefined);
    const begun = new Promise<void>((resolve) => {
      void stores[0]?.credentials.refreshOnce(id, 1, () => {
        resolve();
        return died;
      });
    });
    await begun;
    const refresh = vi.fn(async () => ({ credentials: oauth('second') }));
    const waiters = stores
      .slice(1)
      .map(({ credentials }) => credentials.refreshOnce(id, 1, refresh));
    for (const stored of await Promise.all(waiters))
      expect(stored).toMatchObject({ generation: 2 });
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test.each([
    [
      'has expired by the database’s clock, by a process that did not watch it',
      DAY_MS,
      '-1 second',
    ],
    [
      'was watched for its whole duration, even when the clock of the database has stepped',
      LEASE_MS,
      '1 day',
    ],
  ])('is taken over when its lease %s', async (_case, refreshLeaseMs, end) => {
    const { stores, ids } = await setUp([`stepped ${end}`]);
    const id = ids[0] ?? '';
    await new Promise<void>((resolve) => {
      void stores[0]?.credentials.refreshOnce(id, 1, () => {
        resolve();
        return new Promise<never>(() => undefined);
      });
    });
    const rival = await openRival(fresh.url);
    const [row] = await rival.run(
      `update crossbook.credentials set refreshing_until = clock_timestamp() + $2::interval
       where connection_id = $1 returning application_id`,
      [id, end],
    );
    await rival.close();
    const other = await openDatabase(fresh, {
      ...PATIENT_DATABASE,
      keyRing: TEST_RING,
      refreshLeaseMs,
    });
    const { credentials } = other.forApplication(String(row?.['application_id']));
    const stored = await credentials.refreshOnce(id, 1, async () => ({
      credentials: oauth('second'),
    }));
    expect(stored).toMatchObject({ generation: 2, credentials: oauth('second') });
    await other.close();
  });

  test('releases its lease when it fails, so that the next one can start immediately', async () => {
    const { stores, ids } = await setUp(['failed']);
    const id = ids[0] ?? '';
    const failing = stores[0]?.credentials.refreshOnce(id, 1, () =>
      Promise.reject(new Error('no')),
    );
    await expect(failing).rejects.toThrow('no');
    expect(await readLease(id)).toMatchObject({ refresh_lease: null });
    const stored = await stores[1]?.credentials.refreshOnce(id, 1, async () => ({
      credentials: oauth('second'),
    }));
    expect(stored).toMatchObject({ generation: 2 });
  });

  test('does not store its result after another process took over its lease', async () => {
    const { stores, ids } = await setUp(['late']);
    const id = ids[0] ?? '';
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const late = stores[0]?.credentials.refreshOnce(id, 1, async () => {
      await finished;
      return { credentials: oauth('late') };
    });
    const next = await stores[1]?.credentials.refreshOnce(id, 1, async () => ({
      credentials: oauth('second'),
    }));
    expect(next).toMatchObject({ generation: 2, credentials: oauth('second') });
    finish();
    expect(await late).toMatchObject({ generation: 2, credentials: oauth('second') });
  });
});
