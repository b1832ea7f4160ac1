import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openBrowser } from '../support/browser.ts';
import { lookAt, openPerson, type Person } from './person.ts';
import { runOperation } from './run-operation.ts';

const CRMS = [
  { provider: 'hubspot', title: 'HubSpot' },
  { provider: 'salesforce', title: 'Salesforce' },
] as const;

describe.runIf(CHROMIUM)('In a browser, a user who has just started the demo', () => {
  let crossbook: ListeningApp;
  let browser: Browser;
  let person: Person;
  let page: Page;

  beforeAll(async () => {
    // The port is known once it listens.
    crossbook = await listenApp({ publicUrl: undefined });
    crossbook.app.announceUrl(crossbook.url);
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await crossbook.close();
  });
  beforeEach(async () => {
    person = await openPerson(browser);
    page = await person.openTab();
  });
  afterEach(() => person.leave());

  const button = (name: string, of = page) => of.getByRole('button', { name });
  /** Of several CRMs one is chosen first. */
  const choose = (title: string, of = page) => of.getByRole('link', { name: title }).click();
  /** Waits for the whole page: what follows its heading is then there too, and its scripts have run. */
  const heading = async (name: string, of = page) => {
    await of.getByRole('heading', { level: 1, name }).waitFor();
    await of.waitForLoadState();
  };

  /** From the home page to the CRM's consent page. */
  async function goToConsent(title: string, of = page): Promise<void> {
    await of.goto(crossbook.url);
    await button('Connect a CRM', of).click();
    await choose(title, of);
    await button(`Continue to ${title}`, of).click();
    await heading(`Connect Crossbook to ${title}?`, of);
  }

  async function allow(account: string, of = page): Promise<void> {
    await of.getByRole('radio', { name: account }).check();
    await button('Allow', of).click();
    await heading('Match your fields', of);
  }

  async function match(of = page): Promise<void> {
    await button('Save and continue', of).click();
    await heading('One step is left', of);
  }

  async function search(provider: string, email: string): Promise<string | null> {
    const { data } = await crossbook.execute(
      `query ($email: String!) { searchContacts(filter: { email: $email }) { nodes { lastName } } }`,
      { email },
      { 'x-customer-id': 'first-customer', 'x-provider-name': provider },
    );
    return data.searchContacts?.nodes[0]?.lastName ?? null;
  }

  test.each(CRMS)(
    'connects $title, and searches the contacts of the account',
    async ({ provider, title }) => {
      await page.goto(crossbook.url);
      await lookAt(page, `connect-${provider}-1-home`);
      await button('Connect a CRM').click();
      await heading('Connect your CRM');
      await lookAt(page, `connect-${provider}-2-link`);
      await choose(title);
      await heading(`Connect to ${title}`);
      await lookAt(page, `connect-${provider}-2-crm`);
      await button(`Continue to ${title}`).click();
      await heading(`Connect Crossbook to ${title}?`);
      await lookAt(page, `connect-${provider}-3-consent`);
      await allow('Northwind Traders');
      await lookAt(page, `connect-${provider}-4-fields`);
      expect(await page.getByRole('combobox', { name: 'Job title' }).inputValue()).not.toBe('');
      await page.getByText(/For example: .*Buyer/).waitFor();
      await match();
      await lookAt(page, `connect-${provider}-4-back`);
      await button('Confirm').click();
      await heading(`${title} is connected`);
      await lookAt(page, `connect-${provider}-5-connected`);
      expect(await page.locator('main').innerText()).toMatch(
        /Ada of Northwind[\s\S]+Job title\s+Buyer/,
      );
      expect(await search(provider, 'nancy.davolio@northwind.example')).toBe('Davolio');
      expect(await search(provider, 'grace@example.com')).toBeNull();
      for (const { name, httpOnly } of await person.cookies())
        expect({ name, httpOnly }).toMatchObject({ httpOnly: true });
    },
  );

  test('comes back from a link of GraphiQL to the mutation that confirms it', async () => {
    await page.goto(`${crossbook.url}/graphql`);
    await page.locator('.graphiql-tab', { hasText: 'ConnectACrm' }).click();
    await page.locator('.graphiql-query-editor').getByText('ConnectACrm').first().waitFor();
    await runOperation(page, 'ConnectACrm');
    const result = page.locator('.result-window');
    let url = '';
    const readUrl = async () => {
      const shown = (await result.innerText()).replaceAll(/\s+/g, '');
      url = /"url":"([^"]+)"/.exec(shown)?.[1] ?? '';
      return url;
    };
    await expect.poll(readUrl).toContain('/connect/');
    await page.goto(url);
    await button('Continue to HubSpot').click();
    await page.getByRole('radio', { name: 'Northwind Traders' }).check();
    await button('Allow').click();
    await heading('One step is left');
    await lookAt(page, 'connect-from-graphiql');
    await page.getByRole('link', { name: 'Open the mutation in GraphiQL' }).click();
    await page.locator('.graphiql-tab', { hasText: 'ConfirmConnectLink' }).waitFor();
    await runOperation(page, 'ConfirmConnectLink');
    await result.getByText('COMPLETED').waitFor();
  });

  test('logs in at the org’s own domain, and at the login host for test orgs', async () => {
    await page.goto(crossbook.url);
    await button('Connect a CRM').click();
    await choose('Salesforce');
    await page.getByRole('radio', { name: 'own login page' }).check();
    await page.getByRole('textbox').fill('northwind.my.salesforce.com');
    await button('Continue to Salesforce').click();
    await heading('Connect Crossbook to Salesforce?');
    expect(new URL(page.url()).hostname).toBe('northwind.my.salesforce.localhost');
    expect(await page.getByRole('radio').count()).toBe(1);
    await lookAt(page, 'connect-own-domain');
    await button('Allow').click();
    await match();
    await button('Confirm').click();
    await heading('Salesforce is connected');

    await page.goto(crossbook.url);
    await button('Connect a CRM').click();
    await choose('Salesforce');
    await page.getByRole('radio').nth(1).check();
    await button('Continue to Salesforce').click();
    await heading('Connect Crossbook to Salesforce?');
    expect(new URL(page.url()).hostname).toBe('test.salesforce.localhost');
    await allow('Northwind Traders (test)');
    await match();
    await button('Confirm').click();
    await heading('Salesforce is connected');
    expect(await search('salesforce', 'terry.tester@northwind-test.example')).toBe('Tester');
  });

  test('sees an error for a URL that is not a Salesforce login page', async () => {
    await page.goto(crossbook.url);
    await button('Connect a CRM').click();
    await choose('Salesforce');
    await page.getByRole('radio', { name: 'own login page' }).check();
    await page.getByRole('textbox').fill('https://salesforce.evil.example');
    await button('Continue to Salesforce').click();
    await page.getByRole('alert').waitFor();
    await lookAt(page, 'connect-wrong-domain');
  });

  test.each(CRMS)(
    'denies consent to $title, sees that, and can try again',
    async ({ provider, title }) => {
      for (const denyWithoutState of [false, true]) {
        crossbook.sandbox[provider].demo.setQuirks({ denyWithoutState });
        await goToConsent(title);
        await button('Cancel').click();
        await heading('Not connected');
        if (!denyWithoutState) await lookAt(page, `connect-${provider}-denied`);
      }
      crossbook.sandbox[provider].demo.setQuirks({ denyWithoutState: false });
      await page.getByRole('link').first().click();
      await button('Try again').click();
      await heading('Connect your CRM');
    },
  );

  test('stays on the vendor’s error page after an error there, and can start again', async () => {
    const { demo } = crossbook.sandbox.hubspot;
    demo.setQuirks({ redirectUris: [] });
    await page.goto(crossbook.url);
    await button('Connect a CRM').click();
    await choose('HubSpot');
    await button('Continue to HubSpot').click();
    await heading('Authorization failed');
    await lookAt(page, 'connect-vendor-error');
    demo.setQuirks({ redirectUris: null });
    await goToConsent('HubSpot');
  });

  test('with one link in two tabs, connects in the first that returns, and sees in the second that the link was used', async () => {
    const second = await person.openTab();
    await page.goto(crossbook.url);
    await button('Connect a CRM').click();
    await second.goto(page.url());
    await choose('HubSpot');
    await button('Continue to HubSpot').click();
    await choose('Salesforce', second);
    await button('Continue to Salesforce', second).click();
    await heading('Connect Crossbook to Salesforce?', second);
    await allow('Northwind Traders', second);
    await match(second);
    await heading('Connect Crossbook to HubSpot?');
    await page.getByRole('radio', { name: 'Northwind Traders' }).check();
    await button('Allow').click();
    await heading('This link was already used');
    await lookAt(page, 'connect-second-tab');
    await button('Confirm', second).click();
    await heading('Salesforce is connected', second);
  });

  test('with two links in two tabs, connects each one by its own', async () => {
    const second = await person.openTab();
    await goToConsent('HubSpot');
    await goToConsent('Salesforce', second);
    await allow('Demo company');
    await allow('Northwind Traders', second);
    await match();
    await match(second);
    await button('Confirm').click();
    await button('Confirm', second).click();
    await heading('HubSpot is connected');
    await heading('Salesforce is connected', second);
    expect(await search('hubspot', 'ada@example.com')).toBe('Lovelace');
    expect(await search('salesforce', 'ada@example.com')).toBe('of Northwind');
  });

  test.each(CRMS)(
    'can use every page on a narrow screen, in dark mode, by keyboard only: $title',
    async ({ provider, title }) => {
      const small = await openPerson(browser, {
        viewport: { width: 390, height: 844 },
        colorScheme: 'dark',
      });
      const tab = await small.openTab();
      const press = async (name: string) => {
        // Without a focused element the active one is the body, whose text contains every name.
        const readFocused = () =>
          tab.evaluate(() => document.querySelector(':focus')?.textContent?.trim() ?? '');
        await expect
          .poll(async () => {
            await tab.keyboard.press('Tab');
            return readFocused();
          })
          .toContain(name);
        await tab.keyboard.press('Enter');
      };
      await tab.goto(crossbook.url);
      await lookAt(tab, `narrow-${provider}-1-home`);
      await press('Connect a CRM');
      await heading('Connect your CRM', tab);
      await lookAt(tab, `narrow-${provider}-2-link`);
      await press(title);
      await heading(`Connect to ${title}`, tab);
      await lookAt(tab, `narrow-${provider}-2-crm`);
      await press(`Continue to ${title}`);
      await heading(`Connect Crossbook to ${title}?`, tab);
      await tab.keyboard.press('Tab');
      await tab.keyboard.press('ArrowDown');
      await lookAt(tab, `narrow-${provider}-3-consent`);
      await press('Allow');
      await heading('Match your fields', tab);
      // The second field: another source of it is chosen by typing its name.
      const [label, value] =
        provider === 'hubspot' ? ['City', 'city'] : ['Department', 'Department'];
      const jobTitle = tab.getByRole('combobox', { name: 'Job title' });
      await expect
        .poll(async () => {
          await tab.keyboard.press('Tab');
          return jobTitle.evaluate((element) => element.matches(':focus'));
        })
        .toBe(true);
      // The browser takes a key that comes more than a second after the last one for the start of another name.
      await expect
        .poll(
          async () => {
            await tab.keyboard.type(label);
            return jobTitle.inputValue();
          },
          { interval: 1_500 },
        )
        .toBe(value);
      await lookAt(tab, `narrow-${provider}-3-fields`);
      await press('Save and continue');
      await heading('One step is left', tab);
      await lookAt(tab, `narrow-${provider}-4-back`);
      await press('Confirm');
      await heading(`${title} is connected`, tab);
      await lookAt(tab, `narrow-${provider}-5-connected`);
      const found = await tab.locator('main').innerText();
      expect(found).toContain('Ada of Northwind');
      if (provider === 'hubspot') expect(found).toMatch(/Job title\s+Seattle/);
      await small.leave();
    },
  );
});
