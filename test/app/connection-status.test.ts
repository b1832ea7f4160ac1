import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { connectAccount } from '../support/connect-account.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const ADA = { filter: { email: 'ada@example.com' } };
const HOUR = 60 * 60_000;

let offset = 0;
let crossbook: TestApp;
beforeAll(async () => {
  const wall = () => Date.now() + offset;
  crossbook = await openApp(
    { sandbox: { port: 0, hosts: [], all: true } },
    { clock: { ...systemClock, wall } },
  );
});
afterAll(() => crossbook.close());

test('a connection is not_tried until its first search', async () => {
  const people = [{ email: 'ada@example.com' }];
  await connectAccount(crossbook, { provider: 'hubspot', customerId: 'tried', people });
  expect(await statusOf('tried')).toEqual(['connected', 'not_tried']);
  expect((await search('tried')).status).toBe(200);
  await expect.poll(() => statusOf('tried')).toEqual(['connected', undefined]);
});

test('an upsert with a wrong token says NOT_TRIED, and the first search says that it is refused', async () => {
  const people = [{ email: 'ada@example.com' }];
  await connectAccount(crossbook, { provider: 'hubspot', customerId: 'wrong', people });
  const input = {
    customerId: 'wrong',
    name: 'C',
    email: 'c@example.com',
    connections: [{ provider: 'HUBSPOT', credentials: { token: { value: 'a-wrong-token' } } }],
  };
  const { data } = await crossbook.execute(
    `mutation ($input: UpsertCustomerInput!) {
      upsertCustomer(input: $input) { customer { connections { status statusReason } } }
    }`,
    { input },
  );
  expect(data.upsertCustomer.customer.connections).toEqual([
    { status: 'CONNECTED', statusReason: 'NOT_TRIED' },
  ]);
  expect((await search('wrong')).status).toBe(499);
  await expect.poll(() => statusOf('wrong')).toEqual(['reauthorize', 'token_refused']);
});

test('a connection whose provider cannot be searched is not_searchable', async () => {
  await put('unsearchable', { type: 'token', value: 'some-token' }, 'zendesk_sell');
  expect(await statusOf('unsearchable', 'zendesk_sell')).toEqual(['connected', 'not_searchable']);
  const query = `{ customer(customerId: "unsearchable") { connections { status statusReason } } }`;
  const { data } = await crossbook.execute(query);
  expect(data.customer.connections).toEqual([
    { status: 'CONNECTED', statusReason: 'NOT_SEARCHABLE' },
  ]);
});

test('a connection to Salesforce without an instance URL is no_instance_url, and a search says how to set it', async () => {
  await put('nowhere', { type: 'token', value: 'some-token' }, 'salesforce');
  expect(await statusOf('nowhere', 'salesforce')).toEqual(['connected', 'no_instance_url']);
  const { errors } = await crossbook.execute(
    '{ searchContacts(customerId: "nowhere", provider: SALESFORCE, filter: { email: "ada@example.com" }) { totalCount } }',
  );
  expect(errors?.[0]?.message).toContain('set `instanceUrl` with upsertCustomer');
});

test('a token that expires and cannot be refreshed is reauthorize, and is not sent', async () => {
  await put('expiring', {
    type: 'oauth2',
    access_token: crossbook.sandbox.hubspot.demo.staticToken,
    expires_at: new Date(Date.now() + HOUR).toISOString(),
  });
  offset = 2 * HOUR;
  crossbook.sandbox.hubspot.demo.resetCalls();
  const { status, body } = await search('expiring');
  expect([status, body.errors[0].code]).toEqual([499, 'REMOTE_PROVIDER_UNAUTHORIZED']);
  expect(crossbook.sandbox.hubspot.demo.calls()).toEqual([]);
  expect(await statusOf('expiring')).toEqual(['reauthorize', 'token_expired']);
});

test('canConnect is true exactly for the providers for which a link can be created', async () => {
  const { data } = await crossbook.execute('{ providers { name canConnect } }');
  await put('linked', null);
  expect(data.providers).toHaveLength(18);
  for (const { name, canConnect } of data.providers) {
    const input = { customerId: 'linked', providers: [name], returnUrl: 'http://localhost:3000/' };
    const { errors } = await crossbook.execute(
      'mutation ($input: CreateConnectLinkInput!) { createConnectLink(input: $input) { url } }',
      { input },
    );
    expect(errors?.[0].extensions.code, name).toBe(canConnect ? undefined : 'NOT_IMPLEMENTED');
  }
});

function put(customer_id: string, credentials: object | null, provider_name = 'hubspot') {
  const connections = [{ provider_name, credentials }];
  const body = { customer_id, name: 'C', email: 'c@example.com', connections };
  return crossbook.rest('PUT', '/customers', body);
}

function search(customerId: string) {
  const headers = { 'x-customer-id': customerId, 'x-provider-name': 'hubspot' };
  return crossbook.rest('POST', '/contacts/_search', ADA, headers);
}

async function statusOf(customerId: string, provider = 'hubspot') {
  const path = `/customers/${customerId}/connections/${provider}`;
  const { body } = await crossbook.rest('GET', path);
  return [body.status, body.status_reason];
}
