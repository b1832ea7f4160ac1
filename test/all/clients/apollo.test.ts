import { createHash } from 'node:crypto';
import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  type ObservableQuery,
} from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ContactPageDocument,
  type ContactPageQuery,
  type ContactPageQueryVariables,
  FindContactDocument,
  SaveCustomerDocument,
} from '../../clients/operations.generated.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';

let crossbook: ListeningApp;
beforeAll(async () => {
  crossbook = await listenApp();
});
afterAll(() => crossbook.close());
beforeEach(() => {
  crossbook.requests.length = 0;
});

test('Apollo Client walks three pages with relayStylePagination, and its cache holds them as one list', async () => {
  const cache = createPagedCache();
  const client = createApollo({ cache });
  const variables = { emailDomain: 'example.com', first: 4 };
  const query = client.watchQuery({ query: ContactPageDocument, variables });
  const lengths: number[] = [];
  let page = await firstPageOf(query);
  for (;;) {
    const list = client.readQuery({ query: ContactPageDocument, variables })?.searchContacts;
    lengths.push(list?.edges.length ?? 0);
    if (!page?.pageInfo.hasNextPage) break;
    page = (await query.fetchMore({ variables: { after: page.pageInfo.endCursor } })).data
      ?.searchContacts;
  }
  expect(lengths).toEqual([4, 8, 10]);
  expect(crossbook.requests).toHaveLength(3);

  const complete = await crossbook.execute(
    '{ searchContacts(provider: HUBSPOT, filter: { emailDomain: "example.com" }) { edges { node { id } } } }',
  );
  const list = client.readQuery({ query: ContactPageDocument, variables })?.searchContacts;
  expect(idsOf(list)).toEqual(idsOf(complete.data.searchContacts));
  // Records are normalized by their global id: each is stored once.
  const kept = Object.keys(cache.extract()).filter((key) => key.startsWith('Contact:'));
  expect(kept).toHaveLength(10);
});

test('Apollo Client keeps the fields that succeeded, and exposes the code of the failed one', async () => {
  const client = createApollo();
  const { data, error } = await client.query({
    query: FindContactDocument,
    variables: { email: 'ada@example.com' },
    errorPolicy: 'all',
  });
  expect(data?.hubspot?.nodes).toMatchObject([{ firstName: 'Ada' }]);
  expect(data?.zendesk).toBeNull();
  expect(errorsOf(error)).toMatchObject([
    { path: ['zendesk'], extensions: { code: 'NOT_IMPLEMENTED', status: '501' } },
  ]);
});

test('the result of a mutation updates Apollo Client’s cache', async () => {
  const cache = new InMemoryCache();
  const client = createApollo({ cache });
  const input = { customerId: 'apollo', name: 'Apollo', email: 'a@apollo.example' };
  const first = await client.mutate({ mutation: SaveCustomerDocument, variables: { input } });
  await client.mutate({ mutation: SaveCustomerDocument, variables: { input } });
  expect(first.data?.upsertCustomer?.created).toBe(true);
  const id = first.data?.upsertCustomer?.customer.id ?? '';
  expect(cache.extract()[`Customer:${id}`]).toMatchObject({ customerId: 'apollo', version: 2 });
});

test('Apollo Client treats a rejected request as a GraphQL error, not as a network error', async () => {
  const client = createApollo({ headers: { 'x-api-key': 'wrong' } });
  const refused = client.query({
    query: FindContactDocument,
    variables: { email: 'ada@example.com' },
  });
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(errorsOf(error)).toMatchObject([{ extensions: { code: 'UNAUTHORIZED' } }]);
});

test.each([false, true])(
  'Apollo Client sends the document of a persisted query once (hashes by GET: %s)',
  async (get) => {
    const link = new PersistedQueryLink({ sha256, useGETForHashedQueries: get });
    const query = gql(`query Persisted${get} { customer { customerId } }`);
    const ask = () => createApollo({ links: [link] }).query({ query });
    const sent: boolean[] = [];
    for (const round of [1, 2]) {
      crossbook.requests.length = 0;
      expect((await ask()).data, `round ${round}`).toMatchObject({
        customer: { customerId: 'demo' },
      });
      for (const { body } of crossbook.requests)
        sent.push((await body).includes('query Persisted'));
    }
    // The hash is unknown; the document is sent; then the hash alone.
    expect(sent).toEqual([false, true, false]);
  },
);

function createApollo({
  headers,
  links = [],
  cache = new InMemoryCache(),
}: Setup = {}): ApolloClient {
  const http = new HttpLink({
    uri: `${crossbook.url}/graphql`,
    headers: { 'x-api-key': crossbook.key, 'x-customer-id': 'demo', ...headers },
  });
  return new ApolloClient({ link: ApolloLink.from([...links, http]), cache });
}

function createPagedCache(): InMemoryCache {
  const searchContacts = relayStylePagination(['customerId', 'provider', 'filter']);
  return new InMemoryCache({ typePolicies: { Query: { fields: { searchContacts } } } });
}

function firstPageOf(
  query: ObservableQuery<ContactPageQuery, ContactPageQueryVariables>,
): Promise<Page> {
  return new Promise((resolve, reject) => {
    query.subscribe({
      next: ({ data, loading }) => loading || resolve((data as ContactPageQuery).searchContacts),
      error: reject,
    });
  });
}

function idsOf(list: Page | undefined): string[] | undefined {
  return list?.edges.map(({ node }) => node.id);
}

function errorsOf(error: unknown): unknown {
  return CombinedGraphQLErrors.is(error) ? error.errors : error;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

type Page = ContactPageQuery['searchContacts'];

interface Setup {
  readonly headers?: Record<string, string>;
  readonly links?: readonly ApolloLink[];
  readonly cache?: InMemoryCache;
}
