import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { openRival } from '../support/postgres-rival.ts';
import { toFetch } from '../support/to-fetch.ts';

const { key: adminKey, hash } = createAdminKey();
let fresh: TestDatabase;
let crossbook: TestApp;
let rival: Awaited<ReturnType<typeof openRival>>;

beforeAll(async () => {
  fresh = await createTestDatabase();
  crossbook = await openApp({ database: { url: fresh.url }, adminKeyHash: hash });
  rival = await openRival(fresh.url);
});
afterAll(async () => {
  await rival.close();
  await crossbook.close();
  await fresh.drop();
});

const admin = (method: string, path: string, body?: unknown) =>
  crossbook.rest(method, `/admin/applications${path}`, body, { 'x-admin-key': adminKey });

describe('An application', () => {
  test('is renamed, and keeps its id, its keys and its data', async () => {
    const { id, call } = await addApplication('Before');
    await call('PUT', '/customers', CUSTOMER);
    expect((await admin('POST', '/Before/rename', { name: 'After' })).body).toEqual({
      application: { id, name: 'After' },
    });
    expect((await call('GET', '/customers/ada')).status).toBe(200);
    expect((await admin('GET', '/Before/keys')).status).toBe(404);
    expect((await admin('GET', '/After/keys')).status).toBe(200);
    // The old name is free, and belongs to an application of its own.
    const again = await addApplication('Before');
    expect(again.id).not.toBe(id);
    expect((await again.call('GET', '/customers/ada')).status).toBe(404);
  });

  test('is not renamed to a name that is taken or unfit', async () => {
    await addApplication('One');
    await addApplication('Two');
    const taken = await admin('POST', '/One/rename', { name: 'Two' });
    expect([taken.status, taken.body.errors[0].detail]).toEqual([
      409,
      'An application called "Two" already exists.',
    ]);
    expect((await admin('POST', '/One/rename', { name: ' ' })).status).toBe(422);
    expect((await admin('POST', '/Nobody/rename', { name: 'Three' })).status).toBe(404);
  });

  test('of many concurrent creations with one name one succeeds', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => admin('POST', '', { name: 'Raced' })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  test('is deleted only with its name as the confirmation, which says what is deleted', async () => {
    const { call } = await addApplication('Kept');
    await call('PUT', '/customers', CUSTOMER);
    for (const body of [undefined, {}, { confirm: 'kept' }]) {
      const { status, body: answer } = await admin('POST', '/Kept/delete', body);
      expect(status).toBe(422);
      expect(answer.errors[0].detail).toContain('1 customer, 1 connection with credentials');
    }
    expect((await call('GET', '/customers/ada')).status).toBe(200);
  });

  test('the demo is neither renamed nor deleted', async () => {
    const name = encodeURIComponent('Demo application');
    const changes = [
      await admin('POST', `/${name}/rename`, { name: 'Mine' }),
      await admin('POST', `/${name}/delete`, { confirm: 'Demo application' }),
    ];
    expect(changes.map(({ status }) => status)).toEqual([409, 409]);
  });

  test('that is deleted is refused everywhere, leaves no row, has its grants revoked, and frees its name', async () => {
    const kept = await addApplication('Bystander');
    await kept.call('PUT', '/customers', CUSTOMER);
    const { id, call } = await addApplication('Gone');
    const { link } = await fill(call);
    const { account, revocations } = await connectByLink(call);
    const { body } = await call('POST', '/customers/ada/tokens', {});
    const asCustomer = () => statusOf('/customers/ada', { authorization: `Bearer ${body.token}` });
    const { pathname } = new URL(link);
    expect([await asCustomer(), await statusOf(pathname)]).toEqual([200, 200]);

    const deleted = await admin('POST', '/Gone/delete', { confirm: 'Gone' });
    expect(deleted.status).toBe(202);
    expect(deleted.body.deleting).toMatchObject({ id, name: 'Gone', customers: 2, keys: 1 });
    // A caller is cached for five seconds.
    await expect.poll(async () => (await call('GET', '/customers/ada')).status).toBe(401);
    await expect.poll(asCustomer).toBe(401);
    expect(await statusOf(pathname)).toBe(410);
    expect((await admin('POST', '/Gone/delete', { confirm: 'Gone' })).status).toBe(404);
    expect((await admin('POST', '/Gone/keys')).status).toBe(404);
    const { applications } = (await admin('GET', '')).body;
    expect(applications.find((one: { id: string }) => one.id === id)).toMatchObject({
      deleted_at: expect.stringMatching(/Z$/),
    });

    await settle(id);
    await expect.poll(() => countRows(id)).toEqual({});
    expect(revocations()).toHaveLength(1);
    expect(account.calls().length).toBeGreaterThan(0);
    await expect.poll(() => crossbook.log.join('')).toContain('an application was deleted');

    expect(await countRows(kept.id)).not.toEqual({});
    expect((await kept.call('GET', '/customers/ada')).status).toBe(200);
    const again = await addApplication('Gone');
    expect((await again.call('GET', '/customers')).body.records).toEqual([]);
  });
});

const CUSTOMER = {
  customer_id: 'ada',
  name: 'Ada',
  email: 'ada@example.com',
  connections: [
    { provider_name: 'pipedrive', credentials: { type: 'token', value: 'some-token' } },
  ],
};

type Call = Awaited<ReturnType<typeof addApplication>>['call'];

async function addApplication(name: string) {
  const { body } = await admin('POST', '', { name, origins: ['https://app.example'] });
  const { key } = (await admin('POST', `/${encodeURIComponent(name)}/keys`)).body;
  const call = (method: string, path: string, sent?: unknown) =>
    crossbook.rest(method, path, sent, { 'x-api-key': key, 'x-customer-id': 'ada' });
  return { id: body.application.id as string, call };
}

/** Something in every table. */
async function fill(call: Call) {
  await call('PUT', '/customers', CUSTOMER);
  await call('PUT', '/custom_fields/contact', { definitions: [] });
  await call('PUT', '/oauth_clients/hubspot', { client_id: 'a', client_secret: 'b' });
  await call('POST', '/webhook_endpoints', { url: 'https://hooks.example/x' });
  const link = await call('POST', '/customers/ada/connect_links', {
    providers: ['hubspot'],
    return_url: 'https://app.example/',
  });
  expect(link.status).toBe(201);
  return { link: link.body.url as string };
}

/** A second customer, whose grant is ours to revoke. */
async function connectByLink(call: Call) {
  const { hubspot } = crossbook.sandbox;
  const account = hubspot.createAccount({ people: [], limits: null });
  const { clientId } = hubspot.demo;
  const { body } = await call('PUT', '/customers', {
    customer_id: 'grace',
    name: 'Grace',
    email: 'grace@example.com',
    connections: [
      {
        provider_name: 'hubspot',
        instance_url: hubspot.origin,
        credentials: {
          type: 'oauth2',
          access_token: account.accessToken,
          refresh_token: account.approve({ clientId, scopes: undefined }),
        },
      },
    ],
  });
  const { id } = body.connections[0];
  await rival.run(
    `update crossbook.connections set account_id = '${account.id}', account_user_id = '7' where id = '${id}'`,
  );
  await rival.run(
    `update crossbook.credentials set oauth_client_id = '${clientId}' where connection_id = '${id}'`,
  );
  const revocations = () =>
    account.calls().filter(({ operation }) => /revoke/.test(String(operation)));
  return { account, revocations };
}

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const request = new Request(`http://crossbook.test${path}`, { headers });
  return (await toFetch(crossbook.app.answer)(request)).status;
}

/** As if the deletion had been requested a minute ago. */
function settle(id: string) {
  return rival.run(
    `update crossbook.applications set deleted_at = deleted_at - interval '1 minute' where id = '${id}'`,
  );
}

/** The rows of an application by table, of every table that has its id. */
async function countRows(id: string): Promise<Record<string, number>> {
  const tables = await rival.run(`
    select table_name from information_schema.columns
    where table_schema = 'crossbook' and column_name = 'application_id'`);
  const counts: Record<string, number> = {};
  const all = [
    ...tables.map((row) => [row['table_name'], 'application_id'] as const),
    ['applications', 'id'] as const,
  ];
  for (const [table, column] of all) {
    const [row] = await rival.run(
      `select count(*)::int as count from crossbook.${table} where ${column} = '${id}'`,
    );
    if (row?.['count'] !== 0) counts[String(table)] = Number(row?.['count']);
  }
  return counts;
}
