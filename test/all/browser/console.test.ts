import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createAdminKey } from '../../../src/domain/caller.ts';
import { createEmptyDatabase, createTestDatabase } from '../../support/databases.ts';
import { type Listener, listen } from '../../support/listen.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openApp, type TestApp } from '../../support/open-app.ts';
import { openRival } from '../../support/postgres-rival.ts';
import { openReceiver } from '../../support/webhook-receiver.ts';
import { openWritable, UPSERT } from '../../support/write-contacts.ts';
import { openBrowser } from '../support/browser.ts';
import { lookAt, openPerson, type Person } from './person.ts';

const { key: adminKey, hash } = createAdminKey();
const DEMO = 'c7055b00-de30-4000-8000-000000000001';
const HTML = '<img src=x onerror="document.title=1">';

describe.runIf(CHROMIUM)('The console in a browser without access to other hosts', () => {
  let crossbook: TestApp;
  let listener: Listener;
  let browser: Browser;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  let person: Person;
  let page: Page;
  let close: (() => Promise<unknown>)[] = [];
  /** The ids of what has an address of its own. */
  let ids: Ids;
  const admin = async (method: string, path: string, body?: unknown) =>
    (await crossbook.rest(method, `/admin${path}`, body, { 'x-admin-key': adminKey })).body;

  beforeAll(async () => {
    const database = await createTestDatabase();
    crossbook = await openApp({
      adminKeyHash: hash,
      database: { url: database.url },
      sandbox: { port: 0, hosts: [], all: true },
    });
    listener = await listen({
      answer: crossbook.app.answer,
      onRefused: crossbook.app.onRefused,
      unread: crossbook.app.unread,
      host: '127.0.0.1',
      port: 0,
      bounds: readConfig({}).bounds,
    });
    receiver = await openReceiver((response) => {
      response.writeHead(503).end(`down, ask ops@example.com ${HTML}`);
    });
    const name = `Second ${HTML}`;
    const { application: second } = await admin('POST', '/applications', { name });
    const target = await createEmptyDatabase();
    await setUp(second.id, target.url);
    const { body: hooked } = await crossbook.rest('POST', '/webhook_endpoints', {
      url: receiver.url,
    });
    const rival = await openRival(database.url);
    for (const statement of SEED) await rival.run(statement);
    await rival.close();
    // An event for the receiver, a request of a customer, and an error with an id.
    await crossbook.rest('PUT', '/customers', {
      customer_id: 'html',
      name: HTML,
      email: 'h@example.com',
    });
    await crossbook.rest(
      'POST',
      '/contacts/_search',
      { filter: { email: 'ada@example.com' } },
      { 'x-provider-name': 'pipedrive' },
    );
    const written = await openWritable(crossbook, {
      provider: 'pipedrive',
      customerId: 'written',
      people: [],
    });
    const { write } = await written.run(UPSERT, {
      records: [
        { email: 'ada@example.com', changes: { lastName: 'Lovelace' } },
        { email: 'not an address', changes: { lastName: 'Nobody' } },
      ],
    });
    const { body: events } = await crossbook.rest('GET', '/events?customer_id=html');
    ids = {
      second: second.id,
      endpoint: hooked.endpoint.id,
      event: events.records[0].id,
      write: write.id,
    };
    browser = await openBrowser();
    person = await openPerson(browser, { viewport: { width: 1280, height: 850 } });
    page = await person.openTab();
    close = [
      () => browser.close(),
      () => listener.close(1_000),
      crossbook.close,
      receiver.close,
      database.drop,
      target.drop,
    ];
    await page.goto(`${listener.url}/console`);
    await page.getByLabel('Admin key').fill(adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  /** An application with a sync destination, an OAuth client and custom fields of each type of record. */
  async function setUp(id: string, destination: string) {
    const { key } = await admin('POST', `/applications/${id}/keys`, { name: 'backend' });
    const own = { 'x-api-key': key };
    const put = async (path: string, body: object) => {
      const { status, body: stored } = await crossbook.rest('PUT', path, body, own);
      expect([status, stored]).toEqual([200, expect.anything()]);
    };
    await put('/sync_destination', { postgres: { url: destination, schema: 'public' } });
    await put('/sync_configurations/hubspot', { contacts: true, companies: true });
    const client = { client_id: '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77', client_secret: 'secret' };
    await put('/oauth_clients/hubspot', client);
    for (const record of ['contact', 'company', 'deal'])
      await put(`/custom_fields/${record}`, { definitions: [CUSTOM_FIELD] });
  }

  /** The last response of the receiver: its event and its time. */
  async function findDelivery(): Promise<{ readonly event: string; readonly at: string }> {
    const path = `/applications/${DEMO}/deliveries?endpoint_id=${ids.endpoint}`;
    const readFirst = async () => (await admin('GET', path)).records[0];
    await expect.poll(readFirst).toBeDefined();
    const { event_id: event, created_at: at } = await readFirst();
    return { event, at };
  }

  afterAll(async () => {
    await person.leave();
    for (const one of close) await one();
  });

  /** What an operator reads after these clicks on links, tabs and buttons, from the overview on. */
  async function ask(clicks: readonly string[]) {
    expect(clicks.length).toBeLessThanOrEqual(3);
    await page.goto(`${listener.url}/console`);
    await page.getByRole('heading', { name: 'Health checks' }).waitFor();
    for (const name of clicks) {
      const target = page
        .getByRole('link', { name, exact: true })
        .or(page.getByRole('button', { name, exact: true }));
      await target.first().click();
    }
    return page.locator('body');
  }

  test('notices a webhook endpoint that fails', async () => {
    const readEndpoints = async () =>
      (await crossbook.rest('GET', '/admin/attention', undefined, { 'x-admin-key': adminKey })).body
        .endpoints;
    await expect.poll(readEndpoints).toMatchObject([{ last_failure: 'HTTP 503' }]);
  });

  test.each<[question: string, clicks: readonly string[], answer: string | RegExp]>([
    ['Which connections have to be authorized again?', [], 'customer-00007'],
    ['Which webhook endpoints fail, and why?', [], 'HTTP 503'],
    ['Whose sync is behind?', [], 'customer-00003'],
    ['Why does the sync of this customer fail?', ['customer-00003'], 'The disk is full.'],
    ['Are all migrations applied, and does a process do jobs?', [], 'all applied'],
    ['How many requests were there in the last hour?', ['Hour'], 'Requests'],
    ['Which keys has this application?', ['Applications', 'Demo application'], 'API keys'],
    ['Which customers are there?', ['Customers'], 'customer-00001'],
    [
      'What happened to this customer?',
      ['Customers', 'Customer 1', 'Events'],
      'Events of the last 30 days',
    ],
    ['What did operators do?', ['Audit log'], 'signIn'],
    [
      'Where does this application sync to?',
      ['Applications', 'Demo application', 'Sync destination'],
      'No destination',
    ],
  ])('answers in at most three clicks: %s', async (_, clicks, answer) => {
    await (await ask(clicks)).getByText(answer).first().waitFor();
  });

  test('answers in three clicks what a webhook receiver has responded, redacted and as text', async () => {
    await expect
      .poll(async () => (await ask([])).getByText(receiver.url).count(), { interval: 1_000 })
      .toBeGreaterThan(0);
    const body = await ask([receiver.url, 'Show']);
    await body.getByText('down, ask [redacted]').waitFor();
    expect(await body.locator('pre').innerText()).toContain(HTML);
  });

  test('answers in three clicks whether a customer’s CRM has a contact, and records the look-up', async () => {
    await ask(['Customers']);
    await page.getByLabel('Start of an ID or a name').fill('demo');
    await page.getByRole('link', { name: 'Demo customer' }).click();
    await page.getByRole('link', { name: 'Look up a record' }).click();
    await page.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Ada Lovelace' }).waitFor();
    expect(page.url()).not.toContain('ada');
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('cell', { name: 'searchContacts' }).first().waitFor();
  });

  test.each([
    { record: 'company', by: 'Domain', of: 'domain', shown: 'name', action: 'searchCompanies' },
    { record: 'deal', by: 'ID in the CRM', of: 'id', shown: 'name', action: 'getDeal' },
  ])('looks up a $record by an address that has all but the value, and records it', async (row) => {
    const path = row.record === 'company' ? '/companies' : '/deals';
    const { body } = await crossbook.rest(
      'POST',
      `${path}/_search`,
      { filter: { all: true } },
      { 'x-provider-name': 'salesforce' },
    );
    const known = body.records.find((one: Record<string, unknown>) => one[row.of]);
    const query = new URLSearchParams({
      tab: 'look-up',
      provider: 'salesforce',
      record: row.record,
    });
    await page.goto(`${listener.url}/console/customers/${DEMO}/demo?${query}`);
    await page.getByRole('textbox', { name: row.by }).fill(known[row.of]);
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: known[row.shown], exact: true }).first().waitFor();
    await page.getByRole('textbox', { name: row.by }).fill('nothing.example');
    await page.keyboard.press('Enter');
    await page.getByText(`The CRM has no such ${row.record}`).waitFor();
    await page.goto(`${listener.url}/console/audit`);
    await page.getByRole('cell', { name: row.action }).first().waitFor();
    expect(await page.getByText(known[row.of]).count()).toBe(0);
  });

  test('a look-up offers only what the CRM can search by', async () => {
    const by = page.getByRole('combobox', { name: 'By', exact: true }).locator('option');
    const open = (customer: string) =>
      page.goto(`${listener.url}/console/customers/${DEMO}/${customer}?tab=look-up&record=company`);
    await open('demo');
    await by.first().waitFor({ state: 'attached' });
    expect(await by.allInnerTexts()).toEqual(['Domain', 'Start of a name', 'ID in the CRM']);
    await open('written');
    await by.first().waitFor({ state: 'attached' });
    expect(await by.allInnerTexts()).toEqual(['ID in the CRM']);
  });

  test('an open event, response or write has an address, and is closed by going back', async () => {
    const delivery = await findDelivery();
    const views = [
      [`/customers/${DEMO}/html?tab=events`, { event: ids.event }, 'customer.'],
      [`/customers/${DEMO}/written?tab=writes`, { write: ids.write }, ids.write],
      [
        `/applications/${DEMO}?tab=webhooks&endpoint=${ids.endpoint}`,
        { ...delivery },
        'down, ask [redacted]',
      ],
    ] as const;
    const dialog = page.locator('dialog');
    for (const [path, opened, text] of views) {
      await page.goto(`${listener.url}/console${path}&${new URLSearchParams({ ...opened })}`);
      await dialog.getByText(text).first().waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('link', { name: 'Show' }).first().click();
      await dialog.waitFor();
      expect([...new URL(page.url()).searchParams.keys()]).toEqual(
        expect.arrayContaining(Object.keys(opened)),
      );
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent))
        .toBe('Show');
      await page.goBack();
      await dialog.waitFor();
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      expect(page.url()).toBe(`${listener.url}/console${path}`);
    }
  });

  test('an address of something that does not exist says so', async () => {
    const nothing = '00000000-0000-4000-8000-000000000000';
    await page.goto(`${listener.url}/console/customers/${DEMO}/html?tab=events&event=${nothing}`);
    await page.getByText('The customer has no event with this ID').waitFor();
    await page.goto(
      `${listener.url}/console/customers/${DEMO}/written?tab=writes&write=${nothing}`,
    );
    await page.locator('dialog').getByText('Not found').waitFor();
  });

  test('a connection shows its mappings of companies and deals, with their problems', async () => {
    for (const record of ['company', 'deal']) {
      const definitions = [CUSTOM_FIELD];
      await crossbook.rest('PUT', `/custom_fields/${record}`, { definitions });
      const { status } = await crossbook.rest(
        'PUT',
        `/customers/demo/connections/hubspot/custom_field_mappings/${record}`,
        { mappings: [{ field: CUSTOM_FIELD.name, source: `own_${record}_field` }] },
      );
      expect(status).toBe(200);
    }
    // The problem is noticed by a read.
    const provider = { 'x-provider-name': 'hubspot' };
    await crossbook.rest('POST', '/companies/_search', { filter: { all: true } }, provider);
    await page.goto(`${listener.url}/console/customers/${DEMO}/demo`);
    const card = page.getByRole('region', { name: 'HubSpot' });
    await card
      .getByRole('table', { name: 'Mapping problems' })
      .getByRole('row', { name: /Missing.*Companies.*own_company_field/ })
      .waitFor();
    const mappings = card.getByRole('table', { name: 'Custom field mappings' });
    for (const [title, record] of [
      ['Companies', 'company'],
      ['Deals', 'deal'],
    ] as const)
      await mappings
        .getByRole('row', { name: new RegExp(`${title}.*own_${record}_field`) })
        .waitFor();
  });

  test('sets an OAuth client, and creates a mapping link, without showing a secret twice', async () => {
    await page.goto(`${listener.url}/console/applications/${ids.second}?tab=oauth`);
    await page.getByRole('button', { name: 'Set OAuth client' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByLabel('CRM').selectOption('salesforce');
    await dialog.getByLabel('Client ID').fill('client-of-the-console');
    await dialog.getByLabel('Client secret').fill('typed-secret');
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByRole('row', { name: /Salesforce.*client-of-the-console/ }).waitFor();
    expect(await page.content()).not.toContain('typed-secret');

    await crossbook.rest('PUT', '/custom_fields/contact', { definitions: [CUSTOM_FIELD] });
    await page.goto(`${listener.url}/console/customers/${DEMO}/demo?tab=links`);
    await page.getByRole('button', { name: 'Create mapping link' }).click();
    await dialog.getByLabel('URL to return to').fill('http://localhost:3000/fields');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    expect(await dialog.locator('pre').innerText()).toContain('/connect/');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Match fields.*Pending/ }).waitFor();
  });

  test('renames an application, changes its web origins, and deletes it', async () => {
    const { application } = await admin('POST', '/applications', { name: 'Short-lived' });
    await page.goto(`${listener.url}/console/applications/${application.id}?tab=settings`);
    const dialog = page.locator('dialog');
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Renamed');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add origin' }).click();
    await dialog.getByLabel('Scheme and host').fill('https://app.example');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const origin = page.getByRole('row', { name: /app\.example/ });
    await origin.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No web origins').waitFor();
    await page.getByRole('button', { name: 'Delete application' }).click();
    await dialog.getByLabel('Type Renamed to confirm').fill('Renamed');
    await dialog.getByRole('button', { name: 'Delete application' }).click();
    await page.getByText('The application Renamed is being deleted.').waitFor();
    const { applications } = await admin('GET', '/applications');
    const own = applications.find(({ id }: { id: string }) => id === application.id);
    expect(own?.deleted_at).not.toBeNull();
    expect(applications.filter(({ name }: { name: string }) => name === 'Short-lived')).toEqual([]);
  });

  test('finds a customer by the beginning of its name, and the search is in the address', async () => {
    await page.goto(`${listener.url}/console/customers`);
    await page.getByLabel('Start of an ID or a name').fill('customer 99');
    await page.getByText('customer-00099').waitFor();
    await expect.poll(() => page.url()).toContain('q=customer+99');
    await page.reload();
    await page.getByText('customer-00099').waitFor();
    expect(await page.getByText('customer-00001').count()).toBe(0);
  });

  test('a long list has few rows in the page, and its end is reached by scrolling', async () => {
    await page.goto(`${listener.url}/console/customers`);
    await page.getByText('customer-00001').waitFor();
    const rows = page.locator('.scroller [role=row]');
    expect(await rows.count()).toBeLessThan(60);
    const last = page.getByText('customer-00300');
    await expect
      .poll(async () => {
        await page
          .locator('.scroller')
          .evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return last.count();
      })
      .toBe(1);
    expect(await rows.count()).toBeLessThan(60);
  });

  test('names with HTML are shown as text', async () => {
    await page.goto(`${listener.url}/console/customers/${DEMO}/html`);
    await page.getByRole('heading', { name: HTML }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.goto(`${listener.url}/console/applications`);
    await page.getByText(`Second ${HTML}`).waitFor();
    expect(await page.title()).not.toBe('1');
  });

  test('a new key is shown once, and what cannot be undone asks first', async () => {
    await page.goto(`${listener.url}/console/applications/${DEMO}`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('from the console');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.locator('dialog pre').innerText();
    expect(key).toMatch(/^cbk_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('The key from the console was created.').waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'from the console' }).waitFor();
    expect(await page.content()).not.toContain(key);
    const row = page.getByRole('row', { name: /from the console/ });
    await row.getByRole('button', { name: 'Revoke' }).click();
    const confirm = page.locator('dialog').getByRole('button', { name: 'Revoke' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type from the console to confirm').fill('from the console');
    await confirm.click();
    await row.getByText('Revoked').waitFor();
  });

  test('an error shows its id, its detail and what its code means', async () => {
    await page.goto(`${listener.url}/console/customers/${DEMO}/nobody`);
    const alert = page.getByRole('alert');
    await alert.getByText('Not found').waitFor();
    expect(await alert.locator('code').innerText()).toMatch(/^[0-9a-f-]{36}$/);
    await alert.getByRole('link', { name: 'What this error means' }).click();
    await page.getByRole('heading', { name: 'NOT_FOUND' }).waitFor();
  });

  test('the keyboard reaches the views, and a new view has the focus', async () => {
    await page.goto(`${listener.url}/console`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Customers' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  test('each view is accessible and fits, light and dark, at 1280, 768 and 390 px', async () => {
    for (const [name, path] of toViews(ids, await findDelivery())) {
      await page.goto(`${listener.url}/console${path}`);
      await page.waitForLoadState('networkidle');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [1280, 768, 390]) {
          await page.setViewportSize({ width, height: 850 });
          await lookAt(page, `console-${name}-${colorScheme}-${width}`);
        }
      }
    }
    await page.setViewportSize({ width: 1280, height: 850 });
  });

  test('after signing out the console asks for the key again, on every address', async () => {
    const other = await openPerson(browser);
    const tab = await other.openTab();
    await tab.goto(`${listener.url}/console/customers#key=${adminKey}`);
    await tab.getByRole('heading', { name: 'Customers' }).waitFor();
    expect(tab.url()).not.toContain('cba_');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByLabel('Admin key').waitFor();
    await tab.goto(`${listener.url}/console/audit`);
    await tab.getByLabel('Admin key').waitFor();
    await other.leave();
  });
});

interface Ids {
  readonly second: string;
  readonly endpoint: string;
  readonly event: string;
  readonly write: string;
}

const CUSTOM_FIELD = {
  name: 'segment',
  type: 'text',
  description: 'The market segment.',
  sources: [{ provider_name: 'hubspot', field: 'segment' }],
  customers_may_map: true,
};

const toViews = (
  { second, endpoint, event, write }: Ids,
  delivery: { readonly event: string; readonly at: string },
) => [
  ['overview', ''],
  ['customers', '/customers'],
  ['customer', `/customers/${DEMO}/demo`],
  ['links', `/customers/${DEMO}/demo?tab=links`],
  ['syncs', `/customers/${DEMO}/customer-00003?tab=syncs`],
  ['running-sync', `/customers/${DEMO}/customer-00002?tab=syncs`],
  ['events', `/customers/${DEMO}/html?tab=events`],
  ['event', `/customers/${DEMO}/html?tab=events&event=${event}`],
  ['no-writes', `/customers/${DEMO}/demo?tab=writes`],
  ['writes', `/customers/${DEMO}/written?tab=writes`],
  ['write', `/customers/${DEMO}/written?tab=writes&write=${write}`],
  ['calls', `/customers/${DEMO}/demo?tab=usage`],
  ['look-up', `/customers/${DEMO}/demo?tab=look-up`],
  ['look-up-deal', `/customers/${DEMO}/demo?tab=look-up&record=deal`],
  ['applications', '/applications'],
  ['keys', `/applications/${DEMO}`],
  ['webhooks', `/applications/${DEMO}?tab=webhooks`],
  ['endpoint', `/applications/${DEMO}?tab=webhooks&endpoint=${endpoint}`],
  [
    'response',
    `/applications/${DEMO}?${new URLSearchParams({ tab: 'webhooks', endpoint, ...delivery })}`,
  ],
  ['no-destination', `/applications/${DEMO}?tab=syncs`],
  ['destination', `/applications/${second}?tab=syncs`],
  ['no-oauth', `/applications/${DEMO}?tab=oauth`],
  ['oauth', `/applications/${second}?tab=oauth`],
  ['custom-fields', `/applications/${second}?tab=fields`],
  ['settings', `/applications/${DEMO}?tab=settings`],
  ['audit', '/audit'],
  ['guide', '/guide'],
  ['error-code', '/guide/NOT_FOUND'],
  ['nothing', '/nothing'],
];

const SEED = [
  `insert into crossbook.customers (application_id, customer_id, name, email, version)
    select '${DEMO}', 'customer-' || lpad(n::text, 5, '0'), 'Customer ' || n, 'c@example.com', 1 from generate_series(1, 300) n`,
  `insert into crossbook.connections (id, application_id, customer_id, provider_name, provider_id, status, status_reason)
    select gen_random_uuid(), application_id, customer_id, 'hubspot', gen_random_uuid(),
      case customer_id when 'customer-00007' then 'reauthorize' else 'unauthorized' end,
      case customer_id when 'customer-00007' then 'refresh_token_refused' else 'no_credentials' end
    from crossbook.customers where customer_id like 'customer-%'`,
  `insert into crossbook.sync_plans (application_id, connection_id, planned_for)
    select application_id, id, 'a test' from crossbook.connections where customer_id = 'customer-00003'`,
  `insert into crossbook.syncs (application_id, connection_id, kind, object, place, table_name, interval_seconds, next_run_at, failures)
    select application_id, connection_id, 'CONTACTS', 'contacts', 0, 'contacts', 900, now() + interval '1 day', 2
    from crossbook.sync_plans where planned_for = 'a test'`,
  `insert into crossbook.sync_plans (application_id, connection_id, planned_for, lease, leased_until)
    select application_id, id, 'a run', gen_random_uuid(), now() + interval '1 hour'
    from crossbook.connections where customer_id = 'customer-00002'`,
  `insert into crossbook.syncs (application_id, connection_id, kind, object, place, table_name, interval_seconds, next_run_at, started_at, records, position)
    select application_id, connection_id, 'CONTACTS', 'contacts', 0, 'contacts', 900, now(), now(), 12345,
      '{"isFull": true, "step": "read", "beganAt": "", "until": "", "since": null, "after": null, "lastId": null, "contentKey": ""}'
    from crossbook.sync_plans where planned_for = 'a run'`,
  `insert into crossbook.sync_runs (application_id, connection_id, kind, object, started_at, finished_at, is_full, records, deleted, error)
    select application_id, connection_id, kind, object, now(), now(), true, 10, 0,
      '{"code": "DESTINATION_FULL", "detail": "The disk is full."}' from crossbook.syncs where failures = 2`,
];
