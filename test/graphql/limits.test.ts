import { expect, test } from 'vitest';
import { createFakePeople } from '../support/fake-people.ts';
import { createTestServer, DEMO } from './test-server.ts';

const ALL_FIELDS = /* GraphQL */ `
  id remoteId provider accountId ownerId firstName lastName lifecycleStage lastActivityAt createdAt updatedAt
  lastModifiedAt isDeleted rawData
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType }
  phoneNumbers { phoneNumber phoneNumberType }
  associations(to: [COMPANY, DEAL, TICKET]) { object remoteId }
`;

test('150 aliased look-ups with all fields succeed, in two calls to the CRM', async () => {
  const { execute, calls } = await createTestServer();
  const { data, errors } = await execute(aliased(150));
  expect(errors).toBeUndefined();
  expect(Object.keys(data)).toHaveLength(150);
  expect(calls.filter(({ method }) => method === 'findByEmails')).toHaveLength(2);
});

test('300 look-ups are rejected before execution, with the count and the limit', async () => {
  const { execute, calls } = await createTestServer();
  const { data, errors } = await execute(aliased(300, 'id'));
  expect(data).toBeUndefined();
  expect(errors?.[0]?.extensions?.['detail']).toMatch(/root fields is 300, and the limit is 200/);
  expect(calls).toEqual([]);
});

test('a page of 1,000 contacts with all fields succeeds, as nodes and as edges', async () => {
  const { execute } = await createTestServer({ people: createFakePeople(1200) });
  for (const fields of [
    `nodes { ${ALL_FIELDS} }`,
    `totalCount edges { cursor node { ${ALL_FIELDS} } }`,
  ]) {
    const { data, errors } = await execute(page(fields));
    expect(errors).toBeUndefined();
    expect((data.searchContacts.nodes ?? data.searchContacts.edges).length).toBe(1000);
  }
});

test('ten such pages are rejected before execution, with the count and the limit', async () => {
  const { execute, calls } = await createTestServer();
  const pages = Array.from(
    { length: 10 },
    (_, index) =>
      `p${index}: searchContacts(filter: { emailDomain: "d${index}.example" }, first: $first) { ...Page }`,
  );
  const query = `query ($first: Int) { ${pages.join('\n')} } fragment Page on ContactConnection { nodes { ${ALL_FIELDS} } }`;
  const { data, errors } = await execute(query, { first: 1000 });
  expect(data).toBeUndefined();
  expect(errors?.[0]?.extensions?.['detail']).toMatch(/cost is \d{6}, and the limit is 200000/);
  expect(calls).toEqual([]);
  expect((await execute(query, { first: 10 })).errors).toBeUndefined();
});

test('emails in a variable are counted', async () => {
  const { execute } = await createTestServer({ limits: { cost: 1500 } });
  const query =
    'query ($emails: [String!]) { searchContacts(filter: { emails: $emails }, first: 1000) { nodes { id } } }';
  const emails = (count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}@example.com`);
  expect((await execute(query, { emails: emails(50) })).errors).toBeUndefined();
  expect(
    (await execute(query, { emails: emails(500) })).errors?.[0]?.extensions?.['detail'],
  ).toMatch(/cost/);
});

test('each call for a list of emails is counted', async () => {
  const { execute } = await createTestServer({ limits: { cost: 2_000 } });
  const query =
    'query ($emails: [String!]) { searchContacts(filter: { emails: $emails }, first: 1) { totalCount } }';
  const emails = (count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}@example.com`);
  expect((await execute(query, { emails: emails(500) })).errors).toBeUndefined();
  expect(
    (await execute(query, { emails: emails(1_000) })).errors?.[0]?.extensions?.['detail'],
  ).toMatch(/cost/);
});

test('the operations of a batch share one limit', async () => {
  const { post } = await createTestServer({ limits: { cost: 500 } });
  const operation = {
    query: '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
  };
  const headers = {
    'x-api-key': 'demo-key',
    'x-customer-id': 'demo',
    'x-provider-name': 'hubspot',
  };
  const answers = (await (await post(Array(5).fill(operation), headers)).json()) as {
    errors?: unknown;
  }[];
  expect(answers.map(({ errors }) => errors === undefined)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test.each([
  ['below zero', '-1000000000'],
  ['beyond every number', '1e400'],
])('a page size %s does not lower the cost of its operation or its batch', async (_, first) => {
  const { post, calls } = await createTestServer({ limits: { cost: 500 } });
  const search = 'searchContacts(filter: { email: "ada@example.com" }) { totalCount }';
  const searches = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: ${search}`).join(' ');
  for (const list of ['events', 'customers']) {
    for (const fields of ['nodes { id }', 'pageInfo { hasNextPage }']) {
      const page = `${list}(first: ${first}) { ${fields} }`;
      for (const operations of [[`{ ${page} ${searches} }`], [`{ ${page} }`, `{ ${searches} }`]]) {
        const answers = await (
          await post(
            operations.map((query) => ({ query })),
            DEMO,
          )
        ).json();
        expect(JSON.stringify(answers), operations.join()).toMatch(/errors/);
        expect(calls, operations.join()).toEqual([]);
      }
    }
  }
  const query = `query ($first: Int) { events(first: $first) { pageInfo { hasNextPage } } }`;
  const body = `[{ "query": "${query}", "variables": { "first": ${first} } }, { "query": "{ ${searches.replaceAll('"', '\\"')} }" }]`;
  const answers = (await (await post(body, DEMO)).json()) as { errors?: object[] }[];
  expect(answers.map(({ errors }) => errors === undefined)).toEqual([false, false]);
  expect(calls).toEqual([]);
});

test('operations after the first rejected one are not executed, whatever their size', async () => {
  const { post, calls } = await createTestServer({ limits: { rootFields: 2 } });
  const small = {
    query: '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
  };
  const large = { query: '{ a: __typename b: __typename c: __typename }' };
  const answers = (await (await post([large, small, small], DEMO)).json()) as {
    errors?: object[];
  }[];
  expect(answers.map(({ errors }) => errors)).toMatchObject(
    Array(3).fill([{ message: expect.stringContaining('root fields is 3') }]),
  );
  expect(calls).toEqual([]);
});

test('a batch of ten is executed, and one of eleven is not even parsed', async () => {
  const { post, calls } = await createTestServer();
  const operation = {
    query: '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
  };
  expect(await (await post(Array(10).fill(operation), DEMO)).json()).toHaveLength(10);
  calls.length = 0;
  const response = await post([...Array(10).fill(operation), { query: 7 }], DEMO);
  expect(await response.json()).toMatchObject({
    errors: [{ message: 'A batch takes at most 10 operations, but has 11.' }],
  });
  expect(calls).toEqual([]);
});

const FRAGMENTS = /* GraphQL */ `
  query { ...A ...A }
  fragment A on Query { ...B ...B }
  fragment B on Query { ...C ...C }
  fragment C on Query { x: __typename y: __typename @skip(if: false) __typename }
`;

test.each([
  ['rootFields', FRAGMENTS, 'number of root fields is 24, and the limit is 10'],
  ['fields', FRAGMENTS, 'number of fields is 24, and the limit is 10'],
  ['aliases', FRAGMENTS, 'number of aliases is 16, and the limit is 10'],
  [
    'directives',
    `{ ...A @include(if: true) } ${FRAGMENTS.slice(FRAGMENTS.indexOf('fragment'))}`,
    'limit is 2',
  ],
  ['depth', `{ ${'a { '.repeat(20)} b ${'} '.repeat(20)} }`, 'depth of 21, and the limit is 10'],
])('the limit of %s is enforced, also through fragments', async (name, query, detail) => {
  const { execute } = await createTestServer({
    limits: { [name]: name === 'directives' ? 2 : 10 },
  });
  const { errors } = await execute(query);
  expect(errors?.[0]?.extensions?.['detail']).toContain(detail);
});

test('a fragment bomb is measured quickly and rejected', async () => {
  const { execute } = await createTestServer();
  const fragments = Array.from(
    { length: 90 },
    (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
  );
  const { errors } = await execute(
    `{ ...F0 } ${fragments.join(' ')} fragment F90 on Query { providers { name } }`,
  );
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_REQUEST',
    detail: expect.stringContaining('limit is'),
  });
});

test('fragments that contain themselves are rejected by validation', async () => {
  const { execute } = await createTestServer();
  const { errors } = await execute(
    '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
  );
  expect(errors?.[0]?.extensions?.['detail']).toMatch(/Cannot spread fragment/);
});

test.each([
  '{ __proto__: __typename }',
  '{ ...F } fragment F on Query { ... { __proto__: __typename } }',
  '{ __schema { queryType { __proto__: name } } }',
  '{ customer { connections { __proto__: status } } }',
])('an alias with a special meaning in JavaScript is rejected: %s', async (query) => {
  const { execute } = await createTestServer();
  const { errors } = await execute(query);
  expect(errors).toMatchObject([{ message: expect.stringContaining('must not be `__proto__`') }]);
});

test('a document of too many tokens is not parsed', async () => {
  const { execute } = await createTestServer();
  const { errors } = await execute(`{ ${'a '.repeat(13_000)} }`);
  expect(errors?.[0]?.extensions?.['detail']).toMatch(/12000 tokens/);
});

test.each([
  ['of too many characters', `{ a } #${'.'.repeat(140_000)}`, 'it has more than 131072 characters'],
  ['with a name that is too long', `{ ${'a'.repeat(257)} }`, 'a name in it has more than 256'],
])('a document %s is rejected', async (_what, query, detail) => {
  const { execute } = await createTestServer();
  const { errors } = await execute(query);
  expect(errors?.[0]?.extensions?.['detail']).toContain(detail);
});

test('1,000 emails in the document are within the limits, and 150 look-ups with all fields written out', async () => {
  const { execute } = await createTestServer();
  const emails = Array.from({ length: 1_000 }, (_, at) => `"person.${at}@subsidiary.example.com"`);
  const list = `{ searchContacts(filter: { emails: [${emails}] }, first: 1000) { totalCount } }`;
  const lookups = Array.from(
    { length: 150 },
    (_, at) =>
      `c${at}: searchContacts(filter: { email: "person${at}@example.com" }) { nodes { ${ALL_FIELDS} } }`,
  );
  for (const query of [list, `{ ${lookups} }`])
    expect((await execute(query)).errors).toBeUndefined();
});

function aliased(count: number, fields = ALL_FIELDS): string {
  const lookups = Array.from(
    { length: count },
    (_, index) =>
      `c${index}: searchContacts(filter: { email: "person${index}@example.com" }) { nodes { ...All } totalCount pageInfo { hasNextPage } }`,
  );
  return `{ ${lookups.join('\n')} } fragment All on Contact { ${fields} }`;
}

function page(fields: string): string {
  return `{ searchContacts(filter: { emailDomain: "example.com" }, first: 1000) { fetchedAt pageInfo { hasNextPage hasPreviousPage startCursor endCursor } ${fields} } }`;
}

test('the limit of nesting also applies to selections through fragments', async () => {
  const { execute } = await createTestServer({ limits: { nesting: 10 } });
  const chain = (length: number) =>
    `{ ...F0 } ${Array.from({ length }, (_, at) => `fragment F${at} on Query { ...F${at + 1} }`).join(' ')} fragment F${length} on Query { __typename }`;
  expect((await execute(chain(5))).data).toEqual({ __typename: 'Query' });
  expect((await execute(chain(20))).errors?.[0]?.message).toMatch(
    /its selections nest deeper than 10\.$/,
  );
});
