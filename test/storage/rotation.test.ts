import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Connection } from '../../src/domain/connection.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
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

  test('encrypts everything again in batches; then the old key can be removed, and the data are unchanged', async () => {
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

  test('other bytes under the id of a key are noticed where only API keys are stored, until they are put back', async () => {
    const { id } = await on.createApplication();
    const right = on.another({ keyRing: OLD });
    expect(await right.maintenance.findUnreadableKeys()).toEqual([]);
    const { publicId } = await right.admin.createKey({ applicationId: id, name: 'one' });
    await right.admin.rotateKey(publicId, 0);
    const wrong = on.another({
      keyRing: parseKeyRing(`old:${Buffer.alloc(32, 9).toString('base64')}`),
    });
    expect(await wrong.maintenance.findUnreadableKeys()).toEqual(['old']);
    expect(await on.another({ keyRing: NEW }).maintenance.findUnreadableKeys()).toEqual(['old']);
    const rotating = on.another({ keyRing: BOTH });
    expect(await rotating.maintenance.rotateSeals()).toEqual({ resealed: 2, unreadable: 0 });
    expect(await on.another({ keyRing: NEW }).maintenance.findUnreadableKeys()).toEqual([]);
    await on.rows('delete from crossbook.api_keys');
  });

  test('continues while credentials are upserted and refreshed', async () => {
    const { id, connections } = await setUp(20);
    const rotating = on.another({ keyRing: BOTH });
    const stores = rotating.forApplication(id);
    const credentials = {
      type: 'oauth2',
      accessToken: 'n',
      refreshToken: null,
      expiresAt: null,
    } as const;
    await Promise.all([
      rotating.maintenance.rotateSeals(3),
      ...connections.map((connection) =>
        stores.credentials.refreshOnce(connection.id, 1, async () => ({ credentials })),
      ),
    ]);
    for (const connection of connections) {
      expect(await stores.credentials.read(connection.id)).toMatchObject({
        credentials,
        generation: 2,
      });
    }
    await on.rows('delete from crossbook.customers');
  });

  test('a missing key, or another key under the same id, is detected at the start', async () => {
    await setUp(2);
    const unreadable = (ring: typeof OLD) =>
      on.another({ keyRing: ring }).maintenance.findUnreadableKeys();
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

  test('one damaged row does not invalidate its key, and is counted', async () => {
    const { connections } = await setUp(3);
    await on.rows(`update crossbook.credentials set sealed = 'old.AAAA' where connection_id = $1`, [
      connections[0]?.id,
    ]);
    const both = on.another({ keyRing: BOTH });
    expect(await both.maintenance.findUnreadableKeys()).toEqual([]);
    expect(await both.maintenance.rotateSeals()).toEqual({ resealed: 2, unreadable: 1 });
    await on.rows('delete from crossbook.customers');
  });

  test('encrypts the secrets of OAuth clients again, and detects their missing key', async () => {
    const { id } = await on.createApplication();
    const old = on.another({ keyRing: OLD }).forApplication(id).oauthClients;
    await old.set('hubspot', { clientId: 'h', clientSecret: 'secret of h' });
    await old.set('salesforce', { clientId: 's', clientSecret: 'secret of s' });
    const [both, fresh] = [on.another({ keyRing: BOTH }), on.another({ keyRing: NEW })];
    expect(await fresh.maintenance.findUnreadableKeys()).toEqual(['old']);
    expect(await fresh.maintenance.rotateSeals(1)).toEqual({ resealed: 0, unreadable: 2 });
    expect(await both.maintenance.rotateSeals(1)).toEqual({ resealed: 2, unreadable: 0 });
    expect(await fresh.maintenance.findUnreadableKeys()).toEqual([]);
    const { oauthClients } = fresh.forApplication(id);
    expect(await oauthClients.find('salesforce')).toEqual({
      clientId: 's',
      clientSecret: 'secret of s',
    });
    expect(await both.maintenance.rotateSeals()).toEqual({ resealed: 0, unreadable: 0 });
    await on.rows('delete from crossbook.oauth_clients');
  });

  test('both secrets of an endpoint are encrypted again, also after one replaced the other meanwhile', async () => {
    const { id } = await on.createApplication();
    const made = await on
      .another({ keyRing: OLD })
      .forApplication(id)
      .webhooks.create({ url: 'https://app.example/hook', eventTypes: [] });
    const both = on.another({ keyRing: BOTH });
    const { webhooks } = both.forApplication(id);
    const rotated = await webhooks.rotateSecret(made?.endpoint.id ?? '');
    await both.maintenance.rotateSeals();
    const fresh = on.another({ keyRing: NEW });
    expect(await fresh.maintenance.findUnreadableKeys()).toEqual([]);
    const { customers } = fresh.forApplication(id);
    await customers.upsert({ customerId: 'ada', name: 'Ada', email: 'ada@example.com' });
    const slots = { free: 1, held: new Map() };
    const claim = { lease: randomUUID(), leaseMs: 60_000, healthy: slots, failing: slots };
    const [claimed] = await fresh.webhookQueue.claim(claim);
    expect(claimed?.secrets).toEqual([rotated?.secret, made?.secret]);
    await on.rows('delete from crossbook.customers');
    await on.rows('delete from crossbook.webhook_endpoints');
  });

  test('encrypts the secrets of links again, and starts also when their key is missing', async () => {
    const { id } = await on.createApplication();
    const old = on.another({ keyRing: OLD });
    const { customers, connectLinks } = old.forApplication(id);
    await customers.upsert({ customerId: 'ada', name: 'Ada', email: 'ada@example.com' });
    const link = await connectLinks.create({
      customerId: 'ada',
      providers: ['hubspot'],
      returnUrl: 'https://app.example/done',
      mode: 'REDIRECT',
      confirm: true,
      loginUrl: null,
      optionalScopes: [],
      allowAccountChange: false,
      expiresAt: new Date(Date.now() + 900_000),
    });
    await old.connectFlows.start({
      stateHash: 'state',
      linkId: link?.id ?? '',
      providerName: 'hubspot',
      cookieHash: 'cookie',
      loginOrigin: 'https://app.hubspot.com',
      oauthClientId: 'id',
      codeVerifier: 'verifier',
    });
    const [both, fresh] = [on.another({ keyRing: BOTH }), on.another({ keyRing: NEW })];
    expect(await fresh.maintenance.findUnreadableKeys()).toEqual([]);
    expect(await both.maintenance.rotateSeals()).toEqual({ resealed: 1, unreadable: 0 });
    expect(await fresh.connectFlows.findByState('state')).toMatchObject({
      codeVerifier: 'verifier',
    });
    await on.rows('delete from crossbook.customers');
  });
});
