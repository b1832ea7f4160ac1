import { expect, test } from 'vitest';
import { createTestServer } from './test-server.ts';

const PAGE = /* GraphQL */ `
  query ($first: Int, $after: String, $last: Int, $before: String) {
    searchContacts(filter: { emailDomain: "example.com" }, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { remoteId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`;

test('a list can be paged forward to its end and back to its start, without gaps or repeats', async () => {
  const { execute } = await createTestServer();
  const forward = await walk('forward');
  const backward = await walk('backward');
  const all = Array.from({ length: 30 }, (_, index) => String(index + 1));
  expect(forward).toEqual(all);
  expect(backward).toEqual(all);

  async function walk(direction: 'forward' | 'backward') {
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 10; pages += 1) {
      const variables: object =
        direction === 'forward' ? { first: 7, after: cursor } : { last: 7, before: cursor };
      const { edges, pageInfo } = (await execute(PAGE, variables)).data.searchContacts;
      const ids = edges.map((edge: Edge) => edge.node.remoteId);
      expect(pageInfo.startCursor).toBe(edges[0].cursor);
      expect(pageInfo.endCursor).toBe(edges.at(-1).cursor);
      if (direction === 'forward') {
        expect(pageInfo.hasPreviousPage).toBe(seen.length > 0);
        seen.push(...ids);
      } else {
        expect(pageInfo.hasNextPage).toBe(seen.length > 0);
        seen.unshift(...ids);
      }
      const more = direction === 'forward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
      if (!more) return seen;
      cursor = direction === 'forward' ? pageInfo.endCursor : pageInfo.startCursor;
    }
    throw new Error('The list does not end.');
  }
});

test.each([
  { first: 1, last: 1 },
  { first: 1, before: 'x' },
  { last: 1, after: 'x' },
  { after: 'x', before: 'x' },
  { first: 1001 },
  { last: 1001 },
  { first: -1 },
  { first: 1, after: 'made-up' },
])('paging by %o is 400', async (variables) => {
  const { execute, calls } = await createTestServer();
  const { data, errors } = await execute(PAGE, variables);
  expect(data).toEqual({ searchContacts: null });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_REQUEST', status: '400' });
  expect(calls).toEqual([]);
});

test('an empty page is valid, and has no cursors', async () => {
  const { execute } = await createTestServer();
  const { data } = await execute(PAGE, { first: 0 });
  expect(data.searchContacts).toEqual({
    edges: [],
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
  });
});

test('contacts and customers are refetched by their ids, in order and in one call', async () => {
  const { execute, calls } = await createTestServer();
  const found = await execute(
    '{ searchContacts(filter: { emailDomain: "example.com" }, first: 20) { nodes { id remoteId } } customer { id } }',
  );
  const contacts = found.data.searchContacts.nodes;
  calls.length = 0;
  const ids = [
    found.data.customer.id,
    ...contacts.map(({ id }: { id: string }) => id).reverse(),
    'nothing',
  ];
  const { data, errors } = await execute(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Contact { remoteId } ... on Customer { customerId } } }',
    { ids },
  );
  expect(errors).toBeUndefined();
  expect(data.nodes[0]).toEqual({ __typename: 'Customer', id: ids[0], customerId: 'demo' });
  expect(data.nodes[1]).toEqual({ __typename: 'Contact', id: ids[1], remoteId: '20' });
  expect(data.nodes.at(-1)).toBeNull();
  expect(calls.map(({ method, keys }) => [method, keys.length])).toEqual([['findByIds', 20]]);
});

test('a person in two CRMs has two ids', async () => {
  const { execute } = await createTestServer();
  const { data } = await execute(/* GraphQL */ `
    {
      a: searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { nodes { id remoteId } }
      b: searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { nodes { id remoteId } }
    }
  `);
  expect(data.a.nodes[0].remoteId).toBe(data.b.nodes[0].remoteId);
  expect(data.a.nodes[0].id).not.toBe(data.b.nodes[0].id);
});

test('records of another application are null', async () => {
  const { execute, calls } = await createTestServer();
  const { data } = await execute(
    '{ customer { id } searchContacts(filter: { email: "ada@example.com" }) { nodes { id } } }',
  );
  calls.length = 0;
  const ids = [data.customer.id, data.searchContacts.nodes[0].id];
  const others = await execute(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    { ids },
    { 'x-api-key': 'other-key' },
  );
  expect(others).toEqual({ data: { nodes: [null, null] } });
  expect(calls).toEqual([]);
});

test('1,001 ids are rejected', async () => {
  const { execute } = await createTestServer();
  const { errors } = await execute('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
    ids: Array.from({ length: 1001 }, String),
  });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_REQUEST',
    detail: expect.stringContaining('1001'),
  });
});

interface Edge {
  readonly cursor: string;
  readonly node: { readonly remoteId: string };
}
