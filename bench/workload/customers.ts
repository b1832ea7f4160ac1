import type { LoadRequest } from '../load/main.ts';
import { type Crossbook, toHeaders } from '../support/crossbook.ts';
import { PEOPLE } from './cases.ts';
import { emailsOf } from './people.ts';

/** Requests of twenty customers, by what they do. They are sent in rotation. */
export function toCustomerRequests(crossbook: Pick<Crossbook, 'key'>) {
  const of = (customerId: string, query: string, variables: object = {}): LoadRequest => ({
    path: '/graphql',
    headers: toHeaders(crossbook, customerId),
    body: JSON.stringify({ query, variables }),
  });
  const emails = emailsOf(PEOPLE);
  const customerOf = (index: number) => CUSTOMERS[index % CUSTOMERS.length] ?? '';
  const upsert = (customerId: string, name: string) =>
    of(customerId, UPSERT, {
      input: { customerId, name, email: `${customerId}@bench.example` },
    });
  return {
    read: CUSTOMERS.map((id) => of(id, READ)),
    // Each one changes the name, and so records an event.
    upsert: ['one name', 'another name'].flatMap((name) => CUSTOMERS.map((id) => upsert(id, name))),
    searchOfMany: emails.map((email, index) => of(customerOf(index), SEARCH, { email })),
    searchOfOne: emails.map((email) => of(customerOf(0), SEARCH, { email })),
    cachedSearch: emails
      .slice(0, CACHED)
      .map((email, index) => of(customerOf(index), CACHED_SEARCH, { email })),
  } satisfies Readonly<Record<string, readonly LoadRequest[]>>;
}

export const CUSTOMERS: readonly string[] = Array.from(
  { length: 20 },
  (_, index) => `bench-${index}`,
);

/** Different cached searches. */
const CACHED = 100;
const READ = '{ customer { customerId name email version } }';
const toSearch = (more: string) => `query ($email: String!) {
  searchContacts(filter: { email: $email }${more}) { nodes { firstName lastName } }
}`;
const SEARCH = toSearch('');
const CACHED_SEARCH = toSearch(', readFromCache: true');
const UPSERT = `mutation ($input: UpsertCustomerInput!) {
  upsertCustomer(input: $input) { created customer { id version } }
}`;

export type CustomerRequests = ReturnType<typeof toCustomerRequests>;
