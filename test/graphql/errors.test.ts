import { expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import { createGraphQL } from '../../src/graphql/graphql-server.ts';
import { createFakeRequestState } from '../support/fake-request-log.ts';
import { toFetch } from '../support/to-fetch.ts';
import { createTestServer, DEMO, EXTENSIONS, type TestServer } from './test-server.ts';

const SEARCH =
  'query Search($filter: ContactFilter!) { searchContacts(filter: $filter) { totalCount } }';

/** Every rejection that a client can get, with its status for the two media types. */
const REFUSALS: readonly Refusal[] = [
  { name: 'broken syntax', body: { query: '{' }, json: 200, graphql: 400 },
  { name: 'an unknown field', body: { query: '{ contacts }' }, json: 200, graphql: 400 },
  {
    name: 'an unknown argument',
    body: { query: '{ customer(id: 1) { id } }' },
    json: 200,
    graphql: 400,
  },
  { name: 'a variable of the wrong type', body: search({ email: 7 }), json: 200, graphql: 400 },
  { name: 'a variable that is missing', body: { query: SEARCH }, json: 200, graphql: 400 },
  { name: 'two of one', body: search({ email: 'a@b.c', emails: [] }), json: 200, graphql: 400 },
  { name: 'none of one', body: search({}), json: 200, graphql: 400 },
  { name: 'a null of one', body: search({ email: null }), json: 200, graphql: 400 },
  {
    name: 'two of one, written out',
    body: { query: '{ searchContacts(filter: { email: "a", emailDomain: "b" }) { totalCount } }' },
    json: 200,
    graphql: 400,
  },
  {
    name: 'an unknown enum value',
    body: { query: '{ searchContacts(provider: PIPE, filter: { email: "a" }) { totalCount } }' },
    json: 200,
    graphql: 400,
  },
  { name: '@defer', body: { query: '{ ... @defer { __typename } }' }, json: 200, graphql: 400 },
  {
    name: 'an unknown operation',
    body: { query: '{ __typename }', operationName: 'A' },
    json: 400,
    graphql: 400,
  },
  {
    name: 'several operations',
    body: { query: 'query A { a } query B { b }' },
    json: 400,
    graphql: 400,
  },
  {
    name: 'a document without operations',
    body: { query: 'type A { a: Int }' },
    json: 400,
    graphql: 400,
  },
  { name: 'a subscription', body: { query: 'subscription { a }' }, json: 400, graphql: 400 },
  { name: 'no query', body: { variables: {} }, json: 400, graphql: 400 },
  { name: 'a query that is no string', body: { query: 1 }, json: 400, graphql: 400 },
  {
    name: 'variables that are no object',
    body: { query: '{ a }', variables: [] },
    json: 400,
    graphql: 400,
  },
  { name: 'broken JSON', body: '{"query": ', json: 400, graphql: 400 },
  { name: 'JSON that is no object', body: '"query"', json: 400, graphql: 400 },
  { name: 'an empty batch', body: [], json: 400, graphql: 400 },
  {
    name: 'a batch that is too long',
    body: Array(11).fill({ query: '{ __typename }' }),
    json: 400,
    graphql: 400,
  },
];

test.each(REFUSALS)('$name is an error in the common format', async ({ body, json, graphql }) => {
  const server = await createTestServer();
  for (const [accept, status] of [
    ['application/json', json],
    ['application/graphql-response+json', graphql],
  ] as const) {
    const response = await server.post(body, { ...DEMO, accept });
    expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
    expect(response.status).toBe(status);
    const answer = (await response.json()) as { errors: object[]; data?: unknown };
    expect(answer).not.toHaveProperty('data');
    expectShape(answer.errors);
  }
  expect(server.calls).toEqual([]);
  expect(server.requestLog.errors.every(({ code }) => code !== 'INTERNAL_SERVER_ERROR')).toBe(true);
});

test.each([
  ['another path', 404, 'NOT_FOUND', (url: string) => new Request(`${url}/other`)],
  [
    'another method',
    405,
    'METHOD_NOT_ALLOWED',
    (url: string) => new Request(url, { method: 'DELETE' }),
  ],
  [
    'a mutation with GET',
    405,
    'METHOD_NOT_ALLOWED',
    (url: string) => new Request(`${url}?query=mutation{a}`),
  ],
  [
    'an answer that we do not have',
    406,
    'NOT_ACCEPTABLE',
    (url: string) =>
      new Request(`${url}?query={__typename}`, { headers: { accept: 'text/event-stream' } }),
  ],
  [
    'a form',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    (url: string) =>
      new Request(url, { method: 'POST', body: new URLSearchParams({ query: '{__typename}' }) }),
  ],
  [
    'broken variables in the address',
    400,
    'BAD_REQUEST',
    (url: string) => new Request(`${url}?query={a}&variables={`),
  ],
  ['no query in the address', 400, 'BAD_REQUEST', (url: string) => new Request(url)],
] as const)('%s is refused with %i in the one shape', async (_name, status, code, toRequest) => {
  const { send } = await createTestServer();
  const response = await send(toRequest('http://localhost/graphql'));
  expect(response.status).toBe(status);
  const { errors } = (await response.json()) as { errors: object[] };
  expectShape(errors);
  expect(errors[0]).toMatchObject({ extensions: { code, status: String(status) } });
  if (status === 405) expect(response.headers.get('allow')).toBe('GET, POST');
});

test('a bug is masked, and logged once with its cause', async () => {
  const { execute, faults, requestLog } = await createTestServer();
  const bug = new TypeError('secret internals');
  faults.set('hubspot', bug);
  const { data, errors } = await execute(
    '{ a: searchContacts(filter: { email: "a@b.c" }) { totalCount } b: searchContacts(filter: { email: "d@e.f" }) { totalCount } }',
  );
  expect(data).toEqual({ a: null, b: null });
  expectShape(errors ?? []);
  expect(errors?.[0]).toMatchObject({
    message: expect.stringMatching(/^Something went wrong on our side/),
    path: ['a'],
  });
  expect(JSON.stringify(errors)).not.toContain('secret internals');
  expect(requestLog.errors).toHaveLength(1);
  expect(requestLog.errors[0]).toMatchObject({ cause: bug, id: errors?.[0]?.extensions?.['id'] });
});

test('an unexpected error before the operation is read is masked as well', async () => {
  const openContext = () => {
    throw new Error('ECONNREFUSED');
  };
  const { answer } = createGraphQL({ openContext });
  const ask = toFetch((request) => answer(request, createFakeRequestState(), BACKGROUND_WORK));
  const response = await ask(new Request('http://localhost/graphql?query={__typename}'));
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(text).not.toContain('ECONNREFUSED');
  expectShape(JSON.parse(text).errors);
});

test('an invalid argument that is detected during execution is 400 at its path', async () => {
  const { execute, requestLog } = await createTestServer();
  const { data, errors } = await execute('query ($id: ID = "x") { node(id: $id) { id } }', {
    id: null,
  });
  expect(data).toEqual({ node: null });
  expectShape(errors ?? []);
  expect(errors?.[0]).toMatchObject({
    path: ['node'],
    extensions: { code: 'BAD_REQUEST', status: '400' },
  });
  expect(requestLog.errors.map(({ code }) => code)).toEqual(['BAD_REQUEST']);
});

test('every error has a unique id, also for a document that was rejected before', async () => {
  const { execute } = await createTestServer();
  const ids = [];
  for (const query of ['{', '{', '{ nothing }', '{ nothing }']) {
    ids.push((await execute(query)).errors?.[0]?.extensions?.['id']);
  }
  expect(new Set(ids).size).toBe(4);
});

test('each operation of a batch has its response at the same index', async () => {
  const { post } = await createTestServer();
  const response = await post(
    [{ query: '{ __typename }' }, { query: '{' }, { query: '{ providers { name } }' }],
    DEMO,
  );
  expect(response.status).toBe(200);
  const answers = (await response.json()) as TestAnswer[];
  expect(answers[0]).toEqual({ data: { __typename: 'Query' } });
  expectShape(answers[1]?.errors ?? []);
  expect(answers[2]).toHaveProperty('data.providers');
});

test('with introspection off, the schema is neither returned nor suggested in errors', async () => {
  const { execute } = await createTestServer({ introspection: false });
  for (const question of ['{ __schema { types { name } } }', '{ _service { sdl } }']) {
    const { data, errors } = await execute(question);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions).toMatchObject({ detail: 'Introspection is switched off.' });
  }
  const guess = await execute('{ costumers { id } }');
  expect(guess.errors?.[0]?.extensions?.['detail']).toBe(
    'Cannot query field "costumers" on type "Query".',
  );
});

function expectShape(errors: readonly object[]): void {
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    const { extensions, message, locations: _locations, path: _path, ...more } = error as Shape;
    expect(more).toEqual({});
    expect(Object.keys(extensions).sort()).toEqual(EXTENSIONS);
    expect(message).toBe(extensions['detail']);
    expect(extensions['problem_type']).toBe(extensions['code']);
  }
}

function search(filter: object) {
  return { query: SEARCH, variables: { filter } };
}

type TestAnswer = Awaited<ReturnType<TestServer['execute']>>;

interface Shape {
  readonly message: string;
  readonly locations?: unknown;
  readonly path?: unknown;
  readonly extensions: Record<string, unknown>;
}

interface Refusal {
  readonly name: string;
  readonly body: unknown;
  readonly json: number;
  readonly graphql: number;
}
