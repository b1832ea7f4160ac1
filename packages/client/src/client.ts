import type { CallOptions, FieldOf } from './create-client.ts';
import type {
  AssociatedObject,
  CancelConnectLinkInput,
  CancelConnectLinkMutation,
  ConfirmConnectLinkInput,
  ConfirmConnectLinkMutation,
  ConnectLinkQuery,
  ContactFieldMappingsQuery,
  ContactFieldsQuery,
  CreateConnectLinkInput,
  CreateConnectLinkMutation,
  CreateWebhookEndpointInput,
  CreateWebhookEndpointMutation,
  CustomerQuery,
  CustomersQuery,
  CustomersQueryVariables,
  DeleteCustomerInput,
  DeleteCustomerMutation,
  DeleteWebhookEndpointInput,
  DeleteWebhookEndpointMutation,
  DisconnectProviderInput,
  DisconnectProviderMutation,
  EventsQuery,
  EventsQueryVariables,
  IssueCustomerTokenInput,
  IssueCustomerTokenMutation,
  ProviderFieldsQuery,
  RedeliverEventsInput,
  RedeliverEventsMutation,
  RotateWebhookSecretInput,
  RotateWebhookSecretMutation,
  SearchContactsQuery,
  SearchContactsQueryVariables,
  SetContactFieldMappingsInput,
  SetContactFieldMappingsMutation,
  SetContactFieldsInput,
  SetContactFieldsMutation,
  UpdateWebhookEndpointInput,
  UpdateWebhookEndpointMutation,
  UpsertCustomerInput,
  UpsertCustomerMutation,
  WebhookEndpointsQuery,
} from './operations.generated.ts';

/**
 * All operations as methods. A customer token allows the searches, `customer`, `connectLink`, `contactFieldMappings` and
 * `providerFields`; all others require an API key.
 */
export interface Client {
  /** Returns a page of a customer's contacts in one CRM. */
  searchContacts(search: ContactSearch, call?: CallOptions): Promise<ContactPage>;
  /** Iterates over all pages: `for await (const page of client.searchAll(…))`. */
  searchAll(search: WholeSearch, call?: CallOptions): AsyncGenerator<ContactPage, void>;

  /** Returns a customer with its connections, by your own id. */
  customer(customerId: string, call?: CallOptions): Promise<Customer>;
  /** Returns a page of your customers, e.g. those with a connection in one status. */
  customers(page?: CustomersQueryVariables, call?: CallOptions): Promise<CustomerPage>;
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

  /** Returns your own fields of contacts. */
  contactFields(call?: CallOptions): Promise<ContactFields>;
  /** Replaces your own fields. */
  readonly setContactFields: Mutation<SetContactFieldsInput, ChangedContactFields>;
  /** Returns the mappings of a connection, by its id, and those of them that cannot be used. */
  contactFieldMappings(connectionId: string, call?: CallOptions): Promise<ContactFieldMappings>;
  /** Replaces the mappings of a connection. */
  readonly setContactFieldMappings: Mutation<
    SetContactFieldMappingsInput,
    ChangedContactFieldMappings
  >;
  /** Returns the fields that contacts have in the CRM, which are read from it once a day, or now with `refresh`. */
  providerFields(
    wanted: { readonly connectionId: string; readonly refresh?: boolean },
    call?: CallOptions,
  ): Promise<readonly ProviderField[]>;

  /** Creates a link with which one customer connects a CRM. */
  readonly createConnectLink: Mutation<CreateConnectLinkInput, CreatedConnectLink>;
  /** Redeems the one-time code of a link; call it in the session of the person who requested the link. */
  readonly confirmConnectLink: Mutation<ConfirmConnectLinkInput, ConfirmedConnectLink>;
  /** Cancels a link, which can no longer be used. */
  readonly cancelConnectLink: Mutation<CancelConnectLinkInput, CanceledConnectLink>;
  /** Returns a link with its status. */
  connectLink(id: string, call?: CallOptions): Promise<ConnectLink>;

  /** Returns the events of the last 30 days, the newest first. */
  events(page?: EventsQueryVariables, call?: CallOptions): Promise<EventPage>;
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

/** `provider` and the customer are required; with a token the customer is the token's. */
export interface ContactSearch
  extends Omit<
    SearchContactsQueryVariables,
    'includeAssociations' | 'associations' | 'includeCustomFields' | 'customFields'
  > {
  /** The associated objects to include. */
  readonly associations?: readonly AssociatedObject[];
  /** Whether to include all of your own fields, or these of them. */
  readonly customFields?: boolean | readonly string[];
}

export type WholeSearch = Omit<ContactSearch, 'last' | 'before'>;

export type ContactPage = FieldOf<SearchContactsQuery>;
export type Contact = ContactPage['nodes'][number];
export type Customer = FieldOf<CustomerQuery>;
export type CustomerPage = FieldOf<CustomersQuery>;
export type UpsertedCustomer = FieldOf<UpsertCustomerMutation>;
export type DeletedCustomer = FieldOf<DeleteCustomerMutation>;
export type DisconnectedProvider = FieldOf<DisconnectProviderMutation>;
export type ContactFields = FieldOf<ContactFieldsQuery>;
export type ChangedContactFields = FieldOf<SetContactFieldsMutation>;
export type ContactFieldMappings = Extract<
  FieldOf<ContactFieldMappingsQuery>,
  { readonly mappingProblems: unknown }
>;
export type ChangedContactFieldMappings = FieldOf<SetContactFieldMappingsMutation>;
export type ProviderField = NonNullable<
  Extract<FieldOf<ProviderFieldsQuery>, { readonly contactFields: unknown }>['contactFields']
>[number];
export type CustomerToken = FieldOf<IssueCustomerTokenMutation>;
export type CreatedConnectLink = FieldOf<CreateConnectLinkMutation>;
export type ConfirmedConnectLink = FieldOf<ConfirmConnectLinkMutation>;
export type CanceledConnectLink = FieldOf<CancelConnectLinkMutation>;
export type ConnectLink = FieldOf<ConnectLinkQuery>;
export type EventPage = FieldOf<EventsQuery>;
export type WebhookEndpoint = FieldOf<WebhookEndpointsQuery>[number];
export type CreatedWebhookEndpoint = FieldOf<CreateWebhookEndpointMutation>;
export type UpdatedWebhookEndpoint = FieldOf<UpdateWebhookEndpointMutation>;
export type RotatedWebhookSecret = FieldOf<RotateWebhookSecretMutation>;
export type DeletedWebhookEndpoint = FieldOf<DeleteWebhookEndpointMutation>;
export type RedeliveredEvents = FieldOf<RedeliverEventsMutation>;
