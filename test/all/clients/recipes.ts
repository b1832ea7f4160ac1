import { type ApolloClient, CombinedGraphQLErrors, gql } from '@apollo/client';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/query-core';
import type { Client } from '@urql/core';
import {
  type ConcreteRequest,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  getSingularSelector,
  type ReaderFragment,
} from 'relay-runtime';

// What a page does with the printed recipes: it shows a search, and turns its pages. It runs in a browser.

const PAGE_SIZE = 4;
const SEARCH = `query Search($provider: ProviderName!, $filter: ContactFilter!, $first: Int!, $after: String) {
  searchContacts(customerId: "demo", provider: $provider, filter: $filter, first: $first, after: $after) {
    edges { node { id firstName emailAddresses { emailAddress } phoneNumbers { phoneNumber } addresses { city } } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const BOTH = `{
  hubspot: searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { edges { node { id } } }
  zendesk: searchContacts(provider: ZENDESK_SELL, filter: { email: "ada@example.com" }) { edges { node { id } } }
}`;

/** What a user sees: the ids of the list after each step, or its error. */
export async function visit(list: ContactList, steps: readonly Step[]): Promise<string[][]> {
  const seen: string[][] = [];
  for (const { does, search } of steps)
    seen.push(await list[does](search).catch((error: unknown) => [toWords(error)]));
  return seen;
}

/** The number of contacts of the CRM that responds, and the error of the one that fails. */
export async function apolloBoth(client: ApolloClient): Promise<Both> {
  const { data, error } = await client.query<BothData>({ query: gql(BOTH) });
  return { found: data?.hubspot?.edges.length, error: toWords(error) };
}

export async function urqlBoth(client: Client): Promise<Both> {
  const { data, error } = await client.query<BothData>(BOTH, {}).toPromise();
  return { found: data?.hubspot?.edges.length, error: toWords(error) };
}

export function apollo(client: ApolloClient): ContactList {
  const query = gql(SEARCH);
  const readShown = (variables: Search) =>
    toIds(client.readQuery<Data>({ query, variables })?.searchContacts);
  return {
    async show(search) {
      const variables = { ...search, first: PAGE_SIZE };
      const { error } = await client.query({ query, variables });
      if (error) throw error;
      return readShown(variables);
    },
    async turn(search) {
      const variables = { ...search, first: PAGE_SIZE };
      const observed = client.watchQuery<Data>({ query, variables });
      const after = observed.getCurrentResult().data?.searchContacts?.pageInfo?.endCursor;
      const subscription = observed.subscribe({});
      await observed.fetchMore({ variables: { after } });
      subscription.unsubscribe();
      return readShown(variables);
    },
  };
}

export function urql(client: Client): ContactList {
  const ask = async (search: Search, after?: string) => {
    const variables = { ...search, first: PAGE_SIZE, after };
    const { data, error } = await client.query<Data>(SEARCH, variables).toPromise();
    if (error) throw error;
    return data?.searchContacts;
  };
  return {
    show: async (search) => toIds(await ask(search)),
    async turn(search) {
      const { pageInfo } = (await ask(search)) as Page;
      await ask(search, pageInfo.endCursor ?? '');
      return toIds(await ask(search));
    },
  };
}

export function relay(environment: Environment, { query, more, fragment }: Artifacts): ContactList {
  const readShown = (search: Search): Page => {
    const operation = createOperationDescriptor(query, { ...search, count: PAGE_SIZE });
    const root = environment.lookup(operation.fragment).data;
    const selector = getSingularSelector(fragment, root);
    if (!selector) throw new Error('The fragment is not in the query.');
    const { data, fieldErrors } = environment.lookup(selector) as unknown as Read;
    // As usePaginationFragment throws them, for the error boundary.
    if (fieldErrors?.some(({ shouldThrow }) => shouldThrow)) throw fieldErrors[0];
    return data.searchContacts;
  };
  return {
    async show(search) {
      const variables = { ...search, count: PAGE_SIZE };
      // As usePreloadedQuery keeps what it shows.
      environment.retain(createOperationDescriptor(query, variables));
      await fetchQuery(environment, query, variables).toPromise();
      return toIds(readShown(search));
    },
    async turn(search) {
      const cursor = readShown(search).pageInfo.endCursor;
      const variables = { ...search, count: PAGE_SIZE, cursor };
      await fetchQuery(environment, more, variables).toPromise();
      return toIds(readShown(search));
    },
  };
}

export function tanstack(listContacts: (wanted: object) => object): ContactList {
  const client = new QueryClient();
  const open = (search: Search) => {
    const wanted = { ...search, first: PAGE_SIZE };
    const observer = new InfiniteQueryObserver(client, listContacts(wanted) as never);
    return { observer, close: observer.subscribe(() => {}) };
  };
  const toShown = (observer: InfiniteQueryObserver) => {
    const { data, error } = observer.getCurrentResult();
    if (error) throw error;
    const { pages } = data as unknown as {
      pages: readonly { readonly nodes: readonly { readonly id: string }[] }[];
    };
    return pages.flatMap(({ nodes }) => nodes.map(({ id }) => id));
  };
  return {
    async show(search) {
      const { observer, close } = open(search);
      await observer.refetch();
      close();
      return toShown(observer);
    },
    async turn(search) {
      const { observer, close } = open(search);
      await observer.fetchNextPage();
      close();
      return toShown(observer);
    },
  };
}

/** The code of an error of each client, else its text. */
function toWords(error: unknown): string {
  const { code, graphQLErrors, error: field } = { ...(error as Failure) };
  const errors = CombinedGraphQLErrors.is(error) ? error.errors : graphQLErrors;
  const found = code ?? errors?.[0]?.extensions?.['code'] ?? field?.message;
  return typeof found === 'string' ? found : `${error instanceof Error ? error.stack : error}`;
}

function toIds(page: Page | null | undefined): string[] {
  return (page?.edges ?? []).map(({ node }) => node.id);
}

export interface Search {
  readonly provider: 'HUBSPOT' | 'SALESFORCE' | 'ZENDESK_SELL';
  readonly filter: { readonly emailDomain: string };
}

export interface Step {
  /** `show` begins a search, `turn` loads its next page. */
  readonly does: 'show' | 'turn';
  readonly search: Search;
}

/** A list as a component has it: both return the ids that are shown afterwards. */
export interface ContactList {
  show(search: Search): Promise<string[]>;
  turn(search: Search): Promise<string[]>;
}

export interface Both {
  readonly found: number | undefined;
  readonly error: string;
}

/** What Relay's compiler makes of the printed fragment. */
export interface Artifacts {
  readonly query: ConcreteRequest;
  readonly more: ConcreteRequest;
  readonly fragment: ReaderFragment;
}

interface Data {
  readonly searchContacts: Page | null;
}

interface Page {
  readonly edges: readonly { readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly endCursor?: string | null };
}

/** The types of Relay lack the errors. */
interface Read {
  readonly data: { readonly searchContacts: Page };
  readonly fieldErrors: readonly { readonly shouldThrow?: boolean }[] | null;
}

interface BothData {
  readonly hubspot: Page | null;
}

/** Of our client, of urql, and of a field that Relay reads. */
interface Failure {
  readonly code?: string;
  readonly graphQLErrors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[];
  readonly error?: { readonly message?: string };
}
