/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

/** Status of a connection. */
export type ConnectionStatus =
  /** The connection has credentials that are not known to be refused. Its `statusReason` says whether they were ever used. */
  | 'CONNECTED'
  /** The provider permanently refused the credentials: the customer has to connect again. */
  | 'REAUTHORIZE'
  /** The connection has no credentials. */
  | 'UNAUTHORIZED';

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

/** Condition on one of your application’s custom fields. */
export type CustomFieldFilterInput = {
  /** Value of the custom field, at most 255 characters: a number as `42`, a boolean as `true`, a date as `2026-01-31`. Texts are compared case-insensitively; of several choices, one has to be equal. */
  readonly equals: string;
  /** Name of the custom field. */
  readonly name: string;
};

/** Outcome of a deal. */
export type DealStatus =
  /** The deal was lost. */
  | 'LOST'
  /** The deal is neither won nor lost. */
  | 'OPEN'
  /** The deal was won. */
  | 'WON';

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

export type ConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type ConnectionsQuery = { readonly customer: { readonly id: string, readonly name: string, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerName: ProviderName, readonly status: ConnectionStatus, readonly account: { readonly name: string | null } | null, readonly grantedAccess: ReadonlyArray<{ readonly record: RecordType, readonly canWrite: boolean, readonly missingScopes: ReadonlyArray<string> }> }> } | null };

export type SearchContactsQueryVariables = Exact<{
  filter: ContactFilter;
  first: number;
  hubspot: boolean;
  salesforce: boolean;
}>;


export type SearchContactsQuery = { readonly hubspot?: { readonly totalCount: number | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }> } | null, readonly salesforce?: { readonly totalCount: number | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }> } | null };

export type TurnPageQueryVariables = Exact<{
  provider: ProviderName;
  filter: ContactFilter;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type TurnPageQuery = { readonly page: { readonly totalCount: number | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }> } | null };

export type ContactDetailsQueryVariables = Exact<{
  id: string;
}>;


export type ContactDetailsQuery = { readonly node:
    | { readonly __typename: 'Company' }
    | { readonly __typename: 'ConnectLink' }
    | { readonly __typename: 'ConnectedProvider' }
    | { readonly __typename: 'Contact', readonly remoteId: string, readonly lastModifiedAt: string | null, readonly rawData: unknown, readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly custom: { readonly favoriteColor: string | null, readonly jobTitle: string | null }, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly companies: { readonly edges: ReadonlyArray<{ readonly isPrimary: boolean, readonly node: { readonly id: string, readonly name: string | null, readonly domain: string | null } }> } | null, readonly deals: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string | null, readonly status: DealStatus | null, readonly closeDate: string | null, readonly amount: { readonly value: string, readonly currency: string | null } | null, readonly stage: { readonly label: string | null } | null }> } | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }
    | { readonly __typename: 'Customer' }
    | { readonly __typename: 'Deal' }
   | null };

export type AddContactMutationVariables = Exact<{
  input: UpsertContactsInput;
}>;


export type AddContactMutation = { readonly upsertContacts: { readonly results: ReadonlyArray<{ readonly outcome: WriteOutcome, readonly contact: { readonly id: string } | null, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly field: ReadonlyArray<string> | null, readonly message: string }>, readonly warnings: ReadonlyArray<{ readonly message: string }> }> } | null };

export type ChangeContactMutationVariables = Exact<{
  input: UpdateContactsInput;
}>;


export type ChangeContactMutation = { readonly updateContacts: { readonly results: ReadonlyArray<{ readonly outcome: WriteOutcome, readonly contact: { readonly id: string } | null, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly field: ReadonlyArray<string> | null, readonly message: string }>, readonly warnings: ReadonlyArray<{ readonly message: string }> }> } | null };

export type WriteResultFragment = { readonly outcome: WriteOutcome, readonly contact: { readonly id: string } | null, readonly problems: ReadonlyArray<{ readonly code: WriteProblemCode, readonly field: ReadonlyArray<string> | null, readonly message: string }>, readonly warnings: ReadonlyArray<{ readonly message: string }> };

export type ConnectLinkQueryVariables = Exact<{
  id: string;
}>;


export type ConnectLinkQuery = { readonly connectLink: { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null } | null };

export type ContactPageFragment = { readonly totalCount: number | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }> };

export type ContactRowFragment = { readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> };

export const WriteResultFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteResult"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactWriteResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"contact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<WriteResultFragment, unknown>;
export const ContactRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}}]} as unknown as DocumentNode<ContactRowFragment, unknown>;
export const ContactPageFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}}]} as unknown as DocumentNode<ContactPageFragment, unknown>;
export const ConnectionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Connections"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"customer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"connections"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"providerName"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"grantedAccess"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"}},{"kind":"Field","name":{"kind":"Name","value":"canWrite"}},{"kind":"Field","name":{"kind":"Name","value":"missingScopes"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ConnectionsQuery, ConnectionsQueryVariables>;
export const SearchContactsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SearchContacts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContactFilter"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"hubspot"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"salesforce"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"hubspot"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"HUBSPOT"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"hubspot"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactPage"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"salesforce"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"SALESFORCE"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"salesforce"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}}]}}]}}]} as unknown as DocumentNode<SearchContactsQuery, SearchContactsQueryVariables>;
export const TurnPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TurnPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"provider"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProviderName"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContactFilter"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"page"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"Variable","name":{"kind":"Name","value":"provider"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}}]}}]}}]} as unknown as DocumentNode<TurnPageQuery, TurnPageQueryVariables>;
export const ContactDetailsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ContactDetails"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}},{"kind":"Field","name":{"kind":"Name","value":"remoteId"}},{"kind":"Field","name":{"kind":"Name","value":"lastModifiedAt"}},{"kind":"Field","name":{"kind":"Name","value":"custom"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"favoriteColor"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}}]}},{"kind":"Field","name":{"kind":"Name","value":"phoneNumbers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"phoneNumber"}},{"kind":"Field","name":{"kind":"Name","value":"phoneNumberType"}}]}},{"kind":"Field","name":{"kind":"Name","value":"addresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"addressType"}},{"kind":"Field","name":{"kind":"Name","value":"street1"}},{"kind":"Field","name":{"kind":"Name","value":"street2"}},{"kind":"Field","name":{"kind":"Name","value":"city"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"postalCode"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"companies"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"isPrimary"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"domain"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"deals"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"10"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"amount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"stage"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"label"}}]}},{"kind":"Field","name":{"kind":"Name","value":"closeDate"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"rawData"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}}]} as unknown as DocumentNode<ContactDetailsQuery, ContactDetailsQueryVariables>;
export const AddContactDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AddContact"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpsertContactsInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"upsertContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"results"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteResult"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteResult"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactWriteResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"contact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<AddContactMutation, AddContactMutationVariables>;
export const ChangeContactDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ChangeContact"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateContactsInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"results"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteResult"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteResult"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactWriteResult"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"outcome"}},{"kind":"Field","name":{"kind":"Name","value":"contact"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"problems"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"message"}}]}},{"kind":"Field","name":{"kind":"Name","value":"warnings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]} as unknown as DocumentNode<ChangeContactMutation, ChangeContactMutationVariables>;
export const ConnectLinkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ConnectLink"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"connectLink"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"failure"}}]}}]}}]} as unknown as DocumentNode<ConnectLinkQuery, ConnectLinkQueryVariables>;