import type { Client, ContactPage, ContactSearch, WholeSearch } from './client.ts';
import { type Ask, type CallOptions, type ClientOptions, createAsk } from './create-ask.ts';
import { CrossbookError } from './crossbook-error.ts';
import type { Document } from './document.ts';
import {
  CANCEL_CONNECT_LINK,
  CONFIRM_CONNECT_LINK,
  CONNECT_LINK,
  CREATE_CONNECT_LINK,
  CREATE_WEBHOOK_ENDPOINT,
  CUSTOMER,
  CUSTOMERS,
  DELETE_CUSTOMER,
  DELETE_WEBHOOK_ENDPOINT,
  DISCONNECT_PROVIDER,
  EVENTS,
  ISSUE_CUSTOMER_TOKEN,
  REDELIVER_EVENTS,
  ROTATE_WEBHOOK_SECRET,
  SEARCH_CONTACTS,
  UPDATE_WEBHOOK_ENDPOINT,
  UPSERT_CUSTOMER,
  WEBHOOK_ENDPOINTS,
} from './operations.generated.ts';

/** A typed client of Crossbook. Whatever goes wrong is thrown as a `CrossbookError`. */
export function createClient(options: ClientOptions): Client {
  const ask = createAsk(options);
  return {
    searchContacts: (search, call) => searchContacts(ask, search, call),
    searchAll: (search, call) => searchAll(ask, search, call),
    customer: async (customerId, call) => only(await ask(CUSTOMER, { customerId }, call)),
    customers: async (page = {}, call) => only(await ask(CUSTOMERS, page, call)),
    upsertCustomer: createMutation(ask, UPSERT_CUSTOMER),
    deleteCustomer: createMutation(ask, DELETE_CUSTOMER),
    disconnectProvider: createMutation(ask, DISCONNECT_PROVIDER),
    issueCustomerToken: createMutation(ask, ISSUE_CUSTOMER_TOKEN),
    createConnectLink: createMutation(ask, CREATE_CONNECT_LINK),
    confirmConnectLink: createMutation(ask, CONFIRM_CONNECT_LINK),
    cancelConnectLink: createMutation(ask, CANCEL_CONNECT_LINK),
    connectLink: async (id, call) => only(await ask(CONNECT_LINK, { id }, call)),
    events: async (page = {}, call) => only(await ask(EVENTS, page, call)),
    webhookEndpoints: async (call) => only(await ask(WEBHOOK_ENDPOINTS, {}, call)),
    createWebhookEndpoint: createMutation(ask, CREATE_WEBHOOK_ENDPOINT),
    updateWebhookEndpoint: createMutation(ask, UPDATE_WEBHOOK_ENDPOINT),
    rotateWebhookSecret: createMutation(ask, ROTATE_WEBHOOK_SECRET),
    deleteWebhookEndpoint: createMutation(ask, DELETE_WEBHOOK_ENDPOINT),
    redeliverEvents: createMutation(ask, REDELIVER_EVENTS),
  };
}

function createMutation<Answer extends object, Input>(
  ask: Ask,
  document: Document<Answer, { readonly input: Input }>,
): (input: Input, call?: CallOptions) => Promise<FieldOf<Answer>> {
  return (input, call) => ask(document, { input }, call).then((answer) => only(answer));
}

async function searchContacts(
  ask: Ask,
  { associations = [], ...search }: ContactSearch,
  call?: CallOptions,
): Promise<ContactPage> {
  const variables = { ...search, associations, includeAssociations: associations.length > 0 };
  return only(await ask(SEARCH_CONTACTS, variables, call));
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

/** The one field of an operation. Null comes with an error, which has been thrown already. */
function only<Answer extends object>(answer: Answer): FieldOf<Answer> {
  const [value] = Object.values(answer) as Answer[keyof Answer][];
  if (value !== undefined && value !== null) return value;
  throw new CrossbookError({
    code: 'BAD_ANSWER',
    status: 200,
    title: 'Not an answer of Crossbook',
    detail: 'What was asked for is null, and nothing says why.',
    retryable: false,
  });
}

type FieldOf<Answer extends object> = NonNullable<Answer[keyof Answer]>;
