import { type Ask, type CallOptions, type ClientOptions, createAsk } from './create-ask.ts';
import { CrossbookError } from './crossbook-error.ts';
import {
  type AssociatedObject,
  CONFIRM_CONNECT_LINK,
  CONNECT_LINK,
  type ConfirmConnectLinkInput,
  type ConfirmConnectLinkMutation,
  type ConnectLinkQuery,
  CREATE_CONNECT_LINK,
  type CreateConnectLinkInput,
  type CreateConnectLinkMutation,
  DELETE_CUSTOMER,
  type DeleteCustomerInput,
  type DeleteCustomerMutation,
  DISCONNECT_PROVIDER,
  type DisconnectProviderInput,
  type DisconnectProviderMutation,
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
    async deleteCustomer(input, call) {
      return given((await ask(DELETE_CUSTOMER, { input }, call)).deleteCustomer);
    },
    async disconnectProvider(input, call) {
      return given((await ask(DISCONNECT_PROVIDER, { input }, call)).disconnectProvider);
    },
    async issueCustomerToken(input, call) {
      return given((await ask(ISSUE_CUSTOMER_TOKEN, { input }, call)).issueCustomerToken);
    },
    async createConnectLink(input, call) {
      return given((await ask(CREATE_CONNECT_LINK, { input }, call)).createConnectLink);
    },
    async confirmConnectLink(input, call) {
      return given((await ask(CONFIRM_CONNECT_LINK, { input }, call)).confirmConnectLink);
    },
    async connectLink(id, call) {
      return given((await ask(CONNECT_LINK, { id }, call)).connectLink);
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
  /** Removes a customer with its connections, credentials and cached contacts. It takes an API key, and two to three seconds. */
  deleteCustomer(input: DeleteCustomerInput, call?: CallOptions): Promise<DeletedCustomer>;
  /** Removes one connection, and says what became of the grant at the provider. It takes an API key, and two to three seconds. */
  disconnectProvider(input: DisconnectProviderInput, call?: CallOptions): Promise<DisconnectedProvider>;
  /** A short-lived token for the frontend of one customer. It takes an API key. */
  issueCustomerToken(input: IssueCustomerTokenInput, call?: CallOptions): Promise<CustomerToken>;
  /** A link by which one customer connects a CRM. It takes an API key. */
  createConnectLink(input: CreateConnectLinkInput, call?: CallOptions): Promise<CreatedConnectLink>;
  /** Redeems the one-time code of a link, in the session of the person who asked for it. It takes an API key. */
  confirmConnectLink(input: ConfirmConnectLinkInput, call?: CallOptions): Promise<ConfirmedConnectLink>;
  /** How far a link has come. */
  connectLink(id: string, call?: CallOptions): Promise<ConnectLink>;
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
export type DeletedCustomer = NonNullable<DeleteCustomerMutation['deleteCustomer']>;
export type DisconnectedProvider = NonNullable<DisconnectProviderMutation['disconnectProvider']>;
export type CreatedConnectLink = NonNullable<CreateConnectLinkMutation['createConnectLink']>;
export type ConfirmedConnectLink = NonNullable<ConfirmConnectLinkMutation['confirmConnectLink']>;
export type ConnectLink = NonNullable<ConnectLinkQuery['connectLink']>;
export type CustomerToken = NonNullable<IssueCustomerTokenMutation['issueCustomerToken']>;
