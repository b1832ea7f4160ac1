import type { FieldOf } from './create-client.ts';
import type { CallOptions, Query } from './create-query.ts';
import type {
  AssociatedObject,
  BrandingQuery,
  CancelConnectLinkInput,
  CancelConnectLinkMutation,
  ConfirmConnectLinkInput,
  ConfirmConnectLinkMutation,
  ConnectLinkQuery,
  CreateCompaniesInput,
  CreateCompaniesMutation,
  CreateConnectLinkInput,
  CreateConnectLinkMutation,
  CreateContactsInput,
  CreateContactsMutation,
  CreateDealsInput,
  CreateDealsMutation,
  CreateMappingLinkInput,
  CreateMappingLinkMutation,
  CreateWebhookEndpointInput,
  CreateWebhookEndpointMutation,
  CustomerQuery,
  CustomersQuery,
  CustomersQueryVariables,
  CustomFieldDefinitionsQuery,
  CustomFieldMappingsQuery,
  DeleteCustomerInput,
  DeleteCustomerMutation,
  DeleteOAuthClientInput,
  DeleteOAuthClientMutation,
  DeleteSyncDestinationMutation,
  DeleteWebhookEndpointInput,
  DeleteWebhookEndpointMutation,
  DisconnectProviderInput,
  DisconnectProviderMutation,
  EventsQuery,
  EventsQueryVariables,
  IssueCustomerTokenInput,
  IssueCustomerTokenMutation,
  LinkRecordsInput,
  LinkRecordsMutation,
  OwnersQuery,
  OwnersQueryVariables,
  PauseSyncInput,
  PipelinesQuery,
  PipelinesQueryVariables,
  ProviderFieldsQuery,
  ProvidersQuery,
  RedeliverEventsInput,
  RedeliverEventsMutation,
  ResumeSyncInput,
  RotateWebhookSecretInput,
  RotateWebhookSecretMutation,
  SearchCompaniesQuery,
  SearchCompaniesQueryVariables,
  SearchContactsQuery,
  SearchContactsQueryVariables,
  SearchDealsQuery,
  SearchDealsQueryVariables,
  SetCustomFieldDefinitionsInput,
  SetCustomFieldDefinitionsMutation,
  SetCustomFieldMappingsInput,
  SetCustomFieldMappingsMutation,
  SetOAuthClientInput,
  SetOAuthClientMutation,
  SetSyncConfigurationInput,
  SetSyncConfigurationMutation,
  SetSyncDestinationInput,
  SetSyncDestinationMutation,
  StartSyncInput,
  StartSyncMutation,
  SyncConfigurationsQuery,
  SyncDestinationQuery,
  SyncsQuery,
  UnlinkRecordsInput,
  UnlinkRecordsMutation,
  UpdateBrandingInput,
  UpdateBrandingMutation,
  UpdateCompaniesInput,
  UpdateCompaniesMutation,
  UpdateContactsInput,
  UpdateContactsMutation,
  UpdateDealsInput,
  UpdateDealsMutation,
  UpdateWebhookEndpointInput,
  UpdateWebhookEndpointMutation,
  UpsertCompaniesInput,
  UpsertCompaniesMutation,
  UpsertContactsInput,
  UpsertContactsMutation,
  UpsertCustomerInput,
  UpsertCustomerMutation,
  WebhookEndpointsQuery,
  WritableFieldsQuery,
  WritableFieldsQueryVariables,
  WriteQuery,
  WritesQuery,
  WritesQueryVariables,
} from './operations.generated.ts';

/**
 * All operations as methods. A customer token allows `query`, `providers`, the searches, `customer`, `connectLink`,
 * `customFieldMappings`, `providerFields`, `writableFields`, `write` and, if it was issued with `canWrite`, the methods
 * that write records; all others require an API key.
 */
export interface Client {
  /** Executes a GraphQL operation of your own: `client.query<Data>('{ … }')`. */
  readonly query: Query;

  /** Returns all providers with what Crossbook can do with each. */
  providers(call?: CallOptions): Promise<readonly Provider[]>;

  /**
   * Returns a page of a customer's contacts in one CRM. Give the type of your custom fields, where you request them:
   * `client.searchContacts<{ jobTitle: string | null }>({ …, customFields: true })`.
   */
  searchContacts<CustomFields = unknown>(
    search: ContactSearch,
    call?: CallOptions,
  ): Promise<ContactPage<CustomFields>>;
  /** Iterates over all pages: `for await (const page of client.searchAll(…))`. */
  searchAll<CustomFields = unknown>(
    search: WholeSearch,
    call?: CallOptions,
  ): AsyncGenerator<ContactPage<CustomFields>, void>;

  /** Returns a page of a customer's companies in one CRM. */
  searchCompanies(search: SearchCompaniesQueryVariables, call?: CallOptions): Promise<CompanyPage>;
  /** Returns a page of a customer's deals in one CRM. */
  searchDeals(search: SearchDealsQueryVariables, call?: CallOptions): Promise<DealPage>;
  /** Returns the pipelines of deals in a customer's CRM, with their stages in order. */
  pipelines(target: PipelinesQueryVariables, call?: CallOptions): Promise<readonly Pipeline[]>;
  /** Returns the users of a customer's CRM to whom records can belong. */
  owners(target: OwnersQueryVariables, call?: CallOptions): Promise<readonly Owner[]>;

  /**
   * Creates contacts in a customer's CRM, or changes those that have the email address. Like the other methods that
   * write, it resolves with a result for each record, and rejects only if nothing was sent.
   */
  readonly upsertContacts: ContactWriter<UpsertContactsInput, UpsertedContacts>;
  /** Creates contacts in a customer's CRM. */
  readonly createContacts: ContactWriter<CreateContactsInput, CreatedContacts>;
  /** Changes contacts by their ids in the CRM. */
  readonly updateContacts: ContactWriter<UpdateContactsInput, UpdatedContacts>;
  /** Creates companies, or changes those that have the value of a custom field whose values are unique. */
  readonly upsertCompanies: CompanyWriter<UpsertCompaniesInput, UpsertedCompanies>;
  /** Creates companies in a customer's CRM. */
  readonly createCompanies: CompanyWriter<CreateCompaniesInput, CreatedCompanies>;
  /** Changes companies by their ids in the CRM. */
  readonly updateCompanies: CompanyWriter<UpdateCompaniesInput, UpdatedCompanies>;
  /** Creates deals in a customer's CRM. `pipelines` has the stages that they can be in. */
  readonly createDeals: DealWriter<CreateDealsInput, CreatedDeals>;
  /** Changes deals by their ids in the CRM. */
  readonly updateDeals: DealWriter<UpdateDealsInput, UpdatedDeals>;
  /** Links contacts, companies and deals with each other. A link that exists is left as it is. */
  readonly linkRecords: Mutation<LinkRecordsInput, LinkedRecords>;
  /** Removes links between records. */
  readonly unlinkRecords: Mutation<UnlinkRecordsInput, UnlinkedRecords>;
  /** Returns a write of the last 90 days by its id, such as one with an outcome that was unknown. */
  write(id: string, call?: CallOptions): Promise<WriteRecord>;
  /** Returns a page of the writes to a customer's CRMs, the newest first. */
  writes(page: WritesQueryVariables, call?: CallOptions): Promise<WritePage>;
  /** Returns the fields of the CRM that `rawFields` of a write can name, and what they take. */
  writableFields(
    variables: WritableFieldsQueryVariables,
    call?: CallOptions,
  ): Promise<readonly WritableField[]>;

  /** Returns a customer with its connections, by your own id. */
  customer(customerId: string, call?: CallOptions): Promise<Customer>;
  /** Returns a page of your customers, e.g. those with a connection in one status. */
  customers(page?: CustomersQueryVariables, call?: CallOptions): Promise<CustomerPage>;
  /** Iterates over all pages of your customers. */
  allCustomers(page?: AllCustomers, call?: CallOptions): AsyncGenerator<CustomerPage, void>;
  /** Upserts a customer and its connections in one transaction. */
  readonly upsertCustomer: Mutation<UpsertCustomerInput, UpsertedCustomer>;
  /** Removes a customer with its connections, credentials and cached contacts. It takes two to three seconds. */
  readonly deleteCustomer: Mutation<DeleteCustomerInput, DeletedCustomer>;
  /**
   * Removes a connection, and returns the result of revoking the grant at the provider. It takes two to three
   * seconds.
   */
  readonly disconnectProvider: Mutation<DisconnectProviderInput, DisconnectedProvider>;
  /** Issues a short-lived token for the frontend of one customer. */
  readonly issueCustomerToken: Mutation<IssueCustomerTokenInput, CustomerToken>;
  /** Sets the OAuth client (app) with which your customers connect a provider. */
  readonly setOAuthClient: Mutation<SetOAuthClientInput, StoredOAuthClient>;
  readonly deleteOAuthClient: Mutation<DeleteOAuthClientInput, DeletedOAuthClient>;

  /** Returns your custom fields of contacts. */
  customFieldDefinitions(call?: CallOptions): Promise<CustomFieldDefinitions>;
  /** Replaces your custom fields. */
  readonly setCustomFieldDefinitions: Mutation<
    SetCustomFieldDefinitionsInput,
    ChangedCustomFieldDefinitions
  >;
  /** Returns the mappings of a connection, by its id, and those of them that cannot be used. */
  customFieldMappings(connectionId: string, call?: CallOptions): Promise<CustomFieldMappings>;
  /** Replaces the mappings of a connection. */
  readonly setCustomFieldMappings: Mutation<
    SetCustomFieldMappingsInput,
    ChangedCustomFieldMappings
  >;
  /** Returns the fields that contacts have in the CRM, which are read from it once a day, or now with `refresh`. */
  providerFields(
    variables: { readonly connectionId: string; readonly refresh?: boolean },
    call?: CallOptions,
  ): Promise<readonly ProviderField[]>;

  /** Returns the database that your syncs write to, or null. */
  syncDestination(call?: CallOptions): Promise<SyncDestination | null>;
  /** Sets the database that your syncs write to, after a test of it. */
  readonly setSyncDestination: Mutation<SetSyncDestinationInput, ChangedSyncDestination>;
  /** Deletes the destination: all syncs are paused, and the tables stay as they are. */
  deleteSyncDestination(call?: CallOptions): Promise<DeletedSyncDestination>;
  /** Returns what is synced of each provider. */
  syncConfigurations(call?: CallOptions): Promise<readonly SyncConfiguration[]>;
  /** Sets what is synced of one provider. */
  readonly setSyncConfiguration: Mutation<SetSyncConfigurationInput, ChangedSyncConfiguration>;
  /** Returns the syncs of a connection, by its id. */
  syncs(connectionId: string, call?: CallOptions): Promise<readonly Sync[]>;
  /** Starts the next run of a connection's syncs now. */
  readonly startSync: Mutation<StartSyncInput, ChangedSyncs>;
  readonly pauseSync: Mutation<PauseSyncInput, ChangedSyncs>;
  readonly resumeSync: Mutation<ResumeSyncInput, ChangedSyncs>;

  /** Creates a link with which one customer connects a CRM. */
  readonly createConnectLink: Mutation<CreateConnectLinkInput, CreatedConnectLink>;
  /** Creates a link with which one customer maps the fields of a connected CRM. */
  readonly createMappingLink: Mutation<CreateMappingLinkInput, CreatedMappingLink>;
  /** Redeems the one-time code of a link; call it in the session of the person who requested the link. */
  readonly confirmConnectLink: Mutation<ConfirmConnectLinkInput, ConfirmedConnectLink>;
  /** Cancels a link, which can no longer be used. */
  readonly cancelConnectLink: Mutation<CancelConnectLinkInput, CanceledConnectLink>;
  /** Returns a link with its status. */
  connectLink(id: string, call?: CallOptions): Promise<ConnectLink>;
  /** Returns what your customers see of your application on the pages of links. */
  branding(call?: CallOptions): Promise<Branding>;
  /** Changes it. Absent fields are unchanged, and null clears a field. */
  readonly updateBranding: Mutation<UpdateBrandingInput, UpdatedBranding>;

  /** Returns the events of the last 30 days, the newest first. */
  events(page?: EventsQueryVariables, call?: CallOptions): Promise<EventPage>;
  /** Iterates over all pages of the events. */
  allEvents(page?: EventsQueryVariables, call?: CallOptions): AsyncGenerator<EventPage, void>;
  webhookEndpoints(call?: CallOptions): Promise<readonly WebhookEndpoint[]>;
  /** Returns its `secret`, for `verifyWebhook`, only once. */
  readonly createWebhookEndpoint: Mutation<CreateWebhookEndpointInput, CreatedWebhookEndpoint>;
  readonly updateWebhookEndpoint: Mutation<UpdateWebhookEndpointInput, UpdatedWebhookEndpoint>;
  /** Creates a new secret; the previous one also signs for 24 hours. */
  readonly rotateWebhookSecret: Mutation<RotateWebhookSecretInput, RotatedWebhookSecret>;
  readonly deleteWebhookEndpoint: Mutation<DeleteWebhookEndpointInput, DeletedWebhookEndpoint>;
  /** Redelivers events, such as those missed while an endpoint was disabled. */
  readonly redeliverEvents: Mutation<RedeliverEventsInput, RedeliveredEvents>;
}

type Mutation<Input, Result> = (input: Input, call?: CallOptions) => Promise<Result>;

/**
 * Without an `idempotencyKey` each call gets a random one, so that the client may repeat the request. Pass one of your
 * own to repeat the whole call later, or null for none.
 */
type Writer<Input, Result> = (input: Input, call?: CallOptions) => Promise<Result>;

type ContactWriter<Input, Result> = Writer<
  Input & {
    /** Whether to read each contact again, as `contact` of its result. Default: false. */
    readonly includeContact?: boolean;
  },
  Result
>;

type CompanyWriter<Input, Result> = Writer<
  Input & {
    /** Whether to read each company again, as `company` of its result. Default: false. */
    readonly includeCompany?: boolean;
  },
  Result
>;

type DealWriter<Input, Result> = Writer<
  Input & {
    /** Whether to read each deal again, as `deal` of its result. Default: false. */
    readonly includeDeal?: boolean;
  },
  Result
>;

/** `provider` and the customer are required; with a token the customer is the token's. */
export interface ContactSearch
  extends Omit<
    SearchContactsQueryVariables,
    'includeAssociations' | 'associations' | 'includeCustomFields' | 'customFields'
  > {
  /** The associated objects to include. */
  readonly associations?: readonly AssociatedObject[];
  /** Whether to include all of your custom fields, or these of them. */
  readonly customFields?: boolean | readonly string[];
}

export type WholeSearch = Omit<ContactSearch, 'last' | 'before'>;
export type AllCustomers = Omit<CustomersQueryVariables, 'last' | 'before'>;

export type Provider = FieldOf<ProvidersQuery>[number];

type FoundPage = FieldOf<SearchContactsQuery>;
export interface ContactPage<CustomFields = unknown> extends Omit<FoundPage, 'nodes'> {
  readonly nodes: readonly Contact<CustomFields>[];
}
export interface Contact<CustomFields = unknown>
  extends Omit<FoundPage['nodes'][number], 'customFields'> {
  /** Absent unless the search has `customFields`. */
  readonly customFields?: CustomFields;
}
export type CompanyPage = FieldOf<SearchCompaniesQuery>;
export type DealPage = FieldOf<SearchDealsQuery>;
export type Pipeline = FieldOf<PipelinesQuery>[number];
export type Owner = FieldOf<OwnersQuery>[number];
export type UpsertedContacts = FieldOf<UpsertContactsMutation>;
export type CreatedContacts = FieldOf<CreateContactsMutation>;
export type UpdatedContacts = FieldOf<UpdateContactsMutation>;
export type UpsertedCompanies = FieldOf<UpsertCompaniesMutation>;
export type CreatedCompanies = FieldOf<CreateCompaniesMutation>;
export type UpdatedCompanies = FieldOf<UpdateCompaniesMutation>;
export type CreatedDeals = FieldOf<CreateDealsMutation>;
export type UpdatedDeals = FieldOf<UpdateDealsMutation>;
export type LinkedRecords = FieldOf<LinkRecordsMutation>;
export type UnlinkedRecords = FieldOf<UnlinkRecordsMutation>;
export type WriteRecord = FieldOf<WriteQuery>;
export type WritePage = FieldOf<WritesQuery>;
export type WritableField = NonNullable<
  Extract<FieldOf<WritableFieldsQuery>, { readonly writableFields: unknown }>['writableFields']
>[number];
export type Customer = FieldOf<CustomerQuery>;
export type CustomerPage = FieldOf<CustomersQuery>;
export type UpsertedCustomer = FieldOf<UpsertCustomerMutation>;
export type DeletedCustomer = FieldOf<DeleteCustomerMutation>;
export type DisconnectedProvider = FieldOf<DisconnectProviderMutation>;
export type CustomFieldDefinitions = FieldOf<CustomFieldDefinitionsQuery>;
export type ChangedCustomFieldDefinitions = FieldOf<SetCustomFieldDefinitionsMutation>;
export type CustomFieldMappings = Extract<
  FieldOf<CustomFieldMappingsQuery>,
  { readonly mappingProblems: unknown }
>;
export type ChangedCustomFieldMappings = FieldOf<SetCustomFieldMappingsMutation>;
export type ProviderField = NonNullable<
  Extract<FieldOf<ProviderFieldsQuery>, { readonly providerFields: unknown }>['providerFields']
>[number];
export type SyncDestination = FieldOf<SyncDestinationQuery>;
export type ChangedSyncDestination = FieldOf<SetSyncDestinationMutation>;
export type DeletedSyncDestination = FieldOf<DeleteSyncDestinationMutation>;
export type SyncConfiguration = FieldOf<SyncConfigurationsQuery>[number];
export type ChangedSyncConfiguration = FieldOf<SetSyncConfigurationMutation>;
export type Sync = Extract<FieldOf<SyncsQuery>, { readonly syncs: unknown }>['syncs'][number];
export type ChangedSyncs = FieldOf<StartSyncMutation>;
export type StoredOAuthClient = FieldOf<SetOAuthClientMutation>;
export type DeletedOAuthClient = FieldOf<DeleteOAuthClientMutation>;
export type CustomerToken = FieldOf<IssueCustomerTokenMutation>;
export type CreatedConnectLink = FieldOf<CreateConnectLinkMutation>;
export type CreatedMappingLink = FieldOf<CreateMappingLinkMutation>;
export type ConfirmedConnectLink = FieldOf<ConfirmConnectLinkMutation>;
export type CanceledConnectLink = FieldOf<CancelConnectLinkMutation>;
export type ConnectLink = FieldOf<ConnectLinkQuery>;
export type Branding = FieldOf<BrandingQuery>;
export type UpdatedBranding = FieldOf<UpdateBrandingMutation>;
export type EventPage = FieldOf<EventsQuery>;
export type WebhookEndpoint = FieldOf<WebhookEndpointsQuery>[number];
export type CreatedWebhookEndpoint = FieldOf<CreateWebhookEndpointMutation>;
export type UpdatedWebhookEndpoint = FieldOf<UpdateWebhookEndpointMutation>;
export type RotatedWebhookSecret = FieldOf<RotateWebhookSecretMutation>;
export type DeletedWebhookEndpoint = FieldOf<DeleteWebhookEndpointMutation>;
export type RedeliveredEvents = FieldOf<RedeliverEventsMutation>;
