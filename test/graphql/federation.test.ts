import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { entitySchema } from '../../src/graphql/schema.ts';
import { printSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { createTestServer } from './test-server.ts';

const ENTITIES = /* GraphQL */ `
  query ($representations: [_Any!]!) {
    _entities(representations: $representations) {
      __typename
      ... on Customer { customerId name }
      ... on Contact { remoteId firstName }
    }
  }
`;

/** The definitions that a composer adds to a subgraph that links to the specification. */
const FEDERATION = /* GraphQL */ `
  directive @key(fields: String!) repeatable on OBJECT | INTERFACE
  directive @shareable on OBJECT | FIELD_DEFINITION
  directive @link(url: String!, import: [String]) repeatable on SCHEMA
  directive @tag(name: String!) repeatable on FIELD_DEFINITION
  directive @cost(weight: Int!) on FIELD_DEFINITION
  directive @listSize(
    assumedSize: Int
    slicingArguments: [String!]
    sizedFields: [String!]
    requireOneSlicingArgument: Boolean = true
  ) on FIELD_DEFINITION
`;

/** Of a search, wherever it is. */
const PAGE =
  /\): ContactConnection @cost\(weight: 150\) @listSize\(slicingArguments: \["first", "last"\], sizedFields: \["edges", "nodes"\], requireOneSlicingArgument: false, assumedSize: 100\)/g;

test('the subgraph describes its entities in a self-contained schema', async () => {
  const { post } = await createTestServer();
  const { data } = (await (await post({ query: '{ _service { sdl } }' })).json()) as {
    data: Service;
  };
  const { sdl } = data._service;
  expect(sdl).toMatch(
    /^extend schema @link\(url: "https:\/\/specs.apollo.dev\/federation\/v2\.\d+", import: \["@key", "@shareable", "@cost", "@listSize", "@tag"\]\)/,
  );
  expect(sdl).toContain(
    'type Contact implements Node @key(fields: "id") @key(fields: "customerId provider remoteId") {',
  );
  expect(sdl).toContain(
    'type Customer implements Node @key(fields: "customerId") @key(fields: "id") {',
  );
  expect(sdl).toContain('type PageInfo @shareable {');
  expect(sdl).not.toMatch(/oneOf|_Any|_Entity|_Service|_entities|_service|@\d/);
  expect(sdl).toContain('A person in a customer’s CRM');
  expect(() => parse(sdl)).not.toThrow();
  expect(() => buildSchema(FEDERATION + sdl)).not.toThrow();
});

test('node and nodes are in the subgraph only if it is configured to have them', () => {
  const fieldsOf = (sdl: string) =>
    Object.keys(
      buildSchema(FEDERATION + sdl)
        .getQueryType()
        ?.getFields() ?? {},
    );
  const own = fieldsOf(printSubgraph(entitySchema));
  const whole = fieldsOf(printSubgraph(entitySchema, { relayNode: true }));
  expect(own).toEqual(expect.arrayContaining(['customer', 'providers', 'searchContacts']));
  expect(whole.filter((name) => !own.includes(name))).toEqual(['node', 'nodes']);
});

test('costs are in the subgraph’s schema as far as directives can express them', () => {
  const told = [
    ...printSubgraph(entitySchema)
      .replace(/ @tag\([^)]*\)/g, '')
      .matchAll(/^ +(\w+): [^@\n]*((?: ?@(?:cost|listSize)\([^)]*\))+)/gm),
  ].map(([, name, directives]) => `${name} ${directives?.trim()}`);
  expect(told).toContain('connections @listSize(assumedSize: 18)');
  expect(printSubgraph(entitySchema)).toContain('): JSON @tag(name: "raw-data") @cost(weight: 16)');
  expect(printSubgraph(entitySchema)).toContain(
    '): [Contact!] @cost(weight: 3) @listSize(slicingArguments: ["first"], requireOneSlicingArgument: false, assumedSize: 5)',
  );
  const sdl = printSubgraph(entitySchema);
  expect(sdl.match(PAGE)).toHaveLength(2);
});

test('rules that are not in the subgraph’s schema are enforced as well', async () => {
  const { execute } = await createTestServer();
  const { errors } = await execute('{ searchContacts(filter: {}) { totalCount } }');
  expect(errors?.[0]?.extensions?.['code']).toBe('BAD_REQUEST');
});

test('references to thirty contacts and a customer are resolved in one call, in their order', async () => {
  const { execute, calls } = await createTestServer();
  const found = await execute(
    '{ customer { id } searchContacts(filter: { emailDomain: "example.com" }) { nodes { id } } }',
  );
  calls.length = 0;
  const contacts = found.data.searchContacts.nodes.map(({ id }: { id: string }) => ({
    __typename: 'Contact',
    id,
  }));
  const representations = [
    { __typename: 'Customer', customerId: 'demo' },
    ...contacts.reverse(),
    { __typename: 'Customer', id: found.data.customer.id },
    { __typename: 'Customer', customerId: 'nobody' },
    { __typename: 'Contact', id: found.data.customer.id },
  ];
  const { data, errors } = await execute(ENTITIES, { representations });
  expect(errors).toBeUndefined();
  const demo = { __typename: 'Customer', customerId: 'demo', name: 'Demo customer' };
  expect(data._entities[0]).toEqual(demo);
  expect(data._entities[1]).toMatchObject({ __typename: 'Contact', remoteId: '30' });
  expect(data._entities.slice(-3)).toEqual([demo, null, null]);
  expect(calls.map(({ method, keys }) => [method, keys.length])).toEqual([['findByIds', 30]]);
});

test('references by customer, provider and the CRM’s id are resolved in one call as well', async () => {
  const { execute, calls } = await createTestServer();
  const key = { __typename: 'Contact', customerId: 'demo', provider: 'HUBSPOT' };
  const representations = ['3', '1', '9999', '2'].map((remoteId) => ({ ...key, remoteId }));
  const { data, errors } = await execute(ENTITIES, { representations });
  expect(errors).toBeUndefined();
  expect(data._entities.map((found: { remoteId: string } | null) => found?.remoteId)).toEqual([
    '3',
    '1',
    undefined,
    '2',
  ]);
  expect(calls.map(({ method, keys }) => [method, keys.length])).toEqual([['findByIds', 4]]);
});

test('a reference to a record of another application gives null', async () => {
  const { execute, calls } = await createTestServer();
  const found = await execute(
    '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { id } } }',
  );
  calls.length = 0;
  const representations = [
    { __typename: 'Contact', id: found.data.searchContacts.nodes[0].id },
    { __typename: 'Customer', customerId: 'demo' },
  ];
  const { data } = await execute(ENTITIES, { representations }, { 'x-api-key': 'other-key' });
  expect(data).toEqual({ _entities: [null, null] });
  expect(calls).toEqual([]);
});

test.each([
  { __typename: 'Provider', name: 'x' },
  { __typename: 'Contact' },
  { __typename: 'Customer', id: 7 },
  { __typename: 'Contact', customerId: 'demo', provider: 'HUBSPOTT', remoteId: '1' },
  {
    __typename: 'Contact',
    customerId: { toString: 1, valueOf: 1 },
    provider: 'HUBSPOT',
    remoteId: '1',
  },
  {
    __typename: 'Contact',
    customerId: 'demo',
    provider: { toString: 1, valueOf: 1 },
    remoteId: '1',
  },
  'Contact',
  ['Contact'],
  null,
])('an invalid reference is an error at its path: %o', async (representation) => {
  const { execute } = await createTestServer();
  const { errors } = await execute(ENTITIES, {
    representations: [{ __typename: 'Customer', customerId: 'demo' }, representation],
  });
  expect(errors?.[0]?.extensions?.['code']).toBe('BAD_REQUEST');
});

test('references with ids longer than any customer’s call no CRM, and are not charged for one', async () => {
  const { execute, calls } = await createTestServer({ limits: { cost: 10_000 } });
  const key = { __typename: 'Contact', provider: 'HUBSPOT', remoteId: '1' };
  const refer = (customerId: string) => ({ ...key, customerId });
  const ofLength = (length: number) =>
    Array.from({ length: 100 }, (_, index) => refer(String(index).padStart(length)));
  const { data, errors } = await execute(ENTITIES, { representations: ofLength(256) });
  expect(errors).toBeUndefined();
  expect(data._entities).toEqual(Array(100).fill(null));
  expect(
    (await execute(ENTITIES, { representations: ofLength(255) })).errors?.[0]?.message,
  ).toMatch(/cost/);
  expect(calls).toEqual([]);
});

test('a reference with an id longer than any contact’s calls no CRM', async () => {
  const { execute, calls } = await createTestServer();
  const key = { __typename: 'Contact', customerId: 'demo', provider: 'HUBSPOT' };
  const { data } = await execute(ENTITIES, {
    representations: [{ ...key, remoteId: '1'.repeat(256) }],
  });
  expect(data).toEqual({ _entities: [null] });
  expect(calls).toEqual([]);
});

interface Service {
  readonly _service: { readonly sdl: string };
}
