import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { type Connected, connectAccount } from '../support/connect-account.ts';
import {
  EMAIL,
  FIELDS,
  PEOPLE,
  setTypesOf,
  TYPES,
  VALUES,
} from '../support/custom-field-account.ts';
import { createTestDatabase } from '../support/databases.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { toFetch } from '../support/to-fetch.ts';

let crossbook: TestApp;
let passed = 0;
const clock = {
  ...systemClock,
  now: () => systemClock.now() + passed,
  wall: () => systemClock.wall() + passed,
};
beforeAll(async () => {
  crossbook = await openApp({}, { clock });
});
afterAll(() => crossbook.close());

let served = 0;
const connect = async (provider: 'hubspot' | 'salesforce') => {
  const customerId = `own-${++served}`;
  const connected = await connectAccount(crossbook, { provider, people: PEOPLE, customerId });
  setTypesOf(connected.account, provider);
  return { ...connected, customerId, provider };
};
type Own = Connected & { customerId: string; provider: 'hubspot' | 'salesforce' };

const SET = `mutation ($input: SetCustomFieldDefinitionsInput!) {
  setCustomFieldDefinitions(input: $input) {
    customFieldDefinitions { version definitions { name type description customersMayMap sources { provider field } } }
  }
}`;
const setFields = async (fields: readonly object[], rest: object = {}): Promise<Json> =>
  crossbook.execute(SET, { input: { definitions: fields, ...rest } });
const MAP = `mutation ($input: SetCustomFieldMappingsInput!) {
  setCustomFieldMappings(input: $input) { connection { customFieldMappings { field source } } }
}`;
const setMappings = ({ customerId, provider }: Own, mappings: readonly object[]): Promise<Json> =>
  crossbook.execute(MAP, {
    input: { customerId, provider: provider.toUpperCase(), mappings },
  });
const SEARCH = `query ($email: String!, $names: [String!]) {
  searchContacts(filter: { email: $email }) { nodes { firstName customFields(names: $names) } }
}`;
const search = async ({ headers }: Own, names?: readonly string[], email = EMAIL): Promise<Json> =>
  crossbook.execute(SEARCH, { email, names }, headers);
const valuesOf = async (own: Own, names?: readonly string[]): Promise<Json> => {
  const { data, errors } = await search(own, names);
  expect(errors).toBeUndefined();
  return data.searchContacts.nodes[0].customFields;
};
const restSearch = ({ headers }: Own, query = '') =>
  crossbook.rest('POST', `/contacts/_search${query}`, { filter: { email: EMAIL } }, headers);
const problemsOf = async ({ customerId, provider }: Own): Promise<Json> => {
  const path = `/customers/${customerId}/connections/${provider}/mapping_problems`;
  const { status, body } = await crossbook.rest('GET', path);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.records.map(({ since, ...problem }: Json) => {
    expect(since).toMatch(/^\d{4}-.*Z$/);
    return problem;
  });
};

describe('an application without custom fields', () => {
  test('has contacts without custom fields, and asks the CRM for nothing more', async () => {
    await setFields([]);
    const own = await connect('hubspot');
    expect(await valuesOf(own)).toEqual({});
    const { body } = await restSearch(own);
    expect(body.records[0]).not.toHaveProperty('custom_fields');
    expect(await problemsOf(own)).toEqual([]);
  });
});

describe.each(['hubspot', 'salesforce'] as const)('custom fields in %s', (provider) => {
  beforeEach(async () => {
    expect((await setFields(FIELDS)).errors).toBeUndefined();
  });

  test('are read with every type, in GraphQL and in REST', async () => {
    const own = await connect(provider);
    expect(await valuesOf(own)).toEqual(VALUES);
    expect((await restSearch(own)).body.records[0].custom_fields).toEqual(VALUES);
    expect(await problemsOf(own)).toEqual([]);
  });

  test('are null for a contact that has none, except for checkboxes of Salesforce', async () => {
    const own = await connect(provider);
    const { data } = await search(own, undefined, 'empty@own.example');
    const unset = Object.fromEntries(Object.keys(TYPES).map((name) => [name, null]));
    expect(data.searchContacts.nodes[0].customFields).toEqual({
      ...unset,
      flag: provider === 'salesforce' ? false : null,
    });
  });

  test('are requested only if they are selected, by all names of the document', async () => {
    const own = await connect(provider);
    const requested = async (selection: string) => {
      const { account, headers } = own;
      account.resetCalls();
      const query = `{ searchContacts(filter: { email: "${EMAIL}" }) { nodes { ${selection} } } }`;
      const { data, errors } = await crossbook.execute(query, {}, headers);
      expect(errors).toBeUndefined();
      expect(account.callCount()).toBe(1);
      return data.searchContacts.nodes[0];
    };
    expect(await requested('customFields(names: ["text"])')).toEqual({
      customFields: { text: 'violet' },
    });
    expect(
      await requested(
        'a: customFields(names: ["text"]) b: customFields(names: ["number", "flag"])',
      ),
    ).toEqual({ a: { text: 'violet' }, b: { number: 17, flag: true } });
    expect(await requested('customFields(names: [])')).toEqual({ customFields: {} });
    expect(await requested('a: customFields b: customFields(names: "one")')).toEqual({
      a: VALUES,
      b: { one: 'A' },
    });
  });

  test('are null with an unknown name: 422 that names it', async () => {
    const own = await connect(provider);
    const { errors } = await search(own, ['text', 'nobody']);
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'UNPROCESSABLE_ENTITY',
          detail: 'No custom field of contacts is called "nobody".',
        },
      },
    ]);
  });

  test('are read through the cache, by the sources that they had', async () => {
    const own = await connect(provider);
    const query = `query ($names: [String!]) { searchContacts(filter: { email: "${EMAIL}" }, readFromCache: true) {
      nodes { customFields(names: $names) } } }`;
    const read = async (names?: readonly string[]) =>
      (await crossbook.execute(query, { names }, own.headers)).data.searchContacts.nodes[0]
        .customFields;
    expect(await read()).toEqual(VALUES);
    own.account.resetCalls();
    expect(await read()).toEqual(VALUES);
    expect(own.account.callCount()).toBe(0);
    expect(await read(['text'])).toEqual({ text: 'violet' });
    await setFields([{ ...FIELDS[0], sources: FIELDS[1]?.sources }]);
    expect(await read()).toEqual({ text: 'red' });
    await setMappings(own, [{ field: 'text', source: provider === 'hubspot' ? 'one' : 'One__c' }]);
    expect(await read()).toEqual({ text: 'A' });
  });

  test('come from the customer’s mapping, which the CRM need not have', async () => {
    const own = await connect(provider);
    const missing = provider === 'hubspot' ? 'not_there' : 'Not_There__c';
    const title = provider === 'hubspot' ? 'jobtitle' : 'Title';
    const { data, errors } = await setMappings(own, [
      { field: 'text', source: title },
      { field: 'number', source: missing },
      { field: 'day', source: title },
    ]);
    expect(errors).toBeUndefined();
    expect(data.setCustomFieldMappings.connection.customFieldMappings).toHaveLength(3);
    expect(await valuesOf(own)).toEqual({ ...VALUES, text: 'Countess', number: null, day: null });
    const expected = [
      { field: 'number', source: missing, problem: 'missing' },
      { field: 'day', source: title, problem: 'type_mismatch' },
    ].map((problem) => ({ record: 'contact', ...problem }));
    const problems = await problemsOf(own);
    expect(problems).toHaveLength(2);
    expect(problems).toEqual(expect.arrayContaining(expected));
    const { data: listed } = await crossbook.execute(
      `{ events(customerId: "${own.customerId}") { nodes { type sequence data } } }`,
    );
    const reported = listed.events.nodes.filter(
      ({ type }: Json) => type === 'CONNECTION_MAPPING_PROBLEM',
    );
    expect(reported.map(({ data }: Json) => data)).toEqual(
      expect.arrayContaining(
        expected.map((one) => ({
          ...one,
          provider_name: provider,
          status: 'connected',
          status_reason: null,
        })),
      ),
    );
    expect(reported).toHaveLength(2);

    await setMappings(own, []);
    expect(await valuesOf(own)).toEqual(VALUES);
    expect(await problemsOf(own)).toEqual([]);
  });

  test('fail no search with raw data, by a mapping of the specification either', async () => {
    const own = await connect(provider);
    const mapped = provider === 'hubspot' ? ['gone', 'one'] : ['Gone__c', 'One__c'];
    const { status } = await crossbook.rest('PUT', '/customers', {
      customer_id: own.customerId,
      name: 'C',
      email: 'c@example.com',
      connections: [
        {
          provider_name: provider,
          schema_mappings_config: {
            common_objects: [
              {
                object: 'Contacts',
                field_mappings: [
                  { schema_field: 'text', mapped_field: mapped[0] },
                  { schema_field: 'area', mapped_field: mapped[1] },
                  { schema_field: 'shoe_size', mapped_field: 'size' },
                ],
              },
              { object: 'campaign', field_mappings: [{ schema_field: 'text', mapped_field: 'x' }] },
            ],
          },
        },
      ],
    });
    expect(status).toBe(200);
    const { status: found, body } = await restSearch(own, '?include_raw_data=true');
    expect(found).toBe(200);
    expect(body.records[0].custom_fields).toEqual({ ...VALUES, text: null, area: 'A' });
    expect(JSON.stringify(body.records[0].raw_data)).toContain(`"${mapped[1]}":"A"`);
    expect(await problemsOf(own)).toEqual([
      { record: 'contact', field: 'shoe_size', source: 'size', problem: 'unknown_field' },
      { field: 'text', source: 'x', problem: 'unknown_object' },
      { record: 'contact', field: 'text', source: mapped[0], problem: 'missing' },
    ]);
  });

  test('are listed as the CRM has them, once a day, and again on demand', async () => {
    const own = await connect(provider);
    const path = `/customers/${own.customerId}/connections/${provider}/provider_fields/contact`;
    const list = async (query = ''): Promise<Json> => {
      const { status, body } = await crossbook.rest('GET', path + query);
      expect([status, body.errors]).toEqual([200, undefined]);
      return body.records;
    };
    own.account.resetCalls();
    const fields = await list();
    const byName = new Map(fields.map((one: Json) => [one.name.toLowerCase(), one]));
    const suffix = provider === 'hubspot' ? '' : '__c';
    for (const [name, type] of Object.entries(TYPES))
      expect(byName.get(`${name}${suffix}`)).toMatchObject({
        type: type.toLowerCase(),
        is_custom: true,
      });
    expect(byName.get(`text${suffix}`)).toMatchObject({ label: 'Favourite text' });
    expect(byName.get(`one${suffix}`)).toMatchObject({
      choices: [
        { value: 'A', label: 'A' },
        { value: 'B', label: 'B' },
      ],
    });
    expect(byName.get(provider === 'hubspot' ? 'jobtitle' : 'title')).toMatchObject({
      type: 'text',
      is_custom: false,
      is_filterable: true,
    });
    expect(await list()).toEqual(fields);
    expect(own.account.callCount()).toBe(1);
    // Several at once are one, over all APIs.
    const query = '{ customer { connections { providerFields(refresh: true) { name } } } }';
    const refresh = async () => {
      expect(await list('?refresh=true')).toEqual(fields);
      expect((await crossbook.execute(query, {}, own.headers)).errors).toBeUndefined();
    };
    await Promise.all(Array.from({ length: 5 }, refresh));
    expect(own.account.callCount()).toBe(2);
    passed += 11_000;
    await Promise.all(Array.from({ length: 5 }, refresh));
    expect(own.account.callCount()).toBe(3);
    passed += 25 * 60 * 60_000;
    await list();
    expect(own.account.callCount()).toBe(4);
  });
});

describe('custom fields of Salesforce', () => {
  test('may be of a related record, and a hidden one fails no search', async () => {
    await setFields([
      { name: 'company', type: 'TEXT', sources: [salesforce('account.NAME')] },
      { name: 'gone', type: 'TEXT', sources: [salesforce('Account.Gone__c')] },
      { name: 'lost', type: 'TEXT', sources: [salesforce('Nothing__r.Name')] },
      { name: 'title', type: 'TEXT', sources: [salesforce('Title')] },
      { name: 'place', type: 'TEXT', sources: [salesforce('MailingAddress')] },
    ]);
    const own = await connect('salesforce');
    own.account.setQuirks({ hiddenFields: ['Title', 'Fax'] } as never);
    const expected = { company: expect.any(String), gone: null, lost: null, title: null };
    expect(await valuesOf(own)).toMatchObject(expected);
    own.account.resetCalls();
    expect(await valuesOf(own)).toMatchObject(expected);
    expect(own.account.callCount()).toBe(1);
    await expect
      .poll(async () => (await problemsOf(own)).map((one: Json) => `${one.field} ${one.problem}`))
      .toEqual(expect.arrayContaining(['title hidden', 'gone missing', 'lost missing']));
    // Listing the fields again finds those that have become visible.
    own.account.setQuirks({ hiddenFields: [] } as never);
    const path = `/customers/${own.customerId}/connections/salesforce/provider_fields/contact?refresh=true`;
    expect((await crossbook.rest('GET', path)).status).toBe(200);
    expect(await valuesOf(own)).toMatchObject({ ...expected, title: 'Countess' });
  });

  const salesforce = (field: string) => ({ provider: 'SALESFORCE', field });
});

test('of two applications are apart: each reads its own, of the same account', async () => {
  const database = await createTestDatabase();
  const keys = `test:${Buffer.alloc(32, 7).toString('base64')}`;
  const first = await openApp({ database: { url: database.url }, keys });
  const stores = await openDatabase(
    { url: database.url },
    { ...PATIENT_DATABASE, keyRing: parseKeyRing(keys) },
  );
  try {
    const { id } = await stores.admin.createApplication('Other');
    const key = await stores.admin.createKey({ applicationId: id, name: 'default' });
    const other = { 'x-api-key': key.key, 'x-customer-id': 'theirs' };
    const account = first.sandbox.hubspot.createAccount({ people: PEOPLE, limits: null });
    for (const [headers, customerId] of [
      [{}, 'ours'],
      [other, 'theirs'],
    ] as const) {
      const connection = {
        provider_name: 'hubspot',
        instance_url: first.sandbox.hubspot.origin,
        credentials: { type: 'token', value: account.accessToken },
      };
      const customer = { customer_id: customerId, name: 'C', email: 'c@example.com' };
      const body = { ...customer, connections: [connection] };
      expect((await first.rest('PUT', '/customers', body, headers)).status).toBe(200);
      const name = `of${customerId}`;
      const sources = [{ provider_name: 'hubspot', field: 'text' }];
      const fields = [{ name, type: 'text', sources }];
      expect(
        (await first.rest('PUT', '/custom_fields/contact', { definitions: fields }, headers))
          .status,
      ).toBe(200);
    }
    const target = { 'x-provider-name': 'hubspot' };
    const search = async (headers: Record<string, string>) => {
      const body = { filter: { email: EMAIL } };
      const path = '/contacts/_search?read_from_cache=true';
      return (await first.rest('POST', path, body, { ...target, ...headers })).body;
    };
    for (let round = 0; round < 2; round += 1) {
      const [ours, theirs] = await Promise.all([
        search({ 'x-customer-id': 'ours' }),
        search(other),
      ]);
      expect(ours.records[0].custom_fields).toEqual({ ofours: 'violet' });
      expect(theirs.records[0].custom_fields).toEqual({ oftheirs: 'violet' });
    }
    const query = `{ searchContacts(filter: { email: "${EMAIL}" }) { nodes { customFields(names: ["ofours"]) } } }`;
    const { errors } = await first.execute(query, {}, { ...target, ...other });
    expect(errors[0].extensions.detail).toBe('No custom field of contacts is called "ofours".');
  } finally {
    await stores.close();
    await first.close();
    await database.drop();
  }
});

describe('a declaration', () => {
  test('with thousands of mistakes gets one short error, by GraphQL and by REST', async () => {
    const fields = Array.from({ length: 200 }, () => ({
      name: 'toString',
      type: 'TEXT',
      sources: Array.from({ length: 50 }, () => ({ provider: 'HUBSPOT', field: '1' })),
    }));
    const { errors } = await setFields(fields);
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions.code).toBe('UNPROCESSABLE_ENTITY');
    expect(errors[0].message).toContain('the name is reserved');
    expect(errors[0].message.length).toBeLessThan(10_000);
    const body = {
      definitions: fields.map(({ sources, ...field }) => ({
        ...field,
        type: 'text',
        sources: sources.map(({ field: source }) => ({ provider_name: 'hubspot', field: source })),
      })),
    };
    const answer = await crossbook.rest('PUT', '/custom_fields/contact', body);
    expect([answer.status, answer.body.errors[0].detail]).toEqual([422, errors[0].message]);
  });

  test('is versioned, and replaced as a whole, by GraphQL and by REST', async () => {
    const first = (await setFields(FIELDS.slice(0, 1))).data.setCustomFieldDefinitions
      .customFieldDefinitions;
    expect(first.definitions).toEqual([{ ...FIELDS[0], description: null, customersMayMap: true }]);
    const body = {
      definitions: [
        {
          name: 'color',
          type: 'choice',
          description: ' The colour ',
          sources: [{ provider_name: 'hubspot', field: 'favorite_color' }],
          customers_may_map: false,
        },
      ],
    };
    const tag = { 'if-match': `"${first.version}"` };
    const stored = await crossbook.rest('PUT', '/custom_fields/contact', body, tag);
    expect([stored.status, stored.headers.get('etag')]).toEqual([200, `"${first.version + 1}"`]);
    expect(stored.body).toEqual({
      version: first.version + 1,
      definitions: [{ ...body.definitions[0], description: 'The colour' }],
      typed_schema: false,
    });
    expect((await crossbook.rest('GET', '/custom_fields/contact')).body).toEqual(stored.body);
    expect((await crossbook.rest('PUT', '/custom_fields/contact', body, tag)).status).toBe(409);
    const { errors } = await setFields([], { expectedVersion: 0 });
    expect(errors[0].extensions.code).toBe('CONFLICT');
    const { data } = await crossbook.execute(
      '{ customFieldDefinitions { version definitions { name type } } }',
    );
    expect(data.customFieldDefinitions.definitions).toEqual([{ name: 'color', type: 'CHOICE' }]);
  });

  test('is refused with every mistake named', async () => {
    const field = (name: string, source = 'x', type = 'text', provider = 'hubspot') => ({
      name,
      type,
      sources: [{ provider_name: provider, field: source }],
    });
    const fields = [
      field('firstName'),
      field('twice'),
      field('twice'),
      field('not_camel'),
      field('typed', 'x', 'colour'),
      field('quoted', "x' OR Name != '"),
      field('dotted', 'A.b.c', 'text', 'salesforce'),
      field('related', 'Account.Name'),
      field('elsewhere', 'x', 'text', 'nowhere'),
      { ...field('long'), description: 'x'.repeat(501) },
    ];
    const { status, body } = await crossbook.rest('PUT', '/custom_fields/contact', {
      definitions: fields,
    });
    expect(status).toBe(422);
    for (const words of [
      'definitions[0] "firstName": the name is reserved',
      'definitions[2] "twice": the name is given more than once',
      'definitions[3] "not_camel": the name must be in camelCase',
      'definitions[4] "typed": the type "colour" is not one of TEXT',
      'definitions[5] "quoted": the source "x\' OR Name != \'" is not a valid field name',
      'definitions[6] "dotted": the source "A.b.c" is not',
      'definitions[7] "related": the source "Account.Name" has a dot, and HubSpot has no fields of related records',
      'definitions[8] "elsewhere": "nowhere" is not a provider',
      'definitions[9] "long": the description is longer than 500',
    ])
      expect(body.errors[0].detail).toContain(words);
    const many = Array.from({ length: 201 }, (_, index) => field(`f${index}`));
    const refused = await crossbook.rest('PUT', '/custom_fields/contact', { definitions: many });
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      422,
      'Too many custom fields of contacts: 201. At most 200 are allowed.',
    ]);
  });

  test('and mappings take an API key; a customer token reads the mapping, the problems and the fields', async () => {
    await setFields(FIELDS);
    const own = await connect('hubspot');
    await setMappings(own, [{ field: 'text', source: 'area' }]);
    const { body } = await crossbook.rest('POST', `/customers/${own.customerId}/tokens`, {});
    const ask = toFetch(crossbook.app.answer);
    const asked = async (method: string, path: string, sent?: object) => {
      const headers = {
        authorization: `Bearer ${body.token}`,
        'content-type': 'application/json',
      };
      const init = { method, headers, ...(sent && { body: JSON.stringify(sent) }) };
      return (await ask(new Request(`http://crossbook.test${path}`, init))).status;
    };
    const connection = `/customers/${own.customerId}/connections/hubspot`;
    expect(await asked('GET', `${connection}/custom_field_mappings/contact`)).toBe(200);
    expect(await asked('GET', `${connection}/mapping_problems`)).toBe(200);
    expect(await asked('GET', `${connection}/provider_fields/contact`)).toBe(200);
    expect(
      await asked('PUT', `${connection}/custom_field_mappings/contact`, { mappings: [] }),
    ).toBe(403);
    expect(await asked('GET', '/custom_fields/contact')).toBe(403);
    expect(await asked('PUT', '/custom_fields/contact', { definitions: [] })).toBe(403);
    const other = await connect('hubspot');
    expect(
      await asked(
        'GET',
        `/customers/${other.customerId}/connections/hubspot/provider_fields/contact`,
      ),
    ).toBe(403);
  });

  test('of a mapping is refused with every mistake named', async () => {
    await setFields(FIELDS);
    const own = await connect('hubspot');
    const { errors } = await setMappings(own, [
      { field: 'nobody', source: 'x' },
      { field: 'text', source: "x'" },
      { field: 'text', source: 'A.b' },
    ]);
    const { detail, code } = errors[0].extensions;
    expect(code).toBe('UNPROCESSABLE_ENTITY');
    expect(detail).toContain('mappings[0] "nobody": no custom field of contacts has this name');
    expect(detail).toContain('mappings[1] "text": the source "x\'" is not a valid field name');
    expect(detail).toContain('mappings[2] "text": the field is mapped more than once');
    expect(detail).toContain('mappings[2] "text": the source "A.b" has a dot');
    const unknown = { ...own, customerId: 'nobody' };
    expect((await setMappings(unknown, [])).errors[0].extensions.code).toBe('NOT_FOUND');
  });
});
