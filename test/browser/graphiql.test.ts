import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Listener, listen } from '../../src/http/listen.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { CHROMIUM } from '../support/machine.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

describe.runIf(CHROMIUM)('in a browser that reaches no other host', () => {
  let crossbook: TestApp;
  let listener: Listener;
  let browser: Browser;
  let page: Page;
  let strangers: string[];
  let complaints: string[];

  beforeAll(async () => {
    crossbook = await openApp();
    listener = await listen({
      answer: crossbook.app.answer,
      onRefused: crossbook.app.onRefused,
      heldBytes: crossbook.app.heldBytes,
      host: '127.0.0.1',
      port: 0,
      bounds: readConfig({}).bounds,
    });
    browser = await openBrowser();
    page = await openPage(browser, { viewport: { width: 1400, height: 900 } });
    strangers = [];
    complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**/*', (route) => {
      const { hostname } = new URL(route.request().url());
      if (hostname === 'localhost') return route.continue();
      strangers.push(hostname);
      return route.abort();
    });
  });

  afterAll(async () => {
    await browser.close();
    await listener.close(1_000);
    await crossbook.close();
  });

  test('GraphiQL opens on its first tab, and the play button shows the contact', async () => {
    await page.goto(`${listener.url}/graphql`);
    const tabs = page.locator('.graphiql-tab');
    await tabs.first().waitFor();
    expect(await tabs.count()).toBe(3);
    await page.locator('.graphiql-execute-button').click();
    const answer = page.locator('.result-window');
    await answer.getByText('Lovelace').first().waitFor();
    await page.screenshot({ path: 'test-results/graphiql.png' });
    expect(await answer.textContent()).toContain('ada@example.com');
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.each([
    { tab: 'FindInAllCrms', shows: ['pipedrive', 'NOT_IMPLEMENTED'] },
    { tab: 'UpsertCustomer', shows: ['upsertCustomer', 'version'] },
  ])('the tab $tab works as it is, too', async ({ tab, shows }) => {
    // By keyboard: a mouse may start to drag the tab instead, which GraphiQL allows as well.
    await page.locator('.graphiql-tab-button', { hasText: tab }).press('Enter');
    // GraphiQL learns the name of the operation a moment after it shows it: whoever is faster presses again.
    const answer = async () => {
      await page.locator('.graphiql-execute-button').click();
      return page.locator('.result-window').innerText();
    };
    for (const text of shows) await expect.poll(answer, { interval: 1_000 }).toContain(text);
    expect(strangers).toEqual([]);
  });

  test('the home page leads to everything there is', async () => {
    await page.goto(listener.url);
    await page.screenshot({ path: 'test-results/home.png' });
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(['/graphql', '/docs', '/openapi.json']);
    for (const link of links) expect((await page.goto(`${listener.url}${link}`))?.status()).toBe(200);
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
