import { Client, createRequest, fetchExchange, gql, mapExchange } from '@urql/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ContactPageDocument,
  FindContactDocument,
  SaveCustomerDocument,
} from '../../clients/operations.generated.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';

let crossbook: ListeningApp;
beforeAll(async () => {
  crossbook = await listenApp();
});
afterAll(() => crossbook.close());

test('urql follows the cursors through three pages', async () => {
  const { client } = createUrql();
  const lengths: number[] = [];
  let after: string | null | undefined;
  do {
    const variables = { emailDomain: 'example.com', first: 4, after };
    const { data, error } = await client.query(ContactPageDocument, variables);
    expect(error).toBeUndefined();
    lengths.push(data?.searchContacts?.edges.length ?? 0);
    const pageInfo = data?.searchContacts?.pageInfo;
    after = pageInfo?.hasNextPage ? pageInfo.endCursor : undefined;
  } while (after);
  expect(lengths).toEqual([4, 4, 2]);
});

test('urql exposes the errors of a partial response, each with its path and our extensions', async () => {
  const { client, codes } = createUrql();
  const { data, error } = await client.query(FindContactDocument, { email: 'ada@example.com' });
  expect(data?.hubspot?.nodes).toMatchObject([{ firstName: 'Ada', lastName: 'Lovelace' }]);
  expect(data?.zendesk).toBeNull();
  expect(error?.networkError).toBeUndefined();
  expect(error?.graphQLErrors).toMatchObject([
    {
      message: 'The contacts of Zendesk Sell cannot be searched.',
      path: ['zendesk'],
      extensions: { code: 'NOT_IMPLEMENTED', meta: { origin: 'crossbook', retryable: false } },
    },
  ]);
  expect(codes).toEqual(['NOT_IMPLEMENTED']);
});

test.each([
  ['a wrong key', { 'x-api-key': 'wrong' }, 'UNAUTHORIZED'],
  ['an unknown customer', { 'x-customer-id': 'nobody' }, 'NOT_FOUND'],
])('urql reads %s as a GraphQL error, whatever its HTTP status', async (_name, headers, code) => {
  const { client, codes } = createUrql(headers);
  const { error } = await client.query(ContactPageDocument, {
    emailDomain: 'example.com',
    first: 1,
  });
  expect(error?.graphQLErrors[0]?.extensions['code']).toBe(code);
  expect(error?.networkError).toBeUndefined();
  expect(codes[0]).toBe(code);
});

test('urql creates a customer by a mutation, and a conflict is an error with a code', async () => {
  const { client } = createUrql();
  const input = { customerId: 'urql', name: 'Urql', email: 'u@urql.example', expectedVersion: 0 };
  const { data } = await client.mutation(SaveCustomerDocument, { input });
  expect(data?.upsertCustomer).toMatchObject({
    created: true,
    customer: { customerId: 'urql', version: 1 },
  });
  const again = await client.mutation(SaveCustomerDocument, { input });
  expect(again.error?.graphQLErrors[0]?.extensions['code']).toBe('CONFLICT');
});

test('an unknown hash gets the error message that urql’s persisted queries expect', async () => {
  const { client } = createUrql();
  const persistedQuery = { version: 1, sha256Hash: '0'.repeat(64) } as const;
  const request = createRequest(gql('{ customer { name } }'), {}, { persistedQuery });
  const { error } = await client.executeQuery(request);
  expect(error?.graphQLErrors.map(({ message }) => message)).toEqual(['PersistedQueryNotFound']);
  expect(error?.networkError).toBeUndefined();
});

function createUrql(headers: Record<string, string> = {}) {
  const codes: unknown[] = [];
  const client = new Client({
    url: `${crossbook.url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: { 'x-api-key': crossbook.key, 'x-customer-id': 'demo', ...headers } },
    exchanges: [
      mapExchange({
        onError: ({ graphQLErrors }) =>
          codes.push(...graphQLErrors.map(({ extensions }) => extensions['code'])),
      }),
      fetchExchange,
    ],
  });
  return { client, codes };
}
