import { expect, test } from 'vitest';
import { describeEachServer } from '../support/databases.ts';

describeEachServer('OAuth clients', (on) => {
  const open = async () => {
    const { id } = await on.createApplication();
    return { id, store: on.database().forApplication(id).oauthClients };
  };

  test('are stored by application and provider, and can be replaced', async () => {
    const [{ store }, other] = [await open(), await open()];
    expect(await store.find('hubspot')).toBeUndefined();
    const first = await store.set('hubspot', { clientId: 'one', clientSecret: 'secret 1' });
    await store.set('salesforce', { clientId: 'org', clientSecret: 'secret 2' });
    const second = await store.set('hubspot', { clientId: 'two', clientSecret: 'secret 3' });
    expect(second).toMatchObject({
      providerName: 'hubspot',
      clientId: 'two',
      createdAt: first.createdAt,
    });
    expect(await store.find('hubspot')).toEqual({ clientId: 'two', clientSecret: 'secret 3' });
    expect((await store.list()).map(({ clientId }) => clientId)).toEqual(['two', 'org']);
    expect(await other.store.list()).toEqual([]);
    expect(await other.store.find('hubspot')).toBeUndefined();
    expect(await other.store.delete('hubspot')).toBe(false);
    expect([await store.delete('hubspot'), await store.delete('hubspot')]).toEqual([true, false]);
    expect((await store.list()).map(({ clientId }) => clientId)).toEqual(['org']);
  });

  test('reveal their secrets neither in results nor in the database', async () => {
    const { store } = await open();
    const stored = await store.set('hubspot', { clientId: 'id', clientSecret: 'hush-hush-secret' });
    expect(JSON.stringify([stored, await store.list()])).not.toContain('hush');
    expect(JSON.stringify(await on.rows('select * from crossbook.oauth_clients'))).not.toContain(
      'hush',
    );
  });

  test('have secrets that cannot be decrypted for another application, provider or id', async () => {
    const [one, other] = [await open(), await open()];
    await one.store.set('hubspot', { clientId: 'id', clientSecret: 'secret' });
    await other.store.set('hubspot', { clientId: 'id', clientSecret: 'mine' });
    await on.rows(
      `update crossbook.oauth_clients as kept set sealed_secret = given.sealed_secret
       from crossbook.oauth_clients as given where kept.application_id = $1 and given.application_id = $2`,
      [other.id, one.id],
    );
    await expect(other.store.find('hubspot')).rejects.toThrow('does not open');
    await on.rows(`update crossbook.oauth_clients set client_id = 'x' where application_id = $1`, [
      one.id,
    ]);
    await expect(one.store.find('hubspot')).rejects.toThrow('does not open');
    await on.rows('delete from crossbook.oauth_clients');
  });
});
