import { expect, test, vi } from 'vitest';
import type { OAuth2Credentials } from '../../src/domain/connection.ts';
import { describeEachServer } from '../support/databases.ts';

const oauth = (accessToken: string): OAuth2Credentials => ({
  type: 'oauth2',
  accessToken,
  refreshToken: 'refresh-secret',
  expiresAt: '2030-01-01T00:00:00.000Z',
});

describeEachServer('credentials', (on) => {
  const setUp = async () => {
    const { id } = await on.createApplication();
    const stores = on.database().forApplication(id);
    const put = async (accessToken: string) => {
      const connections = [
        {
          providerName: 'hubspot' as const,
          instanceUrl: 'https://old.example',
          credentials: oauth(accessToken),
        },
      ];
      const { customer } = await stores.customers.upsert({
        customerId: 'c',
        name: 'C',
        email: 'c@d.e',
        connections,
      });
      return customer.connections[0]?.id ?? '';
    };
    const connectionId = await put('first');
    const connection = async () =>
      (await stores.connections.findMany([{ customerId: 'c', providerName: 'hubspot' }]))[0];
    return { ...stores, connectionId, connection, put };
  };

  test('a hundred concurrent callers with an expired token cause one refresh, and all get the new token', async () => {
    const { credentials, connectionId } = await setUp();
    const refresh = vi.fn(async () => ({ credentials: oauth('second') }));
    const all = await Promise.all(
      Array.from({ length: 100 }, () => credentials.refreshOnce(connectionId, 1, refresh)),
    );
    expect(refresh).toHaveBeenCalledTimes(1);
    for (const stored of all)
      expect(stored).toMatchObject({ generation: 2, credentials: oauth('second') });
    expect(await credentials.read(connectionId)).toEqual(all[0]);
  });

  test('a late caller with the old token gets the new one without another refresh', async () => {
    const { credentials, connectionId } = await setUp();
    await credentials.refreshOnce(connectionId, 1, async () => ({ credentials: oauth('second') }));
    const refresh = vi.fn();
    expect(await credentials.refreshOnce(connectionId, 1, refresh)).toMatchObject({
      generation: 2,
    });
    expect(refresh).not.toHaveBeenCalled();
  });

  test('a caller whose newer token is refused during the refresh of the older one gets a refresh of the newer one', async () => {
    const { credentials, connectionId } = await setUp();
    const first = credentials.refreshOnce(connectionId, 1, async () => ({
      credentials: oauth('second'),
    }));
    const second = credentials.refreshOnce(connectionId, 2, async () => ({
      credentials: oauth('third'),
    }));
    expect((await first)?.generation).toBe(2);
    expect(await second).toMatchObject({ generation: 3, credentials: oauth('third') });
  });

  test('credentials that were upserted during a refresh take precedence over its result', async () => {
    const { credentials, connectionId, connection, put } = await setUp();
    const stored = await credentials.refreshOnce(connectionId, 1, async () => {
      await put('given');
      return { credentials: oauth('refreshed'), instanceUrl: 'https://moved.example' };
    });
    expect(stored).toMatchObject({ generation: 2, credentials: oauth('given') });
    expect((await connection())?.instanceUrl).toBe('https://old.example');
  });

  test('a failed refresh fails for all its waiters, and the next one can try again', async () => {
    const { credentials, connectionId } = await setUp();
    const failing = vi.fn(() => Promise.reject(new Error('invalid_grant')));
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => credentials.refreshOnce(connectionId, 1, failing)),
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(failing).toHaveBeenCalledTimes(1);
    const refresh = async () => ({ credentials: oauth('second') });
    expect((await credentials.refreshOnce(connectionId, 1, refresh))?.generation).toBe(2);
  });

  test('a process that lost its lease during a refresh does not release the lease of the other', async () => {
    const { credentials, connectionId } = await setUp();
    const other = '22222222-2222-4222-8222-222222222222';
    const at = [connectionId];
    const failing = credentials.refreshOnce(connectionId, 1, async () => {
      await on.rows(
        `update crossbook.credentials set refresh_lease = '${other}' where connection_id = $1`,
        at,
      );
      throw new Error('no answer');
    });
    await expect(failing).rejects.toThrow('no answer');
    const read =
      'select refresh_lease as lease from crossbook.credentials where connection_id = $1';
    expect(await on.rows(read, at)).toEqual([{ lease: other }]);
    await on.rows(
      'update crossbook.credentials set refresh_lease = null where connection_id = $1',
      at,
    );
    const own = await credentials.refreshOnce(connectionId, 1, async () => ({
      credentials: oauth('second'),
    }));
    expect(own?.generation).toBe(2);
    expect(await on.rows(read, at)).toEqual([{ lease: null }]);
  });

  test('a refresh stores the new instance URL, and restores the status', async () => {
    const { credentials, connectionId, connection } = await setUp();
    await credentials.markRefused(connectionId, 1, 'refresh_token_refused');
    expect((await connection())?.status).toBe('reauthorize');
    const moved = { credentials: oauth('second'), instanceUrl: 'https://new.example' };
    const stored = await credentials.refreshOnce(connectionId, 1, async () => moved);
    expect(stored?.instanceUrl).toBe('https://new.example');
    expect(await connection()).toMatchObject({
      status: 'connected',
      instanceUrl: 'https://new.example',
    });
  });

  test('a refusal of an older token does not affect the newer one', async () => {
    const { credentials, connectionId, connection, put } = await setUp();
    await put('newer');
    await credentials.markRefused(connectionId, 1, 'refresh_token_refused');
    expect((await connection())?.status).toBe('connected');
  });

  test('stored credentials contain no token in plain text, and cannot be decrypted in another row', async () => {
    const [one, other] = [await setUp(), await setUp()];
    const [row] = await on.rows<{ sealed: string }>(
      'select sealed from crossbook.credentials where connection_id = $1',
      [one.connectionId],
    );
    expect(row?.sealed).toMatch(/^test\.[\w-]+$/);
    expect(Buffer.from(row?.sealed.slice(5) ?? '', 'base64url').toString('latin1')).not.toMatch(
      /first|refresh/,
    );
    await on.rows('update crossbook.credentials set sealed = $2 where connection_id = $1', [
      other.connectionId,
      row?.sealed,
    ]);
    await expect(other.credentials.read(other.connectionId)).rejects.toThrow(/do not open/);
  });
});
