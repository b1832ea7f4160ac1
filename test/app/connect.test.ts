import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { toOwnCommand } from '../../src/lib/own-command.ts';
import { consent, openBrowser } from '../support/connect-browser.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const ORIGIN = 'http://localhost:4000';
const RETURN_URL = 'http://localhost:3000/connected?tab=crm';

let customers = 0;
let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

test.each(['hubspot', 'salesforce'])(
  'a customer connects %s by a link, and its contacts are found',
  async (provider) => {
    const { customerId, create } = await addCustomer();
    const { id, url } = await create({ providers: [provider.toUpperCase()] });
    expect(url.startsWith(`${ORIGIN}/connect/`)).toBe(true);
    const browser = openBrowser(crossbook.app);
    expect((await browser.visit(url)).text).toContain('Demo application');
    const { consentUrl } = await browser.start(url, { provider });
    expect(await readStatus(id)).toBe('STARTED');
    const back = await browser.visit(await consent(consentUrl));
    expect(back.status).toBe(303);
    const location = new URL(back.headers.get('location') ?? '');
    const { code, ...rest } = Object.fromEntries(location.searchParams);
    expect(rest).toEqual({ tab: 'crm', connect_link_id: id, status: 'AWAITING_CONFIRMATION' });
    expect(await search(customerId, provider)).toMatchObject({ status: '404' });

    const { data } = await crossbook.execute(CONFIRM, { input: { id, code } });
    expect(data.confirmConnectLink.link.status).toBe('COMPLETED');
    expect(data.confirmConnectLink.connection).toMatchObject({
      status: 'CONNECTED',
      account: { id: expect.any(String) },
    });
    expect(await search(customerId, provider)).toEqual({ found: 1 });
  },
);

test('creating a link with several invalid fields reports all of them at once', async () => {
  const { customerId } = await addCustomer();
  const { status, body } = await crossbook.rest('POST', `/customers/${customerId}/connect_links`, {
    providers: ['hubspot', 'salesforce'],
    return_url: 'https://evil.example/',
    login_url: 'https://login.salesforce.com',
    optional_scopes: ['two words'],
  });
  expect([status, body.errors[0].detail.split('. ')]).toEqual([
    422,
    [
      `The return URL cannot be used: its origin https://evil.example is not registered for the application: \`${toOwnCommand(`apps origins ${DEMO_APPLICATION.id} --add https://evil.example`)}\` registers it`,
      'The optional scopes are invalid, or too many',
      'A login URL is for a link to one provider',
      'The login URL is not an address of HubSpot: its host login.salesforce.com is not a supported host of the provider.',
    ],
  ]);
});

async function addCustomer() {
  customers += 1;
  const customerId = `customer-${customers}`;
  await crossbook.rest('PUT', '/customers', {
    customer_id: customerId,
    name: 'Ada',
    email: 'a@example.com',
  });
  const create = async (more: object) => {
    const input = { customerId, providers: ['HUBSPOT'], returnUrl: RETURN_URL, ...more };
    const { data, errors } = await crossbook.execute(CREATE, { input });
    expect(errors).toBeUndefined();
    return {
      id: data.createConnectLink.link.id as string,
      url: data.createConnectLink.url as string,
    };
  };
  return { customerId, create };
}

async function readStatus(id: string) {
  const { data } = await crossbook.execute('query ($id: ID!) { connectLink(id: $id) { status } }', {
    id,
  });
  return data.connectLink.status;
}

async function search(customerId: string, provider: string) {
  const headers = { 'x-customer-id': customerId, 'x-provider-name': provider };
  const body = { filter: { email: 'ada@example.com' } };
  const answer = await crossbook.rest('POST', '/contacts/_search', body, headers);
  return answer.body.errors?.[0] ?? { found: answer.body.records.length };
}

const CREATE =
  'mutation ($input: CreateConnectLinkInput!) { createConnectLink(input: $input) { url link { id status } } }';
const CONFIRM =
  'mutation ($input: ConfirmConnectLinkInput!) { confirmConnectLink(input: $input) { link { status } connection { status account { id } } } }';
