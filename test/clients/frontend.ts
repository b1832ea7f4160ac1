import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { CrossbookError, createClient } from '../../src/client/index.ts';

/** What a page does with clients that are not ours, set up as their own documents show it. It runs in a browser. */
let crossbook: Crossbook = { url: '', key: '' };

export function begin(given: Crossbook): void {
  crossbook = given;
}

export function apollo(): Promise<Told> {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    clientAwareness: { name: 'frontend', version: '1.0' },
    link: new HttpLink({ uri: `${crossbook.url}/graphql`, headers: toHeaders() }),
  });
  return tell({
    find: async () => readFirst((await client.query({ query: gql(FIND) })).data),
    save: async (email) =>
      readCreated((await client.mutate({ mutation: gql(SAVE), variables: { id: email, email } })).data),
    codeOf: (error) =>
      CombinedGraphQLErrors.is(error) ? String(error.errors[0]?.extensions?.['code']) : String(error),
  });
}

export function urql(): Promise<Told> {
  const client = new Client({
    url: `${crossbook.url}/graphql`,
    exchanges: [fetchExchange],
    fetchOptions: { headers: toHeaders() },
    preferGetMethod: false,
  });
  return tell({
    find: async () => readFirst((await client.query(FIND, {}).toPromise()).data),
    save: async (email) => {
      const { data, error } = await client.mutation(SAVE, { id: email, email }).toPromise();
      if (error) throw error;
      return readCreated(data);
    },
    codeOf: (error) =>
      String((error as { graphQLErrors?: readonly GraphQLFailure[] }).graphQLErrors?.[0]?.extensions?.code),
  });
}

function ours(): Promise<Told> {
  const client = createClient({ url: `${crossbook.url}/graphql`, apiKey: crossbook.key });
  const search = { customerId: 'demo', provider: 'HUBSPOT', filter: { email: 'ada@example.com' } } as const;
  return tell({
    find: async () => (await client.searchContacts(search)).nodes[0]?.firstName ?? '',
    save: async (email) =>
      (await client.upsertCustomer({ customerId: `crossbook ${email}`, name: 'A', email })).created,
    codeOf: (error) => (error instanceof CrossbookError ? error.code : String(error)),
  });
}

export { ours as crossbook };

/** As a page does whose monitoring adds headers to every request. */
export function monitored(): Promise<Told> {
  const ask = async (query: string, variables = {}) => {
    const response = await fetch(`${crossbook.url}/graphql`, {
      method: 'POST',
      headers: {
        ...{ ...toHeaders(), 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' },
        ...{ baggage: 'sentry-release=1', 'sentry-trace': `${'0'.repeat(31)}1-${'0'.repeat(15)}1-1` },
        ...{ tracestate: 'a=b', 'apollo-require-preflight': 'true' },
      },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: unknown; errors?: GraphQLFailure[] };
    if (errors) throw errors[0];
    return data;
  };
  return tell({
    find: async () => readFirst(await ask(FIND)),
    save: async (email) => readCreated(await ask(SAVE, { id: email, email })),
    codeOf: (error) => String((error as GraphQLFailure).extensions?.code ?? error),
  });
}

async function tell({ find, save, codeOf }: Ways): Promise<Told> {
  const firstName = await find();
  const created = await save(`${crypto.randomUUID()}@page.example`);
  const code = await save('no email').then(() => 'none', codeOf);
  return { firstName, created, code };
}

function toHeaders(): Record<string, string> {
  return { 'x-api-key': crossbook.key, 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
}

function readFirst(data: unknown): string {
  const { searchContacts } = data as { searchContacts: { nodes: { firstName: string }[] } };
  return searchContacts.nodes[0]?.firstName ?? '';
}

function readCreated(data: unknown): boolean {
  return (data as { upsertCustomer: { created: boolean } }).upsertCustomer.created;
}

const FIND = '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { id firstName } } }';
const SAVE = `mutation Save($id: ID!, $email: String!) {
  upsertCustomer(input: { customerId: $id, name: "A page", email: $email }) { created }
}`;

interface Crossbook {
  readonly url: string;
  readonly key: string;
}

interface Told {
  readonly firstName: string;
  readonly created: boolean;
  readonly code: string;
}

interface Ways {
  find(): Promise<string>;
  save(email: string): Promise<boolean>;
  codeOf(error: unknown): string;
}

interface GraphQLFailure {
  readonly extensions?: { readonly code?: string };
}
