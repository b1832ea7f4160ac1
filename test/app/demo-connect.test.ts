import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Browser, consent, openBrowser } from '../support/connect-browser.ts';
import { createTestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const ORIGIN = 'http://localhost:4000';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

test('the demo’s home page leads to a link, and the return page shows the contacts of the connected account', async () => {
  const browser = openBrowser(crossbook.app);
  const back = await goThere(browser);
  expect(back.pathname).toBe('/demo/connected');
  const page = await browser.visit(back.href);
  expect(page.text).toContain('One step is left');
  // A GET confirms nothing.
  expect((await browser.visit(back.href)).text).toContain('One step is left');
  const form = pick(back, ['connect_link_id', 'code']);
  const done = await browser.visit(`${ORIGIN}/demo/connected`, { method: 'POST', form });
  expect(done.status).toBe(303);
  expect((await browser.visit(ORIGIN + done.headers.get('location'))).text).toContain(
    'HubSpot is connected',
  );
  const again = await browser.visit(`${ORIGIN}/demo/connected`, { method: 'POST', form });
  expect(again.status).toBe(409);
  expect(crossbook.log.join('')).not.toContain(form['code']);
});

test('the demo’s connect page declares the custom fields of the example app, in a typed schema', async () => {
  await goThere(openBrowser(crossbook.app));
  const path = join(process.cwd(), 'examples/app/server/custom-fields.mjs');
  const { CUSTOM_FIELDS } = await import(path);
  const { data } = await crossbook.execute(
    '{ customFieldDefinitions { typedSchema definitions { name type description sources { provider field } } } }',
  );
  expect(data.customFieldDefinitions).toEqual({ typedSchema: true, definitions: CUSTOM_FIELDS });
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ['another origin, of an older browser', { origin: 'http://127.0.0.1:5000' }],
  ['no origin header', {}],
])('a cross-site form post (%s) neither creates nor confirms a link', async (_title, headers) => {
  const ask = toFetch(crossbook.app.answer);
  for (const path of ['/demo/connect', '/demo/connected']) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const request = { method: 'POST', headers: { ...type, ...headers }, body: 'code=x' };
    const response = await ask(new Request(ORIGIN + path, request));
    expect({ path, status: response.status, to: response.headers.get('location') }).toEqual({
      path,
      status: 403,
      to: null,
    });
  }
});

test('a GET of the demo’s start page creates nothing, and a link of another customer is not shown', async () => {
  const browser = openBrowser(crossbook.app);
  expect((await browser.visit(`${ORIGIN}/demo/connect`)).status).toBe(405);
  expect((await browser.visit(`${ORIGIN}/demo/elsewhere`)).status).not.toBe(303);
  const { body } = await crossbook.rest('PUT', '/customers', {
    customer_id: 'other',
    name: 'Other',
    email: 'other@example.com',
  });
  expect(body).toBeDefined();
  const input = {
    customerId: 'other',
    providers: ['HUBSPOT'],
    returnUrl: `${ORIGIN}/demo/connected`,
  };
  const { data } = await crossbook.execute(CREATE, { input });
  const { id } = data.createConnectLink.link;
  expect((await browser.visit(`${ORIGIN}/demo/connected?connect_link_id=${id}`)).status).toBe(404);
});

test('a Host header that is not local is rejected', async () => {
  const browser = openBrowser(crossbook.app);
  const headers = { host: 'rebound.example', 'sec-fetch-site': 'same-origin' };
  const forged = await browser.visit(`${ORIGIN}/demo/connect`, {
    method: 'POST',
    form: {},
    headers,
  });
  expect(forged.status).toBe(403);
});

test('without the sandbox the demo pages are 404', async () => {
  const database = await createTestDatabase();
  const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
  const config = readConfig({
    NODE_ENV: 'production',
    CROSSBOOK_KEYS: keys,
    DATABASE_URL: database.url,
  });
  const app = await createApp(config, { output: { write: () => {} }, readable: false });
  const browser = openBrowser(app);
  expect((await browser.visit(ORIGIN)).text).not.toContain('/demo/connect');
  const post = await browser.visit(`${ORIGIN}/demo/connect`, { method: 'POST', form: {} });
  expect([401, 404]).toContain(post.status);
  await app.close();
  await database.drop();
});

/** From the home page to HubSpot and back: returns the URL that the browser is redirected to last. */
async function goThere(browser: Browser): Promise<URL> {
  const begun = await browser.visit(`${ORIGIN}/demo/connect`, { method: 'POST', form: {} });
  expect(begun.status).toBe(303);
  const { consentUrl } = await browser.start(begun.headers.get('location') ?? '', {
    provider: 'hubspot',
  });
  const fields = await browser.visit(await consent(consentUrl));
  const page = ORIGIN + (fields.headers.get('location') ?? '');
  expect((await browser.visit(page)).text).toContain('Match your fields');
  const back = await browser.visit(page, { method: 'POST', form: { skip: '1' } });
  return new URL(back.headers.get('location') ?? '');
}

function pick(url: URL, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, url.searchParams.get(name) ?? '']));
}

const CREATE =
  'mutation ($input: CreateConnectLinkInput!) { createConnectLink(input: $input) { link { id } } }';
