import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdminKey, DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { connectAccount } from '../support/connect-account.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { runCli } from '../support/run-cli.ts';

const { key: adminKey, hash } = createAdminKey();
const SEARCH = `query ($email: String!) { searchContacts(provider: HUBSPOT, filter: { email: $email }) { totalCount } }`;
let fresh: TestDatabase;
beforeAll(async () => {
  fresh = await createTestDatabase();
});
afterAll(() => fresh.drop());

const open = () => openApp({ database: { url: fresh.url }, adminKeyHash: hash });
const admin = (app: TestApp, path: string) =>
  app.rest('GET', `/admin${path}`, undefined, { 'x-admin-key': adminKey });

test('every request is counted for its application and customer, and none is lost by a graceful shutdown', async () => {
  const first = await open();
  const people = [{ email: 'ada@example.com' }];
  for (const customerId of ['busy', 'quiet'])
    await connectAccount(first, { provider: 'hubspot', customerId, people });
  const search = (customerId: string, headers: Record<string, string> = {}) =>
    first.execute(
      SEARCH,
      { email: 'ada@example.com' },
      { 'x-customer-id': customerId, ...headers },
    );
  for (let count = 0; count < 5; count += 1) await search('busy');
  await search('quiet');
  const failed = await search('nobody');
  expect(failed.errors).toHaveLength(1);
  const several =
    '{ a: customer(customerId: "busy") { name } b: customer(customerId: "quiet") { name } }';
  expect((await first.execute(several)).errors).toBeUndefined();
  // Without a caller nothing is counted.
  await first.rest('GET', '/customers/busy', undefined, { 'x-api-key': 'cbk_wrong' });
  await first.close();

  const second = await open();
  const { status, body } = await admin(
    second,
    `/applications/${DEMO_APPLICATION.id}/usage/customers`,
  );
  expect(status).toBe(200);
  const of = (id: string | null) =>
    body.customers.find(({ customer_id }: { customer_id: string }) => customer_id === id);
  // One request of each is the upsert.
  expect(of('busy')).toMatchObject({ requests: 6, errors: 0, provider_calls: 5 });
  expect(of('quiet')).toMatchObject({ requests: 2, errors: 0, provider_calls: 1 });
  expect(of(null)).toMatchObject({ requests: 2, errors: 1, provider_calls: 0 });
  expect(of('busy').cost).toBeGreaterThan(of('quiet').cost);
  expect(of('nobody')).toBeUndefined();

  const { applications } = (await admin(second, '/usage')).body;
  expect(applications).toEqual([
    expect.objectContaining({ id: DEMO_APPLICATION.id, requests: 10, provider_calls: 6 }),
  ]);
  const path = `/applications/${DEMO_APPLICATION.id}/usage/hours`;
  const { hours } = (await admin(second, `${path}?customer_id=busy`)).body;
  expect(hours.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)).toBe(
    6,
  );
  await second.close();
});

test('the commands print the same', async () => {
  const env = {
    DATABASE_URL: fresh.url,
    CROSSBOOK_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const run = (...args: string[]) => runCli(args, { env });
  const apps = await run('usage', 'apps');
  expect(apps.stdout).toMatch(
    /^application +requests +errors +CRM calls +cost\nDemo application +10 +1 +6 +\d+$/m,
  );
  const customers = await run('usage', 'customers', 'Demo application');
  expect(customers.stdout).toMatch(/^busy +6 +0 +5 +\d+$/m);
  expect(customers.stdout).toMatch(/^\(other\) +2 +1 +0 +\d+$/m);
  const hours = await run('usage', 'hours', 'Demo application', '--customer', 'busy', '--json');
  expect(hours.json().application).toMatchObject({ name: 'Demo application' });
  const none = await run('usage', 'apps', '--until', '2020-01-01T00:00:00Z');
  expect(none.stdout).toBe('There is no usage.\n');
  for (const wrong of [
    ['--since', 'yesterday'],
    ['--first', '1001'],
    ['--since', '2026-01-02T00:00:00Z', '--until', '2026-01-01T00:00:00Z'],
  ])
    expect((await run('usage', 'apps', ...wrong)).code).toBe(1);
});

test('usage is for the operator only', async () => {
  const app = await open();
  expect((await app.rest('GET', '/admin/usage')).status).toBe(401);
  expect((await admin(app, '/usage?since=x')).status).toBe(400);
  expect((await admin(app, '/usage?first=0')).status).toBe(400);
  expect((await admin(app, '/usage?first=0x10')).status).toBe(400);
  expect((await admin(app, '/applications/nobody/usage/hours')).status).toBe(404);
  await app.close();
});
