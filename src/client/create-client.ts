import { type Ask, type CallOptions, type ClientOptions, createAsk } from './create-ask.ts';
import { CrossbookError } from './crossbook-error.ts';
import {
  type AssociatedObject,
  ISSUE_CUSTOMER_TOKEN,
  type IssueCustomerTokenInput,
  type IssueCustomerTokenMutation,
  SEARCH_CONTACTS,
  type SearchContactsQuery,
  type SearchContactsQueryVariables,
  UPSERT_CUSTOMER,
  type UpsertCustomerInput,
  type UpsertCustomerMutation,
} from './operations.generated.ts';

/** A typed client of Crossbook. Whatever goes wrong is thrown as a `CrossbookError`. */
export function createClient(options: ClientOptions): Client {
  const ask = createAsk(options);
  return {
    searchContacts: (search, call) => searchContacts(ask, search, call),
    searchAll: (search, call) => searchAll(ask, search, call),
    async upsertCustomer(input, call) {
      return given((await ask(UPSERT_CUSTOMER, { input }, call)).upsertCustomer);
    },
    async issueCustomerToken(input, call) {
      return given((await ask(ISSUE_CUSTOMER_TOKEN, { input }, call)).issueCustomerToken);
    },
  };
}

async function searchContacts(
  ask: Ask,
  { associations = [], ...search }: ContactSearch,
  call?: CallOptions,
): Promise<ContactPage> {
  const variables = { ...search, associations, includeAssociations: associations.length > 0 };
  return given((await ask(SEARCH_CONTACTS, variables, call)).searchContacts);
}

/** A page is asked for when the one before has been looked at, and not earlier. */
async function* searchAll(
  ask: Ask,
  search: WholeSearch,
  call?: CallOptions,
): AsyncGenerator<ContactPage, void> {
  let after = search.after;
  for (;;) {
    const page = await searchContacts(ask, { ...search, after }, call);
    yield page;
    if (!page.pageInfo.hasNextPage || page.pageInfo.endCursor === null) return;
    after = page.pageInfo.endCursor;
  }
}

/** Null comes with an error, which has been thrown already. */
function given<T>(value: T | null): T {
  if (value !== null) return value;
  throw new CrossbookError({
    code: 'BAD_ANSWER',
    status: 200,
    title: 'Not an answer of Crossbook',
    detail: 'What was asked for is null, and nothing says why.',
    retryable: false,
  });
}

export interface Client {
  /** One page of one customer's contacts in one CRM. */
  searchContacts(search: ContactSearch, call?: CallOptions): Promise<ContactPage>;
  /** Every page, forward: `for await (const page of client.searchAll(…))`. */
  searchAll(search: WholeSearch, call?: CallOptions): AsyncGenerator<ContactPage, void>;
  /** Creates or updates a customer together with its connections: all of it, or nothing. */
  upsertCustomer(input: UpsertCustomerInput, call?: CallOptions): Promise<UpsertedCustomer>;
  /** A short-lived token for the frontend of one customer. It takes an API key. */
  issueCustomerToken(input: IssueCustomerTokenInput, call?: CallOptions): Promise<CustomerToken>;
}

/** `provider` and the customer must be named; with a token, the customer is the token's. */
export interface ContactSearch
  extends Omit<SearchContactsQueryVariables, 'includeAssociations' | 'associations'> {
  /** What each contact's links are followed to. */
  readonly associations?: readonly AssociatedObject[];
}

type WholeSearch = Omit<ContactSearch, 'last' | 'before'>;

export type ContactPage = NonNullable<SearchContactsQuery['searchContacts']>;
export type Contact = ContactPage['nodes'][number];
export type UpsertedCustomer = NonNullable<UpsertCustomerMutation['upsertCustomer']>;
export type CustomerToken = NonNullable<IssueCustomerTokenMutation['issueCustomerToken']>;
