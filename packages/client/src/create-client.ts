import type {
  Client,
  ContactFieldMappings,
  ContactPage,
  ContactSearch,
  WholeSearch,
} from './client.ts';
import { CrossbookError, toClientError } from './crossbook-error.ts';
import {
  CANCEL_CONNECT_LINK,
  CONFIRM_CONNECT_LINK,
  CONNECT_LINK,
  CONTACT_FIELD_MAPPINGS,
  CONTACT_FIELDS,
  CREATE_CONNECT_LINK,
  CREATE_WEBHOOK_ENDPOINT,
  CUSTOMER,
  CUSTOMERS,
  DELETE_CUSTOMER,
  DELETE_WEBHOOK_ENDPOINT,
  DISCONNECT_PROVIDER,
  EVENTS,
  ISSUE_CUSTOMER_TOKEN,
  PROVIDER_FIELDS,
  REDELIVER_EVENTS,
  ROTATE_WEBHOOK_SECRET,
  SEARCH_CONTACTS,
  SET_CONTACT_FIELD_MAPPINGS,
  SET_CONTACT_FIELDS,
  UPDATE_WEBHOOK_ENDPOINT,
  UPSERT_CUSTOMER,
  WEBHOOK_ENDPOINTS,
} from './operations.generated.ts';

/** Creates a typed client of Crossbook. All errors are thrown as a `CrossbookError`. */
export function createClient({
  url,
  apiKey,
  token,
  fetch = globalThis.fetch,
}: ClientOptions): Client {
  return {
    searchContacts,
    searchAll,
    customer: (customerId, call) => execute(CUSTOMER, { customerId }, call),
    customers: (page = {}, call) => execute(CUSTOMERS, page, call),
    upsertCustomer: createMutation(UPSERT_CUSTOMER),
    deleteCustomer: createMutation(DELETE_CUSTOMER),
    disconnectProvider: createMutation(DISCONNECT_PROVIDER),
    issueCustomerToken: createMutation(ISSUE_CUSTOMER_TOKEN),
    contactFields: (call) => execute(CONTACT_FIELDS, {}, call),
    setContactFields: createMutation(SET_CONTACT_FIELDS),
    contactFieldMappings: async (connectionId, call) => {
      const found = await execute(CONTACT_FIELD_MAPPINGS, { connectionId }, call);
      const { contactFieldMappings = [], mappingProblems = [] }: Partial<ContactFieldMappings> =
        found;
      return { contactFieldMappings, mappingProblems };
    },
    setContactFieldMappings: createMutation(SET_CONTACT_FIELD_MAPPINGS),
    providerFields: async ({ connectionId, refresh = false }, call) => {
      const found = await execute(PROVIDER_FIELDS, { connectionId, refresh }, call);
      return ('contactFields' in found && found.contactFields) || [];
    },
    createConnectLink: createMutation(CREATE_CONNECT_LINK),
    confirmConnectLink: createMutation(CONFIRM_CONNECT_LINK),
    cancelConnectLink: createMutation(CANCEL_CONNECT_LINK),
    connectLink: (id, call) => execute(CONNECT_LINK, { id }, call),
    events: (page = {}, call) => execute(EVENTS, page, call),
    webhookEndpoints: (call) => execute(WEBHOOK_ENDPOINTS, {}, call),
    createWebhookEndpoint: createMutation(CREATE_WEBHOOK_ENDPOINT),
    updateWebhookEndpoint: createMutation(UPDATE_WEBHOOK_ENDPOINT),
    rotateWebhookSecret: createMutation(ROTATE_WEBHOOK_SECRET),
    deleteWebhookEndpoint: createMutation(DELETE_WEBHOOK_ENDPOINT),
    redeliverEvents: createMutation(REDELIVER_EVENTS),
  };

  function createMutation<Data extends object, Input>(
    document: Document<Data, { readonly input: Input }>,
  ) {
    return (input: Input, call?: CallOptions) => execute(document, { input }, call);
  }

  function searchContacts(
    { associations = [], customFields = false, ...search }: ContactSearch,
    call?: CallOptions,
  ) {
    const variables = {
      ...search,
      associations,
      includeAssociations: associations.length > 0,
      includeCustomFields: customFields !== false,
      ...(typeof customFields === 'object' && { customFields }),
    };
    return execute(SEARCH_CONTACTS, variables, call);
  }

  /** Requests a page only after the previous one was consumed. */
  async function* searchAll(
    search: WholeSearch,
    call?: CallOptions,
  ): AsyncGenerator<ContactPage, void> {
    let after = search.after;
    for (;;) {
      const page = await searchContacts({ ...search, after }, call);
      yield page;
      if (!page.pageInfo.hasNextPage || page.pageInfo.endCursor === null) return;
      after = page.pageInfo.endCursor;
    }
  }

  /** Executes one operation in one request: resolves with its single field, or throws the first error. */
  async function execute<Data extends object, Variables>(
    document: Document<Data, Variables>,
    variables: Variables,
    { signal }: CallOptions = {},
  ): Promise<FieldOf<Data>> {
    const response = await send({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json;q=0.9',
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...(token !== undefined && {
          authorization: `Bearer ${typeof token === 'function' ? await token() : token}`,
        }),
      },
      body: JSON.stringify({ query: document, variables }),
      ...(signal && { signal }),
    });
    return only((await readData(response)) as Data);
  }

  async function send(init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      // Node's `fetch failed` says nothing: its cause does or, of several addresses, only the code of it.
      const { cause: reason = cause as FailedFetch } = cause as FailedFetch;
      const detail = `No answer from ${url}: ${reason.message || reason.code || reason}`;
      throw new CrossbookError({ ...NO_ANSWER, detail }, { cause });
    }
  }
}

/** Returns the single field of an operation. Null comes with an error, which was thrown already. */
function only<Answer extends object>(answer: Answer): FieldOf<Answer> {
  const [value] = Object.values(answer) as Answer[keyof Answer][];
  if (value !== undefined && value !== null) return value;
  throw new CrossbookError({
    code: 'BAD_ANSWER',
    status: 200,
    detail: 'What was asked for is null, and nothing says why.',
    retryable: false,
  });
}

async function readData(response: Response): Promise<object> {
  const { data, errors } = await readBody(response);
  const [error] = errors ?? [];
  const failure = toClientError(error, response.status);
  if (failure) throw new CrossbookError(failure);
  if (data) return data;
  throw notGraphQL(response);
}

async function readBody(response: Response): Promise<GraphQLBody> {
  const text = await response.text();
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw notGraphQL(response);
  }
}

/** The error for responses that are not GraphQL, such as those of a proxy or login page. */
function notGraphQL({ status, headers, url }: Response): CrossbookError {
  const type = headers.get('content-type') ?? 'no content type';
  return new CrossbookError({
    code: 'BAD_ANSWER',
    status,
    detail: `What came back from ${url} has status ${status} and is ${type}, not GraphQL: the URL ends in /graphql.`,
    retryable: RETRYABLE.includes(status),
  });
}

const NO_ANSWER = { code: 'NO_ANSWER', status: undefined, retryable: true } as const;
const RETRYABLE: readonly number[] = [429, 502, 503, 504];

/** A document's text, with phantom types of its variables and data. */
export type Document<Data, Variables> = string & {
  readonly types?: (variables: Variables) => Data;
};

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** An API key on a server, or a customer token in a frontend. */
export type ClientOptions = Endpoint &
  (
    | { readonly apiKey: string; readonly token?: never }
    | { readonly token: Token; readonly apiKey?: never }
  );

/** A function is called before each request, so that it can refresh an expiring token. */
type Token = string | (() => string | Promise<string>);

interface Endpoint {
  /** The GraphQL endpoint: `https://crossbook.example.com/graphql`. */
  readonly url: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

interface FailedFetch {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: FailedFetch;
}

interface GraphQLBody {
  readonly data?: object;
  readonly errors?: readonly unknown[];
}

/** The type of an operation's single field. */
export type FieldOf<Data extends object> = NonNullable<Data[keyof Data]>;
