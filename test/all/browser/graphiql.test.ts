import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { type Listener, listen } from '../../support/listen.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openApp, type TestApp } from '../../support/open-app.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { lookAt } from './person.ts';
import { runOperation } from './run-operation.ts';

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
      unread: crossbook.app.unread,
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

  test('opens on its first tab, has run it, leads home, and the play button returns the contact', async () => {
    await page.goto(`${listener.url}/graphql`);
    const tabs = page.locator('.graphiql-tab');
    await tabs.first().waitFor();
    expect(await tabs.count()).toBe(6);
    // The documentation generated from the schema is beside it.
    await page
      .locator('.graphiql-doc-explorer')
      .getByText('ConnectedProvider', { exact: true })
      .waitFor();
    const answer = page.locator('.result-window');
    await answer.getByText('Lovelace').first().waitFor();
    expect(requests).toEqual(['GET undefined', 'POST IntrospectionQuery', 'POST FindInOneCrm']);
    await runOperation(page, 'FindInOneCrm');
    await answer.getByText('Lovelace').first().waitFor();
    await page.screenshot({ path: 'test-results/graphiql.png' });
    expect(await answer.textContent()).toContain('ada@example.com');
    expect(strangers).toEqual([]);
    expect(pageErrors).toEqual([]);
    const home = page.getByRole('link', { name: 'Home page' });
    expect(await home.evaluate((link: HTMLAnchorElement) => link.href)).toBe(`${listener.url}/`);
  });

  test.each([
    { tab: 'FindInAllCrms', shows: ['zendesk_sell', 'NOT_IMPLEMENTED'] },
    { tab: 'PageThroughADomain', shows: ['hasNextPage', 'endCursor'] },
    { tab: 'WriteContact', shows: ['CREATED', 'changedFields'] },
    { tab: 'UpsertCustomer', shows: ['upsertCustomer', 'version'] },
    { tab: 'ConnectACrm', shows: ['createConnectLink', '/connect/'] },
  ])(
    'opens the tab $tab on one click, and its operation runs unmodified',
    async ({ tab, shows }) => {
      await page.locator('.graphiql-tab', { hasText: tab }).click();
      await page.locator('.graphiql-tab-button[aria-current=true]', { hasText: tab }).waitFor();
      await page.locator('.graphiql-query-editor').getByText(tab).first().waitFor();
      await runOperation(page, tab);
      const result = page.locator('.result-window');
      for (const text of shows) await expect.poll(() => result.innerText()).toContain(text);
      expect(strangers).toEqual([]);
    },
  );

  test.each(['light', 'dark'] as const)(
    'has no serious accessibility violation on a laptop, and cuts neither the first operation nor a tab: %s',
    async (colorScheme) => {
      const laptop = await openPage(browser, {
        viewport: { width: 1280, height: 800 },
        colorScheme,
      });
      await laptop.goto(`${listener.url}/graphql`);
      const tabs = laptop.locator('.graphiql-tab-button');
      await tabs.last().waitFor();
      const line = laptop.locator('.graphiql-query-editor .view-line').first();
      await line.getByText('email').first().waitFor();
      await lookAt(laptop, `graphiql-laptop-${colorScheme}`);
      const right = async (selector: string) => {
        const box = await laptop.locator(selector).last().boundingBox();
        return (box?.x ?? 0) + (box?.width ?? 0);
      };
      const logo = await laptop.locator('.graphiql-logo').boundingBox();
      expect(await right('.graphiql-tab-button')).toBeLessThan(logo?.x ?? 0);
      const editor = '.graphiql-query-editor';
      expect(await right(`${editor} .view-line >> nth=0 >> span >> nth=0`)).toBeLessThan(
        await right(`${editor} .monaco-editor`),
      );
      await tabs.last().click();
      await laptop.locator('.graphiql-editor-tool').getByText('returnUrl').first().waitFor();
      await laptop.close();
    },
  );

  test('a reload opens no empty tab', async () => {
    const other = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    await other.goto(`${listener.url}/graphql`);
    const tabs = other.locator('.graphiql-tab');
    await tabs.last().waitFor();
    await expect
      .poll(() => other.evaluate(() => localStorage.getItem('graphiql:tabState')))
      .not.toBeNull();
    await other.reload();
    await other.locator('.graphiql-query-editor').getByText('FindInOneCrm').first().waitFor();
    expect(await tabs.count()).toBe(6);
    await other.close();
  });

  test('a second visit opens on the tab of the first one, even if nothing was edited', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(0);
    for (const visit of ['first', 'second']) {
      const other = await context.newPage();
      await other.goto(`${listener.url}/graphql`);
      await runOperation(other, 'FindInOneCrm');
      await other.locator('.result-window').getByText('Lovelace').first().waitFor();
      const tabs = other.locator('.graphiql-tab');
      expect({ visit, tabs: await tabs.count() }).toEqual({ visit, tabs: 6 });
      await other.close();
    }
    await context.close();
  });

  test('a link with an operation and its variables opens a tab with them, also on the first visit', async () => {
    const other = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    const query =
      'query Linked($of: ContactFilter!) { searchContacts(provider: HUBSPOT, filter: $of) { totalCount } }';
    const variables = JSON.stringify({ of: { email: 'ada@example.com' } });
    await other.goto(`${listener.url}/graphql?${new URLSearchParams({ query, variables })}`);
    await other.locator('.graphiql-tab-button[aria-current=true]', { hasText: 'Linked' }).waitFor();
    await runOperation(other, 'Linked');
    await other.locator('.result-window').getByText('totalCount').first().waitFor();
    expect(await other.locator('.graphiql-tab').allInnerTexts()).toEqual([
      'FindInOneCrm',
      'FindInAllCrms',
      'PageThroughADomain',
      'WriteContact',
      'UpsertCustomer',
      'ConnectACrm',
      'Linked',
    ]);
    await other.close();
  });

  test.each([390, 768])('the documentation opens at the whole width of %i px', async (width) => {
    const small = await openPage(browser, { viewport: { width, height: 844 } });
    await small.goto(`${listener.url}/graphql`);
    const button = small.getByRole('button', { name: 'Show Documentation Explorer' });
    await button.click();
    await small.locator('.graphiql-doc-explorer').getByText('ConnectedProvider').first().waitFor();
    await small.screenshot({ path: `test-results/graphiql-documentation-${width}.png` });
    const box = await small.locator('.graphiql-plugin').boundingBox();
    expect(box?.width).toBeGreaterThan(width * 0.8);
    await small.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    await runOperation(small, 'FindInOneCrm');
    await small.locator('.result-window').getByText('searchContacts').first().waitFor();
    await small.close();
  });

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
    // With the line break: without it, the comment would include the operation's first line.
    await expect.poll(tabs).toContain(String.raw`typed by hand\n`);
    await page.reload();
    await editor.getByText('typed by hand').first().waitFor();
    await runOperation(page, 'FindInOneCrm');
    await page.locator('.result-window').getByText('Lovelace').first().waitFor();
    expect(await stored()).not.toContain(crossbook.key);
    expect(await page.locator('.graphiql-tab').count()).toBe(6);
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
      .locator('.graphiql-tab-button[aria-current=true]', { hasText: 'FindInAllCrms' })
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
    expect(new Set(links)).toEqual(new Set(['/guides', '/graphql', '/docs', '/openapi.json']));
    for (const link of new Set(links))
      expect((await page.goto(`${listener.url}${link}`))?.status()).toBe(200);
    expect(strangers).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
