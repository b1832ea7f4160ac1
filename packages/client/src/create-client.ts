import type {
  Client,
  ContactPage,
  ContactSearch,
  CustomFieldMappings,
  WholeSearch,
} from './client.ts';
import {
  type CallOptions,
  type ClientOptions,
  createQuery,
  type Document,
} from './create-query.ts';
import { CrossbookError } from './crossbook-error.ts';
import {
  BRANDING,
  CANCEL_CONNECT_LINK,
  CONFIRM_CONNECT_LINK,
  CONNECT_LINK,
  CREATE_COMPANIES,
  CREATE_CONNECT_LINK,
  CREATE_CONTACTS,
  CREATE_DEALS,
  CREATE_MAPPING_LINK,
  CREATE_WEBHOOK_ENDPOINT,
  CUSTOM_FIELD_DEFINITIONS,
  CUSTOM_FIELD_MAPPINGS,
  CUSTOMER,
  CUSTOMERS,
  DELETE_CUSTOMER,
  DELETE_OAUTH_CLIENT,
  DELETE_SYNC_DESTINATION,
  DELETE_WEBHOOK_ENDPOINT,
  DISCONNECT_PROVIDER,
  EVENTS,
  ISSUE_CUSTOMER_TOKEN,
  LINK_RECORDS,
  OWNERS,
  PAUSE_SYNC,
  PIPELINES,
  PROVIDER_FIELDS,
  PROVIDERS,
  REDELIVER_EVENTS,
  RESUME_SYNC,
  ROTATE_WEBHOOK_SECRET,
  SEARCH_COMPANIES,
  SEARCH_CONTACTS,
  SEARCH_DEALS,
  SET_CUSTOM_FIELD_DEFINITIONS,
  SET_CUSTOM_FIELD_MAPPINGS,
  SET_OAUTH_CLIENT,
  SET_SYNC_CONFIGURATION,
  SET_SYNC_DESTINATION,
  START_SYNC,
  SYNC_CONFIGURATIONS,
  SYNC_DESTINATION,
  SYNCS,
  UNLINK_RECORDS,
  UPDATE_BRANDING,
  UPDATE_COMPANIES,
  UPDATE_CONTACTS,
  UPDATE_DEALS,
  UPDATE_WEBHOOK_ENDPOINT,
  UPSERT_COMPANIES,
  UPSERT_CONTACTS,
  UPSERT_CUSTOMER,
  WEBHOOK_ENDPOINTS,
  WRITABLE_FIELDS,
  WRITE,
  WRITES,
} from './operations.generated.ts';

/** Creates a typed client of Crossbook. All errors are thrown as a `CrossbookError`. */
export function createClient(options: ClientOptions): Client {
  const query = createQuery(options);
  const customers: Client['customers'] = (page = {}, call) => execute(CUSTOMERS, page, call);
  const events: Client['events'] = (page = {}, call) => execute(EVENTS, page, call);
  return {
    query,
    providers: (call) => execute(PROVIDERS, {}, call),
    searchContacts,
    searchAll: <CustomFields>(search: WholeSearch, call?: CallOptions) =>
      readPages((after) => searchContacts<CustomFields>({ ...search, after }, call), search.after),
    searchCompanies: (search, call) => execute(SEARCH_COMPANIES, search, call),
    searchDeals: (search, call) => execute(SEARCH_DEALS, search, call),
    pipelines: (target, call) => execute(PIPELINES, target, call),
    owners: (target, call) => execute(OWNERS, target, call),
    upsertContacts: createWriter('includeContact', UPSERT_CONTACTS),
    createContacts: createWriter('includeContact', CREATE_CONTACTS),
    updateContacts: createWriter('includeContact', UPDATE_CONTACTS),
    upsertCompanies: createWriter('includeCompany', UPSERT_COMPANIES),
    createCompanies: createWriter('includeCompany', CREATE_COMPANIES),
    updateCompanies: createWriter('includeCompany', UPDATE_COMPANIES),
    createDeals: createWriter('includeDeal', CREATE_DEALS),
    updateDeals: createWriter('includeDeal', UPDATE_DEALS),
    linkRecords: createLinkWriter(LINK_RECORDS),
    unlinkRecords: createLinkWriter(UNLINK_RECORDS),
    write: (id, call) => execute(WRITE, { id }, call),
    writes: (page, call) => execute(WRITES, page, call),
    writableFields: async (variables, call) => {
      const found = await execute(WRITABLE_FIELDS, variables, call);
      return ('writableFields' in found && found.writableFields) || [];
    },
    customer: (customerId, call) => execute(CUSTOMER, { customerId }, call),
    customers,
    allCustomers: (page = {}, call) =>
      readPages((after) => customers({ ...page, after }, call), page.after),
    upsertCustomer: createMutation(UPSERT_CUSTOMER),
    deleteCustomer: createMutation(DELETE_CUSTOMER),
    disconnectProvider: createMutation(DISCONNECT_PROVIDER),
    issueCustomerToken: createMutation(ISSUE_CUSTOMER_TOKEN),
    setOAuthClient: createMutation(SET_OAUTH_CLIENT),
    deleteOAuthClient: createMutation(DELETE_OAUTH_CLIENT),
    customFieldDefinitions: (call) => execute(CUSTOM_FIELD_DEFINITIONS, {}, call),
    setCustomFieldDefinitions: createMutation(SET_CUSTOM_FIELD_DEFINITIONS),
    customFieldMappings: async (connectionId, call) => {
      const found = await execute(CUSTOM_FIELD_MAPPINGS, { connectionId }, call);
      const { customFieldMappings = [], mappingProblems = [] }: Partial<CustomFieldMappings> =
        found;
      return { customFieldMappings, mappingProblems };
    },
    setCustomFieldMappings: createMutation(SET_CUSTOM_FIELD_MAPPINGS),
    providerFields: async ({ connectionId, refresh = false }, call) => {
      const found = await execute(PROVIDER_FIELDS, { connectionId, refresh }, call);
      return ('providerFields' in found && found.providerFields) || [];
    },
    // Null is a value of this one.
    syncDestination: async (call) => (await query(SYNC_DESTINATION, {}, call)).syncDestination,
    setSyncDestination: createMutation(SET_SYNC_DESTINATION),
    deleteSyncDestination: (call) => execute(DELETE_SYNC_DESTINATION, { input: {} }, call),
    syncConfigurations: (call) => execute(SYNC_CONFIGURATIONS, {}, call),
    setSyncConfiguration: createMutation(SET_SYNC_CONFIGURATION),
    syncs: async (connectionId, call) => {
      const found = await execute(SYNCS, { connectionId }, call);
      return ('syncs' in found && found.syncs) || [];
    },
    startSync: createMutation(START_SYNC),
    pauseSync: createMutation(PAUSE_SYNC),
    resumeSync: createMutation(RESUME_SYNC),
    createConnectLink: createMutation(CREATE_CONNECT_LINK),
    createMappingLink: createMutation(CREATE_MAPPING_LINK),
    confirmConnectLink: createMutation(CONFIRM_CONNECT_LINK),
    cancelConnectLink: createMutation(CANCEL_CONNECT_LINK),
    connectLink: (id, call) => execute(CONNECT_LINK, { id }, call),
    events,
    allEvents: (page = {}, call) =>
      readPages((after) => events({ ...page, after }, call), page.after),
    branding: (call) => execute(BRANDING, {}, call),
    updateBranding: createMutation(UPDATE_BRANDING),
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

  function createWriter<Flag extends string, Data extends object, Input extends Keyed>(
    flag: Flag,
    document: Document<Data, { readonly input: Input } & Flagged<Flag>>,
  ) {
    return (input: Input & Flagged<Flag>, call?: CallOptions) => {
      const { [flag as string]: isIncluded = false, ...others } = input as Keyed & Flagged<string>;
      const keyed = withKey(others);
      const variables = { input: keyed, [flag]: isIncluded } as unknown as {
        readonly input: Input;
      } & Flagged<Flag>;
      return execute(document, variables, { isIdempotent: hasKey(keyed), ...call });
    };
  }

  function createLinkWriter<Data extends object, Input extends Keyed>(
    document: Document<Data, { readonly input: Input }>,
  ) {
    return (input: Input, call?: CallOptions) => {
      const keyed = withKey(input);
      return execute(document, { input: keyed }, { isIdempotent: hasKey(keyed), ...call });
    };
  }

  async function searchContacts<CustomFields>(
    { associations = [], customFields = false, includeRawData = false, ...search }: ContactSearch,
    call?: CallOptions,
  ): Promise<ContactPage<CustomFields>> {
    const variables = {
      ...search,
      associations,
      includeRawData: includeRawData || search.rawFields !== undefined,
      includeAssociations: associations.length > 0,
      includeCustomFields: customFields !== false,
      ...(typeof customFields === 'object' && { customFields }),
    };
    const page = await execute(SEARCH_CONTACTS, variables, call);
    return page as ContactPage<CustomFields>;
  }

  /** Executes one operation: resolves with its single field, or throws the first error. */
  async function execute<Data extends object, Variables>(
    document: Document<Data, Variables>,
    variables: NoInfer<Variables>,
    call?: CallOptions,
  ): Promise<FieldOf<Data>> {
    return only((await query(document, variables, call)) as Data);
  }
}

/** The input with a random idempotency key, unless it has one or null. */
function withKey<Input extends Keyed>(input: Input) {
  return { idempotencyKey: createKey(), ...input };
}

function hasKey({ idempotencyKey }: Keyed): boolean {
  return idempotencyKey !== null;
}

/** `crypto.randomUUID` does not exist in pages without TLS. */
function createKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Requests a page only after the previous one was consumed. */
async function* readPages<Page extends { readonly pageInfo: PageInfo }>(
  read: (after: string | null | undefined) => Promise<Page>,
  first: string | null | undefined,
): AsyncGenerator<Page, void> {
  for (let after = first; ; ) {
    const page = await read(after);
    yield page;
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage || endCursor === null) return;
    after = endCursor;
  }
}

/** Returns the single field of an operation. Null comes with an error, which was thrown already. */
function only<Answer extends object>(answer: Answer): FieldOf<Answer> {
  const [value] = Object.values(answer) as Answer[keyof Answer][];
  if (value !== undefined && value !== null) return value;
  throw new CrossbookError({
    code: 'BAD_ANSWER',
    status: 200,
    detail: 'The requested field is null, and the response has no error that explains it.',
    retryable: false,
  });
}

/** Whether to read each record again. */
type Flagged<Flag extends string> = { readonly [One in Flag]?: boolean };

interface Keyed {
  readonly idempotencyKey?: string | null | undefined;
}

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

/** The type of an operation's single field. */
export type FieldOf<Data extends object> = NonNullable<Data[keyof Data]>;
