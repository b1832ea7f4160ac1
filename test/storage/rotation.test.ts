import { expect, test } from 'vitest';
import type { Connection } from '../../src/domain/connection.ts';
import { describeEachServer, ringOf } from '../support/databases.ts';

const OLD = ringOf('old');
const BOTH = ringOf('new', 'old');
const NEW = ringOf('new');

describeEachServer('a change of keys', (on) => {
  const setUp = async (count: number) => {
    const { id } = await on.createApplication();
    const { customers } = on.another({ keyRing: OLD }).forApplication(id);
    const connections = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const link = {
          providerName: 'gong' as const,
          credentials: { type: 'token', value: `${index}` } as const,
        };
        const upsert = { customerId: `${index}`, name: 'N', email: 'a@b.c', connections: [link] };
        return (await customers.upsert(upsert)).customer.connections[0] as Connection;
      }),
    );
    return { id, connections };
  };

  test('seals everything anew, batch after batch: the old key may go, and nothing has changed', async () => {
    const { id, connections } = await setUp(25);
    const rotating = on.another({ keyRing: BOTH });
    expect(await rotating.maintenance.rotateSeals(10)).toEqual({ resealed: 25, unreadable: 0 });
    expect(await rotating.maintenance.rotateSeals(10)).toEqual({ resealed: 0, unreadable: 0 });
    const { credentials } = on.another({ keyRing: NEW }).forApplication(id);
    for (const [index, connection] of connections.entries()) {
      const stored = await credentials.read(connection.id);
      expect(stored).toMatchObject({ credentials: { value: `${index}` }, generation: 1 });
    }
    await on.rows('delete from crossbook.customers');
  });

  test('goes on while credentials are given and refreshed', async () => {
    const { id, connections } = await setUp(20);
    const rotating = on.another({ keyRing: BOTH });
    const stores = rotating.forApplication(id);
    const credentials = { type: 'oauth2', accessToken: 'n', refreshToken: null, expiresAt: null } as const;
    await Promise.all([
      rotating.maintenance.rotateSeals(3),
      ...connections.map((connection) =>
        stores.credentials.refreshOnce(connection.id, 1, async () => ({ credentials })),
      ),
    ]);
    for (const connection of connections) {
      expect(await stores.credentials.read(connection.id)).toMatchObject({ credentials, generation: 2 });
    }
    await on.rows('delete from crossbook.customers');
  });

  test('a key that is missing, or is another under the same id, is found at the start', async () => {
    await setUp(2);
    const unreadable = (ring: typeof OLD) => on.another({ keyRing: ring }).maintenance.findUnreadableKeys();
    expect(await unreadable(NEW)).toEqual(['old']);
    expect(await unreadable(BOTH)).toEqual([]);
    const { current } = NEW;
    const impostor = { current, keys: new Map([['old', { ...current, id: 'old' }]]) };
    expect(await unreadable(impostor)).toEqual(['old']);
    expect(await on.another({ keyRing: NEW }).maintenance.rotateSeals()).toEqual({
      resealed: 0,
      unreadable: 2,
    });
    await on.rows('delete from crossbook.customers');
  });

  test('one row that was damaged does not speak against its key, and is counted', async () => {
    const { connections } = await setUp(3);
    await on.rows(`update crossbook.credentials set sealed = 'old.AAAA' where connection_id = $1`, [
      connections[0]?.id,
    ]);
    const both = on.another({ keyRing: BOTH });
    expect(await both.maintenance.findUnreadableKeys()).toEqual([]);
    expect(await both.maintenance.rotateSeals()).toEqual({ resealed: 2, unreadable: 1 });
    await on.rows('delete from crossbook.customers');
  });
});
