import { printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import { apiSchema, entitySchema } from '../../src/graphql/schema.ts';
import { referenceCosts } from '../../src/graphql/subgraph/entities.ts';
import { printSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { createFakePeople } from '../support/fake-people.ts';
import { createTestServer, EXTENSIONS } from './test-server.ts';

const BY_EMAIL = /* GraphQL */ `
  query ($representations: [_Any!]!, $first: Int) {
    _entities(representations: $representations) {
      ... on ContactsByEmail { customerId provider email contacts(first: $first) { remoteId } }
    }
  }
`;

test('a thousand references are looked up together, in full calls to the CRM', async () => {
  const { execute, calls } = await createTestServer({ people: createFakePeople(1_000) });
  const emails = Array.from({ length: 1_000 }, (_, index) =>
    index === 0 ? 'ada@example.com' : `person${index + 1}@example.com`,
  );
  const { data, errors } = await execute(BY_EMAIL, {
    representations: emails.map((email) => refer(email)),
  });
  expect(errors).toBeUndefined();
  expect(
    data._entities.map(({ contacts }: Found) => contacts.map(({ remoteId }) => remoteId)),
  ).toEqual(emails.map((_, index) => [String(index + 1)]));
  expect(calls.map(({ method, keys }) => [method, keys.length])).toEqual([['findByEmails', 1_000]]);
});

test('an email is compared as in a search, and returned as in the reference', async () => {
  const { execute } = await createTestServer();
  const representations = [' ADA@Example.com ', 'nobody@example.com'].map((email) => refer(email));
  const { data, errors } = await execute(BY_EMAIL, { representations });
  expect(errors).toBeUndefined();
  expect(data._entities).toEqual([
    { ...key(' ADA@Example.com '), contacts: [{ remoteId: '1' }] },
    { ...key('nobody@example.com'), contacts: [] },
  ]);
});

test('contacts that share an email are limited to the first ones by id', async () => {
  const people = createFakePeople(30).map((person) => ({
    ...person,
    emailAddresses: [{ emailAddress: 'team@example.com', emailAddressType: 'primary' as const }],
  }));
  const { execute } = await createTestServer({ people: people.reverse() });
  for (const [first, ids] of [
    [undefined, people.map(({ remoteId }) => remoteId).reverse()],
    [2, ['1', '2']],
    [0, []],
  ] as const) {
    const { data } = await execute(BY_EMAIL, {
      representations: [refer('team@example.com')],
      first,
    });
    expect(
      data._entities[0].contacts.map(({ remoteId }: { remoteId: string }) => remoteId),
    ).toEqual(ids);
  }
});

test('a failure affects one reference only, with an error in the common format', async () => {
  const { execute, faults } = await createTestServer();
  faults.set('salesforce', new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'It is down.'));
  const wrong = [
    ['UNPROCESSABLE_ENTITY', refer('no email')],
    ['NOT_FOUND', refer('ada@example.com', { customerId: 'nobody' })],
    ['NOT_FOUND', refer('ada@example.com', { customerId: 'x'.repeat(1_000) })],
    ['NOT_IMPLEMENTED', refer('ada@example.com', { provider: 'ZENDESK_SELL' })],
    ['REMOTE_PROVIDER_UNAVAILABLE', refer('ada@example.com', { provider: 'SALESFORCE' })],
    ['BAD_REQUEST', refer('ada@example.com', { provider: 'nowhere' })],
    ['BAD_REQUEST', refer('ada@example.com', { customerId: 7 })],
    ['BAD_REQUEST', { ...refer('ada@example.com'), email: undefined }],
  ] as const;
  const representations = [...wrong.map(([, reference]) => reference), refer('ada@example.com')];
  const { data, errors = [] } = await execute(BY_EMAIL, { representations });
  // What the reference says stands, so that other subgraphs' data does too.
  expect(data._entities).toEqual([
    ...wrong.map(([code, { customerId, provider, email }]) =>
      code === 'BAD_REQUEST' ? null : { customerId, provider, email, contacts: null },
    ),
    { ...key('ada@example.com'), contacts: [{ remoteId: '1' }] },
  ]);
  const byReference = [...errors].sort((a, b) => Number(a.path?.[1]) - Number(b.path?.[1]));
  expect(byReference.map(({ path, extensions }) => [extensions?.['code'], path?.[1]])).toEqual(
    wrong.map(([code], index) => [code, index]),
  );
  for (const { extensions = {} } of errors)
    expect(Object.keys(extensions).sort()).toEqual(EXTENSIONS);
});

test('a customer token reads its own customer, and only the CRMs in its claims', async () => {
  const { post } = await createTestServer();
  const representations = [
    refer('ada@example.com'),
    refer('ada@example.com', { customerId: 'another' }),
    refer('ada@example.com', { provider: 'SALESFORCE' }),
  ];
  const response = await post(
    { query: BY_EMAIL, variables: { representations } },
    { authorization: 'Bearer hubspot-token' },
  );
  const { data, errors } = (await response.json()) as Answer;
  expect(data._entities.map((found) => found?.contacts)).toEqual([[{ remoteId: '1' }], null, null]);
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

test('another application does not find the customer', async () => {
  const { execute, calls } = await createTestServer();
  const representations = [refer('ada@example.com')];
  const { data, errors } = await execute(
    BY_EMAIL,
    { representations },
    { 'x-api-key': 'other-key' },
  );
  expect(data).toEqual({ _entities: [{ ...key('ada@example.com'), contacts: null }] });
  expect(errors?.[0]?.extensions?.['code']).toBe('NOT_FOUND');
  expect(calls).toEqual([]);
});

test.each([-1, 1_001])('first: %i is rejected', async (first) => {
  const { execute, calls } = await createTestServer();
  const { errors } = await execute(BY_EMAIL, {
    representations: [refer('ada@example.com')],
    first,
  });
  expect(errors?.[0]).toMatchObject({
    message: `The page size must be from 0 to 1000, but is ${first}.`,
    extensions: { code: 'BAD_REQUEST' },
  });
  expect(calls).toEqual([]);
});

test('a thousand references with many contacts each are rejected before any call to the CRM', async () => {
  const { execute, calls } = await createTestServer();
  const representations = Array.from({ length: 1_000 }, (_, index) =>
    refer(`person${index}@example.com`),
  );
  const { errors } = await execute(BY_EMAIL, { representations, first: 1_000 });
  expect(errors?.[0]?.message).toMatch(
    /^The operation is too large: its cost is \d+, and the limit is/,
  );
  expect(calls).toEqual([]);
});

test('each connection in the references takes a separate call', () => {
  const weigh = (representations: unknown) => {
    const { weight } = referenceCosts;
    return typeof weight === 'function' ? weight({ representations }) : weight;
  };
  const one = weigh([refer('a@example.com'), refer('b@example.com')]) ?? 0;
  const two = weigh([refer('a@example.com'), refer('b@example.com', { customerId: 'b' })]) ?? 0;
  expect(two - one).toBe(150);
  expect(weigh(['x', 7, null, {}])).toBe(weigh([{}, {}, {}, {}]));
});

test('contactsByEmail is in the subgraph only, not in the schema for clients', () => {
  expect(printSubgraph(entitySchema)).toContain(
    'type ContactsByEmail @key(fields: "customerId provider email") {',
  );
  expect(printSchema(apiSchema)).not.toContain('ContactsByEmail');
});

function refer(email: string, changed: object = {}) {
  return { __typename: 'ContactsByEmail', ...key(email), ...changed };
}

function key(email: string) {
  return { customerId: 'demo', provider: 'HUBSPOT', email };
}

interface Found {
  readonly contacts: readonly { readonly remoteId: string }[];
}

interface Answer {
  readonly data: { readonly _entities: readonly (Found | null)[] };
  readonly errors: readonly { readonly extensions: { readonly code: string } }[];
}
