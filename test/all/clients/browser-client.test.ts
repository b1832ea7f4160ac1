import { readFileSync } from 'node:fs';
import type { Client, ClientOptions } from 'crossbook-client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import '../../support/process-sources.ts';

const COMPILED = new URL('../../../dist/client/', import.meta.url);

const PAGE = `<!doctype html><title>A frontend</title>
<script type="module">
  import { createClient } from './index.js';
  Object.assign(globalThis, { createClient });
</script>`;

describe.runIf(CHROMIUM)('The client in a web page, with a customer token', () => {
  let crossbook: ListeningApp;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    crossbook = await listenApp();
    browser = await openBrowser();
    page = await openPage(browser);
    // The page has the server's own origin, and loads the compiled client unbundled.
    await page.route('**/page/**', (route) => {
      const name = new URL(route.request().url()).pathname.replace('/page/', '');
      return name === ''
        ? route.fulfill({ contentType: 'text/html', body: PAGE })
        : route.fulfill({
            contentType: 'text/javascript',
            body: readFileSync(new URL(name, COMPILED)),
          });
    });
    await page.goto(`${crossbook.url}/page/`);
    const { data } = await crossbook.execute(
      'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }',
    );
    const options = {
      token: data.issueCustomerToken.token as string,
      url: `${crossbook.url}/graphql`,
    };
    await page.evaluate(
      (config) => void Object.assign(globalThis, { client: createClient(config) }),
      options,
    );
  });

  afterAll(async () => {
    await browser.close();
    await crossbook.close();
  });

  test('iterates over all pages', async () => {
    const sizes = await page.evaluate(async () => {
      const found: number[] = [];
      const search = {
        provider: 'HUBSPOT',
        filter: { emailDomain: 'example.com' },
        first: 4,
      } as const;
      for await (const { nodes } of client.searchAll(search)) found.push(nodes.length);
      return found;
    });
    expect(sizes).toEqual([4, 4, 2]);
  });

  test('throws rejected requests with their code', async () => {
    const error = await page.evaluate(async () => {
      const input = { customerId: 'x', name: 'X', email: 'x@x.example' };
      const thrown = await client.upsertCustomer(input).catch((error: unknown) => error);
      return JSON.parse(JSON.stringify(thrown)) as unknown;
    });
    expect(error).toMatchObject({
      name: 'CrossbookError',
      code: 'FORBIDDEN',
      status: 403,
      retryable: false,
    });
  });
});

/** The client in the page. */
declare const client: Client;
declare const createClient: (options: ClientOptions) => Client;
