import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { Client } from '@hubspot/api-client';
import { AssociationSpecAssociationCategoryEnum as Category } from '@hubspot/api-client/lib/codegen/crm/associations/v4/models/AssociationSpec.js';
import { FilterOperatorEnum } from '@hubspot/api-client/lib/codegen/crm/contacts/models/Filter.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, HUBSPOT_CALLBACK } from '../../../../packages/sandbox/test/consent.ts';
import { createClock } from '../../../../packages/sandbox/test/hubspot/client.ts';

/** The vendor's own client is the reference: where it fails, the sandbox is wrong. */
const clock = createClock();
let sandbox: Sandbox;
let client: Client;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now });
  client = new Client({
    accessToken: sandbox.hubspot.demo.accessToken,
    basePath: sandbox.hubspot.origin,
  });
});
afterAll(() => sandbox.close());

function filterBy(propertyName: string, operator: FilterOperatorEnum, value: string) {
  return {
    filterGroups: [{ filters: [{ propertyName, operator, value }] }],
    properties: ['email'],
    limit: 2,
  };
}

test('HubSpot’s own client searches and pages', async () => {
  const search = {
    ...filterBy('email', FilterOperatorEnum.ContainsToken, '*@bigco.example'),
    sorts: ['hs_object_id'],
  };
  const first = await client.crm.contacts.searchApi.doSearch(search);
  expect(first.total).toBeGreaterThan(12_000);
  expect(first.results[0]?.createdAt).toBeInstanceOf(Date);
  const after = first.paging?.next?.after;
  const second = await client.crm.contacts.searchApi.doSearch({
    ...search,
    ...(after && { after }),
  });
  expect(Number(second.results[0]?.id)).toBeGreaterThan(Number(first.results[1]?.id));
});

test('HubSpot’s own client reads a batch by email and gets the missing ones', async () => {
  const answer = await client.crm.contacts.batchApi.read({
    idProperty: 'email',
    properties: ['email', 'firstname'],
    propertiesWithHistory: [],
    inputs: [{ id: 'ada@example.com' }, { id: 'missing@example.com' }, { id: 'gone@example.com' }],
  });
  expect(answer.results.map((contact) => contact.properties['firstname'])).toEqual(['Ada']);
  expect(answer).toMatchObject({
    status: 'COMPLETE',
    numErrors: 1,
    errors: [{ context: { ids: ['missing@example.com', 'gone@example.com'] } }],
  });
});

test('HubSpot’s own client reads one contact with its companies, and gets 404 for an unknown one', async () => {
  const ada = await client.crm.contacts.basicApi.getById('501', ['email'], undefined, [
    'companies',
  ]);
  expect(ada.properties['email']).toBe('ada@example.com');
  expect(ada.associations?.['companies']?.results.map((link) => link.id)).toContain('5790939001');
  await expect(client.crm.contacts.basicApi.getById('1')).rejects.toMatchObject({ code: 404 });
});

test('HubSpot’s own client follows a list to its end', async () => {
  const people = Array.from({ length: 250 }, (_, position) => ({
    email: `${position}@example.com`,
  }));
  const { accessToken } = sandbox.hubspot.createAccount({ people });
  const other = new Client({ accessToken, basePath: sandbox.hubspot.origin });
  const all = await other.crm.contacts.getAll();
  expect(all).toHaveLength(250);
  expect(new Set(all.map((contact) => contact.id)).size).toBe(250);
});

test('HubSpot’s own client reads associations in a batch, and those of one contact', async () => {
  const { batchApi, basicApi } = client.crm.associations.v4;
  const answer = await batchApi.getPage('contacts', 'companies', {
    inputs: [{ id: '501' }, { id: '503' }],
  });
  expect(answer.results).toHaveLength(1);
  expect(answer.results[0]?._from.id).toBe('501');
  const primary = answer.results[0]?.to.find((link) =>
    link.associationTypes.some((type) => type.typeId === 1),
  );
  expect(Number(primary?.toObjectId)).toBe(5_790_939_001);
  expect(primary?.associationTypes[0]?.category).toBe(Category.HubspotDefined);
  expect(answer).toMatchObject({
    errors: [{ subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND' }],
  });
  const deals = await basicApi.getPage('contact', '501', 'deal');
  expect(deals.results.map((link) => Number(link.toObjectId))).toEqual([
    9_100_000_001, 9_100_000_002,
  ]);
});

test('HubSpot’s own client reads properties and their options', async () => {
  const stage = await client.crm.properties.coreApi.getByName('contacts', 'lifecyclestage');
  expect(stage.options.map((option) => option.value)).toContain('marketingqualifiedlead');
  expect((await client.crm.properties.coreApi.getAll('contacts')).results.length).toBeGreaterThan(
    20,
  );
});

test('HubSpot’s own client builds the consent URL, exchanges the code, reads contacts and revokes', async () => {
  const { demo, others, origin } = sandbox.hubspot;
  const [northwind = demo] = others;
  const { clientId, clientSecret } = demo;
  const other = new Client({ basePath: origin });
  const consentUrl = other.oauth.getAuthorizationUrl(
    clientId,
    HUBSPOT_CALLBACK,
    'oauth crm.objects.contacts.read',
    'crm.objects.deals.read',
    's1',
  );
  // The client only knows the URL of HubSpot's own page.
  const url = consentUrl.replace('https://app.hubspot.com', origin);
  const { back } = await decide(url, { account: northwind });
  expect(back).toMatchObject({ state: 's1' });
  const token = await other.oauth.tokensApi.create(
    'authorization_code',
    back?.['code'],
    HUBSPOT_CALLBACK,
    clientId,
    clientSecret,
  );
  expect(token).toMatchObject({ tokenType: 'bearer', expiresIn: 1_800 });
  other.setAccessToken(token.accessToken);
  const { results } = await other.crm.contacts.basicApi.getPage();
  expect(results.map(({ properties }) => properties['email'])).toContain(
    'nancy.davolio@northwind.example',
  );
  expect(await other.oauth.accessTokensApi.get(token.accessToken)).toMatchObject({
    hubId: Number(northwind.id),
    hubDomain: 'northwind.example',
    scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.deals.read'],
  });
  await other.oauth.refreshTokensApi.archive(token.refreshToken);
  await expect(other.oauth.refreshTokensApi.get(token.refreshToken)).rejects.toMatchObject({
    code: 404,
  });
});

test('HubSpot’s own client refreshes an expired token, and reads its account', async () => {
  const account = sandbox.hubspot.createAccount({ people: [{ email: 'a@example.com' }] });
  const other = new Client({ accessToken: account.accessToken, basePath: sandbox.hubspot.origin });
  account.expireAccessToken();
  await expect(other.crm.contacts.basicApi.getPage()).rejects.toMatchObject({ code: 401 });
  const { refreshToken, clientId, clientSecret } = account;
  const token = await other.oauth.tokensApi.create(
    'refresh_token',
    undefined,
    undefined,
    clientId,
    clientSecret,
    refreshToken,
  );
  expect(token).toMatchObject({ tokenType: 'bearer', refreshToken, expiresIn: 1_800 });
  other.setAccessToken(token.accessToken);
  expect((await other.crm.contacts.basicApi.getPage()).results).toHaveLength(1);
  expect(await other.oauth.accessTokensApi.get(token.accessToken)).toMatchObject({
    hubId: Number(account.id),
  });
});

test('HubSpot’s own client reads the account’s details and limits, and recognizes a 429', async () => {
  const account = sandbox.hubspot.createAccount();
  const other = new Client({
    accessToken: account.staticToken ?? '',
    basePath: sandbox.hubspot.origin,
  });
  const details = await other.apiRequest({ path: '/account-info/v3/details' });
  expect(await details.json()).toMatchObject({ portalId: Number(account.id) });
  expect(details.headers.get('x-hubspot-ratelimit-remaining')).toBe('189');
  const usage = await other.apiRequest({ path: '/account-info/v3/api-usage/daily/private-apps' });
  expect(await usage.json()).toMatchObject({ results: [{ usageLimit: 650_000, currentUsage: 2 }] });
  account.setLimits({ searchPerSecond: 0 });
  await expect(
    other.crm.contacts.searchApi.doSearch(filterBy('email', FilterOperatorEnum.Eq, 'a@b.c')),
  ).rejects.toMatchObject({ code: 429, body: { category: 'RATE_LIMITS' } });
});
