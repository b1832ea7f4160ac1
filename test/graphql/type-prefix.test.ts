import { isScalarType, parse, printSchema, validate } from 'graphql';
import { expect, test } from 'vitest';
import { EXAMPLE_OPERATIONS } from '../../src/graphql/over-http/graphiql-page.ts';
import { apiSchema, entitySchema } from '../../src/graphql/schema.ts';
import {
  prefixOperation,
  prefixTypes,
  printSubgraph,
} from '../../src/graphql/subgraph/to-subgraph.ts';
import { createTestServer } from './test-server.ts';

const ADA = { provider: 'HUBSPOT', filter: { email: 'ada@example.com' } };

test('types have the prefix, except those with the same meaning in every subgraph', () => {
  const types = Object.values(prefixTypes(entitySchema, 'Crm_').getTypeMap());
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
  const prefixed = prefixTypes(entitySchema, 'Crm_');
  expect(toDefinitions(printSchema(prefixed))).toEqual(toDefinitions(printSchema(entitySchema)));
  expect(toDefinitions(printSubgraph(prefixed))).toEqual(
    toDefinitions(printSubgraph(entitySchema)),
  );
  expect(printSubgraph(prefixed)).toContain('type Crm_Contact implements Node @key(fields: "id")');
});

test('a server with a prefix uses it in responses, and its ids are those without a prefix', async () => {
  const plain = await createTestServer();
  const prefixed = await createTestServer({ typePrefix: 'Crm_' });
  const find = (type: string) =>
    `query ($provider: ${type}ProviderName, $filter: ${type}ContactFilter!) {
      searchContacts(provider: $provider, filter: $filter) { __typename nodes { __typename id } }
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
  const { execute } = await createTestServer({ typePrefix: 'Crm_' });
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
  expect(errors?.[0]?.message).toContain('Crm_Contact, Crm_ContactsByEmail, Crm_Customer');
});

test('a prefix changes no limit: a costly operation is rejected, and a filter is exactly one of three', async () => {
  const { execute, calls } = await createTestServer({ typePrefix: 'Crm_' });
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
  for (const prefix of ['', 'Crm', 'Crm_']) {
    const schema = prefixTypes(apiSchema, prefix);
    for (const { query } of EXAMPLE_OPERATIONS) {
      expect(validate(schema, parse(prefixOperation(query, prefix)))).toEqual([]);
    }
  }
  const [first] = EXAMPLE_OPERATIONS;
  expect(prefixOperation(first?.query ?? '', 'Crm_')).toBe(first?.query);
});

function search(filter: string): string {
  return `searchContacts(provider: HUBSPOT, filter: ${filter}, first: 1000) { nodes { id firstName } }`;
}

/** In any order, without the prefix. */
function toDefinitions(sdl: string): readonly string[] {
  return sdl.replaceAll('Crm_', '').trim().split('\n\n').sort();
}
