import { describe, expect, test } from 'vitest';
import type { Connection, Credentials, OAuth2Credentials } from '../../src/domain/connection.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { describeEachServer } from '../support/databases.ts';
import { runSweep } from '../support/run-sweep.ts';

describeEachServer('the status of a connection', (on) => {
  const open = async () => {
    const { id: applicationId } = await on.createApplication();
    const stores = on.database().forApplication(applicationId);
    const read = async () => {
      const [found] = await stores.connections.findMany([
        { customerId: 'c', providerName: 'hubspot' },
      ]);
      if (!found) throw new Error('There is no connection.');
      return found;
    };
    const put = async (credentials?: Credentials | null) => {
      const connections = [{ providerName: 'hubspot' as const, credentials }];
      const given = { customerId: 'c', name: 'C', email: 'c@example.com', connections };
      const { customer } = await stores.customers.upsert(given);
      // What an upsert answers is what is stored.
      expect(customer.connections).toEqual([await read()]);
      return read();
    };
    return { ...stores, put, read };
  };
  const stateOf = ({ status, statusReason }: Connection) => [status, statusReason];

  test('has a reason and a time of its last change', async () => {
    const { put } = await open();
    const fresh = await put();
    expect(stateOf(fresh)).toEqual(['unauthorized', 'no_credentials']);
    const given = await put(oauth('first'));
    expect(stateOf(given)).toEqual(['connected', 'not_tried']);
    expect(given.statusChangedAt > fresh.statusChangedAt).toBe(true);
    const again = await put(oauth('second'));
    expect([stateOf(again), again.statusChangedAt]).toEqual([
      ['connected', 'not_tried'],
      given.statusChangedAt,
    ]);
    const cleared = await put(null);
    expect(stateOf(cleared)).toEqual(['unauthorized', 'credentials_cleared']);
    expect(cleared.statusChangedAt > again.statusChangedAt).toBe(true);
    expect(await put(null)).toMatchObject({
      statusReason: 'credentials_cleared',
      statusChangedAt: cleared.statusChangedAt,
    });
  });

  test('is not_tried until contacts were read with its credentials, also after they were refreshed', async () => {
    const { put, read, credentials } = await open();
    const first = await put(oauth('first'));
    await credentials.refreshOnce(first.id, 1, async () => ({ credentials: oauth('second') }));
    expect(stateOf(await read())).toEqual(['connected', 'not_tried']);
    await credentials.markTried(first);
    const tried = await read();
    expect(stateOf(tried)).toEqual(['connected', null]);
    expect(tried.statusChangedAt > first.statusChangedAt).toBe(true);
    const replaced = await put(oauth('third'));
    expect(stateOf(replaced)).toEqual(['connected', 'not_tried']);
    // A read that began with the previous credentials says nothing about these.
    await credentials.markTried(first);
    expect(await read()).toEqual(replaced);
  });

  test('is reauthorize at once with a token that has expired and cannot be refreshed', async () => {
    const { put, credentials } = await open();
    const expiresAt = '2020-01-01T00:00:00Z';
    const expired = { type: 'oauth2', accessToken: 'a', refreshToken: null, expiresAt } as const;
    const first = await put(expired);
    expect(stateOf(first)).toEqual(['reauthorize', 'token_expired']);
    expect(await credentials.read(first.id)).toMatchObject({ isRefused: true });
    expect(stateOf(await put(oauth('new')))).toEqual(['connected', 'not_tried']);
    expect(stateOf(await put({ ...expired, refreshToken: 'r' }))).toEqual([
      'connected',
      'not_tried',
    ]);
    expect(stateOf(await put(expired))).toEqual(['reauthorize', 'token_expired']);
    const types = await on.rows(
      'select type from crossbook.events where connection_id = $1 order by sequence',
      [first.id],
    );
    expect(types.map((row) => (row as { type: string }).type)).toEqual([
      'connection.reauthorize',
      'connection.connected',
      'connection.reauthorize',
    ]);
  });

  describe('after a sweep two hours later', () => {
    const HOUR_MS = 60 * 60_000;
    const expiring = (refreshToken: string | null, hours: number): OAuth2Credentials => ({
      type: 'oauth2',
      accessToken: 'a',
      refreshToken,
      expiresAt: new Date(Date.now() + hours * HOUR_MS).toISOString(),
    });
    const sweep = () => {
      const clock = { ...systemClock, wall: () => Date.now() + 2 * HOUR_MS };
      return runSweep(on.another({ clock }).sweeps.expiredTokens());
    };

    test('is reauthorize where the token has expired and cannot be refreshed, with one event', async () => {
      const { put, read, events } = await open();
      await put(expiring(null, 1));
      await sweep();
      const expired = await read();
      expect(stateOf(expired)).toEqual(['reauthorize', 'token_expired']);
      expect(await sweep()).toBe(0);
      expect(await read()).toEqual(expired);
      const types = (await events.list({ customerId: 'c', after: undefined, limit: 10 })).map(
        ({ type }) => type,
      );
      expect(types.filter((type) => type === 'connection.reauthorize')).toHaveLength(1);
      expect(stateOf(await put(expiring(null, 3)))).toEqual(['connected', 'not_tried']);
    });

    test.each<[string, Credentials]>([
      ['can be refreshed', expiring('r', 1)],
      ['has not expired', expiring(null, 3)],
      ['does not expire', { type: 'token', value: 'v' }],
      ['expires later than PostgreSQL can tell', { ...expiring(null, 1), expiresAt: LATEST }],
    ])('is connected where the token %s', async (_title, credentials) => {
      const { put, read } = await open();
      const given = await put(credentials);
      await sweep();
      expect(await read()).toEqual(given);
      expect(given.status).toBe('connected');
    });

    test('is connected where an earlier version has stored other credentials, and kept the expiry', async () => {
      const { put, read } = await open();
      const { id } = await put(expiring(null, 1));
      const [before] = await on.rows<{ at: string }>(
        'select expires_at::text as at from crossbook.credentials where connection_id = $1',
        [id],
      );
      await put({ type: 'token', value: 'v' });
      await on.rows(
        'update crossbook.credentials set expires_at = $2::timestamptz where connection_id = $1 returning 1',
        [id, before?.at],
      );
      expect(await sweep()).toBeGreaterThan(0);
      expect(stateOf(await read())).toEqual(['connected', 'not_tried']);
    });

    test('is known of others where the credentials of one cannot be decrypted', async () => {
      const [damaged, whole] = [await open(), await open()];
      const { id } = await damaged.put(expiring(null, 1));
      await on.rows(
        `update crossbook.credentials set sealed = sealed || 'x' where connection_id = $1 returning 1`,
        [id],
      );
      await whole.put(expiring(null, 1));
      await sweep();
      expect(stateOf(await whole.read())).toEqual(['reauthorize', 'token_expired']);
    });
  });

  test('a refused token sets the reason once, and a working token clears it', async () => {
    const { put, read, credentials } = await open();
    const { id, statusChangedAt } = await put(oauth('first'));
    await credentials.markRefused(id, 1, 'refresh_token_refused');
    const refused = await read();
    expect(stateOf(refused)).toEqual(['reauthorize', 'refresh_token_refused']);
    expect(refused.statusChangedAt > statusChangedAt).toBe(true);
    await credentials.markRefused(id, 1, 'refresh_token_refused');
    expect(await read()).toEqual(refused);
    await credentials.refreshOnce(id, 1, async () => ({ credentials: oauth('second') }));
    const recovered = await read();
    expect(stateOf(recovered)).toEqual(['connected', null]);
    expect(recovered.statusChangedAt > refused.statusChangedAt).toBe(true);
    await credentials.refreshOnce(id, 2, async () => ({ credentials: oauth('third') }));
    expect((await read()).statusChangedAt).toBe(recovered.statusChangedAt);
  });

  test('keeps the account and scopes of a link until other credentials replace the link’s own', async () => {
    const { put, read } = await open();
    const { id } = await put(oauth('by a link'));
    await on.rows(
      `update crossbook.connections set account_id = '42', account_name = 'Acme', account_user_id = '7',
        granted_scopes = '{a,b}' where id = $1`,
      [id],
    );
    await on.rows(
      `update crossbook.credentials set oauth_client_id = 'client' where connection_id = $1`,
      [id],
    );
    const account = { id: '42', name: 'Acme', url: null, userId: '7' };
    expect(await read()).toMatchObject({ account, grantedScopes: ['a', 'b'] });
    expect(await put()).toMatchObject({ account, grantedScopes: ['a', 'b'] });
    expect(await put(oauth('by an upsert'))).toMatchObject({ account: null, grantedScopes: [] });
    const clients =
      'select oauth_client_id as client from crossbook.credentials where connection_id = $1';
    expect(await on.rows(clients, [id])).toEqual([{ client: null }]);
  });
});

function oauth(accessToken: string) {
  return { type: 'oauth2', accessToken, refreshToken: 'r', expiresAt: null } as const;
}

/** In the year 10000 of UTC. */
const LATEST = '9999-12-31T23:59:59-01:00';
