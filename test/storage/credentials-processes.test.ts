import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import {
  createPostgresDatabase,
  describeOnPostgres,
  type PostgresDatabase,
  TEST_RING,
} from '../support/engines.ts';

const oauth = (accessToken: string) =>
  ({ type: 'oauth2', accessToken, refreshToken: 'r', expiresAt: null }) as const;

/** Several Databases on one server are to it what several processes are. */
describeOnPostgres('a refresh by several processes', () => {
  let fresh: PostgresDatabase;
  let databases: readonly Database[] = [];
  beforeAll(async () => {
    fresh = await createPostgresDatabase();
    const open = () => openDatabase(fresh, { keyRing: TEST_RING, poolSize: 3 });
    databases = [await open(), await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await fresh.drop();
  });
  const setUp = async (customerIds: readonly string[]) => {
    const application = await databases[0]?.admin.createApplication('test');
    const stores = databases.map((database) => database.forApplication(application?.id ?? ''));
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

  test('is done by one of them, once', async () => {
    const { stores, ids } = await setUp(['a']);
    const refresh = vi.fn(async () => ({ credentials: oauth('second') }));
    const waiters = stores.flatMap(({ credentials }) =>
      Array.from({ length: 50 }, () => credentials.refreshOnce(ids[0] ?? '', 1, refresh)),
    );
    for (const stored of await Promise.all(waiters)) {
      expect(stored).toMatchObject({ generation: 2, credentials: oauth('second') });
    }
    expect(refresh).toHaveBeenCalledTimes(1);
  });

  test('of more connections than the pool has does not keep other queries waiting', async () => {
    const { stores, ids } = await setUp(Array.from({ length: 20 }, (_, index) => `customer-${index}`));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const refresh = async () => {
      await released;
      return { credentials: oauth('second') };
    };
    const pending = ids.map((id) => stores[0]?.credentials.refreshOnce(id, 1, refresh));
    await databases[0]?.ping();
    expect((await stores[0]?.customers.findMany(['customer-1']))?.size).toBe(1);
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
});
