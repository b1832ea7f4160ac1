import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Listener, listen } from '../../src/http/listen.ts';
import { openBrowser } from '../support/browser.ts';
import { CHROMIUM } from '../support/machine.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { lookAt, openPerson, type Person } from './person.ts';

describe.runIf(CHROMIUM)('the REST reference in a browser', () => {
  let crossbook: TestApp;
  let listener: Listener;
  let browser: Browser;
  let person: Person;
  let page: Page;

  beforeAll(async () => {
    crossbook = await openApp();
    listener = await listen({
      answer: crossbook.app.answer,
      onRefused: crossbook.app.onRefused,
      memory: crossbook.app.memory,
      host: '127.0.0.1',
      port: 0,
      bounds: readConfig({}).bounds,
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await person.leave();
    await browser.close();
    await listener.close(1_000);
    await crossbook.close();
  });

  const operation = (summary: string) =>
    page.locator('details.operation', {
      has: page.locator('h2', { hasText: new RegExp(`^${summary}$`) }),
    });

  test.each([1280, 768, 390])('fits a screen of %i pixels', async (width) => {
    await person?.leave();
    person = await openPerson(browser, { viewport: { width, height: 800 } });
    page = await person.openTab();
    await page.goto(`${listener.url}/docs`);
    await operation('Search contacts').locator('pre').first().waitFor();
    await lookAt(page, `rest-reference-${width}`);
  });

  test('sends a search, and shows a curl command that does the same', async () => {
    const search = operation('Search contacts');
    await search.getByRole('button', { name: 'Send' }).click();
    const response = await search.locator('.answer pre').first().textContent();
    expect(response).toContain('"first_name": "Ada"');
    const command = (await search.locator('.sample pre').textContent()) ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    const { records } = JSON.parse(stdout);
    expect(records).toEqual(JSON.parse(response ?? '').records);
  });

  test('an operation that deletes is not prefilled, and asks first', async () => {
    await page.goto(`${listener.url}/docs#deleteCustomer`);
    const deletion = operation('Delete a customer');
    const id = deletion.getByRole('textbox').first();
    expect(await id.inputValue()).toBe('');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.method()));
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await id.fill('demo');
    await deletion.getByRole('button', { name: 'Send' }).click();
    expect(asked).toEqual(['Delete a customer? This cannot be undone.']);
    expect(requests).toEqual([]);
  });
});
