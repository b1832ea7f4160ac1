import { randomUUID } from 'node:crypto';
import type { HubSpotAccount, SalesforceAccount } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { openRival } from '../support/postgres-rival.ts';

let fresh: TestDatabase;
let crossbook: TestApp;
/** Another process on the same database, whose calls to providers fail soon. */
let impatient: TestApp;
let rival: Awaited<ReturnType<typeof openRival>>;

beforeAll(async () => {
  fresh = await createTestDatabase();
  const database = { url: fresh.url };
  crossbook = await openApp({ database });
  const { sandbox } = crossbook;
  impatient = await openApp({ database, providerDeadlineMs: 2_000 }, { sandbox });
  rival = await openRival(fresh.url);
});
afterAll(async () => {
  await rival.close();
  await impatient.close();
  await crossbook.close();
  await fresh.drop();
});

describe.each(['hubspot', 'salesforce'] as const)(
  'A grant of %s whose connection is removed',
  (provider) => {
    test('is revoked at the provider', async () => {
      const { account, disconnect, revocations } = await setUp(provider);
      expect(await disconnect()).toBe('revoked');
      expect(revocations(account)).toEqual([expect.any(Number)]);
    });

    test('is kept while another customer uses it, and revoked with the last of them', async () => {
      const { account, disconnect, revocations } = await setUp(provider);
      const other = await setUp(provider, account);
      expect(await disconnect()).toBe('shared');
      expect(revocations(account)).toEqual([]);
      expect(await other.disconnect()).toBe('revoked');
    });

    test('is removed here while the provider is down, and the failed revocation is reported', async () => {
      const { account, customerId, disconnect } = await setUp(provider);
      account.fail({ kind: 'reset' }, { times: 20 });
      expect(await disconnect(impatient)).toBe('failed');
      account.clearFaults();
      const gone = await crossbook.rest('GET', `/customers/${customerId}/connections/${provider}`);
      expect(gone.status).toBe(404);
    });

    test('is revoked when its customer is deleted', async () => {
      const { account, customerId, revocations } = await setUp(provider);
      const query = `mutation { deleteCustomer(input: { customerId: "${customerId}" }) { deletedCustomerId } }`;
      expect((await crossbook.execute(query)).errors).toBeUndefined();
      await expect.poll(() => revocations(account)).toHaveLength(1);
    });
  },
);

/** A customer whose connection was made by a link. */
async function setUp(
  provider: 'hubspot' | 'salesforce',
  known?: HubSpotAccount | SalesforceAccount,
) {
  const { sandbox, rest } = crossbook;
  const account = known ?? sandbox[provider].createAccount({ people: [], limits: null });
  const customerId = randomUUID();
  // HubSpot has one address for all, where this installation is registered as the demo's application.
  const { clientId } = provider === 'hubspot' ? sandbox.hubspot.demo : account;
  const { accessToken } = account;
  const refreshToken = account.approve({ clientId, scopes: undefined });
  const connection = {
    provider_name: provider,
    instance_url: provider === 'hubspot' ? sandbox.hubspot.origin : account.instanceUrl,
    credentials: { type: 'oauth2', access_token: accessToken, refresh_token: refreshToken },
  };
  const { body } = await rest('PUT', '/customers', {
    customer_id: customerId,
    name: 'C',
    email: 'c@example.com',
    connections: [connection],
  });
  const { id } = body.connections[0];
  await rival.run(
    `update crossbook.connections set account_id = '${account.id}', account_user_id = '7' where id = '${id}'`,
  );
  await rival.run(
    `update crossbook.credentials set oauth_client_id = '${clientId}' where connection_id = '${id}'`,
  );
  return {
    account,
    customerId,
    disconnect: async (by = crossbook) =>
      (await by.rest('DELETE', `/customers/${customerId}/connections/${provider}`)).body.revocation,
    revocations: (of: HubSpotAccount | SalesforceAccount) =>
      of
        .calls()
        .filter(({ operation }) => /revoke/.test(String(operation)))
        .map(({ status }) => status),
  };
}
