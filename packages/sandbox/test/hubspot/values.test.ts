import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HubSpotAccount, openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import type { Person } from '../../src/people.ts';
import { BATCH_READ, byFilter, createClient, ids, SEARCH } from './client.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
});
afterAll(() => sandbox.close());

function open(people: readonly Partial<Person>[], quirks: Partial<HubSpotAccount['quirks']> = {}) {
  return createClient(sandbox, sandbox.hubspot.createAccount({ people, quirks }));
}

test.each([
  ['milliseconds', '2026-10-14T15:09:26.000Z', '2026-10-14T15:09:26.000Z'],
  ['seconds', '2026-10-14T15:09:26Z', '2026-10-14T15:09:26Z'],
  ['epoch', '2026-10-14T15:09:26.000Z', '1791990566000'],
] as const)('times in the format of %s', async (dateForm, ofRecord, ofProperty) => {
  const send = open([{ createdAt: Date.UTC(2026, 9, 14, 15, 9, 26) }], { dateForm });
  const { body } = await send('/crm/v3/objects/contacts/501');
  expect([body.createdAt, body.properties.createdate]).toEqual([ofRecord, ofProperty]);
});

test('a multi-value string can contain empty parts, and is still matched', async () => {
  const send = open([{ secondaryEmails: ['a@x.example', 'b@x.example'] }], { emptyParts: true });
  const { body } = await send('/crm/v3/objects/contacts/501?properties=hs_additional_emails');
  expect(body.properties.hs_additional_emails).toBe(';a@x.example;;b@x.example;');
  expect(ids(await send(SEARCH, byFilter('hs_additional_emails', 'EQ', 'b@x.example')))).toEqual([
    '501',
  ]);
});

test('a portal’s own properties are typed: numbers compare as numbers, unique ones identify a record', async () => {
  const send = open(
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
  expect(ids(await send(SEARCH, byFilter('shoe', 'GT', '10')))).toEqual(['502']);
  const body = { idProperty: 'code', inputs: [{ id: 'A' }] };
  expect(ids(await send(BATCH_READ, body))).toEqual(['501']);
  expect((await send(BATCH_READ, { ...body, idProperty: 'shoe' })).status).toBe(400);
  const { body: size } = await send('/crm/v3/properties/contacts/size');
  expect(size).toMatchObject({ type: 'enumeration', fieldType: 'select', hubspotDefined: false });
  expect(size.options.map(({ value }: { value: string }) => value)).toEqual(['S', 'M']);
  const names = async (query: string) =>
    (await send(`/crm/v3/properties/contacts${query}`)).body.results.map(
      ({ name }: { name: string }) => name,
    );
  expect(await names('')).not.toContain('secret');
  expect(await names('?dataSensitivity=sensitive')).toEqual(['secret']);
});

test.each([
  ['+33655555555', '655555555'],
  ['00004', '4'],
  ['+447917528642', '7917528642'],
  ['+38640414559', '40414559'],
  ['+1 (415) 555-1212', '4155551212'],
])(
  'the phone %s is searchable as %s, and a query matches its prefixes',
  async (phone, searchable) => {
    const send = open([{ phone }]);
    const name = 'hs_searchable_calculated_phone_number';
    const { body } = await send(`/crm/v3/objects/contacts/501?properties=${name}`);
    expect(body.properties[name]).toBe(searchable);
    expect(ids(await send(SEARCH, byFilter(name, 'IN', [searchable])))).toEqual(['501']);
    expect(ids(await send(SEARCH, { query: searchable }))).toEqual(['501']);
  },
);

test('secondary emails are matched by IN as by EQ, if they are matched at all', async () => {
  for (const searchEmailMatchesAliases of [false, true]) {
    const send = open([{ email: 'a@x.example', secondaryEmails: ['b@x.example'] }], {
      searchEmailMatchesAliases,
    });
    const expected = searchEmailMatchesAliases ? ['501'] : [];
    expect(ids(await send(SEARCH, byFilter('email', 'EQ', 'b@x.example')))).toEqual(expected);
    expect(ids(await send(SEARCH, byFilter('email', 'IN', ['b@x.example'])))).toEqual(expected);
  }
});

test('a property’s history is returned on request', async () => {
  const send = open([{ firstName: 'Ada', updatedAt: Date.UTC(2026, 9, 14) }]);
  const entry = { value: 'Ada', timestamp: '2026-10-14T00:00:00.000Z', sourceType: 'CRM_UI' };
  const body = { propertiesWithHistory: ['firstname', 'lastname'], inputs: [{ id: '501' }] };
  const batch = await send(BATCH_READ, body);
  expect(batch.body.results[0].propertiesWithHistory).toEqual({ firstname: [entry] });
  const one = await send('/crm/v3/objects/contacts/501?propertiesWithHistory=firstname');
  expect(one.body.propertiesWithHistory).toEqual({ firstname: [entry] });
});

test('associations are paged, with a token in base64 or URL-safe base64', async () => {
  const people = [{ otherCompanyIndexes: Array.from({ length: 501 }, (_, index) => index + 2) }];
  const send = open(people);
  const path = '/crm/v4/associations/contacts/companies/batch/read';
  const { body: first } = await send(path, { inputs: [{ id: '501' }] });
  expect(first.results[0].to).toHaveLength(500);
  const { after } = first.results[0].paging.next;
  expect(Buffer.from(decodeURIComponent(after), 'base64').toString()).toMatch(/^0-2-\d+$/);
  const { body: second } = await send(path, { inputs: [{ id: '501', after }] });
  expect(second.results[0].to).toHaveLength(1);
  expect(second.results[0].paging).toBeUndefined();
  const list = await send(
    `/crm/v4/objects/contacts/501/associations/companies?limit=3&after=${encodeURIComponent(after)}`,
  );
  expect(list.body.results).toHaveLength(1);
});

test('an association label of the portal is listed beside HubSpot’s', async () => {
  const send = open([{ companyIndex: 1, otherCompanyIndexes: [2] }], {
    associationLabel: 'Adviser',
  });
  const { body } = await send('/crm/v4/objects/contacts/501/associations/companies');
  expect(body.results[0].associationTypes).toEqual([
    { category: 'USER_DEFINED', typeId: 36, label: 'Adviser' },
    { category: 'HUBSPOT_DEFINED', typeId: 279, label: null },
  ]);
});

test('associations can have a rate limit of their own', async () => {
  const account = sandbox.hubspot.createAccount({
    people: [{}],
    limits: { associationsPerTenSeconds: 1 },
  });
  const send = createClient(sandbox, account);
  const path = '/crm/v4/objects/contacts/501/associations/companies';
  expect([(await send(path)).status, (await send(path)).status]).toEqual([200, 429]);
  expect((await send('/crm/v3/objects/contacts/501')).status).toBe(200);
});

test('every response sets Cloudflare’s cookie', async () => {
  const send = open([]);
  for (const path of ['/crm/v3/objects/contacts', '/crm/v3/objects/contacts/404'])
    expect((await send(path)).headers.get('set-cookie')).toMatch(/^__cf_bm=/);
});
