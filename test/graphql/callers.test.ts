import { expect, test } from 'vitest';
import { createTestServer, DEMO, EXTENSIONS } from './test-server.ts';

const ABOUT_DATA = [
  '{ providers { name } }',
  '{ customer { id } }',
  '{ __typename node(id: "x") { id } }',
  'mutation { upsertCustomer(input: {}) { created } }',
  '{ _entities(representations: []) { __typename } }',
  '{ ... { ...F } } fragment F on Query { ... on Query { customer { id } } }',
  'query Q { __typename ...A } fragment A on Query { ...B } fragment B on Query { ...A customer { id } }',
];

test.each(ABOUT_DATA)(
  'without a caller, %s is 401, or 200 for clients that accept only plain JSON',
  async (query) => {
    const { post, calls } = await createTestServer();
    for (const [accept, status] of [
      ['application/graphql-response+json', 401],
      ['*/*', 401],
      ['application/json, application/graphql-response+json;q=0.5', 401],
      ['application/json', 200],
    ] as const) {
      const response = await post({ query }, { accept });
      expect([accept, response.status]).toEqual([accept, status]);
      expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
      const { errors } = (await response.json()) as { errors: { extensions: object }[] };
      expect(Object.keys(errors[0]?.extensions ?? {}).sort()).toEqual(EXTENSIONS);
      expect(errors[0]).toMatchObject({
        extensions: { code: 'UNAUTHORIZED', meta: { origin: 'crossbook', retryable: false } },
      });
    }
    expect(calls).toEqual([]);
  },
);

test.each([
  { 'x-api-key': 'wrong' },
  { authorization: 'Bearer wrong' },
  { authorization: 'Basic ZGVtbzpkZW1v' },
])('an invalid credential is 401 even for the schema: %o', async (headers) => {
  const { post } = await createTestServer();
  const response = await post({ query: '{ __typename }' }, headers as never);
  expect(response.status).toBe(401);
});

test.each([
  '{ __typename }',
  '{ __schema { queryType { name } } }',
  '{ __type(name: "Contact") { name } _service { sdl } }',
])('the schema can be queried without a caller: %s', async (query) => {
  const { post } = await createTestServer();
  const response = await post({ query });
  expect(response.status).toBe(200);
  expect(await response.json()).not.toHaveProperty('errors');
});

test('a batch without a caller is 401 as a whole', async () => {
  const { post } = await createTestServer();
  const query = '{ customer { id } }';
  expect((await post([{ query }, { query }])).status).toBe(401);
});

test('a token for one customer and one provider gives access to nothing else', async () => {
  const { post } = await createTestServer();
  const query = /* GraphQL */ `
    {
      mine: searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { totalCount }
      salesforce: searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { totalCount }
      customer(customerId: "another") { id }
    }
  `;
  const answer = await (await post({ query }, { authorization: 'Bearer hubspot-token' })).json();
  expect(answer).toMatchObject({
    data: { mine: { totalCount: 1 }, salesforce: null, customer: null },
  });
  expect(codesOf(answer)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

test('errors contain the name of the calling application', async () => {
  const { execute } = await createTestServer();
  const { errors } = await execute('{ nothing }', {}, DEMO);
  expect(errors?.[0]?.extensions?.['meta']).toMatchObject({
    origin: 'crossbook',
    application_name: 'Demo',
  });
});

function codesOf(answer: unknown): unknown[] {
  return (answer as { errors: { extensions: { code: string } }[] }).errors.map(
    ({ extensions }) => extensions.code,
  );
}
