import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { runOperation } from './run-operation.ts';

const DECLARATION = {
  typed_schema: true,
  definitions: [
    {
      name: 'favoriteColor',
      type: 'text',
      description: 'The person’s favorite color.',
      sources: [{ provider_name: 'hubspot', field: 'favorite_color' }],
    },
  ],
};

describe.runIf(CHROMIUM)('GraphiQL of an application with typed custom fields', () => {
  let crossbook: ListeningApp;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    crossbook = await listenApp();
    await crossbook.rest('PUT', '/custom_fields/contact', DECLARATION);
    browser = await openBrowser();
    page = await openPage(browser, { viewport: { width: 1600, height: 1000 } });
  });
  afterAll(async () => {
    await browser.close();
    await crossbook.close();
  });

  const docs = () => page.locator('.graphiql-doc-explorer');
  const showType = async (name: string) => {
    await docs().getByText(name, { exact: true }).first().click();
  };

  test('has them in its documentation, and runs an operation with them', async () => {
    await page.goto(`${crossbook.url}/graphql`);
    await showType('ContactCustomFields');
    await docs().getByText('favoriteColor').first().waitFor();
    await docs().getByText('The person’s favorite color.').first().waitFor();
    const query = `query FindColor { searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { nodes { custom { favoriteColor } } } }`;
    await page.goto(`${crossbook.url}/graphql?query=${encodeURIComponent(query)}`);
    await page.screenshot({ path: 'test-results/graphiql-typed.png' });
    await runOperation(page, 'FindColor');
    await page.locator('.result-window').getByText('violet').first().waitFor();
  });

  test('without the key has the common schema, and with a key in the headers that of its application', async () => {
    await page.goto(`${crossbook.url}/graphql`);
    await docs().getByText('ContactCustomFields', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Headers' }).click();
    const editor = page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)');
    const setHeaders = async (headers: object) => {
      await editor.locator('.view-lines').click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(JSON.stringify(headers));
      await page.getByRole('button', { name: /Re-fetch/ }).click();
    };
    await setHeaders({});
    // While the schema is fetched again there is no type at all.
    const countTypes = async () => [
      await docs().getByText('ConnectedProvider', { exact: true }).count(),
      await docs().getByText('ContactCustomFields', { exact: true }).count(),
    ];
    await expect.poll(countTypes).toEqual([1, 0]);
    await setHeaders({ 'x-api-key': crossbook.key });
    await docs().getByText('ContactCustomFields', { exact: true }).first().waitFor();
  });
});
