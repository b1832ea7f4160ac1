import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { CrossbookError, createClient } from 'crossbook-client';
import { ClientError, GraphQLClient } from 'graphql-request';
import {
  type ConcreteRequest,
  commitMutation,
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';

/** A web page that uses third-party clients, configured as in their own documents. It runs in a browser. */
let crossbook: Crossbook = { url: '', key: '' };

export function begin(options: Crossbook): void {
  crossbook = options;
}

export function apollo(): Promise<Outcome> {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    clientAwareness: { name: 'frontend', version: '1.0' },
    link: new HttpLink({ uri: `${crossbook.url}/graphql`, headers: toHeaders() }),
  });
  return runScenario({
    query: async (text, variables) => (await client.query({ query: gql(text), variables })).data,
    mutate: async (text, variables) =>
      (await client.mutate({ mutation: gql(text), variables })).data,
    codeOf: (error) => CombinedGraphQLErrors.is(error) && readCode(error.errors[0]),
  });
}

export function urql(): Promise<Outcome> {
  const client = new Client({
    url: `${crossbook.url}/graphql`,
    exchanges: [fetchExchange],
    fetchOptions: { headers: toHeaders() },
    preferGetMethod: false,
  });
  return runScenario({
    query: async (text, variables) => (await client.query(text, variables).toPromise()).data,
    async mutate(text, variables) {
      const { data, error } = await client.mutation(text, variables).toPromise();
      if (error) throw error;
      return data;
    },
    codeOf: (error) =>
      readCode((error as { graphQLErrors?: readonly unknown[] }).graphQLErrors?.[0]),
  });
}

export function graphqlRequest(): Promise<Outcome> {
  const client = new GraphQLClient(`${crossbook.url}/graphql`, { headers: toHeaders() });
  const ask = (text: string, variables: object) => client.request(text, variables);
  return runScenario({
    query: ask,
    mutate: ask,
    codeOf: (error) => error instanceof ClientError && readCode(error.response.errors?.[0]),
  });
}

/** With the documents that Relay's compiler has generated. */
export function relay(): Promise<Outcome> {
  const send = async ({ text }: { readonly text: string | null }, variables: object) => {
    const response = await post(toHeaders(), { query: text, variables });
    return response.json();
  };
  const environment = new Environment({
    network: Network.create(send),
    store: new Store(new RecordSource()),
  });
  const compiled = (text: string) => crossbook.compiled?.[text] as ConcreteRequest;
  return runScenario({
    query: (text, variables) => fetchQuery(environment, compiled(text), variables).toPromise(),
    mutate: (text, variables) =>
      new Promise((resolve, reject) => {
        commitMutation(environment, {
          mutation: compiled(text),
          variables,
          onCompleted: (data, errors) => (errors ? reject(errors[0]) : resolve(data)),
          onError: reject,
        });
      }),
    codeOf: readCode,
  });
}

function ours(): Promise<Outcome> {
  const client = createClient({ url: `${crossbook.url}/graphql`, apiKey: crossbook.key });
  const search = { customerId: 'demo', provider: 'HUBSPOT' } as const;
  return runScenario({
    query: async (_text, { filter, first, after }) => {
      const input = {
        ...search,
        filter: filter as never,
        ...(first && { first }),
        ...(after && { after }),
      };
      return { searchContacts: await client.searchContacts(input) };
    },
    mutate: async (_text, { id, email }) => ({
      upsertCustomer: await client.upsertCustomer({
        customerId: `${id}`,
        name: 'A',
        email: `${email}`,
      }),
    }),
    codeOf: (error) => error instanceof CrossbookError && error.code,
  });
}

export { ours as crossbook };

/** A page whose monitoring adds headers to every request. */
export function monitored(): Promise<Outcome> {
  const headers = {
    ...toHeaders(),
    'x-requested-with': 'XMLHttpRequest',
    baggage: 'sentry-release=1',
    'sentry-trace': `${'0'.repeat(31)}1-${'0'.repeat(15)}1-1`,
    tracestate: 'a=b',
    'apollo-require-preflight': 'true',
  };
  const ask = async (query: string, variables: object) => {
    const response = await post(headers, { query, variables });
    const { data, errors } = (await response.json()) as {
      data: unknown;
      errors?: readonly unknown[];
    };
    if (errors) throw errors[0];
    return data;
  };
  return runScenario({ query: ask, mutate: ask, codeOf: readCode });
}

async function runScenario({ query, mutate, codeOf }: Ways): Promise<Outcome> {
  const search = async (variables: Search) => {
    const data = (await query(SEARCH, variables)) as { searchContacts: Page };
    return data.searchContacts;
  };
  const save = async (email: string) => {
    const data = await mutate(SAVE, { id: `page ${crypto.randomUUID()}`, email });
    return (data as { upsertCustomer: { created: boolean } }).upsertCustomer.created;
  };
  const ada = await search({ filter: { email: 'ada@example.com' } });
  const filter = { emailDomain: 'example.com' };
  const first = await search({ filter, first: 4 });
  const second = await search({ filter, first: 4, after: first.pageInfo.endCursor ?? '' });
  const ids = new Set([...first.nodes, ...second.nodes].map(({ id }) => id));
  return {
    firstName: ada.nodes[0]?.firstName ?? '',
    turned: ids.size,
    created: await save(`${crypto.randomUUID()}@page.example`),
    code: await save('no email').then(
      () => 'none',
      (error) => codeOf(error) || String(error),
    ),
  };
}

function post(headers: Readonly<Record<string, string>>, body: object): Promise<Response> {
  return fetch(`${crossbook.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function toHeaders(): Record<string, string> {
  return { 'x-api-key': crossbook.key, 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
}

function readCode(error: unknown): string | undefined {
  return (error as { extensions?: { code?: string } } | undefined)?.extensions?.code;
}

/** Names that Relay's compiler accepts in a file `app`. */
export const SEARCH = `query appSearchQuery($filter: ContactFilter!, $first: Int, $after: String) {
  searchContacts(filter: $filter, first: $first, after: $after) {
    nodes { id firstName }
    pageInfo { endCursor }
  }
}`;
export const SAVE = `mutation appSaveMutation($id: ID!, $email: String!) {
  upsertCustomer(input: { customerId: $id, name: "A page", email: $email }) { created }
}`;

interface Crossbook {
  readonly url: string;
  readonly key: string;
  /** The documents that Relay's compiler has generated, by their text. */
  readonly compiled?: Readonly<Record<string, unknown>>;
}

interface Outcome {
  readonly firstName: string;
  /** The number of contacts on two pages. */
  readonly turned: number;
  readonly created: boolean;
  readonly code: string;
}

interface Ways {
  query(text: string, variables: Search): Promise<unknown>;
  mutate(
    text: string,
    variables: { readonly id: string; readonly email: string },
  ): Promise<unknown>;
  codeOf(error: unknown): string | undefined | false;
}

type Search = {
  readonly filter: { readonly email?: string; readonly emailDomain?: string };
  readonly first?: number;
  readonly after?: string;
};

interface Page {
  readonly nodes: readonly { readonly id?: string | null; readonly firstName?: string | null }[];
  readonly pageInfo: { readonly endCursor?: string | null };
}
