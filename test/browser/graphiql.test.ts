import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Listener, listen } from '../../src/http/listen.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { CHROMIUM } from '../support/machine.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

describe.runIf(CHROMIUM)('GraphiQL in a browser without access to other hosts', () => {
  let crossbook: TestApp;
  let listener: Listener;
  let browser: Browser;
  let page: Page;
  let strangers: string[];
  let pageErrors: string[];
  let requests: string[];

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
    page = await openPage(browser, { viewport: { width: 2200, height: 1200 } });
    strangers = [];
    pageErrors = [];
    requests = [];
    page.on('request', (request) => {
      if (request.url().startsWith('http'))
        requests.push(`${request.method()} ${request.postDataJSON()?.operationName}`);
    });
    page.on('pageerror', (error) => pageErrors.push(error.message));
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

  test('opens on its first tab, and the play button returns the contact', async () => {
    await page.goto(`${listener.url}/graphql`);
    const tabs = page.locator('.graphiql-tab');
    await tabs.first().waitFor();
    expect(await tabs.count()).toBe(5);
    // The documentation generated from the schema is beside it.
    await page
      .locator('.graphiql-doc-explorer')
      .getByText('ConnectedProvider', { exact: true })
      .waitFor();
    expect(requests).toEqual(['GET undefined', 'POST IntrospectionQuery']);
    await page.locator('.graphiql-execute-button').click();
    const answer = page.locator('.result-window');
    await answer.getByText('Lovelace').first().waitFor();
    await page.screenshot({ path: 'test-results/graphiql.png' });
    expect(await answer.textContent()).toContain('ada@example.com');
    expect(strangers).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test.each([
    { tab: 'FindInAllCrms', shows: ['pipedrive', 'NOT_IMPLEMENTED'] },
    { tab: 'PageThroughADomain', shows: ['hasNextPage', 'endCursor'] },
    { tab: 'UpsertCustomer', shows: ['upsertCustomer', 'version'] },
    { tab: 'ConnectACrm', shows: ['createConnectLink', '/connect/'] },
  ])(
    'opens the tab $tab on one click, and its operation runs unmodified',
    async ({ tab, shows }) => {
      await page.locator('.graphiql-tab', { hasText: tab }).click();
      await page.locator('.graphiql-tab[aria-selected=true]', { hasText: tab }).waitFor();
      await page.locator('.graphiql-query-editor').getByText(tab).first().waitFor();
      // GraphiQL parses the operation name a moment after it displays it: if the click was earlier, click again.
      const answer = async () => {
        // While a request is in flight, the button would cancel it.
        await page.getByRole('button', { name: /^Execute/ }).click();
        return page.locator('.result-window').innerText();
      };
      for (const text of shows) await expect.poll(answer, { interval: 1_000 }).toContain(text);
      expect(strangers).toEqual([]);
    },
  );

  test('restores the typed operation after a reload, and does not store the API key', async () => {
    await page.locator('.graphiql-tab', { hasText: 'FindInOneCrm' }).click();
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('FindInOneCrm').first().waitFor();
    await editor.locator('.view-lines').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# typed by hand');
    await page.keyboard.press('Enter');
    const stored = () =>
      page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    const tabs = () => page.evaluate(() => localStorage.getItem('graphiql:tabState'));
    await expect.poll(tabs).toContain('typed by hand');
    await page.reload();
    await editor.getByText('typed by hand').first().waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window').getByText('Lovelace').first().waitFor();
    expect(await stored()).not.toContain(crossbook.key);
    expect(await page.locator('.graphiql-tab').count()).toBe(5);
  });

  test('follows the color scheme of the system', async () => {
    const shades: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.reload();
      await page.locator('.graphiql-doc-explorer').waitFor();
      await page.screenshot({ path: `test-results/graphiql-${colorScheme}.png` });
      shades.push(
        await page.evaluate(
          () =>
            getComputedStyle(document.querySelector('.graphiql-container') ?? document.body)
              .backgroundColor,
        ),
      );
    }
    expect(new Set(shades).size).toBe(2);
  });

  test('works with single taps on a phone', async () => {
    const phone = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await phone.goto(`${listener.url}/graphql`);
    await phone.locator('.graphiql-execute-button').click();
    await phone.locator('.result-window').getByText('searchContacts').waitFor();
    await phone.screenshot({ path: 'test-results/graphiql-phone.png' });
    const tab = phone.locator('.graphiql-tab', { hasText: 'FindInAllCrms' });
    await tab.click();
    await phone
      .locator('.graphiql-tab[aria-selected=true]', { hasText: 'FindInAllCrms' })
      .waitFor();
    const overhang = await phone.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overhang).toBeLessThanOrEqual(0);
    await phone.close();
  });

  test('the home page links to every page', async () => {
    await page.goto(listener.url);
    await page.screenshot({ path: 'test-results/home.png' });
    const links = await page
      .locator('a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links).toEqual(['/graphql', '/docs', '/openapi.json', '#agents']);
    for (const link of links)
      expect((await page.goto(`${listener.url}${link}`))?.status()).toBe(200);
    expect(strangers).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
