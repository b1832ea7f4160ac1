import { buildClientSchema, getIntrospectionQuery, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
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

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const GRAPHQL_TYPES = {
  TEXT: 'String',
  NUMBER: 'Float',
  BOOLEAN: 'Boolean',
  DATE: 'Date',
  DATETIME: 'DateTime',
  CHOICE: 'String',
  CHOICES: '[String!]',
};

/** The other application reads the same fields of the CRM as texts, by other names. */
const OTHER_FIELDS = FIELDS.map(({ name, sources }) => ({
  name: `other${name}`,
  type: 'TEXT',
  description: `Other words for ${name}.`,
  sources,
}));
const MINE = FIELDS.map((field) => ({ ...field, description: `Our words for ${field.name}.` }));

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let crossbook: TestApp;
let replica: TestApp;
let passed = 0;
const clock = {
  ...systemClock,
  now: () => systemClock.now() + passed,
  wall: () => systemClock.wall() + passed,
};
let other: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  const target = { database: { url: database.url }, keys: KEYS };
  crossbook = await openApp(target, { clock });
  replica = await openApp(target, { clock });
  const stores = await openDatabase(
    { url: database.url },
    { ...PATIENT_DATABASE, keyRing: parseKeyRing(KEYS) },
  );
  const { id } = await stores.admin.createApplication('Other');
  const { key } = await stores.admin.createKey({ applicationId: id, name: 'default' });
  other = { 'x-api-key': key };
  await stores.close();
});
afterAll(async () => {
  await crossbook.close();
  await replica.close();
  await database.drop();
});

/** Without the headers of the demo that `TestApp` adds. */
const ask = async (
  query: string,
  headers: Record<string, string>,
  on: TestApp = crossbook,
): Promise<Json> => {
  const request = new Request('http://crossbook.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return (await toFetch(on.app.answer)(request)).json();
};

const declare = async (fields: readonly object[], headers: Record<string, string>) => {
  const body = {
    definitions: fields.map(({ type, sources, ...field }: Json) => ({
      ...field,
      type: type.toLowerCase(),
      sources: sources.map((source: Json) => ({
        provider_name: source.provider.toLowerCase(),
        field: source.field,
      })),
    })),
    typed_schema: true,
  };
  const { status, body: stored } = await crossbook.rest(
    'PUT',
    '/custom_fields/contact',
    body,
    headers,
  );
  expect([status, stored.typed_schema]).toEqual([200, true]);
};

/** A customer of each application, connected to one account: the callers are each application’s key and token. */
const connect = async (provider: 'hubspot' | 'salesforce') => {
  const { hubspot, salesforce } = crossbook.sandbox;
  const account =
    provider === 'hubspot'
      ? hubspot.createAccount({ people: PEOPLE, limits: null })
      : salesforce.createAccount({ people: PEOPLE, limits: null });
  setTypesOf(account, provider);
  const connectFor = async (customerId: string, key: Record<string, string>) => {
    const connection = {
      provider_name: provider,
      instance_url: provider === 'hubspot' ? hubspot.origin : account.instanceUrl,
      credentials: { type: 'token', value: account.accessToken },
    };
    const customer = { customer_id: customerId, name: 'C', email: 'c@example.com' };
    const stored = await crossbook.rest(
      'PUT',
      '/customers',
      { ...customer, connections: [connection] },
      key,
    );
    expect(stored.status).toBe(200);
    const issued = await crossbook.rest('POST', `/customers/${customerId}/tokens`, {}, key);
    const target = { 'x-customer-id': customerId, 'x-provider-name': provider };
    return [
      { ...key, ...target },
      { authorization: `Bearer ${issued.body.token}`, 'x-provider-name': provider },
    ];
  };
  return {
    mine: await connectFor(`typed-${provider}`, { 'x-api-key': crossbook.key }),
    theirs: await connectFor(`other-${provider}`, other),
  };
};

const search = (names: readonly string[], email = EMAIL) =>
  `{ searchContacts(filter: { email: "${email}" }) { nodes { custom { ${names.join(' ')} } } } }`;

describe.each(['hubspot', 'salesforce'] as const)('typed custom fields in %s', (provider) => {
  test('have the types and values of each application, for its key and its customers’ tokens', async () => {
    await declare(MINE, {});
    await declare(OTHER_FIELDS, other);
    const { mine, theirs } = await connect(provider);
    const text = {
      ...Object.fromEntries(Object.keys(TYPES).map((name) => [`other${name}`, expect.any(String)])),
      othertext: 'violet',
    };
    for (let round = 0; round < 2; round += 1) {
      for (const headers of mine) {
        const { data, errors } = await ask(search(Object.keys(TYPES)), headers);
        expect(errors).toBeUndefined();
        expect(data.searchContacts.nodes).toEqual([{ custom: VALUES }]);
      }
      for (const headers of theirs) {
        const { data, errors } = await ask(search(Object.keys(text)), headers);
        expect(errors).toBeUndefined();
        expect(data.searchContacts.nodes).toEqual([{ custom: text }]);
      }
    }
    const [key = {}] = mine;
    const { data } = await ask(search(Object.keys(TYPES), 'empty@own.example'), key);
    expect(data.searchContacts.nodes[0].custom).toEqual({
      ...Object.fromEntries(Object.keys(TYPES).map((name) => [name, null])),
      flag: provider === 'salesforce' ? false : null,
    });
  });

  test('are described to each caller in the words of its application, and to others not at all', async () => {
    await declare(MINE, {});
    await declare(OTHER_FIELDS, other);
    const { mine, theirs } = await connect(provider);
    for (const [callers, fields, foreign] of [
      [mine, MINE, 'Other words'],
      [theirs, OTHER_FIELDS, 'Our words'],
    ] as const) {
      for (const headers of callers) {
        const introspected = await ask(getIntrospectionQuery(), headers);
        const type = buildClientSchema(introspected.data).getType('ContactCustomFields');
        const shown = Object.values(isObjectType(type) ? type.getFields() : {}).map((field) => ({
          name: field.name,
          type: String(field.type),
          description: field.description,
        }));
        expect(shown).toEqual(
          fields.map(({ name, type, description }) => ({
            name,
            type: GRAPHQL_TYPES[type as keyof typeof GRAPHQL_TYPES],
            description,
          })),
        );
        const service = await ask('{ _service { sdl } }', headers);
        expect(service.data._service.sdl).toContain(fields[0]?.description);
        expect(JSON.stringify([introspected, service])).not.toContain(foreign);
      }
    }
    for (const query of [getIntrospectionQuery(), '{ _service { sdl } }']) {
      const text = JSON.stringify(await ask(query, {}));
      expect(text).toContain('customFields');
      expect(text).not.toMatch(/words for|ContactCustomFields/);
    }
  });
});

test('REST and GraphQL have the same values, whether the schema is typed or not', async () => {
  await declare(MINE, {});
  const { mine } = await connect('hubspot');
  const [key = {}] = mine;
  const { body } = await crossbook.rest(
    'POST',
    '/contacts/_search',
    { filter: { email: EMAIL } },
    key,
  );
  const { data } = await ask(search(Object.keys(TYPES)), key);
  expect(data.searchContacts.nodes[0].custom).toEqual(body.records[0].custom_fields);
});

test('a change is that of the next request here, and of other processes within five seconds', async () => {
  await declare(MINE, {});
  const { mine } = await connect('hubspot');
  const [key = {}] = mine;
  const typeOf = async (on: TestApp): Promise<unknown> => {
    const query = '{ __type(name: "ContactCustomFields") { fields { name type { name } } } }';
    return (await ask(query, key, on)).data.__type?.fields[0];
  };
  const before = { name: 'text', type: { name: 'String' } };
  const after = { name: 'text', type: { name: 'Float' } };
  // What an earlier test has left in its cache.
  passed += 5_000;
  expect([await typeOf(crossbook), await typeOf(replica)]).toEqual([before, before]);
  await declare([{ ...MINE[0], type: 'NUMBER' }], {});
  expect([await typeOf(crossbook), await typeOf(replica)]).toEqual([after, before]);
  passed += 5_000;
  expect([await typeOf(crossbook), await typeOf(replica)]).toEqual([after, after]);
  const { body } = await crossbook.rest('GET', '/custom_fields/contact');
  const untyped = { ...body, version: undefined, typed_schema: false };
  expect((await crossbook.rest('PUT', '/custom_fields/contact', untyped)).status).toBe(200);
  passed += 5_000;
  expect([await typeOf(crossbook), await typeOf(replica)]).toEqual([undefined, undefined]);
});

test('with CROSSBOOK_TYPED_FIELDS=off all callers have the common schema', async () => {
  await declare(MINE, {});
  const off = await openApp({ database: { url: database.url }, keys: KEYS, typedFields: false });
  try {
    const { data } = await ask(
      '{ __type(name: "ContactCustomFields") { name } }',
      {
        'x-api-key': crossbook.key,
      },
      off,
    );
    expect(data.__type).toBeNull();
  } finally {
    await off.close();
  }
});
