import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/rest/routes/all.ts';
import { openRest } from '../../rest/open-rest.ts';
import { serve } from '../../rest/serve.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { lookAt } from '../browser/person.ts';
import { openBrowser, openPage } from '../support/browser.ts';

const elsewhere: string[] = [];
const complaints: string[] = [];
let server: Awaited<ReturnType<typeof serve>>;
let browser: Browser;
let page: Page;

describe.runIf(CHROMIUM)('the page of the OpenAPI document', () => {
  beforeAll(async () => {
    server = await serve((await openRest({ demo: { key: 'demo-key', customerId: 'demo' } })).rest);
    browser = await openBrowser();
    page = await openPage(browser, { viewport: { width: 1_280, height: 900 } });
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.route('**/*', (route) => {
      const { origin, protocol } = new URL(route.request().url());
      if (origin === server.origin || protocol === 'data:') return route.continue();
      elsewhere.push(origin);
      return route.abort();
    });
    await page.goto(`${server.origin}/docs`);
    await page.waitForSelector('.operation[open] form');
  });

  afterAll(async () => {
    await browser.close();
    server.close();
  });

  test('shows every operation, and sends no request to another host', async () => {
    const heads = await page.locator('.operation > summary').allTextContents();
    expect(heads).toHaveLength(OPERATIONS.length);
    for (const { method, summary } of OPERATIONS) {
      expect(heads.filter((head) => head.startsWith(`${method}${summary}/`))).toHaveLength(1);
    }
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('leads to each operation, and shows code as code', async () => {
    await page.getByRole('link', { name: 'Issue a customer token' }).click();
    await page.waitForURL(({ hash }) => hash === '#issueCustomerToken');
    expect(await page.locator('form').allTextContents()).not.toContainEqual(
      expect.stringContaining('`'),
    );
    expect(await page.locator('#searchContacts .field .soft code').allTextContents()).toContain(
      'next',
    );
  });

  test('groups the operations, and finds one by a part of its name or path', async () => {
    const fresh = await openPage(browser, { viewport: { width: 1_280, height: 900 } });
    await fresh.goto(`${server.origin}/docs`);
    const list = fresh.locator('nav');
    const links = list.getByRole('listitem');
    await links.first().waitFor();
    expect(await links.count()).toBe(OPERATIONS.length);
    expect(await list.locator('h3').allTextContents()).toEqual(
      expect.arrayContaining(['Contacts', 'Customers', 'Webhooks', 'OAuth clients']),
    );
    await list.getByRole('searchbox').fill('_endpoints');
    const found = await list.locator('li:visible').allTextContents();
    expect(found).toEqual(expect.arrayContaining(['GETList webhook endpoints']));
    expect(found.length).toBeLessThan(10);
    await fresh.close();
  });

  test('shows a sample of the request in three languages, and of the response before it is sent', async () => {
    const fresh = await openPage(browser);
    await fresh.goto(`${server.origin}/docs#searchContacts`);
    const search = fresh.locator('#searchContacts');
    const command = search.locator('.copied pre');
    const shown = () => command.textContent();
    await expect.poll(shown).toMatch(/^curl -s -X 'POST'|^curl -s -X POST/);
    for (const [language, text] of [
      ['JavaScript', 'await fetch("http'],
      ['Python', 'requests.request('],
    ] as const) {
      await search.getByRole('button', { name: language }).click();
      await expect.poll(shown).toContain(text);
    }
    const sample = JSON.parse((await search.locator('.sample pre').textContent()) ?? '');
    expect(Object.keys(sample)).toContain('records');
    expect(sample.records[0]).toHaveProperty('email_addresses');
    await fresh.close();
  });

  test('opens the fields of an answer', async () => {
    const search = page.locator('#searchContacts');
    await search.getByText('records', { exact: true }).click();
    await search.getByText('email_addresses', { exact: true }).click();
    await search.getByText('email_address_type', { exact: true }).waitFor({ state: 'visible' });
  });

  test.each(['searchContacts', 'upsertCustomer', 'getCustomer', 'issueCustomerToken'])(
    'gets a response at the first click on Send of %s, because the demo fills in everything',
    async (operation) => {
      const fresh = await openPage(browser);
      await fresh.goto(`${server.origin}/docs#${operation}`);
      await send(fresh.locator(`#${operation}`));
      await fresh.locator(`#${operation} .status.ok`).waitFor();
      await fresh.close();
    },
  );

  test('sends a search and shows its contact', async () => {
    const search = page.locator('#searchContacts');
    await send(search);
    await search.locator('.status.ok').waitFor();
    expect(await search.locator('.answer pre').first().textContent()).toContain(
      '"last_name": "Lovelace"',
    );
    await lookAt(page, 'docs');
  });

  test.each([768, 390])('fits a screen of %i pixels', async (width) => {
    const narrow = await openPage(browser, { viewport: { width, height: 800 } });
    await narrow.goto(`${server.origin}/docs`);
    await narrow.waitForSelector('.operation[open] form');
    await lookAt(narrow, `docs-${width}`);
    await narrow.close();
  });

  test.each([768, 390])('lists the operations on a screen of %i pixels', async (width) => {
    const narrow = await openPage(browser, { viewport: { width, height: 800 } });
    await narrow.goto(`${server.origin}/docs`);
    await narrow.waitForSelector('.operation[open] form');
    await narrow.locator('nav summary').click();
    await narrow.locator('nav').getByRole('link', { name: 'Set custom fields' }).click();
    await narrow.locator('#setCustomFieldDefinitions[open] form').waitFor();
    expect(await narrow.locator('nav details').getAttribute('open')).toBeNull();
    await narrow.close();
  });

  test('fills in the provider, and shows a path parameter that is not filled in by its name', async () => {
    const fresh = await openPage(browser);
    await fresh.goto(`${server.origin}/docs#getConnection`);
    const provider = fresh.locator('#getConnection select').first();
    expect(await provider.inputValue()).toBe('hubspot');
    await provider.selectOption('');
    const command = fresh.locator('#getConnection .copied pre');
    expect(await command.textContent()).toContain('/customers/demo/connections/{provider_name}');
    await fresh.close();
  });

  test('loads the stored values into a body that replaces them', async () => {
    const fresh = await openPage(browser);
    await fresh.goto(`${server.origin}/docs#setCustomFieldDefinitions`);
    const setting = fresh.locator('#setCustomFieldDefinitions');
    await setting.getByText('sending it changes what is stored').waitFor();
    expect(await setting.locator('textarea').inputValue()).toContain('favoriteColor');
    await setting.getByRole('button', { name: 'Load the stored values' }).click();
    await setting.getByText('The body has the stored values.').waitFor();
    expect(JSON.parse(await setting.locator('textarea').inputValue())).toEqual({
      definitions: [],
      typed_schema: false,
    });
    await fresh.close();
  });

  test('shows a curl command that does the same', async () => {
    const search = page.locator('#searchContacts');
    const response = await search.locator('.answer pre').first().textContent();
    const command = (await search.locator('.copied pre').textContent()) ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout).records).toEqual(JSON.parse(response ?? '').records);
  });

  test('does not fill in an operation that deletes, and asks before it sends it', async () => {
    const fresh = await openPage(browser);
    await fresh.goto(`${server.origin}/docs#deleteCustomer`);
    const deletion = fresh.locator('#deleteCustomer');
    const id = deletion.getByRole('textbox').first();
    expect(await id.inputValue()).toBe('');
    const requests: string[] = [];
    fresh.on('request', (request) => requests.push(request.method()));
    const asked: string[] = [];
    fresh.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await id.fill('demo');
    await send(deletion);
    expect(asked).toEqual(['Delete a customer? This cannot be undone.']);
    expect(requests).toEqual([]);
    await fresh.close();
  });

  test('keeps typed and emptied inputs', async () => {
    const key = page.locator('[name="x-api-key"]');
    await key.fill('');
    await page.reload();
    await page.waitForSelector('.operation[open] form');
    expect(await key.inputValue()).toBe('');
    await key.fill('demo-key');
  });

  test('shows an error response as an error', async () => {
    await page.goto(`${server.origin}/docs#getCustomer`);
    const read = page.locator('#getCustomer');
    await read.locator('[name="getCustomer path customer_id"]').fill('no/body');
    await send(read);
    await read.locator('.status.failed').waitFor();
    expect(await read.locator('.answer').textContent()).toContain(
      'There is no customer \\"no/body\\".',
    );
  });

  test('can send an upsert', async () => {
    await page.goto(`${server.origin}/docs#upsertCustomer`);
    const upsert = page.locator('#upsertCustomer');
    await send(upsert);
    await upsert.locator('.status.ok').waitFor();
    expect(await upsert.locator('.answer details pre').textContent()).toMatch(/etag: "[^"]+"/);
  });

  test('runs only its own script', async () => {
    const policy = (await page.request.get(`${server.origin}/docs`)).headers()[
      'content-security-policy'
    ];
    expect(policy).toMatch(
      /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/,
    );
    expect(policy).not.toContain('unsafe');
  });
});

function send(operation: Locator): Promise<void> {
  return operation.getByRole('button', { name: 'Send' }).click();
}
