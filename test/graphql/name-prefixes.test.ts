import { isScalarType, parse, printSchema, validate } from 'graphql';
import { expect, test } from 'vitest';
import { listExampleOperations } from '../../src/graphql/over-http/graphiql-page.ts';
import { printSubgraphSchema } from '../../src/graphql/print-schema.ts';
import { apiSchema, entitySchema } from '../../src/graphql/schema.ts';
import {
  prefixNames,
  prefixOperation,
  printSubgraph,
} from '../../src/graphql/subgraph/to-subgraph.ts';
import { createTestServer } from './test-server.ts';

const PREFIXES = { typePrefix: 'Crm_', rootFieldPrefix: 'crm_' };
const ADA = { provider: 'HUBSPOT', filter: { email: 'ada@example.com' } };

test('the fields of Query and Mutation have the prefix, except Relay’s node and nodes', () => {
  const schema = prefixNames(entitySchema, PREFIXES);
  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  expect(roots.filter((name) => !name.startsWith('crm_')).sort()).toEqual(['node', 'nodes']);
  expect(roots).toEqual(expect.arrayContaining(['crm_customer', 'crm_upsertCustomer']));
  const typesOnly = prefixNames(entitySchema, { typePrefix: 'Crm_' });
  expect(Object.keys(typesOnly.getQueryType()?.getFields() ?? {})).toContain('customer');
});

test('types have the prefix, except those with the same meaning in every subgraph', () => {
  const types = Object.values(prefixNames(entitySchema, PREFIXES).getTypeMap());
  const kept = types.filter(({ name }) => !/^(?:Crm_|__)/.test(name));
  expect(
    kept
      .filter((type) => !isScalarType(type))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['Mutation', 'Node', 'PageInfo', 'Query']);
  expect(types.filter((type) => isScalarType(type) && type.name.startsWith('Crm_'))).toEqual([]);
});

test('the prefixed schema differs in names only: descriptions, defaults, @oneOf, keys, costs and tags are equal', () => {
  const prefixed = prefixNames(entitySchema, PREFIXES);
  expect(toDefinitions(printSchema(prefixed))).toEqual(toDefinitions(printSchema(entitySchema)));
  expect(toDefinitions(printSubgraph(prefixed))).toEqual(
    toDefinitions(printSubgraph(entitySchema)),
  );
  expect(printSubgraph(prefixed)).toContain('type Crm_Contact implements Node @key(fields: "id")');
});

test('descriptions name types and root fields as the prefixed schema does', () => {
  const prefixed = prefixNames(entitySchema, PREFIXES);
  const sdl = printSchema(prefixed);
  for (const name of ['Crm_Contact.custom', 'Crm_ContactFilter.email', 'crm_upsertCustomer'])
    expect(sdl).toContain(`\`${name}`);
  const roots = [entitySchema.getQueryType(), entitySchema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).filter((name) => !['node', 'nodes'].includes(name)),
  );
  const renamed = Object.keys(entitySchema.getTypeMap()).filter(
    (name) => prefixed.getType(name) === undefined,
  );
  const quoted = [...sdl.matchAll(/`(\w+)[^`\n]*`/g)].map(([, name = '']) => name);
  expect(quoted.filter((name) => [...roots, ...renamed].includes(name))).toEqual([]);
});

test('a server with a prefix uses it in responses, and its ids are those without a prefix', async () => {
  const plain = await createTestServer();
  const prefixed = await createTestServer(PREFIXES);
  const find = (type: string) =>
    `query ($provider: ${type}ProviderName, $filter: ${type}ContactFilter!) {
      ${type && 'searchContacts: crm_'}searchContacts(provider: $provider, filter: $filter) {
        __typename nodes { __typename id }
      }
    }`;
  const { data, errors } = await prefixed.execute(find('Crm_'), ADA);
  expect(errors).toBeUndefined();
  expect(data.searchContacts).toMatchObject({
    __typename: 'Crm_ContactConnection',
    nodes: [{ __typename: 'Crm_Contact' }],
  });
  const { id } = data.searchContacts.nodes[0];
  expect((await plain.execute(find(''), ADA)).data.searchContacts.nodes[0].id).toBe(id);
  const node = await prefixed.execute(
    'query ($id: ID!) { node(id: $id) { __typename ... on Crm_Contact { firstName } } }',
    { id },
  );
  expect(node.data).toEqual({ node: { __typename: 'Crm_Contact', firstName: 'Ada' } });
  expect((await prefixed.execute(find(''), ADA)).errors?.[0]?.extensions?.['code']).toBe(
    'BAD_REQUEST',
  );
});

test('references use the prefixed name, and other names get an error that lists the valid ones', async () => {
  const { execute } = await createTestServer(PREFIXES);
  const byEmail = { customerId: 'demo', provider: 'HUBSPOT', email: 'ada@example.com' };
  const { data, errors } = await execute(
    `query ($representations: [_Any!]!) {
      _entities(representations: $representations) {
        __typename
        ... on Crm_Customer { name }
        ... on Crm_ContactsByEmail { contacts { __typename firstName } }
        ... on Crm_Contact { lastName }
      }
    }`,
    {
      representations: [
        { __typename: 'Crm_Customer', customerId: 'demo' },
        { __typename: 'Crm_ContactsByEmail', ...byEmail },
        { __typename: 'Crm_Contact', customerId: 'demo', provider: 'HUBSPOT', remoteId: '1' },
        { __typename: 'Customer', customerId: 'demo' },
      ],
    },
  );
  expect(data._entities).toEqual([
    { __typename: 'Crm_Customer', name: 'Demo customer' },
    {
      __typename: 'Crm_ContactsByEmail',
      contacts: [{ __typename: 'Crm_Contact', firstName: 'Ada' }],
    },
    { __typename: 'Crm_Contact', lastName: 'Lovelace' },
    null,
  ]);
  expect(errors?.[0]?.message).toContain(
    'Crm_Contact, Crm_Company, Crm_Deal, Crm_ContactsByEmail, Crm_Customer',
  );
});

test('the served schema is the printed one, and mutations and introspection use the prefixed names', async () => {
  const { execute } = await createTestServer(PREFIXES);
  const { data } = await execute('{ _service { sdl } }');
  expect(data._service.sdl).toBe(printSubgraphSchema(PREFIXES));
  const names = await execute('{ __schema { mutationType { fields { name } } } }');
  expect(names.data.__schema.mutationType.fields).toContainEqual({ name: 'crm_upsertCustomer' });
  const written = await execute(
    'mutation { crm_upsertCustomer(input: { customerId: "a", name: "A", email: "a@a.example" }) { created } }',
  );
  expect(written).toEqual({ data: { crm_upsertCustomer: { created: true } } });
  const unprefixed = await execute('{ customers { nodes { id } } }');
  expect(unprefixed.errors?.[0]?.message).toContain('Did you mean "crm_customers"');
});

test('a prefix changes no limit: a costly operation is rejected, and a filter is exactly one of three', async () => {
  const { execute, calls } = await createTestServer(PREFIXES);
  const many = Array.from(
    { length: 150 },
    (_, index) => `a${index}: ${search('{ emailDomain: "example.com" }')}`,
  );
  const { errors } = await execute(`{ ${many.join('\n')} }`);
  expect(errors?.[0]?.message).toMatch(/^The operation is too large: its cost is/);
  const empty = await execute(`{ ${search('{}')} }`);
  expect(empty.errors?.[0]?.extensions?.['code']).toBe('BAD_REQUEST');
  expect(calls).toEqual([]);
});

test('the initial operations of GraphiQL are valid with every prefix', () => {
  for (const names of [{}, { typePrefix: 'Crm' }, { rootFieldPrefix: 'crm_' }, PREFIXES]) {
    const schema = prefixNames(apiSchema, names);
    for (const { query } of listExampleOperations()) {
      expect(validate(schema, parse(prefixOperation(query, names)))).toEqual([]);
    }
  }
  const [first] = listExampleOperations();
  expect(prefixOperation(first?.query ?? '', { typePrefix: 'Crm_' })).toBe(first?.query);
});

function search(filter: string): string {
  return `crm_searchContacts(provider: HUBSPOT, filter: ${filter}, first: 1000) { nodes { id firstName } }`;
}

/** In any order, without the prefixes and without line breaks, which depend on the length of a description. */
function toDefinitions(sdl: string): readonly string[] {
  const plain = sdl.replaceAll(/crm_/gi, '').trim();
  return plain
    .split('\n\n')
    .map((text) => text.replaceAll(/\s*(""")\s*|\s+/g, '$1 '))
    .sort();
}
