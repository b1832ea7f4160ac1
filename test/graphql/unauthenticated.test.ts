import { execute, getIntrospectionQuery, parse, print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/graphql/engine/limits.ts';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { fc } from '../support/fast-check.ts';
import { writeRandomIntrospection } from '../support/random-introspection.ts';
import { createTestServer, DEMO } from './test-server.ts';

const MEBIBYTE = 1024 * 1024;
const schema = toSubgraph(entitySchema);

test('an introspection response is at most one mebibyte, or 400', async () => {
  const { post } = await createTestServer();
  const tally = { answered: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const response = await post({ query: writeRandomIntrospection(seed, 16_000) });
      const { length } = await response.text();
      expect([200, 400]).toContain(response.status);
      expect(length).toBeLessThanOrEqual(response.status === 200 ? MEBIBYTE : 4_000);
      tally[response.status === 200 ? 'answered' : 'refused'] += 1;
    }),
    { numRuns: 150 },
  );
  expect(Math.min(...Object.values(tally))).toBeGreaterThan(5);
});

test.each([
  [
    'every field of every type, wide',
    `{ __schema { types { ${aliases(250, 'fields { ...A }')} } } } fragment A on __Field { ${aliases(250, 'description')} }`,
  ],
  ['the types again and again', `{ __schema { ${aliases(300, 'types { name description }')} } }`],
  ['the SDL again and again', `{ _service { ${aliases(600, 'sdl')} } }`],
  [
    'one type again and again',
    `{ ${aliases(150, '__type(name: "Contact") { fields { name description } }')} }`,
  ],
  [
    'types within types',
    `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`,
  ],
])('%s is rejected before it is built', async (_name, query) => {
  const { post } = await createTestServer();
  for (const headers of [{}, DEMO]) {
    const response = await post(
      { query },
      { ...headers, accept: 'application/graphql-response+json' },
    );
    const text = await response.text();
    // The limit of an authenticated caller is larger, so some of these queries succeed.
    if (response.status === 200) expect(headers).toBe(DEMO);
    else expect(response.status).toBe(400);
    expect(text.length).toBeLessThan(response.status === 200 ? 16 * MEBIBYTE : 4_000);
  }
});

test('counting of an introspection query stops at the limit, for strangers at a tenth of it', async () => {
  const { post } = await createTestServer();
  for (const [headers, times, most] of [
    [DEMO, 450, 30_000],
    [{}, 300, 20_000],
  ] as const) {
    const query = `{ __schema { types { fields { ${aliases(times, 'name')} } } } }`;
    const answer = await (await post({ query }, headers)).json();
    expect(answer).toMatchObject({
      errors: [
        { message: expect.stringContaining(`its introspection has more than ${most} selections`) },
      ],
    });
  }
});

describe('introspection queries of tools succeed, with the response of graphql', () => {
  const options = {
    oneOf: true,
    specifiedByUrl: true,
    inputValueDeprecation: true,
    schemaDescription: true,
  };
  test.each([
    ['as graphql writes it', getIntrospectionQuery()],
    ['with every option', getIntrospectionQuery({ ...options, directiveIsRepeatable: true })],
    ['without descriptions', getIntrospectionQuery({ descriptions: false })],
    ['printed again', print(parse(getIntrospectionQuery(options)))],
    [
      'with a changed selection',
      getIntrospectionQuery(options).replace('queryType { name }', 'queryType { name kind }'),
    ],
    [
      'under another name',
      getIntrospectionQuery().replace('IntrospectionQuery', 'GraphiQLIntrospection'),
    ],
    ['with more levels', getIntrospectionQuery({ typeDepth: 12 })],
    [
      'of one type',
      '{ __type(name: "Contact") { name fields(includeDeprecated: true) { name args { name } } } }',
    ],
    ['by variables', 'query ($name: String = "Query") { __type(name: $name) { name } }'],
    ['for gateways', '{ _service { sdl } }'],
  ])('%s', async (_name, query) => {
    const { post, send } = await createTestServer();
    const expected = await execute({ schema, document: parse(query) });
    const get = new Request(`http://localhost/graphql?query=${encodeURIComponent(query)}`);
    for (const ask of [
      () => post({ query }),
      () => post({ query }, DEMO),
      () => send(get.clone()),
    ]) {
      for (const _time of [1, 2])
        expect(await (await ask()).json()).toEqual(JSON.parse(JSON.stringify(expected)));
    }
  });
});

test('with introspection off, known introspection queries are rejected too', async () => {
  const { post } = await createTestServer({ introspection: false });
  const response = await post({ query: getIntrospectionQuery() });
  expect(await response.text()).toContain('Introspection is switched off.');
});

test.each([
  [
    'another operation of the document',
    401,
    { query: 'query A { __typename } query B { customer { id } }', operationName: 'A' },
  ],
  [
    'a fragment that nothing spreads',
    401,
    { query: '{ __typename } fragment F on Contact { id }' },
  ],
  ['a fragment within the root', 401, { query: '{ ... { ... on Query { providers { name } } } }' }],
  [
    'two operations',
    400,
    { query: 'query A { __typename } query B { __typename }', operationName: 'A' },
  ],
  ['a type whose name is an object', 400, { query: '{ __type(name: { a: "x" }) { name } }' }],
  [
    'a type whose name is an object in a variable',
    400,
    { query: 'query ($n: String!) { __type(name: $n) { name } }', variables: { n: {} } },
  ],
  ['a batch', 401, [{ query: '{ __typename }' }]],
  ['a batch of what is no document', 401, Array(10).fill({ query: '{'.repeat(1_000) })],
  ['more than 2,000 tokens', 400, { query: `{ ${'__typename '.repeat(2_000)} }` }],
  ['a chain of 3,000 fragments', 400, { query: chain(3_000) }],
])('without a caller, %s is rejected with %i', async (_name, status, body) => {
  const { post, requestLog } = await createTestServer();
  const response = await post(body, { accept: 'application/graphql-response+json' });
  expect(response.status).toBe(status);
  expect(requestLog.errors.map(({ code }) => code)).toEqual([
    status === 401 ? 'UNAUTHORIZED' : 'BAD_REQUEST',
  ]);
});

test('a long chain of fragments is rejected for a caller too, and one of tools is not', async () => {
  const { execute: ask } = await createTestServer();
  expect((await ask(chain(150))).errors?.[0]?.message).toMatch(/nest deeper than 100/);
  expect((await ask(chain(90))).data).toEqual({ __typename: 'Query' });
});

test.each([
  ['a caller', DEMO, DEFAULT_LIMITS.documentTokens],
  ['a stranger', {}, DEFAULT_LIMITS.unauthenticatedTokens],
])('parsing stops at a document that is too long for %s', async (_who, headers, most) => {
  const { post } = await createTestServer();
  // Invalid after the token limit: parsing must stop before it gets there.
  const response = await post({ query: `{a(b:[${'1 '.repeat(most)}^` }, headers);
  expect(await response.text()).toContain(`more that ${most} tokens`);
});

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
}

function chain(length: number): string {
  const fragments = Array.from(
    { length },
    (_, index) => `fragment F${index} on Query { ...F${index + 1} }`,
  );
  return `{ ...F0 } ${fragments.join(' ')} fragment F${length} on Query { __typename }`;
}
