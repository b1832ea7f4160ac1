/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { Document } from './create-query.ts';
/** What may be done with records. */
export type AccessLevel =
  /** Records may be read. */
  | 'READ'
  /** Records may be read, created and changed. None may be deleted. */
  | 'READ_WRITE';

/** A postal address of a contact or company. */
export type AddressInput = {
  /** Use of the address. */
  readonly addressType: AddressType;
  /** City. */
  readonly city?: string | null | undefined;
  /** Country, as written in the CRM. */
  readonly country?: string | null | undefined;
  /** Postal code. */
  readonly postalCode?: string | null | undefined;
  /** State, county or region. */
  readonly state?: string | null | undefined;
  /** Street and house number. */
  readonly street1?: string | null | undefined;
  /** Second address line, such as a floor or flat. */
  readonly street2?: string | null | undefined;
};

/** Use of a postal address. */
export type AddressType =
  /** Billing address. */
  | 'BILLING'
  /** Mailing address. */
  | 'MAILING'
  /** Address whose use is not known. */
  | 'OTHER'
  /** Main address. */
  | 'PRIMARY'
  /** Shipping address. */
  | 'SHIPPING';

/** Type of record that a contact can be associated with in its CRM. */
export type AssociatedObject =
  /** A company. */
  | 'COMPANY'
  /** A deal. */
  | 'DEAL'
  /** A support ticket. */
  | 'TICKET';

/** Google BigQuery as the destination. Stored, not implemented yet: every sync of the connection is `FAILED` with `NOT_IMPLEMENTED`. */
export type BigQueryDestinationInput = {
  /** Dataset, which must exist. Default: the dataset of the configured destination. */
  readonly dataset?: string | null | undefined;
};

/** Connect link to cancel. */
export type CancelConnectLinkInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** The link’s id. */
  readonly id: string;
};

/** Category of a provider. */
export type Category =
  /** CRM: contacts, companies and deals. */
  | 'CRM'
  /** Sales engagement: messages and calls of salespeople. */
  | 'ENGAGEMENT'
  /** Enrichment: public data about people and companies. */
  | 'ENRICHMENT'
  /** Marketing automation: campaigns and lead scoring. */
  | 'MARKETING_AUTOMATION'
  /** Any other category. */
  | 'NO_CATEGORY';

/** Changes of a company. An absent field is unchanged, null clears it, and an empty string is refused. */
export type CompanyChangesInput = {
  /** Postal addresses, one of each type. They replace all that the company has. */
  readonly addresses?: ReadonlyArray<AddressInput> | null | undefined;
  /** Annual revenue. HubSpot: in the currency of the portal, without a code. Salesforce: a currency only in organisations that have several. */
  readonly annualRevenue?: MoneyInput | null | undefined;
  /** Custom fields of your application by name, as they are read: strings, numbers, booleans and lists of strings. */
  readonly customFields?: unknown;
  /** Domain. Not in Salesforce, which has a website only. */
  readonly domain?: string | null | undefined;
  /** Number of employees. */
  readonly employeeCount?: number | null | undefined;
  /** Industry, as the CRM names it. */
  readonly industry?: string | null | undefined;
  /** Lifecycle stage. Not in Salesforce. */
  readonly lifecycleStage?: LifecycleStage | null | undefined;
  /** Name. */
  readonly name?: string | null | undefined;
  /** Id, in the CRM, of the user who owns the company. */
  readonly ownerId?: string | null | undefined;
  /** Id, in the CRM, of the parent company. Not in HubSpot, where associations decide. */
  readonly parentId?: string | null | undefined;
  /** Phone numbers, one of each type. They replace all that the company has. */
  readonly phoneNumbers?: ReadonlyArray<PhoneNumberInput> | null | undefined;
  /** Fields of the CRM by the names of its API, at most 100. `writableFields` lists what companies have. */
  readonly rawFields?: unknown;
  /** Website. */
  readonly website?: string | null | undefined;
};

/** One company to create. */
export type CompanyCreationInput = {
  /** Values to write. */
  readonly changes: CompanyChangesInput;
};

/** Search condition: exactly one of the fields. */
export type CompanyFilter =
  {   /** All companies: only `true` is accepted. */
  readonly all: boolean; readonly customField?: never; readonly domain?: never; readonly domains?: never; readonly modifiedSince?: never; readonly namePrefix?: never; }
  |  { readonly all?: never;   /** Custom field of your application and its value. A field by which the CRM cannot filter is `UNPROCESSABLE_ENTITY`. Not in Pipedrive. */
  readonly customField: CustomFieldFilterInput; readonly domain?: never; readonly domains?: never; readonly modifiedSince?: never; readonly namePrefix?: never; }
  |  { readonly all?: never; readonly customField?: never;   /** Domain of the company, such as `engines.example`, compared without `www.`. Several companies may have it. Not in Pipedrive. */
  readonly domain: string; readonly domains?: never; readonly modifiedSince?: never; readonly namePrefix?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly domain?: never;   /** Domains, at most 100: finds companies that have any of them. Not in Pipedrive. */
  readonly domains: ReadonlyArray<string>; readonly modifiedSince?: never; readonly namePrefix?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly domain?: never; readonly domains?: never;   /** Finds companies modified at or after this time. Each page says up to which time; pass that time to the next search, and every change is seen at least once. Deleted companies are not found. */
  readonly modifiedSince: string; readonly namePrefix?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly domain?: never; readonly domains?: never; readonly modifiedSince?: never;   /** Beginning of a word of the name, at least 2 characters, e.g. `eng` for Analytical Engines Ltd. Spaces, hyphens and apostrophes divide words. Not in Pipedrive. */
  readonly namePrefix: string; };

/** One company to change. */
export type CompanyUpdateInput = {
  /** Values to write. */
  readonly changes: CompanyChangesInput;
  /** The `lastModifiedAt` that you have read. A company that was changed since is refused with `CONFLICT`. It is compared just before the write. HubSpot: another change can come between the comparison and the write. Pipedrive: another change can come between the comparison and the write. */
  readonly ifUnmodifiedSince?: string | null | undefined;
  /** Id of the company in the CRM. */
  readonly remoteId: string;
};

/** One company to create or change. */
export type CompanyUpsertInput = {
  /** Values to write. */
  readonly changes: CompanyChangesInput;
  /** Name of the custom field of your application by which the company is found. The CRM must let no two companies have the same value: `writableFields` says so with `isUnique`. */
  readonly customField: string;
  /** The `lastModifiedAt` that you have read. A company that was changed since is refused with `CONFLICT`. It is compared just before the write. HubSpot: another change can come between the comparison and the write. Pipedrive: another change can come between the comparison and the write. */
  readonly ifUnmodifiedSince?: string | null | undefined;
  /** Its value, which a new company gets. */
  readonly value: string;
};

/** Connect link to confirm, and its one-time code. */
export type ConfirmConnectLinkInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** One-time code from the query of `returnUrl` or the popup’s message, valid for ten minutes. Redeem it only in the session of the user for whom the link was created. */
  readonly code: string;
  /** The link’s id. */
  readonly id: string;
};

/** Reason why a connect link ended without a connection. */
export type ConnectFailure =
  /** The customer denied access on the provider’s consent page. */
  | 'ACCESS_DENIED'
  /** The account differs from the one connected before, and the link does not allow a change. */
  | 'ACCOUNT_MISMATCH'
  /** An administrator of the account must approve the app first. */
  | 'ADMIN_APPROVAL_REQUIRED'
  /** The link was already used or had already ended. */
  | 'ALREADY_USED'
  /** The link expired. */
  | 'EXPIRED'
  /** Required scopes were not granted. */
  | 'MISSING_SCOPES'
  /** The one-time code was not redeemed within ten minutes. */
  | 'NOT_CONFIRMED'
  /** The provider issued no refresh token. */
  | 'NO_REFRESH_TOKEN'
  /** The provider refused for another reason, such as a wrong client secret. */
  | 'VENDOR_REFUSED'
  /** The provider could not be reached. */
  | 'VENDOR_UNAVAILABLE'
  /** The callback came from a different browser than the one that started the flow. */
  | 'WRONG_BROWSER';

/** What a connect link is for. */
export type ConnectLinkPurpose =
  /** The customer connects a CRM. */
  | 'CONNECT'
  /** The customer maps custom fields to the fields of a CRM that is connected already. */
  | 'MAP_FIELDS';

/** Status of a connect link. */
export type ConnectLinkStatus =
  /** The customer granted access: redeem the one-time code with `confirmConnectLink`. */
  | 'AWAITING_CONFIRMATION'
  /** The link was canceled. */
  | 'CANCELED'
  /** The connection exists; of a link to map fields: the mapping is stored. */
  | 'COMPLETED'
  /** The link expired. */
  | 'EXPIRED'
  /** The link ended without a connection: see `failure`. */
  | 'FAILED'
  /** The link was created, and the customer has not started the flow yet. */
  | 'PENDING'
  /** A browser was sent to the provider’s consent page. */
  | 'STARTED';

/** How the browser returns from a connect link. */
export type ConnectMode =
  /** The link is opened in a popup, which posts a message to the page that opened it. */
  | 'POPUP'
  /** The browser is redirected to `returnUrl`. */
  | 'REDIRECT';

/** A connection to create or update. An absent field is unchanged; null clears an optional one. */
export type ConnectionInput = {
  /** Whether these records may also be created and changed. Default for a new connection: `READ`. */
  readonly access?: AccessLevel | null | undefined;
  /** Sync configuration of one connection, which overrides the default. */
  readonly connectionSyncConfig?: ConnectionSyncConfigInput | null | undefined;
  /** Credentials for the provider, stored encrypted and never returned. Null deletes them. */
  readonly credentials?: CredentialsInput | null | undefined;
  /**
   * Field mappings by entity. Those of standard objects give custom fields of their type of record their sources, unless `customFieldMappings` does.
   * @deprecated Use `customFieldMappings`, which is set with `setCustomFieldMappings`. The value is stored and returned unchanged.
   */
  readonly entityMappings?: ReadonlyArray<EntityMappingInput> | null | undefined;
  /** URL of the customer’s instance at the provider, e.g. `https://acme.my.salesforce.com`. Its host must be one of the provider’s. Required for Salesforce. Required for Pipedrive. */
  readonly instanceUrl?: string | null | undefined;
  /** Provider. A customer has at most one connection to each. */
  readonly provider: ProviderName;
  /** Types of records that may be read with these credentials. Default for a new connection: contacts. A connection that was made by a connect link has those that its customer allowed: create another link to extend them. */
  readonly records?: ReadonlyArray<RecordType> | null | undefined;
  /**
   * Field mappings by object. Those of a type of record give its custom fields their sources, unless `entityMappings` or `customFieldMappings` do.
   * @deprecated Use `customFieldMappings`, which is set with `setCustomFieldMappings`. The value is stored and returned unchanged.
   */
  readonly schemaMappingsConfig?: SchemaMappingsConfigInput | null | undefined;
};

/** Status of a connection. */
export type ConnectionStatus =
  /** The connection has credentials that are not known to be refused. Its `statusReason` says whether they were ever used. */
  | 'CONNECTED'
  /** The provider permanently refused the credentials: the customer has to connect again. */
  | 'REAUTHORIZE'
  /** The connection has no credentials. */
  | 'UNAUTHORIZED';

/** Sync configuration of one connection, which overrides the default. */
export type ConnectionSyncConfigInput = {
  /** Preview. Custom objects to sync. Default: the list of the sync configuration. */
  readonly customObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
  /** Destination of the data. Default: the default destination. */
  readonly destinationConfig?: DestinationConfigInput | null | undefined;
  /** Standard objects to sync. Default: the list of the sync configuration. */
  readonly standardObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
};

/** Changes of a contact. An absent field is unchanged, null clears it, and an empty string is refused. */
export type ContactChangesInput = {
  /** Id, in the CRM, of the contact’s account. Not in HubSpot, where associations decide. */
  readonly accountId?: string | null | undefined;
  /** Postal addresses, one of each type. They replace all that the contact has. */
  readonly addresses?: ReadonlyArray<AddressInput> | null | undefined;
  /** Custom fields of your application by name, as they are read: strings, numbers, booleans and lists of strings. */
  readonly customFields?: unknown;
  /** Email addresses, one of each type. They replace those that the contact has. In an upsert, the primary address is `email`. */
  readonly emailAddresses?: ReadonlyArray<EmailAddressInput> | null | undefined;
  /** First name. */
  readonly firstName?: string | null | undefined;
  /** Last name. */
  readonly lastName?: string | null | undefined;
  /** Lifecycle stage. Not in Salesforce. Not in Pipedrive. */
  readonly lifecycleStage?: LifecycleStage | null | undefined;
  /** Id, in the CRM, of the user who owns the contact. */
  readonly ownerId?: string | null | undefined;
  /** Phone numbers, one of each type. They replace all that the contact has. Salesforce: `other` is the field `OtherPhone`. */
  readonly phoneNumbers?: ReadonlyArray<PhoneNumberInput> | null | undefined;
  /** Fields of the CRM by the names of its API, at most 100. `writableFields` lists what contacts have. */
  readonly rawFields?: unknown;
};

/** One contact to create. */
export type ContactCreationInput = {
  /** Values to write. */
  readonly changes: ContactChangesInput;
};

/** Search condition: exactly one of the fields. */
export type ContactFilter =
  {   /** All contacts: only `true` is accepted. */
  readonly all: boolean; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never;   /** Custom field of your application and its value. A field by which the CRM cannot filter is `UNPROCESSABLE_ENTITY`. Not in Pipedrive. */
  readonly customField: CustomFieldFilterInput; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never;   /** Email address, compared case-insensitively. HubSpot: the primary and the additional addresses, not the work email. Salesforce: the email. Pipedrive: all addresses of a person, which several may have. */
  readonly email: string; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never;   /** Domain after the @, e.g. `example.com`, compared with the same addresses as `email`. Not in Pipedrive. */
  readonly emailDomain: string; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never;   /** Email addresses, at most 1,000: finds contacts that have any of them. */
  readonly emails: ReadonlyArray<string>; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never;   /** Finds contacts modified at or after this time. Each page says up to which time; pass that time to the next search, and every change is seen at least once. Deleted contacts are not found. */
  readonly modifiedSince: string; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never;   /** Beginning of a word of the first or last name, at least 2 characters, e.g. `jo` for John, Mary Jo, Anne-Joe and O’Jones. Spaces, hyphens and apostrophes divide words. The first and the last name are compared separately: for Ada Lovelace pass `lovelace`, not both names. Not in Pipedrive. */
  readonly namePrefix: string; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never;   /** Phone number in any notation, 3 to 20 digits. Finds at most 200 contacts, whose number, other than a fax number, has the same digits without leading zeros, or ends with them or the other way round, if the shorter one has at least 7. They are not counted. Not in Pipedrive. */
  readonly phone: string; };

/** One contact to change. */
export type ContactUpdateInput = {
  /** Values to write. */
  readonly changes: ContactChangesInput;
  /** The `lastModifiedAt` that you have read. A contact that was changed since is refused with `CONFLICT`. It is compared just before the write. HubSpot: another change can come between the comparison and the write. Pipedrive: another change can come between the comparison and the write. */
  readonly ifUnmodifiedSince?: string | null | undefined;
  /** Id of the contact in the CRM. */
  readonly remoteId: string;
};

/** One contact to create or change. */
export type ContactUpsertInput = {
  /** Values to write. */
  readonly changes: ContactChangesInput;
  /** Email address by which the contact is found, primary or additional. It becomes the primary address of a new contact, and is not changed on an existing one. */
  readonly email: string;
  /** The `lastModifiedAt` that you have read. A contact that was changed since is refused with `CONFLICT`. It is compared just before the write. HubSpot: another change can come between the comparison and the write. Pipedrive: another change can come between the comparison and the write. */
  readonly ifUnmodifiedSince?: string | null | undefined;
};

/** Companies to write. */
export type CreateCompaniesInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The companies, 1 to 100. */
  readonly records: ReadonlyArray<CompanyCreationInput>;
};

/** A connect link to create. */
export type CreateConnectLinkInput = {
  /** Access to these records to ask for. */
  readonly access?: AccessLevel | null | undefined;
  /** Whether a customer who is already connected may connect another account instead. */
  readonly allowAccountChange?: boolean | null | undefined;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Whether the connection must be confirmed with a one-time code in the session of the user for whom the link was created. With `false`, for links sent by mail, anyone who has the link can connect their account to this customer. */
  readonly confirm?: boolean | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Lifetime of the link, 30 to 86400 seconds (a day). */
  readonly expiresInSeconds?: number | null | undefined;
  /** Login URL of this customer at the provider, e.g. `https://acme.my.salesforce.com`, for a link to one provider. Default: the page asks for it. */
  readonly loginUrl?: string | null | undefined;
  /** Whether the customer matches your custom fields with those of the CRM after consent. Skipped if customers may not map any custom field. */
  readonly mapFields?: boolean | null | undefined;
  /** How the browser returns. */
  readonly mode?: ConnectMode | null | undefined;
  /** OAuth scopes to request in addition to the required ones, at most 50. */
  readonly optionalScopes?: ReadonlyArray<string> | null | undefined;
  /** Providers that the customer may connect. With several, the customer chooses one. */
  readonly providers: ReadonlyArray<ProviderName>;
  /** Types of records to ask for. A customer who is connected already keeps what the connection allows: the link extends it. `Provider.grantableAccess` has what a provider’s links can ask for. */
  readonly records?: ReadonlyArray<RecordType> | null | undefined;
  /** URL of your page to which the browser returns, e.g. `https://app.example.com/connected`. Its origin must be registered for your application. `connect_link_id`, `status`, `error` and `code` are added to its query. */
  readonly returnUrl: string;
};

/** Contacts to write. */
export type CreateContactsInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The contacts, 1 to 100. */
  readonly records: ReadonlyArray<ContactCreationInput>;
};

/** Deals to write. */
export type CreateDealsInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The deals, 1 to 100. */
  readonly records: ReadonlyArray<DealCreationInput>;
};

/** A link to map fields. */
export type CreateMappingLinkInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Lifetime of the link, 30 to 86400 seconds (a day). */
  readonly expiresInSeconds?: number | null | undefined;
  /** How the browser returns. */
  readonly mode?: ConnectMode | null | undefined;
  /** Provider of the connection. */
  readonly provider: ProviderName;
  /** URL of your page to which the browser returns. Its origin must be registered for your application. `connect_link_id` and `status` are added to its query. */
  readonly returnUrl: string;
};

/** A webhook endpoint to create. */
export type CreateWebhookEndpointInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Types of events to send. Default: all. */
  readonly eventTypes?: ReadonlyArray<EventType> | null | undefined;
  /** URL of the endpoint, `https:` at a public host, e.g. `https://app.example.com/webhooks/crossbook`. */
  readonly url: string;
};

/** Credentials for a provider: exactly one of the fields. Write-only: no response, log or error contains them. */
export type CredentialsInput =
  {   /** Tokens of an OAuth 2.0 grant. */
  readonly oauth2: OAuth2CredentialsInput; readonly token?: never; }
  |  { readonly oauth2?: never;   /** A static token, such as that of a private app. */
  readonly token: StaticTokenInput; };

/** A field of CRM records that your application has declared. */
export type CustomFieldDefinitionInput = {
  /** Whether customers may choose another field of their CRM themselves. */
  readonly customersMayMap?: boolean;
  /** Description, at most 500 characters. */
  readonly description?: string | null | undefined;
  /** Name of the field, in camelCase, at most 64 characters. */
  readonly name: string;
  /** Fields that it is read from unless the customer has a mapping, at most one for each provider. */
  readonly sources?: ReadonlyArray<CustomFieldSourceInput> | null | undefined;
  /** Type of its values. */
  readonly type: CustomFieldType;
};

/** Condition on one of your application’s custom fields. */
export type CustomFieldFilterInput = {
  /** Value of the custom field, at most 255 characters: a number as `42`, a boolean as `true`, a date as `2026-01-31`. Texts are compared case-insensitively; of several choices, one has to be equal. */
  readonly equals: string;
  /** Name of the custom field. */
  readonly name: string;
};

/** The field of a customer’s CRM that a custom field is read from. */
export type CustomFieldMappingInput = {
  /** Name of the custom field. */
  readonly field: string;
  /** Name of the field in the provider’s API, e.g. `favorite_color` or `Account.Industry`. */
  readonly source: string;
};

/** The field of one provider that a custom field is read from. */
export type CustomFieldSourceInput = {
  /** Name of the field in the provider’s API. HubSpot: the internal name. Salesforce: the API name, which may follow one relationship (`Account.Industry`). Pipedrive: the code, which is a key of 40 digits for a custom field. */
  readonly field: string;
  /** The provider. */
  readonly provider: ProviderName;
};

/** Type of a custom field. */
export type CustomFieldType =
  /** True or false. */
  | 'BOOLEAN'
  /** One value of a list, by its name in the CRM’s API. */
  | 'CHOICE'
  /** Several values of a list, by their names in the CRM’s API. */
  | 'CHOICES'
  /** A date, e.g. `2026-01-31`. */
  | 'DATE'
  /** A time in UTC, e.g. `2026-01-31T10:00:00.000Z`. */
  | 'DATETIME'
  /** A number. */
  | 'NUMBER'
  /** A string. */
  | 'TEXT';

/** Conditions, all of which must match. */
export type CustomerFilter = {
  /** Your own ids of customers, at most 1000. */
  readonly customerIds?: ReadonlyArray<string> | null | undefined;
  /** Email address of the customer, compared case-insensitively. */
  readonly email?: string | null | undefined;
  /** Provider to which the customer has a connection. */
  readonly provider?: ProviderName | null | undefined;
  /** Status of a connection of the customer; with `provider`, of the connection to it. */
  readonly status?: ConnectionStatus | null | undefined;
};

/** A range of days, both inclusive. */
export type DateRangeInput = {
  /** First day. Default: no lower bound. */
  readonly from?: string | null | undefined;
  /** Last day. Default: no upper bound. */
  readonly to?: string | null | undefined;
};

/** Changes of a deal. An absent field is unchanged, null clears it, and an empty string is refused. */
export type DealChangesInput = {
  /** Amount. Salesforce: a currency only in organisations that have several. */
  readonly amount?: MoneyInput | null | undefined;
  /** Day on which the deal was closed, or is expected to be. HubSpot: noon of that day in UTC. Pipedrive: the expected date. */
  readonly closeDate?: string | null | undefined;
  /** Custom fields of your application by name, as they are read: strings, numbers, booleans and lists of strings. */
  readonly customFields?: unknown;
  /** Name. */
  readonly name?: string | null | undefined;
  /** Next step. Not in Pipedrive. */
  readonly nextStep?: string | null | undefined;
  /** Id, in the CRM, of the user who owns the deal. */
  readonly ownerId?: string | null | undefined;
  /** Id of the pipeline, which is written together with a stage of it. Default: the pipeline of `stageId`. */
  readonly pipelineId?: string | null | undefined;
  /** Fields of the CRM by the names of its API, at most 100. `writableFields` lists what deals have. */
  readonly rawFields?: unknown;
  /** Id of the stage. `pipelines` lists those of each pipeline. Salesforce: required for a new deal, as are the name and the close date. */
  readonly stageId?: string | null | undefined;
};

/** One deal to create. */
export type DealCreationInput = {
  /** Values to write. */
  readonly changes: DealChangesInput;
};

/** Search condition: exactly one of the fields, or any of `pipelineId`, `stageId`, `status`, `ownerId`, `closeDate`. */
export type DealFilter = {
  /** All deals: only `true` is accepted. */
  readonly all?: boolean | null | undefined;
  /** Days between which the deal was closed, or is expected to be. Not in Pipedrive. */
  readonly closeDate?: DateRangeInput | null | undefined;
  /** Custom field of your application and its value. A field by which the CRM cannot filter is `UNPROCESSABLE_ENTITY`. Not in Pipedrive. */
  readonly customField?: CustomFieldFilterInput | null | undefined;
  /** Finds deals modified at or after this time. Each page says up to which time; pass that time to the next search, and every change is seen at least once. Deleted deals are not found. */
  readonly modifiedSince?: string | null | undefined;
  /** User who owns the deal, by id in the CRM. */
  readonly ownerId?: string | null | undefined;
  /** Pipeline that the deal is in. */
  readonly pipelineId?: string | null | undefined;
  /** Stage that the deal is in. */
  readonly stageId?: string | null | undefined;
  /** Outcome of the deal. */
  readonly status?: DealStatus | null | undefined;
};

/** Outcome of a deal. */
export type DealStatus =
  /** The deal was lost. */
  | 'LOST'
  /** The deal is neither won nor lost. */
  | 'OPEN'
  /** The deal was won. */
  | 'WON';

/** One deal to change. */
export type DealUpdateInput = {
  /** Values to write. */
  readonly changes: DealChangesInput;
  /** The `lastModifiedAt` that you have read. A deal that was changed since is refused with `CONFLICT`. It is compared just before the write. HubSpot: another change can come between the comparison and the write. Pipedrive: another change can come between the comparison and the write. */
  readonly ifUnmodifiedSince?: string | null | undefined;
  /** Id of the deal in the CRM. */
  readonly remoteId: string;
};

/** A customer to delete. */
export type DeleteCustomerInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Whether the customer’s rows at the sync destination are deleted too, which is retried for 30 days and ends with an event. */
  readonly deleteSyncedRows?: boolean;
  /** Expected version: if the stored one differs, the error is `CONFLICT`. */
  readonly expectedVersion?: number | null | undefined;
};

/** OAuth client to delete. */
export type DeleteOAuthClientInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** The provider. */
  readonly provider: ProviderName;
};

/** Deletion of the sync destination. */
export type DeleteSyncDestinationInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
};

/** Webhook endpoint to delete. */
export type DeleteWebhookEndpointInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** The endpoint. */
  readonly id: string;
};

/** Destination of a connection’s data, which overrides the default. Syncs to BigQuery are not implemented yet. */
export type DestinationConfigInput =
  {   /** Google BigQuery as the destination. Stored, not implemented yet: every sync of the connection is `FAILED` with `NOT_IMPLEMENTED`. */
  readonly bigquery: BigQueryDestinationInput; readonly postgres?: never; }
  |  { readonly bigquery?: never;   /** PostgreSQL as the destination. */
  readonly postgres: PostgresDestinationInput; };

/** A connection to remove. */
export type DisconnectProviderInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Provider to disconnect. */
  readonly provider: ProviderName;
};

/** An email address of a contact. */
export type EmailAddressInput = {
  /** Email address. */
  readonly emailAddress: string;
  /** Use of the address. */
  readonly emailAddressType: EmailAddressType;
};

/** Use of an email address. */
export type EmailAddressType =
  /** Additional address. */
  | 'OTHER'
  /** Main address. */
  | 'PRIMARY'
  /** Work address. */
  | 'WORK';

/** Mapping of an entity of your application to an object of the provider. It is read if the object is a standard one that a type of record is read from. */
export type EntityMappingInput = {
  /** Id of the entity in your application. */
  readonly entityId?: string | null | undefined;
  /** Field mappings of the entity. */
  readonly fieldMappings?: ReadonlyArray<FieldMappingInput> | null | undefined;
  /** Object of the provider that the entity is mapped to. */
  readonly object?: EntityObjectInput | null | undefined;
};

/** Object of the provider that represents an entity. */
export type EntityObjectInput = {
  /** Name of the object at the provider, case-sensitive. */
  readonly name?: string | null | undefined;
  /** Whether it is a standard object of the provider or a custom one of the customer. */
  readonly type: EntityObjectType;
};

/** Whether it is a standard object of the provider or a custom one of the customer. */
export type EntityObjectType =
  /** Custom object, defined by the customer. */
  | 'CUSTOM'
  /** Standard object, defined by the provider. */
  | 'STANDARD';

/** Type of event. */
export type EventType =
  /** Companies were changed or deleted in a customer’s CRM, and the sync destination has the changes. Sent only if an endpoint names this type. */
  | 'COMPANIES_CHANGED'
  /** A connection was established. */
  | 'CONNECTION_CONNECTED'
  /** A connection was removed, or its credentials were. */
  | 'CONNECTION_DISCONNECTED'
  /** A mapping of a custom field cannot be used. Sent at most once a day for each problem of a connection. */
  | 'CONNECTION_MAPPING_PROBLEM'
  /** The provider permanently refused the credentials: the customer has to connect again. */
  | 'CONNECTION_REAUTHORIZE'
  /** A connection whose credentials were refused works again. */
  | 'CONNECTION_RECOVERED'
  /** A connect link ended without a connection. */
  | 'CONNECT_LINK_FAILED'
  /** Contacts were changed or deleted in a customer’s CRM, and the sync destination has the changes. Sent only if an endpoint names this type. */
  | 'CONTACTS_CHANGED'
  /** A customer was created. */
  | 'CUSTOMER_CREATED'
  /** A customer was deleted. */
  | 'CUSTOMER_DELETED'
  /** The rows of a deleted customer were deleted at the sync destination. */
  | 'CUSTOMER_ROWS_DELETED'
  /** The rows of a deleted customer could not be deleted at the sync destination within 30 days. */
  | 'CUSTOMER_ROWS_NOT_DELETED'
  /** A customer’s name or email was changed. */
  | 'CUSTOMER_UPDATED'
  /** Deals were changed or deleted in a customer’s CRM, and the sync destination has the changes. Sent only if an endpoint names this type. */
  | 'DEALS_CHANGED'
  /** A run of a sync ended successfully: a full one, or one that has changed rows. */
  | 'SYNC_COMPLETED'
  /** A run of a sync failed. Sent once, until a run is successful again. */
  | 'SYNC_FAILED'
  /** A test of a webhook endpoint, requested by `sendTestEvent`. Sent only to this endpoint, regardless of its types. */
  | 'WEBHOOK_TEST'
  /** The outcome of a write, of which some records were `UNKNOWN`, is known. Read it with `write(id)`. */
  | 'WRITE_COMPLETED';

/** Mapping of a custom field of your application to a field of the provider. */
export type FieldMappingInput = {
  /** Name of the field at the provider. */
  readonly mappedField: string;
  /** Name of the custom field. A name that no custom field has is stored, and appears in `mappingProblems`. */
  readonly schemaField: string;
};

/** A customer token to issue. */
export type IssueCustomerTokenInput = {
  /** Whether the token may list contacts that it does not know yet: by `all`, `modifiedSince`, `namePrefix` and `customField`. Default: false. */
  readonly canList?: boolean | null | undefined;
  /** Whether the token may create and change records, where the connection may. Default: false. */
  readonly canWrite?: boolean | null | undefined;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Lifetime of the token, at most 86400 seconds (a day). Default 3600 (an hour). */
  readonly expiresInSeconds?: number | null | undefined;
  /** Providers that the token may search. Default: all of the customer’s. */
  readonly providers?: ReadonlyArray<ProviderName> | null | undefined;
};

/** Stage on the way to becoming a customer. */
export type LifecycleStage =
  /** Has bought something. */
  | 'CUSTOMER'
  /** A customer who recommends you. */
  | 'EVANGELIST'
  /** Has shown interest. */
  | 'LEAD'
  /** Qualified by marketing. */
  | 'MARKETINGQUALIFIEDLEAD'
  /** Associated with a possible deal. */
  | 'OPPORTUNITY'
  /** A custom stage, or one that only this CRM has. */
  | 'OTHER'
  /** Qualified by sales. */
  | 'SALESQUALIFIEDLEAD'
  /** Has subscribed to news. */
  | 'SUBSCRIBER';

/** Two records to link. */
export type LinkCreationInput = {
  /** One of the records. */
  readonly from: LinkedRecordInput;
  /** Whether the link is to be the primary one of its kind, such as to the primary company of a contact, in place of the one that is. Default: the primary one stays as it is. */
  readonly isPrimary?: boolean | null | undefined;
  /** The other one, of another type. Their order does not matter. */
  readonly to: LinkedRecordInput;
};

/** Links to make. */
export type LinkRecordsInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** The links, 1 to 100. */
  readonly links: ReadonlyArray<LinkCreationInput>;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
};

/** Two records whose link is to be removed. */
export type LinkRemovalInput = {
  /** One of the records. */
  readonly from: LinkedRecordInput;
  /** Whether the records are to stay linked, and the link is only not to be the primary one any more. Default: the link is removed. */
  readonly isPrimary?: boolean | null | undefined;
  /** The other one, of another type. Their order does not matter. */
  readonly to: LinkedRecordInput;
};

/** One of two linked records. */
export type LinkedRecordInput = {
  /** Type of the record. */
  readonly record: RecordType;
  /** Id of the record in the CRM. */
  readonly remoteId: string;
};

/** What is wrong with a mapping. */
export type MappingProblemKind =
  /** The CRM has the field, and does not show it to the connected user. */
  | 'HIDDEN'
  /** The CRM has no field of this name, or does not show it to the connected user. */
  | 'MISSING'
  /** The CRM cannot filter by the field. */
  | 'NOT_FILTERABLE'
  /** The type of the CRM’s field, or a value of it, does not fit the custom field. */
  | 'TYPE_MISMATCH'
  /** No custom field has this name. */
  | 'UNKNOWN_FIELD'
  /** The mapping is of an object that no type of record is read from, or of a custom one. */
  | 'UNKNOWN_OBJECT';

/** An amount of money. */
export type MoneyInput = {
  /** ISO 4217 code. Null where the CRM does not say which it is. */
  readonly currency?: string | null | undefined;
  /** Amount as a decimal number, such as `1250000.5`. */
  readonly value: string;
};

/** Tokens of an OAuth 2.0 grant. */
export type OAuth2CredentialsInput = {
  /** Access token. */
  readonly accessToken: string;
  /** Expiry of the access token, if the provider returns it. */
  readonly expiresAt?: string | null | undefined;
  /** Refresh token. Without one, the customer has to connect again when the access token expires. */
  readonly refreshToken?: string | null | undefined;
};

/** Field mappings of one object. */
export type ObjectFieldMappingsInput = {
  /** Field mappings of the object. */
  readonly fieldMappings: ReadonlyArray<FieldMappingInput>;
  /** Name of the object, compared without case, spaces and plural. Only mappings of contacts, companies and other types of records are read: by the name of the type, or by the provider’s name of its object. */
  readonly object?: string | null | undefined;
};

/** Syncs to pause. */
export type PauseSyncInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Provider of the connection. */
  readonly provider: ProviderName;
  /** Table of the sync. Default: all syncs of the connection. */
  readonly table?: string | null | undefined;
};

/** A phone number of a contact or company. */
export type PhoneNumberInput = {
  /** Phone number, as written in the CRM. */
  readonly phoneNumber: string;
  /** Type of the phone number. */
  readonly phoneNumberType: PhoneNumberType;
};

/** Type of a phone number. */
export type PhoneNumberType =
  /** Fax number. */
  | 'FAX'
  /** Mobile phone. */
  | 'MOBILE'
  /** Additional number. */
  | 'OTHER'
  /** Main number. */
  | 'PRIMARY';

/** PostgreSQL as the destination. */
export type PostgresDestinationInput = {
  /** Schema, which must exist. Default: the schema of the configured destination. */
  readonly schema?: string | null | undefined;
};

/** A PostgreSQL database that syncs write to. */
export type PostgresSyncDestinationInput = {
  /** Certificates that the server’s certificate is verified with, in PEM. Default: the public certificate authorities. */
  readonly caCertificate?: string | null | undefined;
  /** Schema of the tables, which must exist. */
  readonly schema: string;
  /** URL with user, password, host, port and database, e.g. `postgresql://crossbook:secret@db.example.com:5432/warehouse`. Query parameters are refused. It is stored encrypted and never returned. */
  readonly url: string;
};

/** Type of a field in a CRM. */
export type ProviderFieldType =
  /** True or false. */
  | 'BOOLEAN'
  /** One value of a list. */
  | 'CHOICE'
  /** Several values of a list. */
  | 'CHOICES'
  /** A date. */
  | 'DATE'
  /** A time. */
  | 'DATETIME'
  /** A number. */
  | 'NUMBER'
  /** A type that no custom field can be read from, such as a location. */
  | 'OTHER'
  /** The id of another record. */
  | 'REFERENCE'
  /** A string. */
  | 'TEXT';

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
  /** Pipedrive, a CRM. Its contacts can be searched. */
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

/** Type of a CRM record. */
export type RecordType =
  /** A company. Salesforce: an account. Pipedrive: an organization. */
  | 'COMPANY'
  /** A contact. */
  | 'CONTACT'
  /** A deal. Salesforce: an opportunity. */
  | 'DEAL';

/** Events to send again: either `eventIds` or `since`. */
export type RedeliverEventsInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Id of the endpoint to send them to. */
  readonly endpointId: string;
  /** Ids of the events, at most 1000. */
  readonly eventIds?: ReadonlyArray<string> | null | undefined;
  /** Time from which all events are sent again, regardless of the endpoint’s `eventTypes`. */
  readonly since?: string | null | undefined;
};

/** Syncs to resume. */
export type ResumeSyncInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Provider of the connection. */
  readonly provider: ProviderName;
  /** Table of the sync. Default: all syncs of the connection. */
  readonly table?: string | null | undefined;
};

/** Result of revoking a customer’s grant at the provider. */
export type Revocation =
  /** The provider could not be reached or refused. The connection is removed anyway; the customer can revoke the grant there. */
  | 'FAILED'
  /** The provider does not support revocation, or the credentials came by `upsertCustomer` and are yours to revoke. */
  | 'NOT_SUPPORTED'
  /** The grant was revoked: its refresh token is invalid. */
  | 'REVOKED'
  /** Another connection uses the same grant, so it was not revoked. */
  | 'SHARED';

/** Webhook endpoint whose secret is rotated. */
export type RotateWebhookSecretInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** The endpoint. */
  readonly id: string;
};

/** Field mappings by object. Those of a type of record give its custom fields their sources, unless `entityMappings` or `customFieldMappings` do. */
export type SchemaMappingsConfigInput = {
  /** Mappings of objects common to all providers, which take precedence over those of standard objects. */
  readonly commonObjects?: ReadonlyArray<ObjectFieldMappingsInput> | null | undefined;
  /** Mappings of the provider’s standard objects. */
  readonly standardObjects?: ReadonlyArray<ObjectFieldMappingsInput> | null | undefined;
};

/** Custom fields to set. */
export type SetCustomFieldDefinitionsInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** All custom fields of the record type, at most 200. Fields that are not listed are removed. */
  readonly definitions: ReadonlyArray<CustomFieldDefinitionInput>;
  /** Expected version: if the stored one differs, the error is `CONFLICT`. 0: no fields were ever set. */
  readonly expectedVersion?: number | null | undefined;
  /** Type of the records. */
  readonly record?: RecordType;
  /** Whether callers of your application get a GraphQL schema in which records of this type have a field `custom`, such as `Contact.custom`, with a field of its own type for each custom field. Give it in each call: without it, the typed fields are removed from the schema. */
  readonly typedSchema?: boolean;
};

/** Mappings to set. */
export type SetCustomFieldMappingsInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** All mappings of the connection for the record type, at most 200. Mappings that are not listed are removed. */
  readonly mappings: ReadonlyArray<CustomFieldMappingInput>;
  /** Provider of the connection. */
  readonly provider: ProviderName;
  /** Type of the records. */
  readonly record?: RecordType;
};

/** An OAuth client to store. */
export type SetOAuthClientInput = {
  /** Client id of the app. */
  readonly clientId: string;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Client secret, stored encrypted and never returned. */
  readonly clientSecret: string;
  /** The provider. */
  readonly provider: ProviderName;
};

/** Sync configuration to set. */
export type SetSyncConfigurationInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Whether companies are synced in the common shape. */
  readonly companies?: boolean;
  /** Whether contacts are synced in the common shape. */
  readonly contacts?: boolean;
  /** Custom objects to sync, at most 100. A connection’s non-empty list replaces this one. */
  readonly customObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
  /** Whether deals are synced in the common shape. */
  readonly deals?: boolean;
  /** Whether edges are synced, such as those of a contact to its companies: those between types of records that are both synced in the common shape. */
  readonly edges?: boolean;
  /** Seconds between two runs, from 60 to 2592000. */
  readonly intervalSeconds?: number;
  /** Whether the syncs run. */
  readonly isEnabled?: boolean;
  /** The provider. */
  readonly provider: ProviderName;
  /** Standard objects of the provider to sync, at most 100. A connection’s non-empty list replaces this one. */
  readonly standardObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
};

/** Sync destination to set. */
export type SetSyncDestinationInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** A PostgreSQL database. */
  readonly postgres: PostgresSyncDestinationInput;
};

/** Syncs to start. */
export type StartSyncInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Whether to read all records, and not only changes. */
  readonly full?: boolean;
  /** Provider of the connection. */
  readonly provider: ProviderName;
  /** Table of the sync. Default: all syncs of the connection. */
  readonly table?: string | null | undefined;
};

/** A static token, such as that of a private app. */
export type StaticTokenInput = {
  /** The token. */
  readonly value: string;
};

/** Reason for the status of a connection. */
export type StatusReason =
  /** The credentials were cleared by an upsert. */
  | 'CREDENTIALS_CLEARED'
  /** Connected, and contacts of this provider cannot be searched, so that the credentials are not used. */
  | 'NOT_SEARCHABLE'
  /** Connected, and nothing has been read from the provider with these credentials yet: they may be wrong. */
  | 'NOT_TRIED'
  /** No credentials were set yet. */
  | 'NO_CREDENTIALS'
  /** Connected, and the URL of the customer’s instance is missing, without which the provider cannot be called: set `instanceUrl` with `upsertCustomer`. */
  | 'NO_INSTANCE_URL'
  /** The provider refused the refresh token, or reported that the app was uninstalled: the token was revoked or has expired. */
  | 'REFRESH_TOKEN_REFUSED'
  /** The access token has expired, and there is no refresh token. */
  | 'TOKEN_EXPIRED'
  /** The provider refused the access token, and there is no refresh token. */
  | 'TOKEN_REFUSED';

/** Kind of an error of a sync. */
export type SyncErrorCode =
  /** A name of a table or a schema is invalid, or two syncs have the same table. */
  | 'CONFIGURATION'
  /** The destination has no space or no connections left. */
  | 'DESTINATION_FULL'
  /** The destination is read-only. */
  | 'DESTINATION_READ_ONLY'
  /** The destination refused the user, the password or the permission. */
  | 'DESTINATION_REFUSED'
  /** A statement at the destination took too long, or waited for a lock. */
  | 'DESTINATION_SLOW'
  /** The schema or the table at the destination does not fit. */
  | 'DESTINATION_TABLE'
  /** The destination cannot be reached, or ended the connection. */
  | 'DESTINATION_UNREACHABLE'
  /** An error of Crossbook. The log has the details. */
  | 'INTERNAL_ERROR'
  /** The connection may not read these records: extend it with a connect link. */
  | 'NOT_ALLOWED'
  /** The destination or the provider is not supported. */
  | 'NOT_IMPLEMENTED'
  /** The CRM has no such object, or does not show it to the connected user. */
  | 'OBJECT_UNKNOWN'
  /** The provider’s rate limit is reached. */
  | 'PROVIDER_LIMITED'
  /** The provider refused the credentials or the permission. */
  | 'PROVIDER_REFUSED'
  /** The provider is unavailable, or responded in an unexpected way. */
  | 'PROVIDER_UNAVAILABLE';

/** Kind of what a sync copies. */
export type SyncKind =
  /** Companies in the common shape, with a column for each field. */
  | 'COMPANIES'
  /** Contacts in the common shape, with a column for each field. */
  | 'CONTACTS'
  /** A custom object of the customer, with all its fields as JSON. */
  | 'CUSTOM'
  /** Deals in the common shape, with a column for each field. */
  | 'DEALS'
  /** A standard object of the provider, with all its fields as JSON. */
  | 'STANDARD';

/** Reason why a sync is paused. */
export type SyncPauseReason =
  /** The sync configuration of the provider is disabled. */
  | 'DISABLED'
  /** The connection has no credentials. */
  | 'NOT_CONNECTED'
  /** The application has no sync destination. */
  | 'NO_DESTINATION'
  /** The provider refused the credentials. It runs again when the customer has connected again. */
  | 'REAUTHORIZE'
  /** It was paused with `pauseSync`, and runs again after `resumeSync`. */
  | 'REQUESTED';

/** Status of a sync. */
export type SyncStatus =
  /** The last run failed, or it cannot run; `error` has the reason. It is retried unless the configuration has to change. */
  | 'FAILED'
  /** The last run was successful. It waits for `nextRunAt`. */
  | 'IDLE'
  /** It does not run; `pauseReason` has the reason. */
  | 'PAUSED'
  /** It has not run yet. */
  | 'PENDING'
  /** It is running. */
  | 'RUNNING';

/** An object of the provider to sync. */
export type SyncedObjectInput = {
  /** Name of the object at the provider, case-sensitive. */
  readonly object: string;
  /** Target table. Default: the default table. */
  readonly table?: string | null | undefined;
};

/** Links to remove. */
export type UnlinkRecordsInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** The links, 1 to 100. */
  readonly links: ReadonlyArray<LinkRemovalInput>;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
};

/** A change of your branding. */
export type UpdateBrandingInput = {
  /** Color of buttons, e.g. `#0f766e`. White or dark text must be readable on it: a contrast of at least 4.5. Null: Crossbook’s color. */
  readonly accentColor?: string | null | undefined;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Name that your customers see instead of the name of the application, at most 100 characters. Null: the application’s name. */
  readonly displayName?: string | null | undefined;
  /** Logo: a PNG in base64, at most 64 KiB and 512 × 512 pixels. It is stored without metadata. Null: no logo. */
  readonly logo?: string | null | undefined;
};

/** Companies to write. */
export type UpdateCompaniesInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The companies, 1 to 100. */
  readonly records: ReadonlyArray<CompanyUpdateInput>;
};

/** Contacts to write. */
export type UpdateContactsInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The contacts, 1 to 100. */
  readonly records: ReadonlyArray<ContactUpdateInput>;
};

/** Deals to write. */
export type UpdateDealsInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The deals, 1 to 100. */
  readonly records: ReadonlyArray<DealUpdateInput>;
};

/** Changes of a webhook endpoint. Absent fields are unchanged. */
export type UpdateWebhookEndpointInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Whether events are sent. `false` also drops pending deliveries. */
  readonly enabled?: boolean | null | undefined;
  /** Types of events to send. Empty: all. */
  readonly eventTypes?: ReadonlyArray<EventType> | null | undefined;
  /** The endpoint. */
  readonly id: string;
  /** New URL. */
  readonly url?: string | null | undefined;
};

/** Companies to write. */
export type UpsertCompaniesInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The companies, 1 to 100. */
  readonly records: ReadonlyArray<CompanyUpsertInput>;
  /** Whether companies that are not found are refused. */
  readonly updateOnly?: boolean;
};

/** Contacts to write. */
export type UpsertContactsInput = {
  /** Whether duplicate rules of the CRM that only warn are overruled. A rule that blocks never is. */
  readonly allowDuplicates?: boolean;
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer. */
  readonly customerId?: string | null | undefined;
  /** Whether only to check: the outcomes say what would happen, and nothing is written or stored. */
  readonly dryRun?: boolean;
  /** Key of your choice, 1 to 200 printable ASCII characters: a repeated call with the same key and input returns the results of the first for 7 days, and writes nothing again. */
  readonly idempotencyKey?: string | null | undefined;
  /** CRM to write to. Default: the header `x-provider-name`. */
  readonly provider?: ProviderName | null | undefined;
  /** The contacts, 1 to 100. */
  readonly records: ReadonlyArray<ContactUpsertInput>;
  /** Whether contacts that are not found are refused. */
  readonly updateOnly?: boolean;
};

/** A customer to create or update. */
export type UpsertCustomerInput = {
  /** Opaque value that is returned unchanged in the payload. */
  readonly clientMutationId?: string | null | undefined;
  /** Connections to create or update, at most one for each provider. Connections that are not listed are unchanged. */
  readonly connections?: ReadonlyArray<ConnectionInput> | null | undefined;
  /** Your own id of the customer. */
  readonly customerId: string;
  /** Email address of the customer. */
  readonly email: string;
  /** Expected version: if the stored one differs, the error is `CONFLICT`. 0: the customer must not exist. */
  readonly expectedVersion?: number | null | undefined;
  /** Name of the customer. */
  readonly name: string;
};

/** What became of one record of a write. */
export type WriteOutcome =
  /** The record or link was created. In a dry run: it would be. */
  | 'CREATED'
  /** Nothing was written. `problems` says why. */
  | 'REFUSED'
  /** The CRM has all of the given values already, the link, or none to remove. Nothing was sent. */
  | 'UNCHANGED'
  /** The CRM did not respond, or the process ended after sending the record, so it is not known whether the record was written. A later read of the record settles the outcome where it can. */
  | 'UNKNOWN'
  /** The record was changed, or the link was changed or removed. In a dry run: it would be. */
  | 'UPDATED';

/** Kind of a problem with one record. */
export type WriteProblemCode =
  /** Another record has the same unique value. */
  | 'ALREADY_EXISTS'
  /** Several records match. `existingRemoteIds` has their ids. */
  | 'AMBIGUOUS_MATCH'
  /** The CRM did not take the record for the moment. Nothing was written. */
  | 'BUSY'
  /** The record was changed after `ifUnmodifiedSince`, or is given twice. */
  | 'CONFLICT'
  /** A rule of the customer’s CRM objects. `remoteMessage` has its text. */
  | 'CUSTOMER_RULE'
  /** A duplicate rule of the CRM objects. `existingRemoteIds` has the matches. */
  | 'DUPLICATE_RULE'
  /** The value has a form that the field does not take. */
  | 'INVALID_VALUE'
  /** The connection lacks a permission for this write. */
  | 'MISSING_SCOPE'
  /** The value is not one of the field’s options. */
  | 'NOT_AN_OPTION'
  /** There is no record to change. */
  | 'NOT_FOUND'
  /** Any other problem. `remoteCode` and `remoteMessage` have what the CRM says. */
  | 'OTHER'
  /** The field cannot be written. */
  | 'READ_ONLY'
  /** A required field is missing, or would be cleared. */
  | 'REQUIRED'
  /** The value is longer than the field takes. */
  | 'TOO_LONG'
  /** The CRM has no such field, or does not show it to the connected user. */
  | 'UNKNOWN_FIELD';

export type CompanyFieldsFragment = { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly domain: string | null, readonly website: string | null, readonly industry: string | null, readonly employeeCount: number | null, readonly ownerId: string | null, readonly parentId: string | null, readonly lifecycleStage: LifecycleStage | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly annualRevenue: { readonly value: string, readonly currency: string | null } | null };

export type ContactFieldsFragment = { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly customFields?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null };

export type DealFieldsFragment = { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly status: DealStatus | null, readonly closeDate: string | null, readonly ownerId: string | null, readonly nextStep: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly amount: { readonly value: string, readonly currency: string | null } | null, readonly pipeline: { readonly id: string, readonly label: string | null } | null, readonly stage: { readonly id: string, readonly label: string | null, readonly status: DealStatus | null, readonly probability: number | null } | null };

export type ProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type ProvidersQuery = { readonly providers: ReadonlyArray<{ readonly name: ProviderName, readonly category: Category, readonly canConnect: boolean, readonly associatedObjects: ReadonlyArray<AssociatedObject>, readonly capabilities: ReadonlyArray<{ readonly record: RecordType, readonly canList: boolean }> }> };

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
  rawFields?: ReadonlyArray<string> | null | undefined;
  includeTotalCount?: boolean;
  includeAssociations?: boolean;
  associations?: ReadonlyArray<AssociatedObject>;
  includeCustomFields?: boolean;
  customFields?: ReadonlyArray<string> | null | undefined;
}>;


export type SearchContactsQuery = { readonly searchContacts: { readonly totalCount?: number | null, readonly modifiedUntil: string | null, readonly fetchedAt: string, readonly nodes: ReadonlyArray<{ readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly customFields?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } | null };

export type SearchCompaniesQueryVariables = Exact<{
  filter: CompanyFilter;
  customerId?: string | null | undefined;
  provider?: ProviderName | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SearchCompaniesQuery = { readonly searchCompanies: { readonly modifiedUntil: string | null, readonly fetchedAt: string, readonly nodes: ReadonlyArray<{ readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly domain: string | null, readonly website: string | null, readonly industry: string | null, readonly employeeCount: number | null, readonly ownerId: string | null, readonly parentId: string | null, readonly lifecycleStage: LifecycleStage | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly annualRevenue: { readonly value: string, readonly currency: string | null } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } | null };

export type SearchDealsQueryVariables = Exact<{
  filter: DealFilter;
  customerId?: string | null | undefined;
  provider?: ProviderName | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SearchDealsQuery = { readonly searchDeals: { readonly modifiedUntil: string | null, readonly fetchedAt: string, readonly nodes: ReadonlyArray<{ readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly status: DealStatus | null, readonly closeDate: string | null, readonly ownerId: string | null, readonly nextStep: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly amount: { readonly value: string, readonly currency: string | null } | null, readonly pipeline: { readonly id: string, readonly label: string | null } | null, readonly stage: { readonly id: string, readonly label: string | null, readonly status: DealStatus | null, readonly probability: number | null } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } | null };

export type PipelinesQueryVariables = Exact<{
  customerId?: string | null | undefined;
  provider?: ProviderName | null | undefined;
}>;


export type PipelinesQuery = { readonly pipelines: ReadonlyArray<{ readonly id: string, readonly label: string, readonly stages: ReadonlyArray<{ readonly id: string, readonly label: string | null, readonly status: DealStatus | null, readonly probability: number | null }> }> | null };

export type OwnersQueryVariables = Exact<{
  customerId?: string | null | undefined;
  provider?: ProviderName | null | undefined;
}>;


export type OwnersQuery = { readonly owners: ReadonlyArray<{ readonly id: string, readonly name: string | null, readonly email: string | null, readonly isActive: boolean }> | null };

export type UpsertContactsMutationVariables = Exact<{
  input: UpsertContactsInput;
  includeContact?: boolean;
  includeRawData?: boolean;
  rawFields?: ReadonlyArray<string> | null | undefined;
  includeAssociations?: boolean;
  associations?: ReadonlyArray<AssociatedObject>;
  includeCustomFields?: boolean;
  customFields?: ReadonlyArray<string> | null | undefined;
}>;


export type UpsertContactsMutation = { readonly upsertContacts: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly contact?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly customFields?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null } | null }> } | null };

export type CreateContactsMutationVariables = Exact<{
  input: CreateContactsInput;
  includeContact?: boolean;
  includeRawData?: boolean;
  rawFields?: ReadonlyArray<string> | null | undefined;
  includeAssociations?: boolean;
  associations?: ReadonlyArray<AssociatedObject>;
  includeCustomFields?: boolean;
  customFields?: ReadonlyArray<string> | null | undefined;
}>;


export type CreateContactsMutation = { readonly createContacts: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly contact?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly customFields?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null } | null }> } | null };

export type UpdateContactsMutationVariables = Exact<{
  input: UpdateContactsInput;
  includeContact?: boolean;
  includeRawData?: boolean;
  rawFields?: ReadonlyArray<string> | null | undefined;
  includeAssociations?: boolean;
  associations?: ReadonlyArray<AssociatedObject>;
  includeCustomFields?: boolean;
  customFields?: ReadonlyArray<string> | null | undefined;
}>;


export type UpdateContactsMutation = { readonly updateContacts: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly contact?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly customFields?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null } | null }> } | null };

export type UpsertCompaniesMutationVariables = Exact<{
  input: UpsertCompaniesInput;
  includeCompany?: boolean;
}>;


export type UpsertCompaniesMutation = { readonly upsertCompanies: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly company?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly domain: string | null, readonly website: string | null, readonly industry: string | null, readonly employeeCount: number | null, readonly ownerId: string | null, readonly parentId: string | null, readonly lifecycleStage: LifecycleStage | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly annualRevenue: { readonly value: string, readonly currency: string | null } | null } | null }> } | null };

export type CreateCompaniesMutationVariables = Exact<{
  input: CreateCompaniesInput;
  includeCompany?: boolean;
}>;


export type CreateCompaniesMutation = { readonly createCompanies: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly company?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly domain: string | null, readonly website: string | null, readonly industry: string | null, readonly employeeCount: number | null, readonly ownerId: string | null, readonly parentId: string | null, readonly lifecycleStage: LifecycleStage | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly annualRevenue: { readonly value: string, readonly currency: string | null } | null } | null }> } | null };

export type UpdateCompaniesMutationVariables = Exact<{
  input: UpdateCompaniesInput;
  includeCompany?: boolean;
}>;


export type UpdateCompaniesMutation = { readonly updateCompanies: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly company?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly domain: string | null, readonly website: string | null, readonly industry: string | null, readonly employeeCount: number | null, readonly ownerId: string | null, readonly parentId: string | null, readonly lifecycleStage: LifecycleStage | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly annualRevenue: { readonly value: string, readonly currency: string | null } | null } | null }> } | null };

export type CreateDealsMutationVariables = Exact<{
  input: CreateDealsInput;
  includeDeal?: boolean;
}>;


export type CreateDealsMutation = { readonly createDeals: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly deal?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly status: DealStatus | null, readonly closeDate: string | null, readonly ownerId: string | null, readonly nextStep: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly amount: { readonly value: string, readonly currency: string | null } | null, readonly pipeline: { readonly id: string, readonly label: string | null } | null, readonly stage: { readonly id: string, readonly label: string | null, readonly status: DealStatus | null, readonly probability: number | null } | null } | null }> } | null };

export type UpdateDealsMutationVariables = Exact<{
  input: UpdateDealsInput;
  includeDeal?: boolean;
}>;


export type UpdateDealsMutation = { readonly updateDeals: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly deal?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly status: DealStatus | null, readonly closeDate: string | null, readonly ownerId: string | null, readonly nextStep: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly amount: { readonly value: string, readonly currency: string | null } | null, readonly pipeline: { readonly id: string, readonly label: string | null } | null, readonly stage: { readonly id: string, readonly label: string | null, readonly status: DealStatus | null, readonly probability: number | null } | null } | null }> } | null };

export type WriteFieldsFragment = { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string };

export type ContactWriteFieldsFragment = { readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly contact?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly accountId: string | null, readonly ownerId: string | null, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly lastActivityAt: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly rawData?: unknown, readonly customFields?: unknown, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }>, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly associations?: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null } | null };

export type CompanyWriteFieldsFragment = { readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly company?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly domain: string | null, readonly website: string | null, readonly industry: string | null, readonly employeeCount: number | null, readonly ownerId: string | null, readonly parentId: string | null, readonly lifecycleStage: LifecycleStage | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly annualRevenue: { readonly value: string, readonly currency: string | null } | null } | null };

export type DealWriteFieldsFragment = { readonly index: number, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly deal?: { readonly id: string, readonly remoteId: string, readonly provider: ProviderName, readonly name: string | null, readonly status: DealStatus | null, readonly closeDate: string | null, readonly ownerId: string | null, readonly nextStep: string | null, readonly createdAt: string | null, readonly updatedAt: string | null, readonly lastModifiedAt: string | null, readonly isDeleted: boolean, readonly amount: { readonly value: string, readonly currency: string | null } | null, readonly pipeline: { readonly id: string, readonly label: string | null } | null, readonly stage: { readonly id: string, readonly label: string | null, readonly status: DealStatus | null, readonly probability: number | null } | null } | null };

export type LinkRecordsMutationVariables = Exact<{
  input: LinkRecordsInput;
}>;


export type LinkRecordsMutation = { readonly linkRecords: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }> }> } | null };

export type UnlinkRecordsMutationVariables = Exact<{
  input: UnlinkRecordsInput;
}>;


export type UnlinkRecordsMutation = { readonly unlinkRecords: { readonly write: { readonly id: string, readonly isReplayed: boolean, readonly isComplete: boolean, readonly createdAt: string } | null, readonly results: ReadonlyArray<{ readonly index: number, readonly outcome: WriteOutcome, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }> }> } | null };

export type LinkWriteFieldsFragment = { readonly index: number, readonly outcome: WriteOutcome, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }> };

export type WriteProblemFieldsFragment = { readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean };

export type WriteQueryVariables = Exact<{
  id: string;
}>;


export type WriteQuery = { readonly write: { readonly id: string, readonly customerId: string, readonly provider: ProviderName, readonly operation: string, readonly credentialId: string, readonly isComplete: boolean, readonly createdAt: string, readonly completedAt: string | null, readonly results: ReadonlyArray<{ readonly index: number, readonly fields: ReadonlyArray<string>, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly link: { readonly from: { readonly record: RecordType, readonly remoteId: string }, readonly to: { readonly record: RecordType, readonly remoteId: string } } | null, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }> }> } | null };

export type WritesQueryVariables = Exact<{
  customerId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type WritesQuery = { readonly writes: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly customerId: string, readonly provider: ProviderName, readonly operation: string, readonly credentialId: string, readonly isComplete: boolean, readonly createdAt: string, readonly completedAt: string | null, readonly results: ReadonlyArray<{ readonly index: number, readonly fields: ReadonlyArray<string>, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly link: { readonly from: { readonly record: RecordType, readonly remoteId: string }, readonly to: { readonly record: RecordType, readonly remoteId: string } } | null, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }> }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type WriteRecordFieldsFragment = { readonly id: string, readonly customerId: string, readonly provider: ProviderName, readonly operation: string, readonly credentialId: string, readonly isComplete: boolean, readonly createdAt: string, readonly completedAt: string | null, readonly results: ReadonlyArray<{ readonly index: number, readonly fields: ReadonlyArray<string>, readonly outcome: WriteOutcome, readonly remoteId: string | null, readonly changedFields: ReadonlyArray<string>, readonly link: { readonly from: { readonly record: RecordType, readonly remoteId: string }, readonly to: { readonly record: RecordType, readonly remoteId: string } } | null, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }>, readonly warnings: ReadonlyArray<{ readonly code: WriteProblemCode, readonly message: string, readonly field: ReadonlyArray<string> | null, readonly remoteCode: string | null, readonly remoteMessage: string | null, readonly existingRemoteIds: ReadonlyArray<string>, readonly isRetryable: boolean }> }> };

export type WritableFieldsQueryVariables = Exact<{
  connectionId: string;
  record: RecordType;
}>;


export type WritableFieldsQuery = { readonly node:
    | { readonly writableFields: ReadonlyArray<{ readonly name: string, readonly label: string, readonly type: ProviderFieldType, readonly isCustom: boolean, readonly isFilterable: boolean, readonly canCreate: boolean, readonly canUpdate: boolean, readonly isRequired: boolean, readonly maxLength: number | null, readonly choices: ReadonlyArray<{ readonly value: string, readonly label: string }> }> | null }
    | Record<PropertyKey, never>
   | null };

export type UpsertCustomerMutationVariables = Exact<{
  input: UpsertCustomerInput;
}>;


export type UpsertCustomerMutation = { readonly upsertCustomer: { readonly created: boolean, readonly customer: { readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly grantedAccess: ReadonlyArray<{ readonly record: RecordType, readonly canRead: boolean, readonly canWrite: boolean, readonly missingScopes: ReadonlyArray<string> }>, readonly connectionSyncConfig: { readonly destinationConfig:
            | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
            | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
           | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> } } | null };

export type CustomerQueryVariables = Exact<{
  customerId: string;
}>;


export type CustomerQuery = { readonly customer: { readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly grantedAccess: ReadonlyArray<{ readonly record: RecordType, readonly canRead: boolean, readonly canWrite: boolean, readonly missingScopes: ReadonlyArray<string> }>, readonly connectionSyncConfig: { readonly destinationConfig:
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


export type CustomersQuery = { readonly customers: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly grantedAccess: ReadonlyArray<{ readonly record: RecordType, readonly canRead: boolean, readonly canWrite: boolean, readonly missingScopes: ReadonlyArray<string> }>, readonly connectionSyncConfig: { readonly destinationConfig:
            | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
            | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
           | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null } } };

export type CustomerFieldsFragment = { readonly id: string, readonly applicationId: string, readonly customerId: string, readonly name: string, readonly email: string, readonly version: number, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerId: string, readonly providerName: ProviderName, readonly category: Category, readonly instanceUrl: string | null, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null, readonly statusChangedAt: string, readonly grantedAccess: ReadonlyArray<{ readonly record: RecordType, readonly canRead: boolean, readonly canWrite: boolean, readonly missingScopes: ReadonlyArray<string> }>, readonly connectionSyncConfig: { readonly destinationConfig:
        | { readonly __typename: 'BigQueryDestination', readonly dataset: string | null }
        | { readonly __typename: 'PostgresDestination', readonly schema: string | null }
       | null, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> | null } | null }> };

export type CustomFieldDefinitionsQueryVariables = Exact<{ [key: string]: never; }>;


export type CustomFieldDefinitionsQuery = { readonly customFieldDefinitions: { readonly version: number, readonly typedSchema: boolean, readonly definitions: ReadonlyArray<{ readonly name: string, readonly type: CustomFieldType, readonly description: string | null, readonly customersMayMap: boolean, readonly sources: ReadonlyArray<{ readonly provider: ProviderName, readonly field: string }> }> } };

export type SetCustomFieldDefinitionsMutationVariables = Exact<{
  input: SetCustomFieldDefinitionsInput;
}>;


export type SetCustomFieldDefinitionsMutation = { readonly setCustomFieldDefinitions: { readonly customFieldDefinitions: { readonly version: number, readonly typedSchema: boolean, readonly definitions: ReadonlyArray<{ readonly name: string, readonly type: CustomFieldType, readonly description: string | null, readonly customersMayMap: boolean, readonly sources: ReadonlyArray<{ readonly provider: ProviderName, readonly field: string }> }> } } | null };

export type CustomFieldDefinitionsFragment = { readonly version: number, readonly typedSchema: boolean, readonly definitions: ReadonlyArray<{ readonly name: string, readonly type: CustomFieldType, readonly description: string | null, readonly customersMayMap: boolean, readonly sources: ReadonlyArray<{ readonly provider: ProviderName, readonly field: string }> }> };

export type CustomFieldMappingsQueryVariables = Exact<{
  connectionId: string;
}>;


export type CustomFieldMappingsQuery = { readonly node:
    | { readonly customFieldMappings: ReadonlyArray<{ readonly field: string, readonly source: string }>, readonly mappingProblems: ReadonlyArray<{ readonly field: string, readonly source: string, readonly problem: MappingProblemKind, readonly since: string }> }
    | Record<PropertyKey, never>
   | null };

export type SetCustomFieldMappingsMutationVariables = Exact<{
  input: SetCustomFieldMappingsInput;
}>;


export type SetCustomFieldMappingsMutation = { readonly setCustomFieldMappings: { readonly connection: { readonly id: string, readonly customFieldMappings: ReadonlyArray<{ readonly field: string, readonly source: string }> } } | null };

export type ProviderFieldsQueryVariables = Exact<{
  connectionId: string;
  refresh?: boolean | null | undefined;
}>;


export type ProviderFieldsQuery = { readonly node:
    | { readonly providerFields: ReadonlyArray<{ readonly name: string, readonly label: string, readonly type: ProviderFieldType, readonly isCustom: boolean, readonly isFilterable: boolean, readonly choices: ReadonlyArray<{ readonly value: string, readonly label: string }> }> | null }
    | Record<PropertyKey, never>
   | null };

export type IssueCustomerTokenMutationVariables = Exact<{
  input: IssueCustomerTokenInput;
}>;


export type IssueCustomerTokenMutation = { readonly issueCustomerToken: { readonly token: string, readonly expiresAt: string } | null };

export type SetOAuthClientMutationVariables = Exact<{
  input: SetOAuthClientInput;
}>;


export type SetOAuthClientMutation = { readonly setOAuthClient: { readonly oauthClient: { readonly provider: ProviderName, readonly clientId: string, readonly createdAt: string, readonly updatedAt: string } } | null };

export type DeleteOAuthClientMutationVariables = Exact<{
  input: DeleteOAuthClientInput;
}>;


export type DeleteOAuthClientMutation = { readonly deleteOAuthClient: { readonly deletedProvider: ProviderName } | null };

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


export type CreateConnectLinkMutation = { readonly createConnectLink: { readonly url: string, readonly link: { readonly id: string, readonly purpose: ConnectLinkPurpose, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly records: ReadonlyArray<RecordType>, readonly access: AccessLevel, readonly createdAt: string, readonly expiresAt: string } } | null };

export type CreateMappingLinkMutationVariables = Exact<{
  input: CreateMappingLinkInput;
}>;


export type CreateMappingLinkMutation = { readonly createMappingLink: { readonly url: string, readonly link: { readonly id: string, readonly purpose: ConnectLinkPurpose, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly records: ReadonlyArray<RecordType>, readonly access: AccessLevel, readonly createdAt: string, readonly expiresAt: string } } | null };

export type ConfirmConnectLinkMutationVariables = Exact<{
  input: ConfirmConnectLinkInput;
}>;


export type ConfirmConnectLinkMutation = { readonly confirmConnectLink: { readonly link: { readonly id: string, readonly purpose: ConnectLinkPurpose, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly records: ReadonlyArray<RecordType>, readonly access: AccessLevel, readonly createdAt: string, readonly expiresAt: string }, readonly connection: { readonly id: string, readonly providerName: ProviderName, readonly status: ConnectionStatus, readonly statusReason: StatusReason | null } } | null };

export type CancelConnectLinkMutationVariables = Exact<{
  input: CancelConnectLinkInput;
}>;


export type CancelConnectLinkMutation = { readonly cancelConnectLink: { readonly link: { readonly id: string, readonly purpose: ConnectLinkPurpose, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly records: ReadonlyArray<RecordType>, readonly access: AccessLevel, readonly createdAt: string, readonly expiresAt: string } } | null };

export type ConnectLinkQueryVariables = Exact<{
  id: string;
}>;


export type ConnectLinkQuery = { readonly connectLink: { readonly id: string, readonly purpose: ConnectLinkPurpose, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly records: ReadonlyArray<RecordType>, readonly access: AccessLevel, readonly createdAt: string, readonly expiresAt: string } | null };

export type ConnectLinkFieldsFragment = { readonly id: string, readonly purpose: ConnectLinkPurpose, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null, readonly records: ReadonlyArray<RecordType>, readonly access: AccessLevel, readonly createdAt: string, readonly expiresAt: string };

export type BrandingQueryVariables = Exact<{ [key: string]: never; }>;


export type BrandingQuery = { readonly branding: { readonly displayName: string | null, readonly accentColor: string | null, readonly logo: string | null, readonly updatedAt: string | null } };

export type UpdateBrandingMutationVariables = Exact<{
  input: UpdateBrandingInput;
}>;


export type UpdateBrandingMutation = { readonly updateBranding: { readonly branding: { readonly displayName: string | null, readonly accentColor: string | null, readonly logo: string | null, readonly updatedAt: string | null } } | null };

export type BrandingFieldsFragment = { readonly displayName: string | null, readonly accentColor: string | null, readonly logo: string | null, readonly updatedAt: string | null };

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

export type SyncDestinationFieldsFragment = { readonly updatedAt: string, readonly postgres: { readonly host: string, readonly port: number, readonly database: string, readonly user: string, readonly schema: string, readonly hasCaCertificate: boolean } };

export type SyncDestinationQueryVariables = Exact<{ [key: string]: never; }>;


export type SyncDestinationQuery = { readonly syncDestination: { readonly updatedAt: string, readonly postgres: { readonly host: string, readonly port: number, readonly database: string, readonly user: string, readonly schema: string, readonly hasCaCertificate: boolean } } | null };

export type SetSyncDestinationMutationVariables = Exact<{
  input: SetSyncDestinationInput;
}>;


export type SetSyncDestinationMutation = { readonly setSyncDestination: { readonly syncDestination: { readonly updatedAt: string, readonly postgres: { readonly host: string, readonly port: number, readonly database: string, readonly user: string, readonly schema: string, readonly hasCaCertificate: boolean } } } | null };

export type DeleteSyncDestinationMutationVariables = Exact<{
  input: DeleteSyncDestinationInput;
}>;


export type DeleteSyncDestinationMutation = { readonly deleteSyncDestination: { readonly isDeleted: boolean } | null };

export type SyncConfigurationFieldsFragment = { readonly provider: ProviderName, readonly contacts: boolean, readonly intervalSeconds: number, readonly isEnabled: boolean, readonly updatedAt: string, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }>, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> };

export type SyncConfigurationsQueryVariables = Exact<{ [key: string]: never; }>;


export type SyncConfigurationsQuery = { readonly syncConfigurations: ReadonlyArray<{ readonly provider: ProviderName, readonly contacts: boolean, readonly intervalSeconds: number, readonly isEnabled: boolean, readonly updatedAt: string, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }>, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> }> };

export type SetSyncConfigurationMutationVariables = Exact<{
  input: SetSyncConfigurationInput;
}>;


export type SetSyncConfigurationMutation = { readonly setSyncConfiguration: { readonly syncConfiguration: { readonly provider: ProviderName, readonly contacts: boolean, readonly intervalSeconds: number, readonly isEnabled: boolean, readonly updatedAt: string, readonly standardObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }>, readonly customObjects: ReadonlyArray<{ readonly object: string, readonly table: string | null }> } } | null };

export type SyncFieldsFragment = { readonly kind: SyncKind, readonly object: string, readonly schema: string | null, readonly table: string, readonly status: SyncStatus, readonly pauseReason: SyncPauseReason | null, readonly nextRunAt: string | null, readonly syncedUntil: string | null, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null, readonly incompleteRecords: { readonly count: number, readonly examples: ReadonlyArray<{ readonly id: string, readonly omittedFields: number, readonly fields: ReadonlyArray<string> }> }, readonly lastRun: { readonly startedAt: string, readonly finishedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null } | null, readonly progress: { readonly startedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number } | null };

export type SyncsQueryVariables = Exact<{
  connectionId: string;
}>;


export type SyncsQuery = { readonly node:
    | { readonly syncs: ReadonlyArray<{ readonly kind: SyncKind, readonly object: string, readonly schema: string | null, readonly table: string, readonly status: SyncStatus, readonly pauseReason: SyncPauseReason | null, readonly nextRunAt: string | null, readonly syncedUntil: string | null, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null, readonly incompleteRecords: { readonly count: number, readonly examples: ReadonlyArray<{ readonly id: string, readonly omittedFields: number, readonly fields: ReadonlyArray<string> }> }, readonly lastRun: { readonly startedAt: string, readonly finishedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null } | null, readonly progress: { readonly startedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number } | null }> }
    | Record<PropertyKey, never>
   | null };

export type StartSyncMutationVariables = Exact<{
  input: StartSyncInput;
}>;


export type StartSyncMutation = { readonly startSync: { readonly connection: { readonly id: string, readonly syncs: ReadonlyArray<{ readonly kind: SyncKind, readonly object: string, readonly schema: string | null, readonly table: string, readonly status: SyncStatus, readonly pauseReason: SyncPauseReason | null, readonly nextRunAt: string | null, readonly syncedUntil: string | null, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null, readonly incompleteRecords: { readonly count: number, readonly examples: ReadonlyArray<{ readonly id: string, readonly omittedFields: number, readonly fields: ReadonlyArray<string> }> }, readonly lastRun: { readonly startedAt: string, readonly finishedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null } | null, readonly progress: { readonly startedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number } | null }> } } | null };

export type PauseSyncMutationVariables = Exact<{
  input: PauseSyncInput;
}>;


export type PauseSyncMutation = { readonly pauseSync: { readonly connection: { readonly id: string, readonly syncs: ReadonlyArray<{ readonly kind: SyncKind, readonly object: string, readonly schema: string | null, readonly table: string, readonly status: SyncStatus, readonly pauseReason: SyncPauseReason | null, readonly nextRunAt: string | null, readonly syncedUntil: string | null, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null, readonly incompleteRecords: { readonly count: number, readonly examples: ReadonlyArray<{ readonly id: string, readonly omittedFields: number, readonly fields: ReadonlyArray<string> }> }, readonly lastRun: { readonly startedAt: string, readonly finishedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null } | null, readonly progress: { readonly startedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number } | null }> } } | null };

export type ResumeSyncMutationVariables = Exact<{
  input: ResumeSyncInput;
}>;


export type ResumeSyncMutation = { readonly resumeSync: { readonly connection: { readonly id: string, readonly syncs: ReadonlyArray<{ readonly kind: SyncKind, readonly object: string, readonly schema: string | null, readonly table: string, readonly status: SyncStatus, readonly pauseReason: SyncPauseReason | null, readonly nextRunAt: string | null, readonly syncedUntil: string | null, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null, readonly incompleteRecords: { readonly count: number, readonly examples: ReadonlyArray<{ readonly id: string, readonly omittedFields: number, readonly fields: ReadonlyArray<string> }> }, readonly lastRun: { readonly startedAt: string, readonly finishedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number, readonly error: { readonly code: SyncErrorCode, readonly detail: string } | null } | null, readonly progress: { readonly startedAt: string, readonly isFull: boolean, readonly records: number, readonly deleted: number } | null }> } } | null };

export const PROVIDERS: Document<ProvidersQuery, ProvidersQueryVariables> = `query Providers {
providers {
name
category
capabilities {
record
canList
}
canConnect
associatedObjects
}
}`;

export const SEARCH_CONTACTS: Document<SearchContactsQuery, SearchContactsQueryVariables> = `query SearchContacts($filter: ContactFilter!, $customerId: ID, $provider: ProviderName, $first: Int, $after: String, $last: Int, $before: String, $readFromCache: Boolean, $includeRawData: Boolean! = false, $rawFields: [String!], $includeTotalCount: Boolean! = false, $includeAssociations: Boolean! = false, $associations: [AssociatedObject!]! = [], $includeCustomFields: Boolean! = false, $customFields: [String!]) {
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
modifiedUntil
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
rawData(fields: $rawFields) @include(if: $includeRawData)
customFields(names: $customFields) @include(if: $includeCustomFields)
associations(to: $associations) @include(if: $includeAssociations) {
object
remoteId
}
}`;

export const SEARCH_COMPANIES: Document<SearchCompaniesQuery, SearchCompaniesQueryVariables> = `query SearchCompanies($filter: CompanyFilter!, $customerId: ID, $provider: ProviderName, $first: Int, $after: String) {
searchCompanies(
filter: $filter
customerId: $customerId
provider: $provider
first: $first
after: $after
) {
nodes {
...CompanyFields
}
pageInfo {
hasNextPage
endCursor
}
modifiedUntil
fetchedAt
}
}
fragment CompanyFields on Company {
id
remoteId
provider
name
domain
website
phoneNumbers {
phoneNumber
phoneNumberType
}
addresses {
addressType
street1
street2
city
state
postalCode
country
}
industry
employeeCount
annualRevenue {
value
currency
}
ownerId
parentId
lifecycleStage
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const SEARCH_DEALS: Document<SearchDealsQuery, SearchDealsQueryVariables> = `query SearchDeals($filter: DealFilter!, $customerId: ID, $provider: ProviderName, $first: Int, $after: String) {
searchDeals(
filter: $filter
customerId: $customerId
provider: $provider
first: $first
after: $after
) {
nodes {
...DealFields
}
pageInfo {
hasNextPage
endCursor
}
modifiedUntil
fetchedAt
}
}
fragment DealFields on Deal {
id
remoteId
provider
name
amount {
value
currency
}
status
pipeline {
id
label
}
stage {
id
label
status
probability
}
closeDate
ownerId
nextStep
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const PIPELINES: Document<PipelinesQuery, PipelinesQueryVariables> = `query Pipelines($customerId: ID, $provider: ProviderName) {
pipelines(customerId: $customerId, provider: $provider) {
id
label
stages {
id
label
status
probability
}
}
}`;

export const OWNERS: Document<OwnersQuery, OwnersQueryVariables> = `query Owners($customerId: ID, $provider: ProviderName) {
owners(customerId: $customerId, provider: $provider) {
id
name
email
isActive
}
}`;

export const UPSERT_CONTACTS: Document<UpsertContactsMutation, UpsertContactsMutationVariables> = `mutation UpsertContacts($input: UpsertContactsInput!, $includeContact: Boolean! = false, $includeRawData: Boolean! = false, $rawFields: [String!], $includeAssociations: Boolean! = false, $associations: [AssociatedObject!]! = [], $includeCustomFields: Boolean! = false, $customFields: [String!]) {
upsertContacts(input: $input) {
write {
...WriteFields
}
results {
...ContactWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment ContactWriteFields on ContactWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
contact @include(if: $includeContact) {
...ContactFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
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
rawData(fields: $rawFields) @include(if: $includeRawData)
customFields(names: $customFields) @include(if: $includeCustomFields)
associations(to: $associations) @include(if: $includeAssociations) {
object
remoteId
}
}`;

export const CREATE_CONTACTS: Document<CreateContactsMutation, CreateContactsMutationVariables> = `mutation CreateContacts($input: CreateContactsInput!, $includeContact: Boolean! = false, $includeRawData: Boolean! = false, $rawFields: [String!], $includeAssociations: Boolean! = false, $associations: [AssociatedObject!]! = [], $includeCustomFields: Boolean! = false, $customFields: [String!]) {
createContacts(input: $input) {
write {
...WriteFields
}
results {
...ContactWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment ContactWriteFields on ContactWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
contact @include(if: $includeContact) {
...ContactFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
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
rawData(fields: $rawFields) @include(if: $includeRawData)
customFields(names: $customFields) @include(if: $includeCustomFields)
associations(to: $associations) @include(if: $includeAssociations) {
object
remoteId
}
}`;

export const UPDATE_CONTACTS: Document<UpdateContactsMutation, UpdateContactsMutationVariables> = `mutation UpdateContacts($input: UpdateContactsInput!, $includeContact: Boolean! = false, $includeRawData: Boolean! = false, $rawFields: [String!], $includeAssociations: Boolean! = false, $associations: [AssociatedObject!]! = [], $includeCustomFields: Boolean! = false, $customFields: [String!]) {
updateContacts(input: $input) {
write {
...WriteFields
}
results {
...ContactWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment ContactWriteFields on ContactWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
contact @include(if: $includeContact) {
...ContactFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
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
rawData(fields: $rawFields) @include(if: $includeRawData)
customFields(names: $customFields) @include(if: $includeCustomFields)
associations(to: $associations) @include(if: $includeAssociations) {
object
remoteId
}
}`;

export const UPSERT_COMPANIES: Document<UpsertCompaniesMutation, UpsertCompaniesMutationVariables> = `mutation UpsertCompanies($input: UpsertCompaniesInput!, $includeCompany: Boolean! = false) {
upsertCompanies(input: $input) {
write {
...WriteFields
}
results {
...CompanyWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment CompanyWriteFields on CompanyWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
company @include(if: $includeCompany) {
...CompanyFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}
fragment CompanyFields on Company {
id
remoteId
provider
name
domain
website
phoneNumbers {
phoneNumber
phoneNumberType
}
addresses {
addressType
street1
street2
city
state
postalCode
country
}
industry
employeeCount
annualRevenue {
value
currency
}
ownerId
parentId
lifecycleStage
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const CREATE_COMPANIES: Document<CreateCompaniesMutation, CreateCompaniesMutationVariables> = `mutation CreateCompanies($input: CreateCompaniesInput!, $includeCompany: Boolean! = false) {
createCompanies(input: $input) {
write {
...WriteFields
}
results {
...CompanyWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment CompanyWriteFields on CompanyWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
company @include(if: $includeCompany) {
...CompanyFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}
fragment CompanyFields on Company {
id
remoteId
provider
name
domain
website
phoneNumbers {
phoneNumber
phoneNumberType
}
addresses {
addressType
street1
street2
city
state
postalCode
country
}
industry
employeeCount
annualRevenue {
value
currency
}
ownerId
parentId
lifecycleStage
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const UPDATE_COMPANIES: Document<UpdateCompaniesMutation, UpdateCompaniesMutationVariables> = `mutation UpdateCompanies($input: UpdateCompaniesInput!, $includeCompany: Boolean! = false) {
updateCompanies(input: $input) {
write {
...WriteFields
}
results {
...CompanyWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment CompanyWriteFields on CompanyWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
company @include(if: $includeCompany) {
...CompanyFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}
fragment CompanyFields on Company {
id
remoteId
provider
name
domain
website
phoneNumbers {
phoneNumber
phoneNumberType
}
addresses {
addressType
street1
street2
city
state
postalCode
country
}
industry
employeeCount
annualRevenue {
value
currency
}
ownerId
parentId
lifecycleStage
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const CREATE_DEALS: Document<CreateDealsMutation, CreateDealsMutationVariables> = `mutation CreateDeals($input: CreateDealsInput!, $includeDeal: Boolean! = false) {
createDeals(input: $input) {
write {
...WriteFields
}
results {
...DealWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment DealWriteFields on DealWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
deal @include(if: $includeDeal) {
...DealFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}
fragment DealFields on Deal {
id
remoteId
provider
name
amount {
value
currency
}
status
pipeline {
id
label
}
stage {
id
label
status
probability
}
closeDate
ownerId
nextStep
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const UPDATE_DEALS: Document<UpdateDealsMutation, UpdateDealsMutationVariables> = `mutation UpdateDeals($input: UpdateDealsInput!, $includeDeal: Boolean! = false) {
updateDeals(input: $input) {
write {
...WriteFields
}
results {
...DealWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment DealWriteFields on DealWriteResult {
index
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
deal @include(if: $includeDeal) {
...DealFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}
fragment DealFields on Deal {
id
remoteId
provider
name
amount {
value
currency
}
status
pipeline {
id
label
}
stage {
id
label
status
probability
}
closeDate
ownerId
nextStep
createdAt
updatedAt
lastModifiedAt
isDeleted
}`;

export const LINK_RECORDS: Document<LinkRecordsMutation, LinkRecordsMutationVariables> = `mutation LinkRecords($input: LinkRecordsInput!) {
linkRecords(input: $input) {
write {
...WriteFields
}
results {
...LinkWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment LinkWriteFields on LinkWriteResult {
index
outcome
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}`;

export const UNLINK_RECORDS: Document<UnlinkRecordsMutation, UnlinkRecordsMutationVariables> = `mutation UnlinkRecords($input: UnlinkRecordsInput!) {
unlinkRecords(input: $input) {
write {
...WriteFields
}
results {
...LinkWriteFields
}
}
}
fragment WriteFields on Write {
id
isReplayed
isComplete
createdAt
}
fragment LinkWriteFields on LinkWriteResult {
index
outcome
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}`;

export const WRITE: Document<WriteQuery, WriteQueryVariables> = `query Write($id: ID!) {
write(id: $id) {
...WriteRecordFields
}
}
fragment WriteRecordFields on WriteRecord {
id
customerId
provider
operation
credentialId
isComplete
createdAt
completedAt
results {
index
fields
link {
from {
record
remoteId
}
to {
record
remoteId
}
}
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}`;

export const WRITES: Document<WritesQuery, WritesQueryVariables> = `query Writes($customerId: ID!, $first: Int, $after: String) {
writes(customerId: $customerId, first: $first, after: $after) {
nodes {
...WriteRecordFields
}
pageInfo {
hasNextPage
endCursor
}
}
}
fragment WriteRecordFields on WriteRecord {
id
customerId
provider
operation
credentialId
isComplete
createdAt
completedAt
results {
index
fields
link {
from {
record
remoteId
}
to {
record
remoteId
}
}
outcome
remoteId
changedFields
problems {
...WriteProblemFields
}
warnings {
...WriteProblemFields
}
}
}
fragment WriteProblemFields on WriteProblem {
code
message
field
remoteCode
remoteMessage
existingRemoteIds
isRetryable
}`;

export const WRITABLE_FIELDS: Document<WritableFieldsQuery, WritableFieldsQueryVariables> = `query WritableFields($connectionId: ID!, $record: RecordType!) {
node(id: $connectionId) {
... on ConnectedProvider {
writableFields(record: $record) {
name
label
type
isCustom
isFilterable
choices {
value
label
}
canCreate
canUpdate
isRequired
maxLength
}
}
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
grantedAccess {
record
canRead
canWrite
missingScopes
}
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
grantedAccess {
record
canRead
canWrite
missingScopes
}
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
grantedAccess {
record
canRead
canWrite
missingScopes
}
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

export const CUSTOM_FIELD_DEFINITIONS: Document<CustomFieldDefinitionsQuery, CustomFieldDefinitionsQueryVariables> = `query CustomFieldDefinitions {
customFieldDefinitions {
...CustomFieldDefinitions
}
}
fragment CustomFieldDefinitions on CustomFieldDefinitions {
version
typedSchema
definitions {
name
type
description
sources {
provider
field
}
customersMayMap
}
}`;

export const SET_CUSTOM_FIELD_DEFINITIONS: Document<SetCustomFieldDefinitionsMutation, SetCustomFieldDefinitionsMutationVariables> = `mutation SetCustomFieldDefinitions($input: SetCustomFieldDefinitionsInput!) {
setCustomFieldDefinitions(input: $input) {
customFieldDefinitions {
...CustomFieldDefinitions
}
}
}
fragment CustomFieldDefinitions on CustomFieldDefinitions {
version
typedSchema
definitions {
name
type
description
sources {
provider
field
}
customersMayMap
}
}`;

export const CUSTOM_FIELD_MAPPINGS: Document<CustomFieldMappingsQuery, CustomFieldMappingsQueryVariables> = `query CustomFieldMappings($connectionId: ID!) {
node(id: $connectionId) {
... on ConnectedProvider {
customFieldMappings {
field
source
}
mappingProblems {
field
source
problem
since
}
}
}
}`;

export const SET_CUSTOM_FIELD_MAPPINGS: Document<SetCustomFieldMappingsMutation, SetCustomFieldMappingsMutationVariables> = `mutation SetCustomFieldMappings($input: SetCustomFieldMappingsInput!) {
setCustomFieldMappings(input: $input) {
connection {
id
customFieldMappings {
field
source
}
}
}
}`;

export const PROVIDER_FIELDS: Document<ProviderFieldsQuery, ProviderFieldsQueryVariables> = `query ProviderFields($connectionId: ID!, $refresh: Boolean) {
node(id: $connectionId) {
... on ConnectedProvider {
providerFields(refresh: $refresh) {
name
label
type
isCustom
isFilterable
choices {
value
label
}
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

export const SET_OAUTH_CLIENT: Document<SetOAuthClientMutation, SetOAuthClientMutationVariables> = `mutation SetOAuthClient($input: SetOAuthClientInput!) {
setOAuthClient(input: $input) {
oauthClient {
provider
clientId
createdAt
updatedAt
}
}
}`;

export const DELETE_OAUTH_CLIENT: Document<DeleteOAuthClientMutation, DeleteOAuthClientMutationVariables> = `mutation DeleteOAuthClient($input: DeleteOAuthClientInput!) {
deleteOAuthClient(input: $input) {
deletedProvider
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
purpose
status
failure
records
access
createdAt
expiresAt
}`;

export const CREATE_MAPPING_LINK: Document<CreateMappingLinkMutation, CreateMappingLinkMutationVariables> = `mutation CreateMappingLink($input: CreateMappingLinkInput!) {
createMappingLink(input: $input) {
url
link {
...ConnectLinkFields
}
}
}
fragment ConnectLinkFields on ConnectLink {
id
purpose
status
failure
records
access
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
statusReason
}
}
}
fragment ConnectLinkFields on ConnectLink {
id
purpose
status
failure
records
access
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
purpose
status
failure
records
access
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
purpose
status
failure
records
access
createdAt
expiresAt
}`;

export const BRANDING: Document<BrandingQuery, BrandingQueryVariables> = `query Branding {
branding {
...BrandingFields
}
}
fragment BrandingFields on Branding {
displayName
accentColor
logo
updatedAt
}`;

export const UPDATE_BRANDING: Document<UpdateBrandingMutation, UpdateBrandingMutationVariables> = `mutation UpdateBranding($input: UpdateBrandingInput!) {
updateBranding(input: $input) {
branding {
...BrandingFields
}
}
}
fragment BrandingFields on Branding {
displayName
accentColor
logo
updatedAt
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

export const SYNC_DESTINATION: Document<SyncDestinationQuery, SyncDestinationQueryVariables> = `query SyncDestination {
syncDestination {
...SyncDestinationFields
}
}
fragment SyncDestinationFields on SyncDestination {
postgres {
host
port
database
user
schema
hasCaCertificate
}
updatedAt
}`;

export const SET_SYNC_DESTINATION: Document<SetSyncDestinationMutation, SetSyncDestinationMutationVariables> = `mutation SetSyncDestination($input: SetSyncDestinationInput!) {
setSyncDestination(input: $input) {
syncDestination {
...SyncDestinationFields
}
}
}
fragment SyncDestinationFields on SyncDestination {
postgres {
host
port
database
user
schema
hasCaCertificate
}
updatedAt
}`;

export const DELETE_SYNC_DESTINATION: Document<DeleteSyncDestinationMutation, DeleteSyncDestinationMutationVariables> = `mutation DeleteSyncDestination($input: DeleteSyncDestinationInput!) {
deleteSyncDestination(input: $input) {
isDeleted
}
}`;

export const SYNC_CONFIGURATIONS: Document<SyncConfigurationsQuery, SyncConfigurationsQueryVariables> = `query SyncConfigurations {
syncConfigurations {
...SyncConfigurationFields
}
}
fragment SyncConfigurationFields on SyncConfiguration {
provider
contacts
standardObjects {
object
table
}
customObjects {
object
table
}
intervalSeconds
isEnabled
updatedAt
}`;

export const SET_SYNC_CONFIGURATION: Document<SetSyncConfigurationMutation, SetSyncConfigurationMutationVariables> = `mutation SetSyncConfiguration($input: SetSyncConfigurationInput!) {
setSyncConfiguration(input: $input) {
syncConfiguration {
...SyncConfigurationFields
}
}
}
fragment SyncConfigurationFields on SyncConfiguration {
provider
contacts
standardObjects {
object
table
}
customObjects {
object
table
}
intervalSeconds
isEnabled
updatedAt
}`;

export const SYNCS: Document<SyncsQuery, SyncsQueryVariables> = `query Syncs($connectionId: ID!) {
node(id: $connectionId) {
... on ConnectedProvider {
syncs {
...SyncFields
}
}
}
}
fragment SyncFields on Sync {
kind
object
schema
table
status
pauseReason
error {
code
detail
}
incompleteRecords {
count
examples {
id
omittedFields
fields
}
}
lastRun {
startedAt
finishedAt
isFull
records
deleted
error {
code
detail
}
}
progress {
startedAt
isFull
records
deleted
}
nextRunAt
syncedUntil
}`;

export const START_SYNC: Document<StartSyncMutation, StartSyncMutationVariables> = `mutation StartSync($input: StartSyncInput!) {
startSync(input: $input) {
connection {
id
syncs {
...SyncFields
}
}
}
}
fragment SyncFields on Sync {
kind
object
schema
table
status
pauseReason
error {
code
detail
}
incompleteRecords {
count
examples {
id
omittedFields
fields
}
}
lastRun {
startedAt
finishedAt
isFull
records
deleted
error {
code
detail
}
}
progress {
startedAt
isFull
records
deleted
}
nextRunAt
syncedUntil
}`;

export const PAUSE_SYNC: Document<PauseSyncMutation, PauseSyncMutationVariables> = `mutation PauseSync($input: PauseSyncInput!) {
pauseSync(input: $input) {
connection {
id
syncs {
...SyncFields
}
}
}
}
fragment SyncFields on Sync {
kind
object
schema
table
status
pauseReason
error {
code
detail
}
incompleteRecords {
count
examples {
id
omittedFields
fields
}
}
lastRun {
startedAt
finishedAt
isFull
records
deleted
error {
code
detail
}
}
progress {
startedAt
isFull
records
deleted
}
nextRunAt
syncedUntil
}`;

export const RESUME_SYNC: Document<ResumeSyncMutation, ResumeSyncMutationVariables> = `mutation ResumeSync($input: ResumeSyncInput!) {
resumeSync(input: $input) {
connection {
id
syncs {
...SyncFields
}
}
}
}
fragment SyncFields on Sync {
kind
object
schema
table
status
pauseReason
error {
code
detail
}
incompleteRecords {
count
examples {
id
omittedFields
fields
}
}
lastRun {
startedAt
finishedAt
isFull
records
deleted
error {
code
detail
}
}
progress {
startedAt
isFull
records
deleted
}
nextRunAt
syncedUntil
}`;