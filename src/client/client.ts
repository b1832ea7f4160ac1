import type { CallOptions, FieldOf } from './create-client.ts';
import type {
  AssociatedObject,
  CancelConnectLinkInput,
  CancelConnectLinkMutation,
  ConfirmConnectLinkInput,
  ConfirmConnectLinkMutation,
  ConnectLinkQuery,
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
  RedeliverEventsInput,
  RedeliverEventsMutation,
  RotateWebhookSecretInput,
  RotateWebhookSecretMutation,
  SearchContactsQuery,
  SearchContactsQueryVariables,
  UpdateWebhookEndpointInput,
  UpdateWebhookEndpointMutation,
  UpsertCustomerInput,
  UpsertCustomerMutation,
  WebhookEndpointsQuery,
} from './operations.generated.ts';

/** Every operation as a method. A customer token opens the searches, `customer` and `connectLink`; all others take an API key. */
export interface Client {
  /** One page of one customer's contacts in one CRM. */
  searchContacts(search: ContactSearch, call?: CallOptions): Promise<ContactPage>;
  /** Every page, forward: `for await (const page of client.searchAll(…))`. */
  searchAll(search: WholeSearch, call?: CallOptions): AsyncGenerator<ContactPage, void>;

  /** One customer with its connections, by your own id. */
  customer(customerId: string, call?: CallOptions): Promise<Customer>;
  /** One page of your customers, e.g. those with a connection in one status. */
  customers(page?: CustomersQueryVariables, call?: CallOptions): Promise<CustomerPage>;
  /** Creates or updates a customer together with its connections: all of it, or nothing. */
  upsertCustomer(input: UpsertCustomerInput, call?: CallOptions): Promise<UpsertedCustomer>;
  /** Removes a customer with its connections, credentials and cached contacts. It takes two to three seconds. */
  deleteCustomer(input: DeleteCustomerInput, call?: CallOptions): Promise<DeletedCustomer>;
  /** Removes one connection, and says what became of the grant at the provider. It takes two to three seconds. */
  disconnectProvider(input: DisconnectProviderInput, call?: CallOptions): Promise<DisconnectedProvider>;
  /** A short-lived token for the frontend of one customer. */
  issueCustomerToken(input: IssueCustomerTokenInput, call?: CallOptions): Promise<CustomerToken>;

  /** A link by which one customer connects a CRM. */
  createConnectLink(input: CreateConnectLinkInput, call?: CallOptions): Promise<CreatedConnectLink>;
  /** Redeems the one-time code of a link, in the session of the person who asked for it. */
  confirmConnectLink(input: ConfirmConnectLinkInput, call?: CallOptions): Promise<ConfirmedConnectLink>;
  /** Withdraws a link: it leads nowhere any more. */
  cancelConnectLink(input: CancelConnectLinkInput, call?: CallOptions): Promise<CanceledConnectLink>;
  /** How far a link has come. */
  connectLink(id: string, call?: CallOptions): Promise<ConnectLink>;

  /** What has happened in the last 30 days, the newest first. */
  events(page?: EventsQueryVariables, call?: CallOptions): Promise<EventPage>;
  webhookEndpoints(call?: CallOptions): Promise<readonly WebhookEndpoint[]>;
  /** Its `secret` is shown this once: `verifyWebhook` takes it. */
  createWebhookEndpoint(
    input: CreateWebhookEndpointInput,
    call?: CallOptions,
  ): Promise<CreatedWebhookEndpoint>;
  updateWebhookEndpoint(
    input: UpdateWebhookEndpointInput,
    call?: CallOptions,
  ): Promise<UpdatedWebhookEndpoint>;
  /** A new secret; the one before signs as well for 24 hours. */
  rotateWebhookSecret(input: RotateWebhookSecretInput, call?: CallOptions): Promise<RotatedWebhookSecret>;
  deleteWebhookEndpoint(
    input: DeleteWebhookEndpointInput,
    call?: CallOptions,
  ): Promise<DeletedWebhookEndpoint>;
  /** Sends events once more: what was missed while an endpoint was disabled. */
  redeliverEvents(input: RedeliverEventsInput, call?: CallOptions): Promise<RedeliveredEvents>;
}

/** `provider` and the customer must be named; with a token, the customer is the token's. */
export interface ContactSearch
  extends Omit<SearchContactsQueryVariables, 'includeAssociations' | 'associations'> {
  /** What each contact's links are followed to. */
  readonly associations?: readonly AssociatedObject[];
}

export type WholeSearch = Omit<ContactSearch, 'last' | 'before'>;

export type ContactPage = FieldOf<SearchContactsQuery>;
export type Contact = ContactPage['nodes'][number];
export type Customer = FieldOf<CustomerQuery>;
export type CustomerPage = FieldOf<CustomersQuery>;
export type UpsertedCustomer = FieldOf<UpsertCustomerMutation>;
export type DeletedCustomer = FieldOf<DeleteCustomerMutation>;
export type DisconnectedProvider = FieldOf<DisconnectProviderMutation>;
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
