import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { toFetch } from '../support/to-fetch.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

test('a provider that restricts where refreshes may come from raises an alarm, and no customer has to connect again', async () => {
  const { sandbox, rest, app } = crossbook;
  const account = sandbox.salesforce.demo;
  const { refreshToken, instanceUrl } = account;
  const credentials = {
    type: 'oauth2',
    access_token: 'old-access-token',
    refresh_token: refreshToken,
  };
  await rest('PUT', '/customers', {
    customer_id: 'restricted',
    name: 'R',
    email: 'r@example.com',
    connections: [{ provider_name: 'salesforce', instance_url: instanceUrl, credentials }],
  });
  const headers = { 'x-customer-id': 'restricted', 'x-provider-name': 'salesforce' };
  const search = () =>
    rest('POST', '/contacts/_search', { filter: { email: 'ada@example.com' } }, headers);
  const connection = async () =>
    (await rest('GET', '/customers/restricted/connections/salesforce')).body as Record<
      string,
      unknown
    >;
  const before = await connection();

  account.fail('ip-restricted', { operation: 'oauth.token' });
  const refused = await search();
  expect([refused.status, refused.body.errors[0].code]).toEqual([499, 'REMOTE_PROVIDER_FORBIDDEN']);
  expect(await connection()).toEqual(before);
  const metrics = await toFetch(app.answer)(new Request('http://crossbook.test/metrics'));
  expect(readMetrics(await metrics.text())('crossbook_token_refreshes_restricted_total')).toEqual({
    'provider="salesforce"': 1,
  });
  // From another address, or at another hour.
  expect((await search()).status).toBe(200);
  const { status_reason: _, ...tried } = before;
  await expect.poll(connection).toEqual({ ...tried, status_changed_at: expect.any(String) });
});
