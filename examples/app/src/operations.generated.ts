/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

/** Search condition: exactly one of the fields. */
export type ContactFilter =
  {   /** All contacts: only `true` is accepted. */
  readonly all: boolean; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never;   /** Custom field of your application and its value. A field by which the CRM cannot filter is `UNPROCESSABLE_ENTITY`. */
  readonly customField: CustomFieldFilterInput; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never;   /** Email address, compared case-insensitively: in HubSpot with the primary and the additional addresses (not the work email), in Salesforce with the email. */
  readonly email: string; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never;   /** Domain after the @, e.g. `example.com`, compared with the same addresses as `email`. */
  readonly emailDomain: string; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never;   /** Email addresses, at most 1,000: finds contacts that have any of them. */
  readonly emails: ReadonlyArray<string>; readonly modifiedSince?: never; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never;   /** Finds contacts modified at or after this time. Each page says up to which time; pass that time to the next search, and every change is seen at least once. Deleted contacts are not found. */
  readonly modifiedSince: string; readonly namePrefix?: never; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never;   /** Beginning of a word of the first or last name, at least 2 characters, e.g. `jo` for John, Mary Jo, Anne-Joe and O’Jones. Spaces, hyphens and apostrophes divide words. */
  readonly namePrefix: string; readonly phone?: never; }
  |  { readonly all?: never; readonly customField?: never; readonly email?: never; readonly emailDomain?: never; readonly emails?: never; readonly modifiedSince?: never; readonly namePrefix?: never;   /** Phone number in any notation, 3 to 20 digits. Finds at most 200 contacts, whose number, other than a fax number, has the same digits without leading zeros, or ends with them or the other way round, if the shorter one has at least 7. They are not counted. */
  readonly phone: string; };

/** Condition on one of your application’s custom fields. */
export type CustomFieldFilterInput = {
  /** Value of the custom field, at most 255 characters: a number as `42`, a boolean as `true`, a date as `2026-01-31`. Texts are compared case-insensitively; of several choices, one has to be equal. */
  readonly equals: string;
  /** Name of the custom field. */
  readonly name: string;
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

export type ConnectionsQueryVariables = Exact<{ [key: string]: never; }>;


export type ConnectionsQuery = { readonly customer: { readonly id: string, readonly name: string, readonly connections: ReadonlyArray<{ readonly id: string, readonly providerName: ProviderName, readonly status: ConnectionStatus, readonly account: { readonly name: string | null } | null }> } | null };

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
    | { readonly __typename: 'Contact', readonly lastModifiedAt: string | null, readonly rawData: unknown, readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly custom: { readonly favoriteColor: string | null, readonly jobTitle: string | null }, readonly phoneNumbers: ReadonlyArray<{ readonly phoneNumber: string, readonly phoneNumberType: PhoneNumberType }>, readonly addresses: ReadonlyArray<{ readonly addressType: AddressType, readonly street1: string | null, readonly street2: string | null, readonly city: string | null, readonly state: string | null, readonly postalCode: string | null, readonly country: string | null }>, readonly associations: ReadonlyArray<{ readonly object: AssociatedObject, readonly remoteId: string }> | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }
    | { readonly __typename: 'Customer' }
   | null };

export type ConnectLinkQueryVariables = Exact<{
  id: string;
}>;


export type ConnectLinkQuery = { readonly connectLink: { readonly id: string, readonly status: ConnectLinkStatus, readonly failure: ConnectFailure | null } | null };

export type ContactPageFragment = { readonly totalCount: number | null, readonly pageInfo: { readonly hasNextPage: boolean, readonly hasPreviousPage: boolean, readonly startCursor: string | null, readonly endCursor: string | null }, readonly nodes: ReadonlyArray<{ readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> }> };

export type ContactRowFragment = { readonly id: string, readonly provider: ProviderName, readonly firstName: string | null, readonly lastName: string | null, readonly lifecycleStage: LifecycleStage | null, readonly emailAddresses: ReadonlyArray<{ readonly emailAddress: string, readonly emailAddressType: EmailAddressType }> };

export const ContactRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}}]} as unknown as DocumentNode<ContactRowFragment, unknown>;
export const ContactPageFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}}]} as unknown as DocumentNode<ContactPageFragment, unknown>;
export const ConnectionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Connections"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"customer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"connections"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"providerName"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"account"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ConnectionsQuery, ConnectionsQueryVariables>;
export const SearchContactsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SearchContacts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContactFilter"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"hubspot"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"salesforce"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"hubspot"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"HUBSPOT"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"hubspot"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactPage"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"salesforce"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"SALESFORCE"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"directives":[{"kind":"Directive","name":{"kind":"Name","value":"include"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"if"},"value":{"kind":"Variable","name":{"kind":"Name","value":"salesforce"}}}]}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}}]}}]}}]} as unknown as DocumentNode<SearchContactsQuery, SearchContactsQueryVariables>;
export const TurnPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TurnPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"provider"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProviderName"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ContactFilter"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"page"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"Variable","name":{"kind":"Name","value":"provider"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"ContactConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totalCount"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}}]}}]}}]} as unknown as DocumentNode<TurnPageQuery, TurnPageQueryVariables>;
export const ContactDetailsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ContactDetails"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ContactRow"}},{"kind":"Field","name":{"kind":"Name","value":"lastModifiedAt"}},{"kind":"Field","name":{"kind":"Name","value":"custom"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"favoriteColor"}},{"kind":"Field","name":{"kind":"Name","value":"jobTitle"}}]}},{"kind":"Field","name":{"kind":"Name","value":"phoneNumbers"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"phoneNumber"}},{"kind":"Field","name":{"kind":"Name","value":"phoneNumberType"}}]}},{"kind":"Field","name":{"kind":"Name","value":"addresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"addressType"}},{"kind":"Field","name":{"kind":"Name","value":"street1"}},{"kind":"Field","name":{"kind":"Name","value":"street2"}},{"kind":"Field","name":{"kind":"Name","value":"city"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"postalCode"}},{"kind":"Field","name":{"kind":"Name","value":"country"}}]}},{"kind":"Field","name":{"kind":"Name","value":"associations"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"COMPANY"},{"kind":"EnumValue","value":"DEAL"},{"kind":"EnumValue","value":"TICKET"}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"object"}},{"kind":"Field","name":{"kind":"Name","value":"remoteId"}}]}},{"kind":"Field","name":{"kind":"Name","value":"rawData"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ContactRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Contact"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provider"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}},{"kind":"Field","name":{"kind":"Name","value":"lifecycleStage"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddresses"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailAddress"}},{"kind":"Field","name":{"kind":"Name","value":"emailAddressType"}}]}}]}}]} as unknown as DocumentNode<ContactDetailsQuery, ContactDetailsQueryVariables>;
export const ConnectLinkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ConnectLink"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"connectLink"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"failure"}}]}}]}}]} as unknown as DocumentNode<ConnectLinkQuery, ConnectLinkQueryVariables>;