import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const { key: adminKey, hash } = createAdminKey();
let app: TestApp;

beforeAll(async () => {
  // Requests with the operator's key do not count against the rate limit for unauthenticated clients.
  app = await openApp({ adminKeyHash: hash, allowsUnauthenticated: false });
});
afterAll(() => app.close());

const admin = (method: string, path: string, body?: unknown, key = adminKey) =>
  app.rest(method, `/admin${path}`, body, { 'x-admin-key': key });
const call = async (key: string) =>
  (await app.rest('GET', '/customers/nobody', undefined, { 'x-api-key': key })).status;

describe('The admin API over HTTP on a running server', () => {
  test('creating an application and an API key takes effect immediately', async () => {
    const made = await admin('POST', '/applications', {
      name: 'Acme',
      origins: ['https://a.example/'],
    });
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(made.body).toEqual({
      application: { id: expect.any(String), name: 'Acme', origins: ['https://a.example'] },
    });
    const key = await admin('POST', '/applications/Acme/keys', { name: 'backend' });
    expect(key.status).toBe(201);
    expect(key.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      key: expect.stringMatching(/^cbk_/),
      application_id: made.body.application.id,
    });
    expect(await call(key.body.key)).toBe(404);
    const { applications } = (await admin('GET', '/applications')).body;
    expect(applications).toContainEqual(made.body.application);
  });

  test('creating an application with a name that exists is rejected with a message that names it', async () => {
    await admin('POST', '/applications', { name: 'Twice' });
    const again = await admin('POST', '/applications', { name: 'Twice' });
    expect(again.status).toBe(409);
    expect(again.body.errors).toMatchObject([
      { code: 'CONFLICT', detail: 'An application called "Twice" already exists.' },
    ]);
    await admin('POST', '/applications/Twice/keys');
    const { status, body } = await admin('POST', '/applications/Twice/keys');
    expect([status, body.errors[0].detail]).toEqual([
      409,
      expect.stringContaining('called "default"'),
    ]);
  });

  test('an API key can be rotated, listed without its secret, and revoked', async () => {
    await admin('POST', '/applications', { name: 'Rotating' });
    const old = (await admin('POST', '/applications/Rotating/keys')).body;
    const fresh = await admin('POST', `/keys/${old.id}/rotate`, { overlap_hours: 1 });
    expect(fresh.status).toBe(201);
    expect(fresh.body).toMatchObject({
      replaces: old.id,
      old_ends_at: expect.stringMatching(/Z$/),
    });
    expect([await call(old.key), await call(fresh.body.key)]).toEqual([404, 404]);

    const listed = (await admin('GET', '/applications/Rotating/keys')).body;
    expect(listed.keys).toEqual([
      expect.objectContaining({ id: old.id, state: 'ending', revoked_at: fresh.body.old_ends_at }),
      expect.objectContaining({ id: fresh.body.id, state: 'active', revoked_at: null }),
    ]);
    for (const { key } of [old, fresh.body]) {
      // A secret may contain underscores.
      const [, secret] = /_([\w-]{43})_[\w-]{22}$/.exec(key) ?? [];
      expect(secret).toHaveLength(43);
      expect(JSON.stringify(listed)).not.toContain(secret);
    }

    expect((await admin('POST', `/keys/${fresh.body.id}/revoke`)).body).toEqual({
      id: fresh.body.id,
      revoked: true,
    });
    const again = await admin('POST', `/keys/${fresh.body.id}/revoke`);
    expect([again.status, again.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
  });

  test('allowed origins can be added and removed', async () => {
    await admin('POST', '/applications', { name: 'Paged', origins: ['https://a.example'] });
    const change = { add: ['https://b.example'], remove: ['https://a.example'] };
    const { body } = await admin('POST', '/applications/Paged/origins', change);
    expect(body.application.origins).toEqual(['https://b.example']);
    expect((await admin('POST', '/applications/nobody/origins', change)).status).toBe(404);
  });

  test.each([
    ['POST', '/applications', { name: '' }, 422],
    ['POST', '/applications', { nome: 'x' }, 400],
    ['POST', '/applications', { name: 'x', origins: ['*'] }, 400],
    ['POST', '/applications', undefined, 415],
    ['POST', '/keys/none/rotate', { overlap_hours: -1 }, 400],
    ['POST', '/keys/none/rotate', {}, 404],
    ['DELETE', '/applications', undefined, 405],
    ['GET', '/nothing', undefined, 404],
  ])(
    'an invalid request gets a problem response: %s %s %j',
    async (method, path, input, status) => {
      const { status: got, body } = await admin(method, path, input);
      expect(body).toEqual({
        errors: [expect.objectContaining({ status: String(status), detail: expect.any(String) })],
      });
      expect(got).toBe(status);
    },
  );
});

describe('The admin API requires the admin key', () => {
  test.each([
    ['another key of the same format', () => createAdminKey().key],
    ['its hash', () => hash],
    ['an API key', () => app.key],
    ['nothing', () => ''],
  ])('%s is rejected', async (_, other) => {
    const { status, body } = await admin('GET', '/applications', undefined, other());
    expect([status, body.errors[0].code]).toEqual([401, 'UNAUTHORIZED']);
    expect(JSON.stringify(body)).not.toContain('Acme');
  });

  test('an API key is rejected on admin paths, and the admin key is rejected on API paths', async () => {
    expect((await app.rest('GET', '/admin/applications')).status).toBe(401);
    expect(await call(adminKey)).toBe(401);
  });

  test('a hashed plain word is not accepted as an admin key hash', async () => {
    const weak = await openApp({
      adminKeyHash: createHash('sha256').update('secret').digest('hex'),
    });
    const { status } = await weak.rest('GET', '/admin/applications', undefined, {
      'x-admin-key': 'secret',
    });
    await weak.close();
    expect(status).toBe(401);
  });

  test('the log records what the operator did and never contains the admin key', () => {
    const log = app.log.join('');
    expect(log).not.toContain(adminKey);
    expect(log).not.toContain(hash);
    expect(log).toMatch(
      /"operation":"createKey".*"credential":"operator"|"credential":"operator".*"operation":"createKey"/,
    );
  });

  test('without a configured admin key the admin paths are 404', async () => {
    const without = await openApp({ console: undefined });
    const { status } = await without.rest('GET', '/admin/applications', undefined, {
      'x-admin-key': adminKey,
    });
    await without.close();
    expect(status).toBe(404);
  });
});
