import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunk } from '../../src/lib/batcher.ts';
import { createTestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { openRival } from '../support/postgres-rival.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { toFetch } from '../support/to-fetch.ts';

const SEARCH =
  'query ($email: String!) { searchContacts(filter: { email: $email }) { totalCount } }';

/** The OAuth client of this installation at the real providers. */
const REAL = { clientId: 'real-id', clientSecret: 'real-secret' };

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({
    // A connection gets a third of them.
    maxRequests: 4_000,
    oauthClients: { hubspot: REAL, salesforce: REAL },
  });
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'] as const)('An expired token of %s', (provider) => {
  test('is refreshed by one call for a thousand GraphQL and REST requests, and all succeed', async () => {
    const account = await connect(crossbook, provider);
    account.expireAccessToken();
    account.resetCalls();
    // The refresh lasts until all requests wait for it.
    account.fail({ kind: 'slow', delayMs: 3_600_000 }, { operation: 'oauth.token' });
    const headers = { 'x-customer-id': 'expired', 'x-provider-name': provider };
    const search = async (email: string, index: number) => {
      if (index % 2 > 0)
        return (await crossbook.execute(SEARCH, { email }, headers)).data?.searchContacts
          ?.totalCount;
      const { body } = await crossbook.rest(
        'POST',
        '/contacts/_search',
        { filter: { email } },
        headers,
      );
      return body.pagination?.total_count;
    };
    const emails = emailsOf(crossbook, 1_000);
    const counts: Promise<unknown>[] = [];
    // In parts: a request may wait for five seconds until it begins, and a busy machine takes longer to begin all.
    for (const part of chunk(emails, 50)) {
      counts.push(...part.map(search));
      await expect.poll(countWaiting).toBe(counts.length);
    }
    account.clearFaults();
    expect(new Set(await Promise.all(counts))).toEqual(new Set([1]));
    expect(account.callCount('oauth.token')).toBe(1);
  });

  test('is refreshed with the sandbox’s OAuth client, also where a real one is configured', async () => {
    const account = await connect(crossbook, provider);
    account.expireAccessToken();
    account.resetCalls();
    const headers = { 'x-customer-id': 'expired', 'x-provider-name': provider };
    const { data } = await crossbook.execute(SEARCH, { email: 'ada@example.com' }, headers);
    expect(data).toEqual({ searchContacts: { totalCount: 1 } });
    expect(account.calls().filter(({ operation }) => operation === 'oauth.token')).toMatchObject([
      { status: 200 },
    ]);
  });
});

test('two demo processes on one database both respond, also after one has refreshed a token', async () => {
  const fresh = await createTestDatabase();
  const first = await openApp({ database: { url: fresh.url } });
  const second = await openApp({ database: { url: fresh.url } });
  for (const provider of ['hubspot', 'salesforce']) {
    for (const { execute } of [first, second]) {
      const { data } = await execute(
        SEARCH,
        { email: 'ada@example.com' },
        { 'x-provider-name': provider },
      );
      expect(data).toEqual({ searchContacts: { totalCount: 1 } });
    }
  }
  first.sandbox.salesforce.demo.expireAccessToken();
  for (const { execute } of [first, second]) {
    const { data } = await execute(
      SEARCH,
      { email: 'ada@example.com' },
      { 'x-provider-name': 'salesforce' },
    );
    expect(data).toEqual({ searchContacts: { totalCount: 1 } });
  }
  const { body } = await first.rest('GET', '/customers/demo');
  expect(JSON.stringify(body)).toContain('http://salesforce.sandbox.localhost');
  expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  await Promise.all([first.close(), second.close()]);
  await fresh.drop();
});

test('a refresh lease is longer than two calls to the provider, because an origin may have moved', async () => {
  const fresh = await createTestDatabase();
  const app = await openApp({ database: { url: fresh.url }, providerDeadlineMs: 60_000 });
  const rival = await openRival(fresh.url);
  const account = await connect(app, 'salesforce');
  account.expireAccessToken();
  const headers = { 'x-customer-id': 'expired', 'x-provider-name': 'salesforce' };
  await rival.run('create table before as select clock_timestamp() as time');
  await app.execute(SEARCH, { email: 'ada@example.com' }, headers);
  const leases = await rival.run(
    `select refreshing_until - time > interval '2 minutes' as "isLong"
    from crossbook.credentials, before where refreshing_until is not null`,
  );
  expect(leases).toEqual([{ isLong: true }]);
  await Promise.all([rival.close(), app.close()]);
  await fresh.drop();
});

/** The demo customer's HubSpot has a token that never expires: this customer's connections are all OAuth. */
async function connect({ sandbox, rest }: TestApp, provider: 'hubspot' | 'salesforce') {
  const { origin, demo } = sandbox[provider];
  const { status } = await rest('PUT', '/customers', {
    customer_id: 'expired',
    name: 'Expired',
    email: 'expired@example.com',
    connections: [
      {
        provider_name: provider,
        instance_url: provider === 'hubspot' ? origin : demo.instanceUrl,
        credentials: {
          type: 'oauth2',
          access_token: demo.accessToken,
          refresh_token: demo.refreshToken,
        },
      },
    ],
  });
  if (status !== 200) throw new Error(`The customer was answered with ${status}.`);
  return demo;
}

/** The operations that wait for a provider. */
async function countWaiting(): Promise<number | undefined> {
  const request = new Request('http://crossbook.test/metrics');
  const response = await toFetch(crossbook.app.answer)(request);
  return readMetrics(await response.text())('crossbook_provider_waiting')[''];
}

/** Emails that belong to one person each. */
function emailsOf({ sandbox }: TestApp, count: number): readonly string[] {
  const seen = new Map<string, number>();
  for (const { email, isDeleted } of sandbox.hubspot.demo.people.all()) {
    const key = email?.trim().toLowerCase();
    if (key && !isDeleted) seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen]
    .flatMap(([email, times]) => (times === 1 ? [email] : []))
    .slice(100, 100 + count);
}
