/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { Document } from './create-client.ts';
/** What a postal address is used for. */
export type AddressType =
  /** Where invoices go. */
  | 'BILLING'
  /** Where letters go. */
  | 'MAILING'
  /** An address without a known use. */
  | 'OTHER'
  /** The main address. */
  | 'PRIMARY'
  /** Where goods go. */
  | 'SHIPPING';

/** A kind of record that a contact can be linked to in its CRM. */
export type AssociatedObject =
  /** A company. */
  | 'COMPANY'
  /** A deal. */
  | 'DEAL'
  /** A support ticket. */
  | 'TICKET';

/** Data goes to Google BigQuery. */
export type BigQueryDestinationInput = {
  /** The dataset, which must exist. Without one: the dataset of the configured destination. */
  readonly dataset?: string | null | undefined;
};

/** The link to withdraw. */
export type CancelConnectLinkInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The link’s id. */
  readonly id: string;
};

/** What kind of tool a provider is. */
export type Category =
  /** Keeps customers, deals and the people behind them. */
  | 'CRM'
  /** Plans and sends what sales people write and say. */
  | 'ENGAGEMENT'
  /** Adds what is publicly known of people and companies. */
  | 'ENRICHMENT'
  /** Runs campaigns and scores leads. */
  | 'MARKETING_AUTOMATION'
  /** Anything else. */
  | 'NO_CATEGORY';

/** Which link, and the proof that the person who agreed is the one whom you sent. */
export type ConfirmConnectLinkInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The one-time code that came with `returnUrl` or the window’s message. Redeem it in the session of the person who asked for the link, within ten minutes. */
  readonly code: string;
  /** The link’s id. */
  readonly id: string;
};

/** Why a link ended without a connection. */
export type ConnectFailure =
  /** The customer did not agree. */
  | 'ACCESS_DENIED'
  /** It is another account than before, and the link does not allow that. */
  | 'ACCOUNT_MISMATCH'
  /** An administrator of the account has to approve the app first. */
  | 'ADMIN_APPROVAL_REQUIRED'
  /** It had ended before. */
  | 'ALREADY_USED'
  /** Its time was up. */
  | 'EXPIRED'
  /** Not all scopes that are needed were granted. */
  | 'MISSING_SCOPES'
  /** The one-time code was not redeemed within ten minutes. */
  | 'NOT_CONFIRMED'
  /** The provider gave access for a moment only. */
  | 'NO_REFRESH_TOKEN'
  /** The provider refused for another reason. */
  | 'VENDOR_REFUSED'
  /** The provider could not be reached. */
  | 'VENDOR_UNAVAILABLE'
  /** Another browser came back than the one that was sent. */
  | 'WRONG_BROWSER';

/** How far a link has come. */
export type ConnectLinkStatus =
  /** The customer has agreed: redeem the one-time code with `confirmConnectLink`. */
  | 'AWAITING_CONFIRMATION'
  /** You withdrew it. */
  | 'CANCELED'
  /** The connection is there. */
  | 'COMPLETED'
  /** Its time was up. */
  | 'EXPIRED'
  /** It ended without a connection: see `failure`. */
  | 'FAILED'
  /** Nobody has pressed its button yet. */
  | 'PENDING'
  /** Somebody was sent to the provider. */
  | 'STARTED';

/** How a customer comes back from a link. */
export type ConnectMode =
  /** The link is opened in a window, which tells the page that opened it. */
  | 'POPUP'
  /** The browser is sent back to `returnUrl`. */
  | 'REDIRECT';

/** A connection to create or update. A field that is left out stays as it is; one that is null is cleared. */
export type ConnectionInput = {
  /** What one connection syncs differently. */
  readonly connectionSyncConfig?: ConnectionSyncConfigInput | null | undefined;
  /** What the provider lets Crossbook in with. It is kept sealed and never shown again; null forgets it. */
  readonly credentials?: CredentialsInput | null | undefined;
  /**
   * Mappings where data is modelled with entities.
   * @deprecated Mappings are moving out of the connection; it is kept and answered as it was given.
   */
  readonly entityMappings?: ReadonlyArray<EntityMappingInput> | null | undefined;
  /** Where the customer’s own instance of the provider is: at one of the provider’s own hosts. */
  readonly instanceUrl?: string | null | undefined;
  /** The provider: a customer has at most one connection to each. */
  readonly providerName: ProviderName;
  /**
   * Field mappings where data is modelled with objects.
   * @deprecated Mappings are moving out of the connection; it is kept and answered as it was given.
   */
  readonly schemaMappingsConfig?: SchemaMappingsConfigInput | null | undefined;
};

/** Can a connection be used? */
export type ConnectionStatus =
  /** It has credentials, and they are not known to be refused. */
  | 'CONNECTED'
  /** The provider has refused its credentials: the customer has to connect again. */
  | 'REAUTHORIZE'
  /** It has no credentials yet. */
  | 'UNAUTHORIZED';

/** What one connection syncs differently. */
export type ConnectionSyncConfigInput = {
  /** Preview. The customer’s own objects to sync. Without a list: that of the sync configuration. */
  readonly customObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
  /** Where its data goes. Without one: the default destination. */
  readonly destinationConfig?: DestinationConfigInput | null | undefined;
  /** The provider’s own objects to sync. Without a list: that of the sync configuration. */
  readonly standardObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
};

/** What to search for: exactly one of the fields. */
export type ContactFilter =
  {   /** An email address, compared without case with every address that the CRM finds contacts by: in HubSpot the primary and the further ones, in Salesforce the email. HubSpot’s work email is shown, and not searched. */
  readonly email: string; readonly emailDomain?: never; readonly emails?: never; }
  |  { readonly email?: never;   /** The part after the @, such as `example.com`: contacts with an address there, of those that `email` compares with. */
  readonly emailDomain: string; readonly emails?: never; }
  |  { readonly email?: never; readonly emailDomain?: never;   /** Up to 1,000 email addresses: contacts that have any of them. */
  readonly emails: ReadonlyArray<string>; };

/** Whom a link is for, what may be connected by it, and where it leads back to. */
export type CreateConnectLinkInput = {
  /** May a customer who is connected already connect another account in its place? */
  readonly allowAccountChange?: boolean | null | undefined;
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** Is the connection only made when you have redeemed a one-time code in the session of the person who asked? `false` is for links that are sent by mail: then whoever has the link can connect an account of theirs to this customer. */
  readonly confirm?: boolean | null | undefined;
  /** The customer, by your own id. */
  readonly customerId: string;
  /** For how long it can be followed, 30 to 86400 seconds (a day). */
  readonly expiresInSeconds?: number | null | undefined;
  /** Where this customer logs in at the provider, where you know it, e.g. `https://acme.my.salesforce.com`. Otherwise they are asked. For a link to one provider. */
  readonly loginUrl?: string | null | undefined;
  /** How the customer comes back. */
  readonly mode?: ConnectMode | null | undefined;
  /** Scopes of the provider that are asked for beside those that are needed: at most 50. */
  readonly optionalScopes?: ReadonlyArray<string> | null | undefined;
  /** What the customer may connect: with several, they choose one. */
  readonly providers: ReadonlyArray<ProviderName>;
  /** The page of yours that the customer comes back to, e.g. `https://app.example.com/connected`. Its origin has to be one of your application’s. `connect_link_id`, `status`, `error` and `code` are added to its query. */
  readonly returnUrl: string;
};

/** A server of yours that wants to hear of events. */
export type CreateWebhookEndpointInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The types of events that are sent. Default: all. */
  readonly eventTypes?: ReadonlyArray<EventType> | null | undefined;
  /** An `https:` URL at a public host, e.g. `https://app.example.com/webhooks/crossbook`. */
  readonly url: string;
};

/** What convinces the provider: exactly one of the two. Write-only: no answer, log or error ever shows it. */
export type CredentialsInput =
  {   /** Tokens of an OAuth 2.0 grant. */
  readonly oauth2: OAuth2CredentialsInput; readonly token?: never; }
  |  { readonly oauth2?: never;   /** A token that does not change, such as that of a private app. */
  readonly token: StaticTokenInput; };

/** Which customers: all that is given must hold. */
export type CustomerFilter = {
  /** Your own ids of customers, at most 1000. */
  readonly customerIds?: ReadonlyArray<string> | null | undefined;
  /** The customer’s email address, compared without case. */
  readonly email?: string | null | undefined;
  /** Customers with a connection to this tool. */
  readonly provider?: ProviderName | null | undefined;
  /** Customers with a connection in this status; with `provider`, that very connection. */
  readonly status?: ConnectionStatus | null | undefined;
};

/** A customer to delete. */
export type DeleteCustomerInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** The version that you have seen: another one is refused with CONFLICT. */
  readonly expectedVersion?: number | null | undefined;
};

/** Which endpoint is deleted. */
export type DeleteWebhookEndpointInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The endpoint. */
  readonly id: string;
};

/** Where a connection’s data goes instead of the default destination. */
export type DestinationConfigInput =
  {   /** Data goes to Google BigQuery. */
  readonly bigquery: BigQueryDestinationInput; readonly postgres?: never; }
  |  { readonly bigquery?: never;   /** Data goes to a PostgreSQL database. */
  readonly postgres: PostgresDestinationInput; };

/** A connection to remove. */
export type DisconnectProviderInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** The tool to disconnect. */
  readonly provider: ProviderName;
};

/** What an email address is used for. */
export type EmailAddressType =
  /** A further address. */
  | 'OTHER'
  /** The main address. */
  | 'PRIMARY'
  /** The address at work. */
  | 'WORK';

/** An entity of your application, and what stands for it in the provider. */
export type EntityMappingInput = {
  /** The entity’s id in your application. */
  readonly entityId?: string | null | undefined;
  /** The fields of the entity. */
  readonly fieldMappings?: ReadonlyArray<FieldMappingInput> | null | undefined;
  /** The provider’s object that the entity is mapped to. */
  readonly object?: EntityObjectInput | null | undefined;
};

/** The provider’s object that stands for an entity. */
export type EntityObjectInput = {
  /** The object’s name in the provider, case-sensitive. */
  readonly name?: string | null | undefined;
  /** Is it an object of the provider’s own, or one of the customer’s? */
  readonly type: EntityObjectType;
};

/** Is it an object of the provider’s own, or one of the customer’s? */
export type EntityObjectType =
  /** The customer made it. */
  | 'CUSTOM'
  /** The provider brings it along. */
  | 'STANDARD';

/** What has happened. */
export type EventType =
  /** A connection can be used. */
  | 'CONNECTION_CONNECTED'
  /** A connection has no credentials any more, or is gone. */
  | 'CONNECTION_DISCONNECTED'
  /** The provider refuses the credentials: the customer has to connect again. */
  | 'CONNECTION_REAUTHORIZE'
  /** A connection that was refused works again. */
  | 'CONNECTION_RECOVERED'
  /** A connect link ended without a connection. */
  | 'CONNECT_LINK_FAILED'
  /** A customer is new. */
  | 'CUSTOMER_CREATED'
  /** A customer is gone. */
  | 'CUSTOMER_DELETED'
  /** A customer’s name or email has changed. */
  | 'CUSTOMER_UPDATED';

/** One field of your application, and the provider’s field that it is read from. */
export type FieldMappingInput = {
  /** The field’s name in the customer’s provider. */
  readonly mappedField: string;
  /** The field’s name in your application. */
  readonly schemaField: string;
};

/** Whom a token is for, and how far it reaches. */
export type IssueCustomerTokenInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The customer, by your own id. */
  readonly customerId: string;
  /** How long the token lives, at most 86400 seconds (a day). Default 3600, an hour. */
  readonly expiresInSeconds?: number | null | undefined;
  /** The only providers that the token may search. Default: all of the customer’s. */
  readonly providers?: ReadonlyArray<ProviderName> | null | undefined;
};

/** How far a contact has come on the way to being a customer. */
export type LifecycleStage =
  /** Has bought. */
  | 'CUSTOMER'
  /** Is a customer who recommends. */
  | 'EVANGELIST'
  /** Has shown interest. */
  | 'LEAD'
  /** Is found worth a closer look by marketing. */
  | 'MARKETINGQUALIFIEDLEAD'
  /** There is a deal in sight. */
  | 'OPPORTUNITY'
  /** A stage that only this CRM knows, or that its users made up. */
  | 'OTHER'
  /** Is found worth a closer look by sales. */
  | 'SALESQUALIFIEDLEAD'
  /** Has asked to be kept informed. */
  | 'SUBSCRIBER';

/** Tokens of an OAuth 2.0 grant. */
export type OAuth2CredentialsInput = {
  /** The access token. */
  readonly accessToken: string;
  /** When the access token expires, where the provider says that. */
  readonly expiresAt?: string | null | undefined;
  /** The refresh token: without one the customer has to connect again when the access token expires. */
  readonly refreshToken?: string | null | undefined;
};

/** An object and how its fields are mapped. */
export type ObjectFieldMappingsInput = {
  /** The fields of the object. */
  readonly fieldMappings: ReadonlyArray<FieldMappingInput>;
  /** The object’s name. */
  readonly object?: string | null | undefined;
};

/** What a phone number belongs to. */
export type PhoneNumberType =
  /** A fax machine. */
  | 'FAX'
  /** A mobile phone. */
  | 'MOBILE'
  /** A further number. */
  | 'OTHER'
  /** The main number. */
  | 'PRIMARY';

/** Data goes to a PostgreSQL database. */
export type PostgresDestinationInput = {
  /** The schema, which must exist. Without one: the schema of the configured destination. */
  readonly schema?: string | null | undefined;
};

/** A third-party tool that a customer can connect. */
export type ProviderName =
  /** Apollo.io, for sales engagement. */
  | 'APOLLO'
  /** Capsule, a CRM. */
  | 'CAPSULE'
  /** Clearbit, for data enrichment. */
  | 'CLEARBIT'
  /** Gong, for conversations with customers. */
  | 'GONG'
  /** HubSpot, a CRM. Its contacts can be searched. */
  | 'HUBSPOT'
  /** Intercom, for messages to customers. */
  | 'INTERCOM'
  /** Linear, for issues and projects. */
  | 'LINEAR'
  /** Marketo Engage, for marketing automation. */
  | 'MARKETO'
  /** Microsoft Dynamics 365 Sales, a CRM. */
  | 'MS_DYNAMICS_365_SALES'
  /** Outreach, for sales engagement. */
  | 'OUTREACH'
  /** Pipedrive, a CRM. */
  | 'PIPEDRIVE'
  /** Salesforce, a CRM. Its contacts can be searched. */
  | 'SALESFORCE'
  /** Salesforce Marketing Cloud Account Engagement, formerly Pardot, for marketing automation. */
  | 'SALESFORCE_MARKETING_CLOUD_ACCOUNT_ENGAGEMENT'
  /** Salesloft, for sales engagement. */
  | 'SALESLOFT'
  /** 6sense, for data enrichment. (GraphQL names cannot start with a digit.) */
  | 'SIX_SENSE'
  /** Slack, for messages within a team. */
  | 'SLACK'
  /** Zendesk Sell, a CRM. */
  | 'ZENDESK_SELL'
  /** Zoho CRM. */
  | 'ZOHO_CRM';

/** Which events are sent once more: either `eventIds` or `since`. */
export type RedeliverEventsInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The endpoint that they are sent to. */
  readonly endpointId: string;
  /** These events, at most 1000. */
  readonly eventIds?: ReadonlyArray<string> | null | undefined;
  /** All events from then on, whatever types the endpoint is sent. */
  readonly since?: string | null | undefined;
};

/** What became of what the customer had granted, at the tool. */
export type Revocation =
  /** The tool was not reached, or has refused: the customer can withdraw it in the tool. The connection is removed all the same. */
  | 'FAILED'
  /** The tool has no way to revoke it, or the credentials came by `upsertCustomer` and are your own to revoke. */
  | 'NOT_SUPPORTED'
  /** It is revoked: the tokens work no longer. */
  | 'REVOKED'
  /** Another connection lives on the same grant, so that it was left as it is. */
  | 'SHARED';

/** Whose secret is rotated. */
export type RotateWebhookSecretInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** The endpoint. */
  readonly id: string;
};

/** Field mappings where data is modelled with objects. */
export type SchemaMappingsConfigInput = {
  /** Mappings of the objects that all providers have in common. */
  readonly commonObjects?: ReadonlyArray<ObjectFieldMappingsInput> | null | undefined;
  /** Mappings of the provider’s own objects. */
  readonly standardObjects?: ReadonlyArray<ObjectFieldMappingsInput> | null | undefined;
};

/** A token that does not change, such as that of a private app. */
export type StaticTokenInput = {
  /** The token. */
  readonly value: string;
};

/** Why a connection cannot be used. */
export type StatusReason =
  /** An upsert has cleared them. */
  | 'CREDENTIALS_CLEARED'
  /** None were given yet. */
  | 'NO_CREDENTIALS'
  /** The provider has refused the refresh token: the customer has withdrawn it, or it has expired. */
  | 'REFRESH_TOKEN_REFUSED'
  /** The provider has refused the access token, and there is no refresh token to renew it with. */
  | 'TOKEN_REFUSED';

/** An object of the provider that is synced. */
export type SyncedObjectInput = {
  /** The object’s name in the provider, case-sensitive. */
  readonly object: string;
  /** The table to write to. Without one: the default table. */
  readonly table?: string | null | undefined;
};

/** What changes of an endpoint. What is absent stays. */
export type UpdateWebhookEndpointInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** False: nothing is sent, and what waits is forgotten. */
  readonly enabled?: boolean | null | undefined;
  /** The types that are sent. Empty: all. */
  readonly eventTypes?: ReadonlyArray<EventType> | null | undefined;
  /** The endpoint. */
  readonly id: string;
  /** Where events are sent from now on. */
  readonly url?: string | null | undefined;
};

/** A customer to create or update. */
export type UpsertCustomerInput = {
  /** Comes back in the answer, as it is. */
  readonly clientMutationId?: string | null | undefined;
  /** Connections to create or update, each provider once. Those not listed stay as they are. */
  readonly connections?: ReadonlyArray<ConnectionInput> | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** The customer’s email address. */
  readonly email: string;
  /** The version that you have seen: another one is refused with CONFLICT. 0: the customer must not exist yet. */
  readonly expectedVersion?: number | null | undefined;
  /** The customer’s name. */
  readonly name: string;
};

export type ContactFieldsFragment = { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null };

export type SearchContactsQueryVariables = Exact<{
  filter: ContactFilter;
  customerId?: string | null | undefined;
  provider?: ProviderName | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  readFromCache?: boolean | null | undefined;
  includeRawData?: boolean;
  includeTotalCount?: boolean;
  includeAssociations?: boolean;
  associations?: ReadonlyArray<AssociatedObject>;
}>;


export type SearchContactsQuery = { readonly searchContacts: { readonly totalCount?: number | null, readonly fetchedAt: string, readonly nodes: ReadonlyArray<{ readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } | null };

export type UpsertCustomerMutationVariables = Exact<{
  input: UpsertCustomerInput;
}>;


export type UpsertCustomerMutation = { readonly upsertCustomer: { readonly created: boolean, readonly customer: { readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly connectionSyncConfig: { readonly destinationConfig:
            | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
            | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
           | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> } } | null };

export type CustomerQueryVariables = Exact<{
  customerId: string;
}>;


export type CustomerQuery = { readonly customer: { readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly connectionSyncConfig: { readonly destinationConfig:
          | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
          | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
         | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> } | null };

export type CustomersQueryVariables = Exact<{
  filter?: CustomerFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type CustomersQuery = { readonly customers: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly connectionSyncConfig: { readonly destinationConfig:
            | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
            | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
           | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type CustomerFieldsFragment = { readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly connectionSyncConfig: { readonly destinationConfig:
        | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
        | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
       | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> };

export type IssueCustomerTokenMutationVariables = Exact<{
  input: IssueCustomerTokenInput;
}>;


export type IssueCustomerTokenMutation = { readonly issueCustomerToken: { readonly token: string, readonly expiresAt: string } | null };

export type DeleteCustomerMutationVariables = Exact<{
  input: DeleteCustomerInput;
}>;


export type DeleteCustomerMutation = { readonly deleteCustomer: { readonly deletedCustomerId: string } | null };

export type DisconnectProviderMutationVariables = Exact<{
  input: DisconnectProviderInput;
}>;


export type DisconnectProviderMutation = { readonly disconnectProvider: { readonly revocation: Revocation, readonly customer: { readonly version: number } } | null };

export type CreateConnectLinkMutationVariables = Exact<{
  input: CreateConnectLinkInput;
}>;


export type CreateConnectLinkMutation = { readonly createConnectLink: { readonly url: string, readonly link: { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly createdAt: string, readonly expiresAt: string } } | null };

export type ConfirmConnectLinkMutationVariables = Exact<{
  input: ConfirmConnectLinkInput;
}>;


export type ConfirmConnectLinkMutation = { readonly confirmConnectLink: { readonly link: { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly createdAt: string, readonly expiresAt: string }, readonly connection: { readonly id: string, readonly providerName: ProviderName, readonly status: ConnectionStatus } } | null };

export type CancelConnectLinkMutationVariables = Exact<{
  input: CancelConnectLinkInput;
}>;


export type CancelConnectLinkMutation = { readonly cancelConnectLink: { readonly link: { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly createdAt: string, readonly expiresAt: string } } | null };

export type ConnectLinkQueryVariables = Exact<{
  id: string;
}>;


export type ConnectLinkQuery = { readonly connectLink: { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly createdAt: string, readonly expiresAt: string } | null };

export type ConnectLinkFieldsFragment = { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly createdAt: string, readonly expiresAt: string };

export type EventsQueryVariables = Exact<{
  customerId?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type EventsQuery = { readonly events: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly type: EventType, readonly customerId: string, readonly connectionId: string | null, readonly sequence: number | null, readonly createdAt: string, readonly data: unknown }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type WebhookEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhookEndpointsQuery = { readonly webhookEndpoints: ReadonlyArray<{ readonly id: string, readonly url: string, readonly eventTypes: ReadonlyArray<EventType>, readonly enabled: boolean, readonly lastFailure: string | null, readonly lastFailureAt: string | null, readonly createdAt: string, readonly updatedAt: string }> };

export type CreateWebhookEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type CreateWebhookEndpointMutation = { readonly createWebhookEndpoint: { readonly secret: string, readonly endpoint: { readonly id: string, readonly url: string, readonly eventTypes: ReadonlyArray<EventType>, readonly enabled: boolean, readonly lastFailure: string | null, readonly lastFailureAt: string | null, readonly createdAt: string, readonly updatedAt: string } } | null };

export type UpdateWebhookEndpointMutationVariables = Exact<{
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateWebhookEndpointMutation = { readonly updateWebhookEndpoint: { readonly endpoint: { readonly id: string, readonly url: string, readonly eventTypes: ReadonlyArray<EventType>, readonly enabled: boolean, readonly lastFailure: string | null, readonly lastFailureAt: string | null, readonly createdAt: string, readonly updatedAt: string } } | null };

export type RotateWebhookSecretMutationVariables = Exact<{
  input: RotateWebhookSecretInput;
}>;


export type RotateWebhookSecretMutation = { readonly rotateWebhookSecret: { readonly secret: string, readonly endpoint: { readonly id: string, readonly url: string, readonly eventTypes: ReadonlyArray<EventType>, readonly enabled: boolean, readonly lastFailure: string | null, readonly lastFailureAt: string | null, readonly createdAt: string, readonly updatedAt: string } } | null };

export type DeleteWebhookEndpointMutationVariables = Exact<{
  input: DeleteWebhookEndpointInput;
}>;


export type DeleteWebhookEndpointMutation = { readonly deleteWebhookEndpoint: { readonly deletedEndpointId: string } | null };

export type RedeliverEventsMutationVariables = Exact<{
  input: RedeliverEventsInput;
}>;


export type RedeliverEventsMutation = { readonly redeliverEvents: { readonly scheduled: number, readonly nextSince: string | null } | null };

export type WebhookEndpointFieldsFragment = { readonly id: string, readonly url: string, readonly eventTypes: ReadonlyArray<EventType>, readonly enabled: boolean, readonly lastFailure: string | null, readonly lastFailureAt: string | null, readonly createdAt: string, readonly updatedAt: string };

export const SEARCH_CONTACTS: Document<SearchContactsQuery, SearchContactsQueryVariables> = `query SearchContacts($filter: ContactFilter!, $customerId: ID, $provider: ProviderName, $first: Int, $after: String, $last: Int, $before: String, $readFromCache: Boolean, $includeRawData: Boolean! = false, $includeTotalCount: Boolean! = false, $includeAssociations: Boolean! = false, $associations: [AssociatedObject!]! = []) {
  searchContacts(
    filter: $filter
    customerId: $customerId
    provider: $provider
    first: $first
    after: $after
    last: $last
    before: $before
    readFromCache: $readFromCache
  ) {
    nodes {
      ...ContactFields
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
    totalCount @include(if: $includeTotalCount)
    fetchedAt
  }
}

fragment ContactFields on Contact {
  id
  remoteId
  provider
  accountId
  ownerId
  firstName
  lastName
  addresses {
    addressType
    street1
    street2
    city
    state
    postalCode
    country
  }
  emailAddresses {
    emailAddress
    emailAddressType
  }
  phoneNumbers {
    phoneNumber
    phoneNumberType
  }
  lifecycleStage
  lastActivityAt
  createdAt
  updatedAt
  lastModifiedAt
  isDeleted
  rawData @include(if: $includeRawData)
  associations(to: $associations) @include(if: $includeAssociations) {
    object
    remoteId
  }
}`;

export const UPSERT_CUSTOMER: Document<UpsertCustomerMutation, UpsertCustomerMutationVariables> = `mutation UpsertCustomer($input: UpsertCustomerInput!) {
  upsertCustomer(input: $input) {
    created
    customer {
      ...CustomerFields
    }
  }
}

fragment CustomerFields on Customer {
  id
  applicationId
  customerId
  name
  email
  version
  connections {
    id
    providerId
    providerName
    category
    instanceUrl
    status
    statusReason
    statusChangedAt
    connectionSyncConfig {
      destinationConfig {
        __typename
        ... on PostgresDestination {
          schema
        }
        ... on BigQueryDestination {
          dataset
        }
      }
      standardObjects {
        object
        table
      }
      customObjects {
        object
        table
      }
    }
  }
}`;

export const CUSTOMER: Document<CustomerQuery, CustomerQueryVariables> = `query Customer($customerId: ID!) {
  customer(customerId: $customerId) {
    ...CustomerFields
  }
}

fragment CustomerFields on Customer {
  id
  applicationId
  customerId
  name
  email
  version
  connections {
    id
    providerId
    providerName
    category
    instanceUrl
    status
    statusReason
    statusChangedAt
    connectionSyncConfig {
      destinationConfig {
        __typename
        ... on PostgresDestination {
          schema
        }
        ... on BigQueryDestination {
          dataset
        }
      }
      standardObjects {
        object
        table
      }
      customObjects {
        object
        table
      }
    }
  }
}`;

export const CUSTOMERS: Document<CustomersQuery, CustomersQueryVariables> = `query Customers($filter: CustomerFilter, $first: Int, $after: String, $last: Int, $before: String) {
  customers(
    filter: $filter
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    nodes {
      ...CustomerFields
    }
    pageInfo {
      hasNextPage
      hasPreviousPage
      startCursor
      endCursor
    }
  }
}

fragment CustomerFields on Customer {
  id
  applicationId
  customerId
  name
  email
  version
  connections {
    id
    providerId
    providerName
    category
    instanceUrl
    status
    statusReason
    statusChangedAt
    connectionSyncConfig {
      destinationConfig {
        __typename
        ... on PostgresDestination {
          schema
        }
        ... on BigQueryDestination {
          dataset
        }
      }
      standardObjects {
        object
        table
      }
      customObjects {
        object
        table
      }
    }
  }
}`;

export const ISSUE_CUSTOMER_TOKEN: Document<IssueCustomerTokenMutation, IssueCustomerTokenMutationVariables> = `mutation IssueCustomerToken($input: IssueCustomerTokenInput!) {
  issueCustomerToken(input: $input) {
    token
    expiresAt
  }
}`;

export const DELETE_CUSTOMER: Document<DeleteCustomerMutation, DeleteCustomerMutationVariables> = `mutation DeleteCustomer($input: DeleteCustomerInput!) {
  deleteCustomer(input: $input) {
    deletedCustomerId
  }
}`;

export const DISCONNECT_PROVIDER: Document<DisconnectProviderMutation, DisconnectProviderMutationVariables> = `mutation DisconnectProvider($input: DisconnectProviderInput!) {
  disconnectProvider(input: $input) {
    revocation
    customer {
      version
    }
  }
}`;

export const CREATE_CONNECT_LINK: Document<CreateConnectLinkMutation, CreateConnectLinkMutationVariables> = `mutation CreateConnectLink($input: CreateConnectLinkInput!) {
  createConnectLink(input: $input) {
    url
    link {
      ...ConnectLinkFields
    }
  }
}

fragment ConnectLinkFields on ConnectLink {
  id
  status
  failure
  createdAt
  expiresAt
}`;

export const CONFIRM_CONNECT_LINK: Document<ConfirmConnectLinkMutation, ConfirmConnectLinkMutationVariables> = `mutation ConfirmConnectLink($input: ConfirmConnectLinkInput!) {
  confirmConnectLink(input: $input) {
    link {
      ...ConnectLinkFields
    }
    connection {
      id
      providerName
      status
    }
  }
}

fragment ConnectLinkFields on ConnectLink {
  id
  status
  failure
  createdAt
  expiresAt
}`;

export const CANCEL_CONNECT_LINK: Document<CancelConnectLinkMutation, CancelConnectLinkMutationVariables> = `mutation CancelConnectLink($input: CancelConnectLinkInput!) {
  cancelConnectLink(input: $input) {
    link {
      ...ConnectLinkFields
    }
  }
}

fragment ConnectLinkFields on ConnectLink {
  id
  status
  failure
  createdAt
  expiresAt
}`;

export const CONNECT_LINK: Document<ConnectLinkQuery, ConnectLinkQueryVariables> = `query ConnectLink($id: ID!) {
  connectLink(id: $id) {
    ...ConnectLinkFields
  }
}

fragment ConnectLinkFields on ConnectLink {
  id
  status
  failure
  createdAt
  expiresAt
}`;

export const EVENTS: Document<EventsQuery, EventsQueryVariables> = `query Events($customerId: ID, $first: Int, $after: String) {
  events(customerId: $customerId, first: $first, after: $after) {
    nodes {
      id
      type
      customerId
      connectionId
      sequence
      createdAt
      data
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`;

export const WEBHOOK_ENDPOINTS: Document<WebhookEndpointsQuery, WebhookEndpointsQueryVariables> = `query WebhookEndpoints {
  webhookEndpoints {
    ...WebhookEndpointFields
  }
}

fragment WebhookEndpointFields on WebhookEndpoint {
  id
  url
  eventTypes
  enabled
  lastFailure
  lastFailureAt
  createdAt
  updatedAt
}`;

export const CREATE_WEBHOOK_ENDPOINT: Document<CreateWebhookEndpointMutation, CreateWebhookEndpointMutationVariables> = `mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) {
    secret
    endpoint {
      ...WebhookEndpointFields
    }
  }
}

fragment WebhookEndpointFields on WebhookEndpoint {
  id
  url
  eventTypes
  enabled
  lastFailure
  lastFailureAt
  createdAt
  updatedAt
}`;

export const UPDATE_WEBHOOK_ENDPOINT: Document<UpdateWebhookEndpointMutation, UpdateWebhookEndpointMutationVariables> = `mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(input: $input) {
    endpoint {
      ...WebhookEndpointFields
    }
  }
}

fragment WebhookEndpointFields on WebhookEndpoint {
  id
  url
  eventTypes
  enabled
  lastFailure
  lastFailureAt
  createdAt
  updatedAt
}`;

export const ROTATE_WEBHOOK_SECRET: Document<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables> = `mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) {
  rotateWebhookSecret(input: $input) {
    secret
    endpoint {
      ...WebhookEndpointFields
    }
  }
}

fragment WebhookEndpointFields on WebhookEndpoint {
  id
  url
  eventTypes
  enabled
  lastFailure
  lastFailureAt
  createdAt
  updatedAt
}`;

export const DELETE_WEBHOOK_ENDPOINT: Document<DeleteWebhookEndpointMutation, DeleteWebhookEndpointMutationVariables> = `mutation DeleteWebhookEndpoint($input: DeleteWebhookEndpointInput!) {
  deleteWebhookEndpoint(input: $input) {
    deletedEndpointId
  }
}`;

export const REDELIVER_EVENTS: Document<RedeliverEventsMutation, RedeliverEventsMutationVariables> = `mutation RedeliverEvents($input: RedeliverEventsInput!) {
  redeliverEvents(input: $input) {
    scheduled
    nextSince
  }
}`;