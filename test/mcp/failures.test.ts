import { randomUUID } from 'node:crypto';
import type { HubSpotAccount, SalesforceAccount } from '@crossbook/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectCustomer } from '../support/connect-account.ts';
import { consent, openBrowser } from '../support/connect-browser.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { callTool } from './ask-mcp.ts';

const ADA = { filter: { email: 'ada@here.example' } };
const PERSON = { email: 'ada@here.example', firstName: 'Ada' };
const RETURN_URL = 'http://localhost:3000/connected';
const ALWAYS = { times: 999 };
const NOTHING = { next: null, modifiedUntil: null, fetchedAt: null };

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp(
    {
      mcp: { allowsKeys: true, writes: false, text: false, issuer: undefined },
      sandbox: { port: 0, hosts: [], all: true },
    },
    // No time passes between the retries of a call.
    { random: () => 0 },
  );
});
afterAll(() => crossbook.close());

test('a search of all CRMs returns the contacts of the others where one CRM is down', async () => {
  const { salesforce, call } = await addCustomer();
  salesforce.fail('unavailable', ALWAYS);
  const { isError, content, structuredContent } = await call('token', 'search_contacts', ADA);
  expect(isError).toBeUndefined();
  expect(structuredContent.results).toMatchObject([
    { provider: 'hubspot', contacts: [{ firstName: 'Ada' }], next: null },
    {
      provider: 'salesforce',
      contacts: [],
      error: { code: 'REMOTE_PROVIDER_UNAVAILABLE', meta: { retryable: true } },
    },
  ]);
  expect(content).toEqual([
    {
      type: 'text',
      text: 'hubspot: 1 contact in structuredContent.\nsalesforce failed. REMOTE_PROVIDER_UNAVAILABLE: Remote provider unavailable. See structuredContent.',
    },
  ]);
});

test('a search whose CRMs all fail is an error', async () => {
  const { hubspot, salesforce, call } = await addCustomer();
  for (const account of [hubspot, salesforce]) account.fail('unavailable', ALWAYS);
  const all = await call('token', 'search_contacts', ADA);
  expect(all).toMatchObject({ isError: true, structuredContent: { results: [{}, {}] } });
  const one = await call('token', 'search_contacts', { ...ADA, provider: 'hubspot' });
  expect(one).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'REMOTE_PROVIDER_UNAVAILABLE' } },
  });
});

test('a search of all CRMs skips one that cannot search by the filter, and says why', async () => {
  const { pipedrive, call } = await addCustomer();
  await pipedrive.connect();
  const filter = { namePrefix: 'ad' };
  const { isError, content, structuredContent } = await call('key', 'search_contacts', { filter });
  expect(isError).toBeUndefined();
  const skipped = 'Pipedrive cannot search contacts by namePrefix.';
  expect(structuredContent.results).toEqual([
    expect.objectContaining({ provider: 'hubspot', contacts: [expect.anything()] }),
    { ...NOTHING, provider: 'pipedrive', contacts: [], skipped },
    expect.objectContaining({ provider: 'salesforce', contacts: [expect.anything()] }),
  ]);
  expect(content[0].text).toContain(`\npipedrive was skipped. ${skipped}\n`);
  const named = await call('key', 'search_contacts', { filter, provider: 'pipedrive' });
  expect(named).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'NOT_IMPLEMENTED' } },
  });
  const deals = await call('key', 'search_deals', {
    filter: { status: 'open', closeDate: { from: '2026-01-01' } },
  });
  expect(deals.structuredContent.results).toContainEqual({
    ...NOTHING,
    provider: 'pipedrive',
    deals: [],
    skipped: 'Pipedrive cannot search deals by closeDate.',
  });
  await pipedrive.leaveOthers();
  expect(await call('key', 'search_contacts', { filter })).toMatchObject({
    isError: true,
    structuredContent: { results: [{ provider: 'pipedrive', skipped }] },
  });
});

test('where credentials are refused, the error says what to do, and a key makes a link that connects', async () => {
  const { hubspot, customerId, call } = await addCustomer();
  hubspot.expireAccessToken();
  hubspot.fail('refresh-refused', { ...ALWAYS, operation: 'oauth.token' });
  const search = { ...ADA, provider: 'hubspot' };
  const detail = async (caller: 'token' | 'key') =>
    (await call(caller, 'search_contacts', search)).structuredContent.error.detail;
  expect(await detail('token')).toContain('through a connect link of the application');
  expect(await detail('token')).not.toContain('create_connect_link');
  expect(await detail('key')).toContain('create_connect_link');
  const { content } = await call('key', 'search_contacts', ADA);
  expect(content[0].text).toContain('create_connect_link');
  const { connections } = (await call('token', 'list_connections')).structuredContent;
  expect(connections).toMatchObject([
    { providerName: 'hubspot', status: 'reauthorize', canSearchContacts: true },
    { providerName: 'salesforce', status: 'connected' },
  ]);

  const { link } = (
    await call('key', 'create_connect_link', { providers: ['hubspot'], returnUrl: RETURN_URL })
  ).structuredContent;
  expect(link).toMatchObject({ customerId, status: 'PENDING', expiresAt: expect.any(String) });
  const browser = openBrowser(crossbook.app);
  const { consentUrl } = await browser.start(link.url, { provider: 'hubspot' });
  const back = await browser.visit(await consent(consentUrl));
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code');
  const path = `/customers/${customerId}/connect_links/${link.id}/_confirm`;
  expect((await crossbook.rest('POST', path, { code })).status).toBe(200);
  const found = await call('token', 'search_contacts', {
    provider: 'hubspot',
    filter: { email: 'ada@example.com' },
  });
  expect(found.structuredContent.results[0].contacts).toHaveLength(1);
});

test('a failed association leaves the contact and the other associations', async () => {
  const { hubspot, call } = await addCustomer();
  const { results } = (await call('token', 'search_contacts', ADA)).structuredContent;
  const { remoteId } = results[0].contacts[0];
  hubspot.fail('missing-scopes', { ...ALWAYS, operation: 'associations.batchRead' });
  const read = { provider: 'hubspot', remoteId, associations: ['company'] };
  const { isError, structuredContent } = await call('token', 'get_contact', read);
  expect(isError).toBeUndefined();
  expect(structuredContent).toMatchObject({
    contact: { firstName: 'Ada' },
    associations: {},
    associationErrors: { company: { code: 'REMOTE_PROVIDER_FORBIDDEN' } },
  });
});

test('an unknown contact, customer and connection are errors in words', async () => {
  const { call } = await addCustomer();
  const errorOf = async (caller: 'token' | 'key', tool: string, args: object) =>
    (await call(caller, tool, args)).structuredContent.error;
  const unknown = { provider: 'hubspot', remoteId: '999999999' };
  expect(await errorOf('token', 'get_contact', unknown)).toMatchObject({ status: '404' });
  const nobody = { ...ADA, customerId: 'nobody' };
  expect(await errorOf('key', 'search_contacts', nobody)).toMatchObject({ status: '404' });
  const unsearchable = { ...ADA, provider: 'zendesk_sell' };
  expect(await errorOf('token', 'search_contacts', unsearchable)).toMatchObject({
    status: '501',
    detail: 'The contacts of Zendesk Sell cannot be searched.',
  });
  const foreign = { providers: ['hubspot'], returnUrl: 'https://evil.example/' };
  expect(await errorOf('key', 'create_connect_link', foreign)).toMatchObject({ status: '422' });
});

test('pages continue by provider and cursor, up to 50 contacts each', async () => {
  const { call } = await addCustomer(
    Array.from({ length: 60 }, (_, index) => ({ email: `p${index}@many.example` })),
  );
  const filter = { emailDomain: 'many.example' };
  const first = (await call('token', 'search_contacts', { filter, first: 50 })).structuredContent;
  const ids = (result: { contacts: { remoteId: string }[] }) =>
    result.contacts.map(({ remoteId }) => remoteId);
  for (const result of first.results) {
    const { provider, next: after } = result;
    const rest = (await call('token', 'search_contacts', { filter, provider, first: 50, after }))
      .structuredContent.results[0];
    expect(new Set([...ids(result), ...ids(rest)]).size, provider).toBe(60);
    expect(rest.next).toBeNull();
  }
  const after = first.results[0].next;
  const unnamed = await call('token', 'search_contacts', { filter, after });
  expect(unnamed.structuredContent.error).toMatchObject({
    status: '400',
    detail: expect.stringContaining('pass the provider'),
  });
});

/** A customer with an account of its own in both CRMs. */
async function addCustomer(people: readonly { email: string; firstName?: string }[] = [PERSON]) {
  const hubspot = crossbook.sandbox.hubspot.createAccount({ people, limits: null });
  const salesforce = crossbook.sandbox.salesforce.createAccount({ people, limits: null });
  const customerId = randomUUID();
  const { status } = await crossbook.rest('PUT', '/customers', {
    customer_id: customerId,
    name: 'Acme',
    email: 'office@acme.example',
    connections: [toConnection('hubspot', hubspot), toConnection('salesforce', salesforce)],
  });
  expect(status).toBe(200);
  const { body } = await crossbook.rest('POST', `/customers/${customerId}/tokens`, {});
  const callers = {
    token: { authorization: `Bearer ${body.token}` },
    key: { 'x-api-key': crossbook.key, 'x-customer-id': customerId },
  };
  return {
    customerId,
    hubspot,
    salesforce,
    pipedrive: {
      /** Connects the customer to one more CRM, which has fewer filters. */
      async connect() {
        const account = crossbook.sandbox.pipedrive.createAccount({ people, limits: null });
        const options = { provider: 'pipedrive', account, customerId } as const;
        await connectCustomer(crossbook, options);
      },
      async leaveOthers() {
        for (const name of ['hubspot', 'salesforce'])
          await crossbook.rest('DELETE', `/customers/${customerId}/connections/${name}`);
      },
    },
    call: (caller: keyof typeof callers, tool: string, args: object = {}) =>
      callTool(crossbook, callers[caller], tool, args),
  };
}

function toConnection(
  name: 'hubspot' | 'salesforce',
  { accessToken, refreshToken }: HubSpotAccount | SalesforceAccount,
) {
  return {
    provider_name: name,
    instance_url: crossbook.sandbox[name].origin,
    credentials: { type: 'oauth2', access_token: accessToken, refresh_token: refreshToken },
  };
}
