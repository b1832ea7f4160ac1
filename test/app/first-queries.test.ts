import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());
beforeEach(() => {
  crossbook.sandbox.hubspot.demo.resetCalls();
  crossbook.sandbox.salesforce.demo.resetCalls();
});

test('a hundred aliased lookups of different emails cost one HubSpot call', async () => {
  const emails = [...crossbook.sandbox.hubspot.demo.people.all()]
    .flatMap(({ email, isDeleted }) => (email && !isDeleted ? [email.trim().toLowerCase()] : []))
    .filter((email, index, all) => /^[\w.@-]+$/.test(email) && all.indexOf(email) === index)
    .slice(0, 100);
  expect(emails).toHaveLength(100);
  const aliases = emails.map(
    (email, n) =>
      `a${n}: searchContacts(filter: { email: "${email}" }) { nodes { emailAddresses { emailAddress } } }`,
  );
  const { data, errors } = await crossbook.execute(
    `{ ${aliases.join(' ')} }`,
    {},
    { 'x-provider-name': 'hubspot' },
  );
  expect(errors).toBeUndefined();
  for (const [n, email] of emails.entries()) {
    const found = data[`a${n}`].nodes.flatMap(
      (node: { emailAddresses: { emailAddress: string }[] }) =>
        node.emailAddresses.map(({ emailAddress }) => emailAddress.trim().toLowerCase()),
    );
    expect(found).toContain(email);
  }
  expect(crossbook.sandbox.hubspot.demo.callCount()).toBe(1);
});

test('one operation asks three CRMs: two respond, the third field is null with an error at its path', async () => {
  const { data, errors } = await crossbook.execute(
    `query ($email: String!) {
    hubspot: searchContacts(provider: HUBSPOT, filter: { email: $email }) { nodes { firstName } totalCount }
    salesforce: searchContacts(provider: SALESFORCE, filter: { email: $email }) { nodes { firstName } totalCount }
    zendesk: searchContacts(provider: ZENDESK_SELL, filter: { email: $email }) { nodes { firstName } totalCount }
  }`,
    { email: 'ada@example.com' },
  );
  const ada = { nodes: [{ firstName: 'Ada' }], totalCount: 1 };
  expect(data).toEqual({ hubspot: ada, salesforce: ada, zendesk: null });
  expect(errors).toEqual([
    expect.objectContaining({
      path: ['zendesk'],
      message: 'The contacts of Zendesk Sell cannot be searched.',
      extensions: expect.objectContaining({ code: 'NOT_IMPLEMENTED', status: '501' }),
    }),
  ]);
});

test('a customer’s own connections can be searched in one query', async () => {
  const { data } = await crossbook.execute(`{
    customer { customerId connections { providerName status searchContacts(filter: { email: "ada@example.com" }) { totalCount } } }
  }`);
  expect(data.customer.connections).toEqual([
    expect.objectContaining({
      providerName: 'HUBSPOT',
      status: 'CONNECTED',
      searchContacts: { totalCount: 1 },
    }),
    expect.objectContaining({ providerName: 'SALESFORCE', searchContacts: { totalCount: 1 } }),
    expect.objectContaining({ providerName: 'ZENDESK_SELL', searchContacts: null }),
  ]);
});

test('a CRM that is down makes one field null, with an error that gives the reason', async () => {
  crossbook.sandbox.salesforce.demo.fail(
    { kind: 'answer', status: 503, body: '<h1>Down for maintenance</h1>' },
    { times: 50 },
  );
  const { data, errors } = await crossbook.execute(`{
    hubspot: searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { totalCount }
    salesforce: searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { totalCount }
  }`);
  crossbook.sandbox.salesforce.demo.clearFaults();
  expect(data).toEqual({ hubspot: { totalCount: 1 }, salesforce: null });
  expect(errors).toHaveLength(1);
  expect(errors[0].extensions).toMatchObject({
    code: 'REMOTE_PROVIDER_UNAVAILABLE',
    status: '499',
    meta: {
      origin: 'remote-provider',
      application_name: 'Demo application',
      cause: { code: 503 },
      retryable: true,
    },
  });
});

describe('REST', () => {
  test('finds the same contact as GraphQL', async () => {
    const { status, body } = await crossbook.rest(
      'POST',
      '/contacts/_search',
      { filter: { email: 'ada@example.com' } },
      { 'x-provider-name': 'hubspot' },
    );
    expect(status).toBe(200);
    expect(body.pagination).toEqual({ next: null, previous: null, total_count: 1 });
    expect(body.records[0]).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace' });
  });

  test('reads in GraphQL the customer that it upserted', async () => {
    const input = {
      customer_id: 'acme',
      name: 'Acme',
      email: 'it@acme.example',
      connections: [{ provider_name: 'slack' }],
    };
    const { status, body } = await crossbook.rest('PUT', '/customers', input);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      customer_id: 'acme',
      connections: [{ provider_name: 'slack', category: 'no_category' }],
    });
    const { data } = await crossbook.execute('{ customer(customerId: "acme") { name version } }');
    expect(data.customer).toEqual({ name: 'Acme', version: 1 });
  });
});

test('no log line contains the API key, a token or an email', () => {
  const text = crossbook.log.join('');
  expect(text).toContain('"route":"/graphql"');
  const { hubspot, salesforce } = crossbook.sandbox;
  for (const secret of [
    crossbook.key,
    hubspot.demo.staticToken,
    salesforce.demo.accessToken,
    'ada@example.com',
  ]) {
    expect(text).not.toContain(secret);
  }
});
