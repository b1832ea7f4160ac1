import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, EXAMPLE_APP } from '../../support/machine.ts';
import { clickToClose, lookAt, openPerson, type Person } from '../browser/person.ts';
import { openBrowser } from '../support/browser.ts';
import { type Example, startExample } from './start-example.ts';

const RUNS = CHROMIUM !== undefined && EXAMPLE_APP;
const WIDE = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
const NARROW = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

describe.runIf(RUNS)('The example app', () => {
  let example: Example;
  let browser: Browser;
  let person: Person;
  let page: Page;
  /** The bodies of all responses to the page. */
  let received: Promise<string>[];

  beforeAll(async () => {
    // Tokens that expire during the test.
    example = await startExample([], { TOKEN_SECONDS: '5' });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    const { started, ...left } = await example.pressCtrlC();
    // npm, the app, Crossbook, and its database.
    expect(started).toBeGreaterThan(3);
    expect(left).toEqual({ ports: [], files: [] });
  });
  afterEach(async () => {
    expect((await Promise.all(received)).join('\n')).not.toContain('cbk_');
    await person.leave();
  });

  async function open(screen: BrowserContextOptions = WIDE): Promise<void> {
    person = await openPerson(browser, screen);
    page = await person.openTab();
    received = [];
    page.on('requestfinished', (request) => received.push(readBody(request)));
    await page.goto(example.url);
    await page.getByRole('button', { name: 'Demo customer' }).waitFor();
  }

  const column = (title: string) => page.getByRole('region', { name: title });
  const rows = (title: string) => column(title).getByRole('listitem');
  const button = (name: string) => page.getByRole('button', { name });

  async function signInAs(customer: string, screen?: BrowserContextOptions): Promise<void> {
    await open(screen);
    await button(customer).click();
    await page.getByRole('searchbox').waitFor();
  }

  async function search(text: string): Promise<void> {
    await page.getByRole('searchbox').fill(text);
    await page.getByRole('button', { name: 'Search' }).click();
  }

  test.each([WIDE, NARROW])(
    'has no serious axe violations, and fits the screen: $viewport.width, $colorScheme',
    async (screen) => {
      const name = `example-app-${screen.viewport.width}`;
      await open(screen);
      await lookAt(page, `${name}-sign-in`);
      await button('Demo customer').click();
      await rows('HubSpot').nth(24).waitFor();
      await rows('Salesforce').nth(24).waitFor();
      await lookAt(page, name);
      await search('ada@example.com');
      await rows('HubSpot').getByText('Ada Lovelace').click();
      await page.getByText('As HubSpot sent it').waitFor();
      await lookAt(page, `${name}-contact`);
    },
  );

  test('searches by email and by domain, and pages each CRM separately, both ways, with totals', async () => {
    await signInAs('Demo customer');
    await search('ada@example.com');
    for (const title of ['HubSpot', 'Salesforce']) {
      await rows(title).getByText('Ada Lovelace').waitFor();
      await column(title).getByText('1–1 of 1').waitFor();
    }
    await search('lumen.example');
    await column('HubSpot').getByText('1–25 of 1,').waitFor();
    const first = await rows('HubSpot').allTextContents();
    await column('HubSpot').getByRole('button', { name: 'Next' }).click();
    await column('HubSpot').getByText('26–50 of 1,').waitFor();
    const second = await rows('HubSpot').allTextContents();
    expect(second).toHaveLength(25);
    expect(second.filter((row) => first.includes(row))).toEqual([]);
    await column('Salesforce').getByText('1–25 of 1,').waitFor();
    await column('HubSpot').getByRole('button', { name: 'Previous' }).click();
    await column('HubSpot').getByText('1–25 of 1,').waitFor();
    expect(await rows('HubSpot').allTextContents()).toEqual(first);
    expect(await column('HubSpot').getByRole('button', { name: 'Previous' }).isDisabled()).toBe(
      true,
    );
  });

  test.each([
    { title: 'HubSpot', screen: NARROW },
    { title: 'Salesforce', screen: WIDE },
  ])(
    'connects $title on its consent page, and finds the contacts of the chosen account',
    async ({ title, screen }) => {
      await signInAs('Acme', screen);
      await column(title).getByText(`Connect ${title} to find`).waitFor();
      await lookAt(page, `example-app-connect-${title}`);
      const opened = page.waitForEvent('popup');
      await button(`Connect ${title}`).click();
      const popup = await opened;
      await popup.getByRole('button', { name: `Continue to ${title}` }).click();
      await popup.getByRole('radio', { name: 'Northwind Traders', exact: false }).first().check();
      await clickToClose(popup.getByRole('button', { name: 'Allow' }));
      await rows(title).getByText('Ada of Northwind').waitFor();
    },
  );

  test('shows an error only in the column of a CRM that is down, and recovers with it', async () => {
    await signInAs('Demo customer');
    await rows('HubSpot').nth(24).waitFor();
    await page.getByRole('switch', { name: 'HubSpot down' }).click();
    await column('HubSpot').getByRole('alert').waitFor();
    await search('ada@example.com');
    expect(await column('HubSpot').getByRole('alert').innerText()).toContain(
      'HubSpot does not answer at the moment',
    );
    await lookAt(page, 'example-app-down');
    await rows('Salesforce').getByText('Ada Lovelace').waitFor();
    expect(await rows('HubSpot').count()).toBe(0);
    await page.getByRole('switch', { name: 'HubSpot down' }).click();
    // The circuit breaker of a CRM that failed often stays open for a while.
    const again = column('HubSpot').getByRole('button', { name: 'Try again' });
    const retry = async () => {
      // Without waiting for a button that may already be gone.
      await again.evaluateAll((buttons) => {
        for (const one of buttons) (one as unknown as { click(): void }).click();
      });
      return rows('HubSpot').count();
    };
    await expect.poll(retry, { interval: 500 }).toBe(1);
  });

  test('shows a contact with its companies, deals and raw data, and closes it by keyboard', async () => {
    await signInAs('Demo customer');
    const dialog = await openAda('HubSpot');
    const linked = (title: string) => dialog.getByRole('region', { name: title });
    await linked('Companies').getByText('Analytical Engines Ltd').waitFor();
    await linked('Companies').getByText('analytical.example, primary').waitFor();
    await linked('Deals').getByText('$12,500.75, Closed Won').waitFor();
    // Custom fields of the app.
    for (const own of ['violet', 'Countess of Computing'])
      await dialog.getByRole('definition').getByText(own, { exact: true }).waitFor();
    await dialog.getByText('As HubSpot sent it').click();
    const rawData = JSON.parse(await dialog.locator('pre').innerText());
    expect(rawData.properties).toMatchObject({ lastname: 'Lovelace' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test.each([
    { title: 'HubSpot', screen: NARROW, email: 'grace@hubspot.example' },
    { title: 'Salesforce', screen: WIDE, email: 'grace@salesforce.example' },
  ])('adds a contact to $title, and changes it', async ({ title, screen, email }) => {
    await signInAs('Demo customer', screen);
    await column(title).getByRole('button', { name: 'Add contact' }).click();
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    const save = page.getByRole('button', { name: `Save in ${title}` });
    await field('Email').fill('not an address');
    await field('First name').fill('Grace');
    await save.click();
    await page.getByText('must be an address such as').waitFor();
    expect(await field('Email').getAttribute('aria-invalid')).toBe('true');
    await lookAt(page, `example-app-problem-${title}`);

    await field('Email').fill('ada@example.com');
    await field('Last name').fill('Hopper');
    await save.click();
    // Nothing is changed before the user says so.
    await page.getByText(`${title} already has a contact`).waitFor();
    await field('Email').fill(email);
    await page.getByRole('button', { name: 'Change the existing contact' }).click();

    await page.getByRole('dialog', { name: 'Grace Hopper' }).waitFor();
    await button('Edit').click();
    await field('Job title').fill('Rear admiral');
    await save.click();
    await page.getByRole('definition').getByText('Rear admiral').waitFor();
    await page.keyboard.press('Escape');
    await search('ada@example.com');
    await rows(title).getByText('Ada Lovelace').waitFor();
  });

  test('says where contacts can only be read, and asks for more', async () => {
    await open();
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({
        response,
        body: text.replaceAll('"canWrite":true', '"canWrite":false'),
      });
    });
    await button('Demo customer').click();
    await column('HubSpot').getByText('HubSpot is connected for reading only.').waitFor();
    expect(await button('Add contact').count()).toBe(0);
    const opened = page.waitForEvent('popup');
    await column('HubSpot').getByRole('button', { name: 'Allow changes' }).click();
    const popup = await opened;
    await popup.getByRole('button', { name: 'Continue to HubSpot' }).waitFor();
    await popup.close();
    const dialog = await openAda('HubSpot');
    expect(await dialog.getByRole('button', { name: 'Edit' }).isDisabled()).toBe(true);
    await page.unrouteAll();
  });

  async function openAda(title: string) {
    await search('ada@example.com');
    await rows(title).getByText('Ada Lovelace').click();
    const dialog = page.getByRole('dialog', { name: 'Ada Lovelace' });
    await dialog.getByText(`As ${title} sent it`).waitFor();
    return dialog;
  }

  test.each([
    { because: 'it has expired', isClockBehind: false, calls: ['token 200', 'graphql 200'] },
    {
      because: 'the server rejects it (the browser’s clock is slow)',
      isClockBehind: true,
      calls: ['graphql 401', 'token 200', 'graphql 200'],
    },
  ])('has its token refreshed when $because', async ({ isClockBehind, calls }) => {
    await open();
    if (isClockBehind) await page.clock.setFixedTime(Date.now());
    await button('Demo customer').click();
    await rows('Salesforce').nth(24).waitFor();
    const token = await readToken();
    await expect.poll(() => ask(token), { interval: 500 }).toBe(401);
    const seen: string[] = [];
    page.on('response', (response) => {
      const path = new URL(response.url()).pathname;
      if (response.request().method() === 'POST')
        seen.push(`${path.split('/').at(-1)} ${response.status()}`);
    });
    await search('ada@example.com');
    await rows('Salesforce').getByText('Ada Lovelace').waitFor();
    expect(seen).toEqual(calls);
  });

  /** The token that the page used last and no longer uses. */
  async function readToken(): Promise<string> {
    let last = '';
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) last = request.headers()['authorization'] ?? last;
    });
    await search('team@shared.example');
    await column('Salesforce').getByText('1–3 of 3').waitFor();
    return last;
  }

  async function ask(authorization: string): Promise<number> {
    const { status } = await fetch(`${example.crossbookUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization, accept: STRICT },
      body: JSON.stringify({ query: '{ customer { id } }' }),
    });
    return status;
  }

  test('shows nothing to a customer who has signed out', async () => {
    await signInAs('Demo customer');
    const [session] = await person.cookies();
    const cookie = `${session?.name}=${session?.value}`;
    const issueToken = () =>
      fetch(`${example.url}/api/token`, { method: 'POST', headers: { cookie } });
    expect([session?.httpOnly, (await issueToken()).status]).toEqual([true, 200]);
    await button('Sign out').click();
    await button('Acme Ltd.').waitFor();
    expect((await issueToken()).status).toBe(401);
  });
});

test.runIf(RUNS)('the example app also runs in development mode, from its sources', async () => {
  const example = await startExample(['--dev'], {});
  const browser = await openBrowser();
  const person = await openPerson(browser);
  const page = await person.openTab();
  await page.goto(example.url);
  await page.getByRole('button', { name: 'Demo customer' }).click();
  await page.getByRole('listitem').nth(24).waitFor();
  await person.leave();
  await browser.close();
  expect(await example.pressCtrlC()).toMatchObject({ ports: [], files: [] });
});

async function readBody(request: Request): Promise<string> {
  const response = await request.response();
  // A preflight has no body to read.
  return (await response?.text().catch(() => '')) ?? '';
}

const STRICT = 'application/graphql-response+json';
