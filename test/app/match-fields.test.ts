import type { HubSpotAccount, SalesforceAccount } from '@crossbook/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { consent, openBrowser, type Visited } from '../support/connect-browser.ts';
import {
  APP_ORIGIN,
  type ConnectWorld,
  openConnectWorld,
  type WorldLink,
} from '../support/connect-world.ts';
import type { Json } from '../support/open-app.ts';

const HOST = 'http://localhost:4000';
const CRMS = ['hubspot', 'salesforce'] as const;
const FIELDS = [
  { name: 'favoriteColor', type: 'text', description: 'The color that they like.' },
  {
    name: 'jobTitle',
    type: 'text',
    sources: [
      { provider_name: 'hubspot', field: 'jobtitle' },
      { provider_name: 'salesforce', field: 'Title' },
    ],
  },
  { name: 'wantsNews', type: 'choices' },
  { name: 'internalScore', type: 'text', customers_may_map: false },
];
const COLOR = { hubspot: 'favorite_color', salesforce: 'Favorite_Color__c' };
const CITY = { hubspot: 'city', salesforce: 'MailingCity' };

let world: ConnectWorld;
beforeAll(async () => {
  world = await openConnectWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.crossbook.rest('PUT', '/custom_fields/contact', { definitions: FIELDS });
});
afterEach(() => {
  for (const crm of CRMS) world.crossbook.sandbox[crm].demo.clearFaults();
});

/** From the page of the link to the page with the fields. */
async function agree(link: WorldLink, provider: (typeof CRMS)[number]) {
  const form = {
    provider,
    ...(provider === 'salesforce' && { login: 'https://login.salesforce.com' }),
  };
  const { consentUrl } = await link.browser.start(link.url, form);
  const back = await link.browser.visit(await consent(consentUrl));
  expect(back.status).toBe(303);
  return `${HOST}${back.headers.get('location')}`;
}

const open = (provider: string, more = {}) =>
  world.link({ providers: [provider], map_fields: true, ...more });
const post = (link: WorldLink, url: string, form: Record<string, string>, headers = {}) =>
  link.browser.visit(url, { method: 'POST', form, headers });
const returned = ({ headers }: Visited) => new URL(headers.get('location') ?? '').searchParams;
const mappingsOf = async (customerId: string, provider: string) =>
  (
    await world.crossbook.rest(
      'GET',
      `/customers/${customerId}/connections/${provider}/custom_field_mappings/contact`,
    )
  ).body?.mappings;

/** What a select offers and has selected. */
function readSelect(page: string, field: string) {
  const [, select = ''] =
    new RegExp(`<select id="field-contact-${field}"[^>]*>(.*?)</select>`, 's').exec(page) ?? [];
  const options = [...select.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value);
  const [, selected] = /<option value="([^"]*)"[^>]* selected>/.exec(select) ?? [];
  return { options, selected };
}

describe.each(CRMS)('after consent at %s', (provider) => {
  test('the customer matches fields, the application confirms, and contacts have them', async () => {
    const link = await open(provider);
    const url = await agree(link, provider);
    const page = await link.browser.visit(url);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Match your fields');
    expect(readSelect(page.text, 'favoriteColor').selected).toBe(COLOR[provider]);
    expect(readSelect(page.text, 'favoriteColor').options).toContain('');
    const jobTitle = readSelect(page.text, 'jobTitle');
    expect(jobTitle.selected).toBe(provider === 'hubspot' ? 'jobtitle' : 'Title');
    // The application's source cannot be switched off.
    expect(jobTitle.options).not.toContain('');
    expect(page.text).not.toContain('internalScore');
    expect(page.text).toContain('For example: ');
    const saved = await post(link, url, { 'field-contact-jobTitle': CITY[provider] });
    const query = returned(saved);
    expect(query.get('status')).toBe('AWAITING_CONFIRMATION');
    expect(await mappingsOf(link.customerId, provider)).toBeUndefined();
    const path = `/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
    const confirmed = await world.crossbook.rest('POST', path, { code: query.get('code') });
    expect(confirmed.body.status).toBe('completed');
    expect(await mappingsOf(link.customerId, provider)).toEqual([
      { field: 'favoriteColor', source: COLOR[provider] },
      { field: 'jobTitle', source: CITY[provider] },
    ]);
    const found = await world.crossbook.rest(
      'POST',
      '/contacts/_search',
      { filter: { email: 'ada@example.com' } },
      { 'x-customer-id': link.customerId, 'x-provider-name': provider },
    );
    expect(found.body.records[0].custom_fields).toMatchObject({
      favoriteColor: 'violet',
      jobTitle: 'London',
    });
    // The step is over: neither reloading nor sending it again works.
    expect((await link.browser.visit(url)).status).toBe(410);
    expect((await post(link, url, { skip: '1' })).status).toBe(410);
  });

  test('nothing is mapped where the customer skips the step', async () => {
    const link = await open(provider);
    const url = await agree(link, provider);
    const query = returned(
      await post(link, url, { skip: '1', 'field-contact-jobTitle': CITY[provider] }),
    );
    const path = `/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
    await world.crossbook.rest('POST', path, { code: query.get('code') });
    expect(await mappingsOf(link.customerId, provider)).toEqual([]);
  });

  test('a CRM that returns no fields is explained, and the step can be skipped or tried again', async () => {
    const { demo } = world.crossbook.sandbox[provider];
    const link = await open(provider);
    const url = await agree(link, provider);
    (demo as HubSpotAccount | SalesforceAccount).fail(
      { kind: 'answer', status: 403, body: {} },
      { times: 100 },
    );
    const page = await link.browser.visit(url);
    expect(page.status).toBe(503);
    expect(page.text).toContain('We cannot read your fields');
    expect((await post(link, url, {})).status).toBe(503);
    demo.clearFaults();
    expect(returned(await post(link, url, { skip: '1' })).get('status')).toBe(
      'AWAITING_CONFIRMATION',
    );
  });
});

describe('the page after consent', () => {
  test('is for the browser that gave consent: another one sees no field and no value', async () => {
    const link = await open('hubspot');
    const url = await agree(link, 'hubspot');
    const stranger = openBrowser(world.crossbook.app);
    for (const method of ['GET', 'POST']) {
      const page = await stranger.visit(url, {
        method,
        ...(method === 'POST' && { form: { skip: '1' } }),
      });
      expect(page.status).toBe(400);
      expect(page.text).toContain('Please continue in the window where you started');
      expect(page.text).not.toContain('For example');
    }
    expect((await link.browser.visit(url)).text).toContain('For example');
  });

  test('a second flow of the same link does not open it', async () => {
    const link = await open('hubspot');
    const other = openBrowser(world.crossbook.app);
    await other.start(link.url, { provider: 'hubspot' });
    const url = await agree(link, 'hubspot');
    expect(other.cookies.size).toBe(1);
    expect((await other.visit(url)).status).toBe(400);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port', { 'sec-fetch-site': 'same-site' }],
    [
      'another origin, of an older browser',
      { 'sec-fetch-site': '', origin: 'http://localhost:5000' },
    ],
    ['no origin', { 'sec-fetch-site': '' }],
  ])('takes no form of %s', async (_title, headers) => {
    const link = await open('hubspot');
    const url = await agree(link, 'hubspot');
    const refused = await post(link, url, { skip: '1' }, headers);
    expect([refused.status, refused.headers.get('location')]).toEqual([403, null]);
    expect((await post(link, url, { skip: '1' })).status).toBe(303);
  });

  test('takes only fields of the CRM that fit', async () => {
    const link = await open('hubspot');
    const url = await agree(link, 'hubspot');
    for (const source of ['invented', 'associatedcompanyid.name', "x' OR 1=1"]) {
      const refused = await post(link, url, { 'field-contact-favoriteColor': source });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('Choose one of the fields in the list.');
    }
    // A field that customers may not map is ignored.
    const saved = await post(link, url, {
      'field-contact-internalScore': 'city',
      'field-contact-favoriteColor': '',
    });
    const path = `/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
    await world.crossbook.rest('POST', path, { code: returned(saved).get('code') });
    expect(await mappingsOf(link.customerId, 'hubspot')).toEqual([]);
  });

  test('gives the application a code only at its end', async () => {
    const link = await open('hubspot');
    const { consentUrl } = await link.browser.start(link.url, { provider: 'hubspot' });
    const back = await link.browser.visit(await consent(consentUrl));
    expect(back.headers.get('location')).toMatch(/^\/connect\/[\w.-]+\/fields$/);
    const path = `/customers/${link.customerId}/connect_links/${link.id}`;
    expect((await world.crossbook.rest('GET', path)).body.status).toBe('awaiting_confirmation');
  });

  test('expires half an hour after consent', async () => {
    const link = await open('hubspot', { expires_in_seconds: 86_400 });
    const url = await agree(link, 'hubspot');
    world.clock.offset += 29 * 60_000;
    expect((await link.browser.visit(url)).status).toBe(200);
    world.clock.offset += 2 * 60_000;
    expect((await link.browser.visit(url)).status).toBe(410);
    const path = `/customers/${link.customerId}/connect_links/${link.id}`;
    expect((await world.crossbook.rest('GET', path)).body.failure).toBe('not_confirmed');
  });

  test('is left out where no custom field may be mapped, and stays out where the link does not ask for it', async () => {
    const asked = await world.link({ providers: ['hubspot'] });
    expect((await world.goThrough(asked)).code).not.toBe('');
    await world.crossbook.rest('PUT', '/custom_fields/contact', { definitions: FIELDS.slice(-1) });
    const link = await open('hubspot');
    expect((await world.goThrough(link)).code).not.toBe('');
  });

  test('without confirmation the connection exists at once, and the mapping as soon as it is saved', async () => {
    const link = await open('hubspot', { confirm: false });
    const url = await agree(link, 'hubspot');
    expect(await mappingsOf(link.customerId, 'hubspot')).toEqual([]);
    expect((await link.browser.visit(url)).text).toContain('For example');
    const saved = await post(link, url, { 'field-contact-jobTitle': 'city' });
    expect([returned(saved).get('status'), returned(saved).get('code')]).toEqual([
      'COMPLETED',
      null,
    ]);
    expect(await mappingsOf(link.customerId, 'hubspot')).toContainEqual({
      field: 'jobTitle',
      source: 'city',
    });
    expect((await link.browser.visit(url)).status).toBe(410);
  });

  test('in a popup its end is posted to the page that opened it', async () => {
    const link = await open('hubspot', { mode: 'popup' });
    const url = await agree(link, 'hubspot');
    const page = await link.browser.visit(url);
    expect(page.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
    const end = await post(link, url, { skip: '1' });
    expect(end.text).toContain('&quot;status&quot;:&quot;AWAITING_CONFIRMATION&quot;');
  });
});

describe('a link for mapping fields of an existing connection', () => {
  const create = (customerId: string, body: object = {}, provider = 'hubspot', headers = {}) =>
    world.crossbook.rest(
      'POST',
      `/customers/${customerId}/connections/${provider}/mapping_links`,
      { return_url: `${APP_ORIGIN}/fields`, ...body },
      headers,
    );
  async function connected() {
    const link = await world.link({ providers: ['hubspot'], confirm: false });
    await world.goThrough(link);
    return link.customerId;
  }

  test('shows labels and no values, stores the mapping once, and keeps mappings that customers may not change', async () => {
    const customerId = await connected();
    const path = `/customers/${customerId}/connections/hubspot/custom_field_mappings/contact`;
    await world.crossbook.rest('PUT', path, {
      mappings: [
        { field: 'internalScore', source: 'zip' },
        { field: 'jobTitle', source: 'state' },
      ],
    });
    const { status, body } = await create(customerId);
    expect([status, body.purpose, body.status]).toEqual([201, 'map_fields', 'pending']);
    const browser = openBrowser(world.crossbook.app);
    const first = await browser.visit(body.url);
    expect(first.status).toBe(303);
    const url = HOST + first.headers.get('location');
    const page = await browser.visit(url);
    expect(readSelect(page.text, 'jobTitle').selected).toBe('state');
    expect(page.text).toContain('>City · text</option>');
    expect(page.text).not.toContain('For example');
    expect(
      (await browser.visit(`${body.url}/start`, { method: 'POST', form: { provider: 'hubspot' } }))
        .status,
    ).toBe(404);
    const saved = await browser.visit(url, {
      method: 'POST',
      form: { 'field-contact-favoriteColor': 'city' },
    });
    expect(returned(saved).get('status')).toBe('COMPLETED');
    expect(returned(saved).get('connect_link_id')).toBe(body.id);
    expect(await mappingsOf(customerId, 'hubspot')).toEqual([
      { field: 'internalScore', source: 'zip' },
      { field: 'favoriteColor', source: 'city' },
      { field: 'jobTitle', source: 'state' },
    ]);
    expect((await browser.visit(body.url)).status).toBe(410);
    expect((await browser.visit(url, { method: 'POST', form: {} })).status).toBe(410);
    const read = await world.crossbook.rest(
      'GET',
      `/customers/${customerId}/connect_links/${body.id}`,
    );
    expect(read.body.status).toBe('completed');
  });

  test('a choice of what applies anyway stores no mapping, so that it follows the application', async () => {
    const customerId = await connected();
    const { body } = await create(customerId);
    const browser = openBrowser(world.crossbook.app);
    await browser.visit(`${body.url}/fields`, {
      method: 'POST',
      form: { 'field-contact-jobTitle': 'jobtitle' },
    });
    expect(await mappingsOf(customerId, 'hubspot')).toEqual([
      { field: 'favoriteColor', source: 'favorite_color' },
    ]);
  });

  test('says so where the CRM has no field of the type, and where it does not answer', async () => {
    const customerId = await connected();
    const { body } = await create(customerId);
    const browser = openBrowser(world.crossbook.app);
    await world.crossbook.rest('PUT', '/custom_fields/contact', {
      definitions: [{ name: 'isVip', type: 'boolean' }],
    });
    const page = await browser.visit(`${body.url}/fields`);
    expect(page.text).toContain(
      'HubSpot has no field for this. It needs a checkbox or yes/no field.',
    );
    world.crossbook.sandbox.hubspot.demo.fail(
      { kind: 'answer', status: 403, body: {} },
      { times: 100 },
    );
    const failed = await browser.visit(`${body.url}/fields?refresh=1`);
    expect(failed.status).toBe(503);
    expect(failed.text).toContain('HubSpot did not return the list of your fields');
    expect(failed.text).not.toContain('Continue without matching');
  });

  test('expires, can be canceled, and ends without an event', async () => {
    const customerId = await connected();
    const canceled = (await create(customerId)).body;
    await world.crossbook.rest('DELETE', `/customers/${customerId}/connect_links/${canceled.id}`);
    const browser = openBrowser(world.crossbook.app);
    expect((await browser.visit(canceled.url)).status).toBe(410);
    const { body } = await create(customerId, { expires_in_seconds: 30 });
    world.clock.offset += 31_000;
    const late = await browser.visit(`${body.url}/fields`);
    expect([late.status, late.text.includes('This link has expired')]).toEqual([410, true]);
    const events = await world.rows(
      `select type from crossbook.events where data ->> 'connect_link_id' in ('${body.id}', '${canceled.id}')`,
    );
    expect(events).toEqual([]);
  });

  test('leads nowhere once the connection is removed', async () => {
    const customerId = await connected();
    const { body } = await create(customerId);
    await world.crossbook.rest('DELETE', `/customers/${customerId}/connections/hubspot`);
    const browser = openBrowser(world.crossbook.app);
    expect((await browser.visit(`${body.url}/fields`)).status).toBe(410);
    expect((await browser.visit(`${body.url}/fields`, { method: 'POST', form: {} })).status).toBe(
      410,
    );
  });

  test.each([
    ['an unknown customer', 'nobody', {}, 'hubspot', 404],
    ['a provider that is not connected', undefined, {}, 'salesforce', 404],
    ['a provider without contact search', undefined, {}, 'zendesk_sell', 501],
    ['a foreign return URL', undefined, { return_url: 'https://evil.example/' }, 'hubspot', 422],
    ['a lifetime of a second', undefined, { expires_in_seconds: 1 }, 'hubspot', 400],
  ])('is refused for %s', async (_title, customerId, body, provider, status) => {
    const answer = await create(customerId ?? (await connected()), body, provider);
    expect(answer.status).toBe(status);
  });

  test('is refused where no custom field may be mapped, and for another application', async () => {
    const customerId = await connected();
    const foreign = await create(customerId, {}, 'hubspot', { 'x-api-key': world.otherKey });
    expect(foreign.status).toBe(404);
    await world.crossbook.rest('PUT', '/custom_fields/contact', { definitions: FIELDS.slice(-1) });
    const { status, body } = await create(customerId);
    expect([status, body.errors[0].detail]).toEqual([
      422,
      'There are no custom fields that customers may map: declare at least one first.',
    ]);
  });

  test('GraphQL creates the same', async () => {
    const customerId = await connected();
    const { data } = await world.crossbook.execute(
      `mutation ($input: CreateMappingLinkInput!) { createMappingLink(input: $input) { url link { purpose status connection { providerName } } } }`,
      { input: { customerId, provider: 'HUBSPOT', returnUrl: `${APP_ORIGIN}/fields` } },
    );
    const { url, link } = data.createMappingLink as Json;
    expect(link).toEqual({
      purpose: 'MAP_FIELDS',
      status: 'PENDING',
      connection: { providerName: 'HUBSPOT' },
    });
    expect((await openBrowser(world.crossbook.app).visit(`${url}/fields`)).status).toBe(200);
  });
});

test('a page with the most custom fields and many fields of the CRM stays below two megabytes', async () => {
  const fields = Array.from({ length: 200 }, (_, index) => ({ name: `f${index}`, type: 'text' }));
  await world.crossbook.rest('PUT', '/custom_fields/contact', { definitions: fields });
  const link = await open('salesforce');
  const url = await agree(link, 'salesforce');
  const page = await link.browser.visit(url);
  expect(page.text.length).toBeLessThan(2_000_000);
  const form = Object.fromEntries(
    fields.map(({ name }) => [`field-contact-${name}`, 'MailingCity']),
  );
  expect((await post(link, url, form)).status).toBe(303);
});

test('neither the log nor a page shows the tokens of an unconfirmed grant, or values of contacts in the log', async () => {
  const link = await open('hubspot');
  const url = await agree(link, 'hubspot');
  world.crossbook.clearLog();
  await link.browser.visit(url);
  const logged = world.crossbook.log.join('');
  expect(logged).toContain('"operation":"openMatchPage"');
  expect(logged).toContain('"route":"/connect/{token}/fields"');
  expect(logged).not.toContain('violet');
  expect(logged).not.toContain(url.split('/')[4] ?? 'a token');
});
