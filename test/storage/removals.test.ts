import { expect, test } from 'vitest';
import type { Credentials } from '../../src/domain/connection.ts';
import { describeEachServer } from '../support/databases.ts';

describeEachServer('a removal', (on) => {
  const open = async () => {
    const { id: applicationId } = await on.createApplication();
    const stores = on.database().forApplication(applicationId);
    const put = async (customerId: string, grant?: Granted) => {
      const connections = [
        { providerName: 'hubspot' as const, credentials: oauth(`of ${customerId}`) },
      ];
      const given = { customerId, name: 'C', email: 'c@example.com', connections };
      const { customer } = await stores.customers.upsert(given);
      const [connection] = customer.connections;
      if (!connection) throw new Error('There is no connection.');
      if (grant) await byLink(connection.id, grant);
      return connection;
    };
    return { ...stores, applicationId, put };
  };
  const byLink = async (id: string, { account = '42', user = '7', client = 'app' }: Granted) => {
    await on.rows(
      'update crossbook.connections set account_id = $2, account_user_id = $3 where id = $1::uuid',
      [id, account, user],
    );
    await on.rows(
      'update crossbook.credentials set oauth_client_id = $2 where connection_id = $1::uuid',
      [id, client],
    );
  };

  test('deletes everything of a connection, and keeps the customer, with a new version', async () => {
    const { put, removals, customers, credentials, connections } = await open();
    const { id } = await put('c');
    const removed = await removals.removeConnection('c', 'hubspot');
    expect(removed).toEqual({ connection: expect.objectContaining({ id }), grant: undefined });
    expect(await removals.removeConnection('c', 'hubspot')).toBeUndefined();
    expect((await customers.findMany(['c']))[0]).toMatchObject({ version: 2, connections: [] });
    expect(await credentials.read(id)).toBeUndefined();
    expect(await connections.findMany([{ customerId: 'c', providerName: 'hubspot' }])).toEqual([
      undefined,
    ]);
  });

  test('checks the expected version of a customer', async () => {
    const { put, removals, customers } = await open();
    await put('c');
    await expect(removals.removeCustomer('c', 2)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await customers.findMany(['c'])).toMatchObject([{ customerId: 'c' }]);
    expect(await removals.removeCustomer('c', 1)).toHaveLength(1);
    expect(await removals.removeCustomer('c', 1)).toBeUndefined();
    expect(await removals.removeCustomer('\0', undefined)).toBeUndefined();
  });

  test('emits an event with the last sequence number of the connection, then one for the deleted customer', async () => {
    const { applicationId, put, removals } = await open();
    const { id } = await put('c');
    await removals.removeCustomer('c', undefined);
    const events = await on.rows(
      `select type, connection_id, sequence from crossbook.events where application_id = $1
        and type in ('connection.disconnected', 'customer.deleted') order by type`,
      [applicationId],
    );
    expect(events).toEqual([
      { type: 'connection.disconnected', connection_id: id, sequence: 2 },
      { type: 'customer.deleted', connection_id: null, sequence: null },
    ]);
  });

  test('returns the grant, and whether another connection uses it', async () => {
    const { put, removals } = await open();
    const elsewhere = await open();
    await put('one', {});
    await elsewhere.put('two', {});
    const first = await removals.removeConnection('one', 'hubspot');
    expect(first?.grant).toEqual({
      oauthClientId: 'app',
      instanceUrl: null,
      refreshToken: 'refresh of one',
      isShared: true,
    });
    const [second] = (await elsewhere.removals.removeCustomer('two', undefined)) ?? [];
    expect(second?.grant).toMatchObject({ refreshToken: 'refresh of two', isShared: false });
  });

  test.each([
    ['another account', { account: 'other' }],
    ['another user', { user: 'other' }],
    ['another OAuth client', { client: 'other' }],
  ])('treats a grant of %s as separate', async (_title, other) => {
    const account = crypto.randomUUID();
    const { put, removals } = await open();
    await put('one', { account });
    await put('two', { account, ...other });
    expect((await removals.removeConnection('one', 'hubspot'))?.grant?.isShared).toBe(false);
  });

  test('finds a grant no longer shared after a concurrent removal of the other connection', async () => {
    const { put, removals } = await open();
    for (let round = 0; round < 10; round++) {
      const account = crypto.randomUUID();
      await put('one', { account });
      await put('two', { account });
      const both = await Promise.all([
        removals.removeConnection('one', 'hubspot'),
        removals.removeCustomer('two', undefined),
      ]);
      const grants = both.flat().map((removed) => removed?.grant?.isShared);
      expect(grants.toSorted()).toEqual([false, true]);
    }
  });

  test('waits for a running refresh, and returns the refreshed token', async () => {
    const { put, removals, credentials } = await open();
    for (let round = 0; round < 10; round++) {
      const { id } = await put('c', {});
      const brought = oauth(`brought ${round}`);
      const [, removed] = await Promise.all([
        credentials.refreshOnce(id, 1, async () => ({ credentials: brought })),
        removals.removeConnection('c', 'hubspot'),
      ]);
      const left = await on.rows('select 1 from crossbook.credentials where connection_id = $1', [
        id,
      ]);
      expect(left).toEqual([]);
      // In either order, the returned token is the last one that was stored.
      expect([`refresh of c`, `refresh brought ${round}`]).toContain(removed?.grant?.refreshToken);
    }
  });
});

function oauth(name: string) {
  const credentials = { accessToken: name, refreshToken: `refresh ${name}`, expiresAt: null };
  return { type: 'oauth2', ...credentials } satisfies Credentials;
}

interface Granted {
  readonly account?: string;
  readonly user?: string;
  readonly client?: string;
}
