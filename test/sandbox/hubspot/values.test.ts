import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HubSpotAccount, openSandbox, type Sandbox } from '../../../src/sandbox/open-sandbox.ts';
import type { Person } from '../../../src/sandbox/people.ts';
import { BATCH_READ, byFilter, createAsk, ids, SEARCH } from './ask.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
});
afterAll(() => sandbox.close());

function open(people: readonly Partial<Person>[], quirks: Partial<HubSpotAccount['quirks']> = {}) {
  return createAsk(sandbox, sandbox.hubspot.createAccount({ people, quirks }));
}

test.each([
  ['milliseconds', '2026-10-14T15:09:26.000Z', '2026-10-14T15:09:26.000Z'],
  ['seconds', '2026-10-14T15:09:26Z', '2026-10-14T15:09:26Z'],
  ['epoch', '2026-10-14T15:09:26.000Z', '1791990566000'],
] as const)('times in the form of %s', async (dateForm, ofRecord, ofProperty) => {
  const ask = open([{ createdAt: Date.UTC(2026, 9, 14, 15, 9, 26) }], { dateForm });
  const { body } = await ask('/crm/v3/objects/contacts/501');
  expect([body.createdAt, body.properties.createdate]).toEqual([ofRecord, ofProperty]);
});

test('texts of several values may have empty parts, and are found all the same', async () => {
  const ask = open([{ secondaryEmails: ['a@x.example', 'b@x.example'] }], { emptyParts: true });
  const { body } = await ask('/crm/v3/objects/contacts/501?properties=hs_additional_emails');
  expect(body.properties.hs_additional_emails).toBe(';a@x.example;;b@x.example;');
  expect(ids(await ask(SEARCH, byFilter('hs_additional_emails', 'EQ', 'b@x.example')))).toEqual(['501']);
});

test('a portal’s own properties have types: numbers compare as such, unique ones name a record', async () => {
  const ask = open(
    [{ custom: { shoe: '9', code: 'A' } }, { custom: { shoe: '44', code: 'B', secret: 's' } }],
    {
      propertyTypes: {
        shoe: { type: 'number', fieldType: 'number' },
        code: { type: 'string', fieldType: 'text', hasUniqueValue: true },
        size: { type: 'enumeration', fieldType: 'select', options: ['S', 'M'] },
        secret: { type: 'string', fieldType: 'text', isSensitive: true },
      },
    },
  );
  expect(ids(await ask(SEARCH, byFilter('shoe', 'GT', '10')))).toEqual(['502']);
  const question = { idProperty: 'code', inputs: [{ id: 'A' }] };
  expect(ids(await ask(BATCH_READ, question))).toEqual(['501']);
  expect((await ask(BATCH_READ, { ...question, idProperty: 'shoe' })).status).toBe(400);
  const { body: size } = await ask('/crm/v3/properties/contacts/size');
  expect(size).toMatchObject({ type: 'enumeration', fieldType: 'select', hubspotDefined: false });
  expect(size.options.map(({ value }: { value: string }) => value)).toEqual(['S', 'M']);
  const names = async (query: string) =>
    (await ask(`/crm/v3/properties/contacts${query}`)).body.results.map(({ name }: { name: string }) => name);
  expect(await names('')).not.toContain('secret');
  expect(await names('?dataSensitivity=sensitive')).toEqual(['secret']);
});

test.each([
  ['+33655555555', '655555555'],
  ['00004', '4'],
  ['+447917528642', '7917528642'],
  ['+38640414559', '40414559'],
  ['+1 (415) 555-1212', '4155551212'],
])('the phone %s is searchable as %s, and found by any part that begins it', async (phone, searchable) => {
  const ask = open([{ phone }]);
  const name = 'hs_searchable_calculated_phone_number';
  const { body } = await ask(`/crm/v3/objects/contacts/501?properties=${name}`);
  expect(body.properties[name]).toBe(searchable);
  expect(ids(await ask(SEARCH, byFilter(name, 'IN', [searchable])))).toEqual(['501']);
  expect(ids(await ask(SEARCH, { query: searchable }))).toEqual(['501']);
});

test('further addresses are found by IN as by EQ, where they are found at all', async () => {
  for (const searchEmailMatchesAliases of [false, true]) {
    const ask = open([{ email: 'a@x.example', secondaryEmails: ['b@x.example'] }], {
      searchEmailMatchesAliases,
    });
    const expected = searchEmailMatchesAliases ? ['501'] : [];
    expect(ids(await ask(SEARCH, byFilter('email', 'EQ', 'b@x.example')))).toEqual(expected);
    expect(ids(await ask(SEARCH, byFilter('email', 'IN', ['b@x.example'])))).toEqual(expected);
  }
});

test('a property’s history is told where it is asked for', async () => {
  const ask = open([{ firstName: 'Ada', updatedAt: Date.UTC(2026, 9, 14) }]);
  const entry = { value: 'Ada', timestamp: '2026-10-14T00:00:00.000Z', sourceType: 'CRM_UI' };
  const question = { propertiesWithHistory: ['firstname', 'lastname'], inputs: [{ id: '501' }] };
  const batch = await ask(BATCH_READ, question);
  expect(batch.body.results[0].propertiesWithHistory).toEqual({ firstname: [entry] });
  const one = await ask('/crm/v3/objects/contacts/501?propertiesWithHistory=firstname');
  expect(one.body.propertiesWithHistory).toEqual({ firstname: [entry] });
});

test('links come in pages, by a token that stands in base 64 as in a URL', async () => {
  const people = [{ otherCompanyIndexes: Array.from({ length: 501 }, (_, index) => index + 2) }];
  const ask = open(people);
  const path = '/crm/v4/associations/contacts/companies/batch/read';
  const { body: first } = await ask(path, { inputs: [{ id: '501' }] });
  expect(first.results[0].to).toHaveLength(500);
  const { after } = first.results[0].paging.next;
  expect(Buffer.from(decodeURIComponent(after), 'base64').toString()).toMatch(/^0-2-\d+$/);
  const { body: second } = await ask(path, { inputs: [{ id: '501', after }] });
  expect(second.results[0].to).toHaveLength(1);
  expect(second.results[0].paging).toBeUndefined();
  const list = await ask(
    `/crm/v4/objects/contacts/501/associations/companies?limit=3&after=${encodeURIComponent(after)}`,
  );
  expect(list.body.results).toHaveLength(1);
});

test('a label of the portal’s own stands beside HubSpot’s', async () => {
  const ask = open([{ companyIndex: 1, otherCompanyIndexes: [2] }], { associationLabel: 'Adviser' });
  const { body } = await ask('/crm/v4/objects/contacts/501/associations/companies');
  expect(body.results[0].associationTypes).toEqual([
    { category: 'USER_DEFINED', typeId: 36, label: 'Adviser' },
    { category: 'HUBSPOT_DEFINED', typeId: 279, label: null },
  ]);
});

test('associations have a limit of their own where there is one', async () => {
  const account = sandbox.hubspot.createAccount({ people: [{}], limits: { associationsPerTenSeconds: 1 } });
  const ask = createAsk(sandbox, account);
  const path = '/crm/v4/objects/contacts/501/associations/companies';
  expect([(await ask(path)).status, (await ask(path)).status]).toEqual([200, 429]);
  expect((await ask('/crm/v3/objects/contacts/501')).status).toBe(200);
});

test('Cloudflare’s cookie comes with every answer', async () => {
  const ask = open([]);
  for (const path of ['/crm/v3/objects/contacts', '/crm/v3/objects/contacts/404'])
    expect((await ask(path)).headers.get('set-cookie')).toMatch(/^__cf_bm=/);
});
