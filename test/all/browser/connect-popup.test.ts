import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEVELOPMENT_ORIGINS } from '../../../src/domain/caller.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { CHROMIUM } from '../../support/machine.ts';
import type { Json } from '../../support/open-app.ts';
import { makePng } from '../../support/png.ts';
import { findSample } from '../../support/run-sample.ts';
import { openBrowser } from '../support/browser.ts';
import { clickToClose, lookAt, openPerson, type Person } from './person.ts';

const CRMS = [
  { provider: 'hubspot', title: 'HubSpot' },
  { provider: 'salesforce', title: 'Salesforce' },
] as const;

describe.runIf(CHROMIUM)('An application that connects a customer in a popup', () => {
  let crossbook: ListeningApp;
  let browser: Browser;
  let application: Application;
  let person: Person;
  let page: Page;

  beforeAll(async () => {
    // The port is known once it listens.
    crossbook = await listenApp({ publicUrl: undefined });
    crossbook.app.announceUrl(crossbook.url);
    application = await openApplication();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    application.server.close();
    await crossbook.close();
  });
  beforeEach(async () => {
    person = await openPerson(browser);
    page = await person.openTab();
    await page.goto(application.origin);
  });
  afterEach(() => person.leave());

  let customers = 0;
  async function createLink(provider: string) {
    customers += 1;
    const customer_id = `popup ${customers}`;
    await crossbook.rest('PUT', '/customers', {
      customer_id,
      name: 'Ada',
      email: 'ada@example.com',
    });
    const { data, errors } = await crossbook.execute(CREATE, {
      input: {
        customerId: customer_id,
        providers: [provider.toUpperCase()],
        mode: 'POPUP',
        returnUrl: `${application.origin}/done`,
      },
    });
    expect(errors).toBeUndefined();
    return {
      customerId: customer_id,
      id: data.createConnectLink.link.id,
      url: data.createConnectLink.url,
    };
  }

  /** Opened in the click handler, so that the browser does not block it. */
  async function openPopup(url: string): Promise<Page> {
    await page.evaluate((to) => {
      document
        .querySelector('button')
        ?.addEventListener('click', () => void window.open(to), { once: true });
    }, url);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button').click(),
    ]);
    return popup;
  }

  /** A module runs some time after it was added: a click before that would have no handler. */
  async function runModule(code: string): Promise<void> {
    await page.addScriptTag({ content: `${code}\nglobalThis.hasRun = true;`, type: 'module' });
    await page.waitForFunction(() => 'hasRun' in globalThis);
  }

  async function agree(popup: Page, title: string): Promise<void> {
    await popup.getByRole('button', { name: `Continue to ${title}` }).click();
    await popup.getByRole('radio', { name: 'Northwind Traders' }).check();
    await clickToClose(popup.getByRole('button', { name: 'Allow' }));
  }

  async function search(customerId: string, provider: string) {
    const { data } = await crossbook.execute(
      '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { lastName } } }',
      {},
      { 'x-customer-id': customerId, 'x-provider-name': provider },
    );
    return data.searchContacts?.nodes[0]?.lastName;
  }

  test.each(CRMS)(
    'the popup posts a message to its opener, and the code in it is redeemed: $title',
    async ({ provider, title }) => {
      const { customerId, id, url } = await createLink(provider);
      const popup = await openPopup(url);
      await agree(popup, title);
      const message = await page.waitForFunction(
        () => (globalThis as unknown as Opener).messages[0],
      );
      const { origin, data } = (await message.jsonValue()) as Message;
      expect(origin).toBe(crossbook.url);
      expect(data).toMatchObject({
        type: 'crossbook:connect',
        connectLinkId: id,
        status: 'AWAITING_CONFIRMATION',
      });
      const confirmed = await crossbook.execute(CONFIRM, { input: { id, code: data['code'] } });
      expect(confirmed.data.confirmConnectLink.link.status).toBe('COMPLETED');
      expect(await search(customerId, provider)).toBe('of Northwind');
      await popup.close();
    },
  );

  test.each(CRMS)(
    'where the vendor’s page severs the opener (COOP), the popup redirects back itself: $title',
    async ({ provider, title }) => {
      const { demo } = crossbook.sandbox[provider];
      demo.setQuirks({ openerPolicy: 'same-origin' });
      const { customerId, id, url } = await createLink(provider);
      const popup = await openPopup(url);
      await agree(popup, title);
      await popup.waitForURL(`${application.origin}/done?**`);
      const { searchParams } = new URL(popup.url());
      expect(searchParams.get('status')).toBe('AWAITING_CONFIRMATION');
      expect(await popup.evaluate(() => window.opener)).toBeNull();
      expect(await page.evaluate(() => (globalThis as unknown as Opener).messages)).toEqual([]);
      await crossbook.execute(CONFIRM, { input: { id, code: searchParams.get('code') } });
      expect(await search(customerId, provider)).toBe('of Northwind');
      demo.setQuirks({ openerPolicy: null });
      await popup.close();
    },
  );

  test('the code sample of docs/connect.md connects a customer on a click', async () => {
    const link = await createLink('hubspot');
    const confirmed: object[] = [];
    // What the sample assumes: requests to the application's own server.
    await page.exposeFunction('post', async (path: string, body?: Json) => {
      if (path === '/crm/link') return { id: link.id, url: link.url };
      const { connectLinkId, code } = body;
      const { data } = await crossbook.execute(CONFIRM, { input: { id: connectLinkId, code } });
      confirmed.push({ path, status: data.confirmConnectLink.link.status });
      return {};
    });
    const { body } = await crossbook.rest('POST', `/customers/${link.customerId}/tokens`, {});
    const seen = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    const options = { url: `${crossbook.url}/graphql`, token: body.token as string };
    await runModule(await bundlePrinted(options));
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button').click(),
    ]);
    // It polls with the page's own token.
    expect(await (await seen).json()).toMatchObject({ data: { connectLink: { id: link.id } } });
    await agree(popup, 'HubSpot');
    await expect.poll(() => confirmed).toEqual([{ path: '/crm/confirm', status: 'COMPLETED' }]);
    expect(await search(link.customerId, 'hubspot')).toBe('of Northwind');
  });

  test('a denied consent is posted to the opener too, and the popup stays open until its button closes it', async () => {
    const { id, url } = await createLink('hubspot');
    const popup = await openPopup(url);
    await popup.getByRole('button', { name: 'Continue to HubSpot' }).click();
    await popup.getByRole('button', { name: 'Cancel' }).click();
    const message = await page.waitForFunction(() => (globalThis as unknown as Opener).messages[0]);
    const { data } = (await message.jsonValue()) as Message;
    expect(data).toMatchObject({ connectLinkId: id, status: 'FAILED', error: 'ACCESS_DENIED' });
    await popup.getByRole('heading', { name: 'Not connected' }).waitFor();
    // The application would not fit into the popup.
    expect(await popup.getByRole('link', { name: 'Back to' }).isVisible()).toBe(false);
    await lookAt(popup, 'popup-denied');
    const closed = popup.waitForEvent('close');
    await clickToClose(popup.getByRole('button', { name: 'Close this window' }));
    await closed;
  });

  test('a page that no popup shows has the way back instead of a button that closes it', async () => {
    const { url } = await createLink('hubspot');
    await page.goto(url);
    await page.getByRole('button', { name: 'Continue to HubSpot' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
    await page.getByRole('link', { name: 'Back to' }).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  });

  test('where the user closes the popup, connect() of the client settles', async () => {
    const link = await createLink('hubspot');
    const confirmed: object[] = [];
    await page.exposeFunction('post', async (path: string) => {
      confirmed.push({ path });
      return { id: link.id, url: link.url };
    });
    await page.exposeFunction('get', async () => ({ status: 'STARTED' }));
    await page.exposeFunction('ended', (status: string) => confirmed.push({ status }));
    await runModule(
      await bundle(`import { connect } from 'crossbook-client';
document.querySelector('button').onclick = async () => {
  const { status } = await connect({ createLink: () => post('/crm/link'), readStatus: get });
  ended(status);
};`),
    );
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button').click(),
    ]);
    await popup.getByRole('button', { name: 'Continue to HubSpot' }).click();
    await popup.getByRole('button', { name: 'Allow' }).waitFor();
    await popup.close();
    await expect.poll(() => confirmed).toEqual([{ path: '/crm/link' }, { status: 'CLOSED' }]);
  });

  test.each(['light', 'dark'] as const)(
    'the pages have the name, logo and color of the application: %s',
    async (colorScheme) => {
      const logo = makePng({ width: 120, height: 40, pixels: Buffer.alloc(40 * 481, 0x66) });
      const { status } = await crossbook.rest('PATCH', '/branding', {
        display_name: 'Acme Support',
        accent_color: '#0f766e',
        logo: logo.toString('base64'),
      });
      expect(status).toBe(200);
      const { url } = await createLink('salesforce');
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(url);
      const image = page.locator('.brand img');
      await expect
        .poll(() =>
          image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
        )
        .toBe(120);
      const button = page.getByRole('button', { name: 'Continue to Salesforce' });
      expect(await button.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(
        'rgb(15, 118, 110)',
      );
      await lookAt(page, `branding-${colorScheme}`);
      await crossbook.rest('PATCH', '/branding', {
        display_name: null,
        accent_color: null,
        logo: null,
      });
    },
  );

  test('the time at which a link expires is in the time zone of the browser', async () => {
    const tokyo = await openPerson(browser, { timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const tab = await tokyo.openTab();
    const { url } = await createLink('hubspot');
    await tab.goto(url);
    const time = tab.locator('time');
    const shown = await time.innerText();
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const options = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const;
    expect(shown).toBe(at.toLocaleString('en-GB', options));
    await tokyo.leave();
  });
});

/** With what the sample assumes: a button, and a client with these options. */
function bundlePrinted(options: object): Promise<string> {
  const printed = findSample('docs/connect.md', 'js', 'await connect({');
  return bundle(`import { createClient } from 'crossbook-client';
    const button = document.querySelector('button');
    const client = createClient(${JSON.stringify(options)});
    ${printed}`);
}

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: 'esm',
  });
  return outputFiles[0]?.text ?? '';
}

/** At one of the demo application's allowed origins; parallel tests may use the others. */
async function openApplication(): Promise<Application> {
  for (const origin of DEVELOPMENT_ORIGINS.filter((one) => one.includes('localhost'))) {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html;charset=utf-8');
      response.end(PAGE);
    });
    server.listen(Number(new URL(origin).port), '127.0.0.1');
    const isOpen = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isOpen)
      return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
  }
  throw new Error('Every port of the demo’s origins is taken.');
}

const PAGE = `<!doctype html><title>An application</title><button>Connect</button>
<script>globalThis.messages = []; addEventListener('message', ({ origin, data }) => messages.push({ origin, data }));</script>`;

const CREATE =
  'mutation ($input: CreateConnectLinkInput!) { createConnectLink(input: $input) { url link { id } } }';
const CONFIRM =
  'mutation ($input: ConfirmConnectLinkInput!) { confirmConnectLink(input: $input) { link { status } } }';

interface Application {
  readonly server: Server;
  readonly origin: string;
}

interface Opener {
  readonly messages: readonly Message[];
}

interface Message {
  readonly origin: string;
  readonly data: Readonly<Record<string, string>>;
}
