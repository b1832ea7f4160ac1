import type { HubSpotAccount, Person, SalesforceAccount } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '../mcp/ask-mcp.ts';
import { type Connected, connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const AT = Date.UTC(2026, 5, 1, 12);
const MOBILE = 'hs_searchable_calculated_mobile_number';
const PHONES = ['Phone', 'MobilePhone', 'HomePhone', 'OtherPhone', 'AssistantPhone'];
const PEOPLE: readonly Partial<Person>[] = [
  {
    email: 'john@one.example',
    firstName: 'John',
    lastName: 'Stone',
    phone: '+44 7917 528642',
    updatedAt: AT,
    custom: {
      text: 'Violet',
      area: 'long text',
      number: '17',
      flag: 'true',
      day: '2026-01-31',
      moment: '2026-01-31T10:00:00.000Z',
      one: 'A',
      several: 'B;A',
      texts: 'x;y',
    },
  },
  {
    email: 'ann@two.example',
    firstName: 'Ann',
    lastName: 'Johnson',
    updatedAt: AT + 5_000,
    custom: { text: 'o\'Neil \\ " * %', number: '18', flag: 'false', one: 'a', several: 'AB' },
  },
  { email: 'bob@two.example', firstName: 'Bob', lastName: 'Marley', updatedAt: AT + 9_000 },
];
const HUBSPOT_TYPES = {
  text: { type: 'string', fieldType: 'text' },
  area: { type: 'string', fieldType: 'html', isUnsearchable: true },
  number: { type: 'number', fieldType: 'number' },
  flag: { type: 'bool', fieldType: 'booleancheckbox' },
  day: { type: 'date', fieldType: 'date' },
  moment: { type: 'datetime', fieldType: 'date' },
  one: { type: 'enumeration', fieldType: 'select', options: ['A', 'a'] },
  several: { type: 'enumeration', fieldType: 'checkbox', options: ['A', 'B', 'AB'] },
  texts: { type: 'string', fieldType: 'text' },
} as const;
const SALESFORCE_TYPES = {
  Text__c: { type: 'string' },
  Area__c: { type: 'textarea', isUnfilterable: true },
  Number__c: { type: 'double' },
  Flag__c: { type: 'boolean' },
  Day__c: { type: 'date' },
  Moment__c: { type: 'datetime' },
  One__c: { type: 'picklist', values: ['A', 'a'] },
  Several__c: { type: 'multipicklist', values: ['A', 'B', 'AB'] },
  Texts__c: { type: 'string' },
} as const;
/** Each with the field of the CRM that it is read from. */
const FIELDS = {
  text: ['TEXT', 'text'],
  area: ['TEXT', 'area'],
  number: ['NUMBER', 'number'],
  numberAsText: ['TEXT', 'number'],
  flag: ['BOOLEAN', 'flag'],
  flagAsText: ['TEXT', 'flag'],
  day: ['DATE', 'day'],
  dayAsTime: ['DATETIME', 'day'],
  moment: ['DATETIME', 'moment'],
  momentAsDay: ['DATE', 'moment'],
  one: ['CHOICE', 'one'],
  oneAsMany: ['CHOICES', 'one'],
  several: ['CHOICES', 'several'],
  severalAsText: ['TEXT', 'several'],
  texts: ['CHOICES', 'texts'],
  missing: ['TEXT', 'missing'],
} as const;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
  const fields = Object.entries(FIELDS).map(([name, [type, source]]) => ({
    name,
    type,
    sources: [
      { provider: 'HUBSPOT', field: source },
      { provider: 'SALESFORCE', field: toSalesforce(source) },
    ],
  }));
  const { errors } = await crossbook.execute(
    'mutation ($definitions: [CustomFieldDefinitionInput!]!) { setCustomFieldDefinitions(input: { definitions: $definitions }) { customFieldDefinitions { version } } }',
    { definitions: [...fields, { name: 'unmapped', type: 'NUMBER', sources: [] }] },
  );
  expect(errors).toBeUndefined();
});
afterAll(() => crossbook.close());

function toSalesforce(source: string): string {
  return `${source.charAt(0).toUpperCase()}${source.slice(1)}__c`;
}

let served = 0;
async function connect(provider: 'hubspot' | 'salesforce', people = PEOPLE): Promise<Own> {
  const customerId = `filters-${++served}`;
  const connected = await connectAccount(crossbook, { provider, people, customerId });
  (connected.account as HubSpotAccount & SalesforceAccount).setQuirks(
    (provider === 'hubspot'
      ? { propertyTypes: HUBSPOT_TYPES }
      : { customFields: SALESFORCE_TYPES }) as never,
  );
  return { ...connected, customerId, provider };
}
type Own = Connected & { readonly customerId: string; readonly provider: 'hubspot' | 'salesforce' };

const SEARCH = `query ($filter: ContactFilter!, $first: Int, $after: String, $cache: Boolean) {
  searchContacts(filter: $filter, first: $first, after: $after, readFromCache: $cache) {
    nodes { firstName } totalCount modifiedUntil pageInfo { endCursor hasNextPage }
  }
}`;
const search = (own: Own, filter: object, more: object = {}, headers: object = {}): Promise<Json> =>
  crossbook.execute(SEARCH, { filter, ...more }, { ...own.headers, ...headers });
const namesOf = async (own: Own, filter: object): Promise<Json> => {
  const { data, errors } = await search(own, filter);
  expect(errors).toBeUndefined();
  return data.searchContacts.nodes.map(({ firstName }: Json) => firstName);
};
const codeOf = async (own: Own, filter: object): Promise<Json> => {
  const { errors } = await search(own, filter);
  return errors?.[0]?.extensions;
};
const issueToken = async (own: Own, input: object): Promise<Record<string, string>> => {
  const path = `/customers/${own.customerId}/tokens`;
  const { status, body } = await crossbook.rest('POST', path, input);
  expect(status).toBe(200);
  return { authorization: `Bearer ${body.token}` };
};
const withToken = (own: Own, filter: object, token: Record<string, string>) =>
  toFetch(crossbook.app.answer)(
    new Request('http://crossbook.test/contacts/_search', {
      method: 'POST',
      headers: { ...own.headers, ...token, 'content-type': 'application/json' },
      body: JSON.stringify({ filter }),
    }),
  );
const problemsOf = async ({ customerId, provider }: Own): Promise<Json> => {
  const path = `/customers/${customerId}/connections/${provider}/mapping_problems`;
  return (await crossbook.rest('GET', path)).body.records.map(
    ({ field, problem }: Json) => `${field} ${problem}`,
  );
};

/** In each API's spelling. */
const FILTERS = [
  [{ phone: '07917 528642' }, { phone: '07917 528642' }, ['John']],
  [{ namePrefix: 'joh' }, { name_prefix: 'joh' }, ['John', 'Ann']],
  [
    { modifiedSince: new Date(AT + 5_000).toISOString() },
    { modified_since: new Date(AT + 5_000).toISOString() },
    ['Ann', 'Bob'],
  ],
  [
    { customField: { name: 'number', equals: '17' } },
    { custom_field: { name: 'number', equals: '17' } },
    ['John'],
  ],
  [{ all: true }, { all: true }, ['John', 'Ann', 'Bob']],
] as const;

describe.each(['hubspot', 'salesforce'] as const)('filters in %s', (provider) => {
  test.each(FILTERS)(
    '%j finds the same contacts in GraphQL, REST and MCP',
    async (filter, wire, names) => {
      const own = await connect(provider);
      expect(await namesOf(own, filter)).toEqual(names);
      const rest = await crossbook.rest('POST', '/contacts/_search', { filter: wire }, own.headers);
      expect(rest.status).toBe(200);
      expect(rest.body.records.map((one: Json) => one.first_name)).toEqual(names);
      const token = await issueToken(own, { can_list: true });
      const tool = await callTool(crossbook, token, 'search_contacts', { filter, provider });
      expect(tool.structuredContent.results[0].contacts.map((one: Json) => one.firstName)).toEqual(
        names,
      );
    },
  );

  test('a listing takes an API key, or a token that was issued with canList: otherwise 403', async () => {
    const own = await connect(provider);
    const [plain, lister] = [await issueToken(own, {}), await issueToken(own, { can_list: true })];
    for (const [filter, wire] of FILTERS) {
      const isListing = !('phone' in filter);
      const refused = await withToken(own, wire, plain);
      expect([wire, refused.status]).toEqual([wire, isListing ? 403 : 200]);
      expect([wire, (await withToken(own, wire, lister)).status]).toEqual([wire, 200]);
      const tool = await callTool(crossbook, plain, 'search_contacts', { filter, provider });
      expect(tool.isError ?? false).toBe(isListing);
    }
    expect((await withToken(own, { email: 'john@one.example' }, plain)).status).toBe(200);
  });

  test('a listing is read from the CRM each time, and a phone number from the cache', async () => {
    const own = await connect(provider);
    const calls = async (filter: object) => {
      own.account.resetCalls();
      expect((await search(own, filter, { cache: true })).errors).toBeUndefined();
      return own.account.callCount();
    };
    const listings = FILTERS.map(([filter]) => filter).filter((one) => !('phone' in one));
    for (const filter of listings) await calls(filter);
    // Written in the background, after what the listings would have written.
    await expect.poll(() => calls({ phone: '07917 528642' })).toBe(0);
    for (const filter of listings) expect(await calls(filter)).toBeGreaterThan(0);
  });

  test('a wrong filter is refused before the CRM is asked, and names what is wrong', async () => {
    const own = await connect(provider);
    own.account.resetCalls();
    for (const [filter, code, detail] of [
      [{ all: false }, 'UNPROCESSABLE_ENTITY', 'can only be true'],
      [{ phone: 'call me' }, 'UNPROCESSABLE_ENTITY', 'phone'],
      [{ phone: '12' }, 'UNPROCESSABLE_ENTITY', 'phone'],
      [{ namePrefix: 'j' }, 'UNPROCESSABLE_ENTITY', 'at least 2'],
      [{ namePrefix: ' j' }, 'UNPROCESSABLE_ENTITY', 'at least 2'],
      [{ namePrefix: 'x'.repeat(101) }, 'UNPROCESSABLE_ENTITY', '100'],
      [{ customField: { name: 'nobody', equals: 'x' } }, 'UNPROCESSABLE_ENTITY', '"nobody"'],
      [{ customField: { name: 'number', equals: 'many' } }, 'UNPROCESSABLE_ENTITY', 'NUMBER'],
      [{ customField: { name: 'text', equals: ' ' } }, 'UNPROCESSABLE_ENTITY', 'empty'],
      [{ customField: { name: 'text', equals: 'x'.repeat(256) } }, 'UNPROCESSABLE_ENTITY', '255'],
      [{ modifiedSince: '2999-01-01T00:00:00Z' }, 'UNPROCESSABLE_ENTITY', 'future'],
    ] as const) {
      const error = await codeOf(own, filter);
      expect([filter, error?.code]).toEqual([filter, code]);
      expect(error.detail).toContain(detail);
    }
    const two = { filter: { all: true, phone: '5551212' } };
    const { status } = await crossbook.rest('POST', '/contacts/_search', two, own.headers);
    expect(status).toBe(400);
    expect(own.account.callCount()).toBe(0);
  });

  test('a search by a custom field that is not declared is 422 in GraphQL, REST and MCP', async () => {
    const own = await connect(provider);
    const token = await issueToken(own, { can_list: true });
    const detail = 'No custom field of contacts is called "typo".';
    const field = { name: 'typo', equals: 'x' };
    expect(await codeOf(own, { customField: field })).toMatchObject({ detail });
    const rest = await withToken(own, { custom_field: field }, token);
    expect([rest.status, await rest.json()]).toMatchObject([422, { errors: [{ detail }] }]);
    const asked = { provider, filter: { customField: field } };
    const { structuredContent } = await callTool(crossbook, token, 'search_contacts', asked);
    const code = 'UNPROCESSABLE_ENTITY';
    expect(structuredContent.error).toMatchObject({ code, detail });
  });

  test('a custom field is compared by its type, whatever type the CRM’s field has', async () => {
    const own = await connect(provider);
    for (const [name, equals, names] of [
      ['text', 'violet', ['John']],
      ['text', 'o\'Neil \\ " * %', ['Ann']],
      ['text', 'viole', []],
      ['number', '17', ['John']],
      ['number', '1.7e1', ['John']],
      ['numberAsText', '17', ['John']],
      ['numberAsText', 'seventeen', []],
      ['flag', 'true', ['John']],
      ['flagAsText', 'true', ['John']],
      ['day', '2026-01-31', ['John']],
      ['day', '2026-01-30', []],
      ['dayAsTime', '2026-01-31T00:00:00Z', ['John']],
      ['dayAsTime', '2026-01-31T01:00:00Z', []],
      ['moment', '2026-01-31T11:00:00+01:00', ['John']],
      ['momentAsDay', '2026-01-31', ['John']],
      ['one', 'A', ['John']],
      ['one', 'a', ['Ann']],
      ['oneAsMany', 'A', ['John']],
      ['several', 'A', ['John']],
      ['several', 'B', ['John']],
      ['several', 'AB', ['Ann']],
      ['severalAsText', 'B;A', ['John']],
      ['texts', 'y', ['John']],
      ['missing', 'x', []],
      ['unmapped', '1', []],
    ] as const)
      expect([name, equals, await namesOf(own, { customField: { name, equals } })]).toEqual([
        name,
        equals,
        names,
      ]);
    await expect.poll(() => problemsOf(own)).toContain('missing missing');
  });

  test('a field by which the CRM cannot filter is 422 with its name, and a mapping problem', async () => {
    const own = await connect(provider);
    const error = await codeOf(own, { customField: { name: 'area', equals: 'long text' } });
    expect(error.code).toBe('UNPROCESSABLE_ENTITY');
    expect(error.detail).toMatch(/"area".*area/i);
    await expect.poll(() => problemsOf(own)).toContain('area not_filterable');
  });

  test('a field whose type has changed is compared by the new one', async () => {
    const own = await connect(provider);
    expect(await namesOf(own, { customField: { name: 'number', equals: '17' } })).toEqual(['John']);
    (own.account as HubSpotAccount & SalesforceAccount).setQuirks(
      (provider === 'hubspot'
        ? { propertyTypes: { ...HUBSPOT_TYPES, number: HUBSPOT_TYPES.text } }
        : { customFields: { ...SALESFORCE_TYPES, Number__c: SALESFORCE_TYPES.Text__c } }) as never,
    );
    expect(await namesOf(own, { customField: { name: 'number', equals: '17' } })).toEqual(['John']);
    expect(await problemsOf(own)).not.toContain('number not_filterable');
  });

  test('the period of modifiedSince is the same on all pages, and other filters have none', async () => {
    const own = await connect(provider);
    const filter = { modifiedSince: new Date(AT).toISOString() };
    const first = (await search(own, filter, { first: 2 })).data.searchContacts;
    expect(first.nodes).toHaveLength(2);
    const until = Date.parse(first.modifiedUntil);
    expect(Date.now() - until).toBeGreaterThanOrEqual(60_000);
    expect(until % 1_000).toBe(0);
    const second = (await search(own, filter, { first: 2, after: first.pageInfo.endCursor })).data
      .searchContacts;
    expect(second.nodes).toEqual([{ firstName: 'Bob' }]);
    expect(second.modifiedUntil).toBe(first.modifiedUntil);
    expect(second.pageInfo.hasNextPage).toBe(false);
    const rest = await crossbook.rest(
      'POST',
      '/contacts/_search',
      { filter: { modified_since: filter.modifiedSince } },
      own.headers,
    );
    expect(rest.body.pagination.modified_until).toMatch(/^\d{4}-.*:\d\d\.000Z$/);
    expect((await search(own, { all: true })).data.searchContacts.modifiedUntil).toBeNull();
    const all = await crossbook.rest(
      'POST',
      '/contacts/_search',
      { filter: { all: true } },
      own.headers,
    );
    expect(all.body.pagination).not.toHaveProperty('modified_until');
    // A period that has just begun is empty, and the next one begins where it did.
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const none = (await search(own, { modifiedSince: now })).data.searchContacts;
    expect(none).toMatchObject({ nodes: [], modifiedUntil: now.replace('Z', '.000Z') });
  });

  test('a cursor of one listing is refused in another', async () => {
    const own = await connect(provider);
    const { data } = await search(own, { all: true }, { first: 1 });
    const after = data.searchContacts.pageInfo.endCursor;
    expect((await search(own, { all: true }, { after })).errors).toBeUndefined();
    for (const filter of [{ namePrefix: 'joh' }, { modifiedSince: new Date(AT).toISOString() }]) {
      const { errors } = await search(own, filter, { after });
      expect(errors[0].extensions.code).toBe('BAD_REQUEST');
    }
  });

  test('contacts of a phone number are not counted, and are sliced into pages', async () => {
    const people = Array.from({ length: 3 }, (_, index) => ({
      firstName: `P${index}`,
      phone: '+1 415 555 1212',
    }));
    const own = await connect(provider, people);
    const filter = { phone: '415-555-1212' };
    const { data } = await search(own, filter, { first: 2 });
    expect(data.searchContacts).toMatchObject({
      nodes: [{ firstName: 'P0' }, { firstName: 'P1' }],
      totalCount: null,
      pageInfo: { hasNextPage: true },
    });
    const after = data.searchContacts.pageInfo.endCursor;
    expect((await search(own, filter, { after })).data.searchContacts.nodes).toEqual([
      { firstName: 'P2' },
    ]);
    const rest = await crossbook.rest('POST', '/contacts/_search', { filter }, own.headers);
    expect(rest.body.pagination).not.toHaveProperty('total_count');
  });

  test('raw data have further fields by name; those that the CRM does not know are left out', async () => {
    const own = await connect(provider);
    const [known, unknown] =
      provider === 'hubspot' ? ['text', 'nothing'] : ['Text__c', 'Nothing__c'];
    const read = async (fields: readonly string[] | undefined) => {
      const { data, errors } = await crossbook.execute(
        `query ($fields: [String!]) { searchContacts(filter: { email: "john@one.example" }) {
          nodes { rawData(fields: $fields) } } }`,
        { fields },
        own.headers,
      );
      expect(errors).toBeUndefined();
      const [{ rawData }] = data.searchContacts.nodes;
      return provider === 'hubspot' ? rawData.properties : rawData;
    };
    expect(await read(undefined)).not.toHaveProperty(known);
    const raw = await read([known, unknown]);
    expect(raw).toMatchObject({ [known]: 'Violet' });
    expect(raw).not.toHaveProperty(unknown);
    const path = `/contacts/_search?raw_fields=${known},${unknown}`;
    const body = { filter: { email: 'john@one.example' } };
    const rest = await crossbook.rest('POST', path, body, own.headers);
    expect(JSON.stringify(rest.body.records[0].raw_data)).toContain(`"${known}":"Violet"`);
    for (const name of ["x' OR Name != '", '', 'a.b.c', 'x'.repeat(256)]) {
      const query = `/contacts/_search?raw_fields=${encodeURIComponent(name)}`;
      expect([name, (await crossbook.rest('POST', query, body, own.headers)).status]).toEqual([
        name,
        422,
      ]);
    }
  });
});

/** The fields of each filter, besides those of custom fields, that an account may hide or that cannot be filtered by. */
const UNANSWERED = [
  ['hubspot', { hiddenProperties: ['firstname'] }, { namePrefix: 'joh' }, 'firstname'],
  ['hubspot', { hiddenProperties: ['lastname'] }, { namePrefix: 'joh' }, 'lastname'],
  ['hubspot', { hiddenProperties: ['email'] }, { emailDomain: 'one.example' }, 'email'],
  ['hubspot', { hiddenProperties: [MOBILE] }, { phone: '5551212' }, MOBILE],
  ['salesforce', { hiddenFields: ['FirstName'] }, { namePrefix: 'joh' }, 'FirstName'],
  ['salesforce', { hiddenFields: ['Email'] }, { emailDomain: 'one.example' }, 'Email'],
  ['salesforce', { hiddenFields: ['Email'] }, { email: 'john@one.example' }, 'Email'],
  ['salesforce', { hiddenFields: PHONES }, { phone: '5551212' }, 'Phone'],
  ...['probabilistic', 'deterministic'].flatMap(
    (encryption) =>
      [
        ['salesforce', encrypt('LastName', encryption), { namePrefix: 'joh' }, 'LastName'],
        ['salesforce', encrypt('Email', encryption), { emailDomain: 'one.example' }, 'Email'],
        ['salesforce', encrypt('MobilePhone', encryption), { phone: '5551212' }, 'MobilePhone'],
      ] as const,
  ),
  ['salesforce', encrypt('Email', 'probabilistic'), { email: 'john@one.example' }, 'Email'],
] as const;

function encrypt(field: string, encryption: string) {
  return { encryptedFields: { [field]: encryption } };
}

test.each(UNANSWERED)(
  'in %s with %j, the filter %j is 422 with the name of %s',
  async (provider, quirks, filter, name) => {
    const own = await connect(provider);
    own.account.setQuirks(quirks as never);
    // The second search knows what is hidden.
    for (let search = 0; search < 2; search += 1)
      expect(await codeOf(own, filter)).toMatchObject({
        code: 'UNPROCESSABLE_ENTITY',
        detail: expect.stringContaining(`field ${name} is hidden`),
      });
    expect(await namesOf(own, { all: true })).toHaveLength(PEOPLE.length);
  },
);

test('phone numbers that Salesforce hides from the connected user are not searched', async () => {
  const own = await connect('salesforce');
  own.account.setQuirks({ hiddenFields: PHONES.slice(1) } as never);
  expect(await namesOf(own, { phone: '07917 528642' })).toEqual(['John']);
});

test.each(['hubspot', 'salesforce'] as const)(
  'in %s, modifiedSince finds what was modified at that millisecond, and nothing before',
  async (provider) => {
    const own = await connect(provider);
    const since = (later: number, more = '') =>
      namesOf(own, { modifiedSince: new Date(AT + later).toISOString().replace('Z', `${more}Z`) });
    expect(await since(5_000)).toEqual(['Ann', 'Bob']);
    expect(await since(5_001)).toEqual(['Bob']);
    expect(await since(5_999)).toEqual(['Bob']);
    expect(await since(5_000, '0')).toEqual(['Ann', 'Bob']);
    expect(await since(5_000, '0001')).toEqual(['Bob']);
  },
);

test('a period that begins within the current second is empty, and ends with the second before', async () => {
  const own = await connect('salesforce');
  const now = new Date().toISOString().slice(0, 19);
  const { data } = await search(own, { modifiedSince: `${now}.999Z` });
  expect(data.searchContacts).toMatchObject({ nodes: [], modifiedUntil: `${now}.000Z` });
});
