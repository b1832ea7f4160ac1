/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** Data goes to Google BigQuery. */
export type BigQueryDestinationInput = {
  /** The dataset, which must exist. Without one: the dataset of the configured destination. */
  readonly dataset?: string | null | undefined;
};

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

/** What one connection syncs differently. */
export type ConnectionSyncConfigInput = {
  /** Preview. The customer’s own objects to sync. Without a list: that of the sync configuration. */
  readonly customObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
  /** Where its data goes. Without one: the default destination. */
  readonly destinationConfig?: DestinationConfigInput | null | undefined;
  /** The provider’s own objects to sync. Without a list: that of the sync configuration. */
  readonly standardObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
};

/** What convinces the provider: exactly one of the two. Write-only: no answer, log or error ever shows it. */
export type CredentialsInput =
  {   /** Tokens of an OAuth 2.0 grant. */
  readonly oauth2: OAuth2CredentialsInput; readonly token?: never; }
  |  { readonly oauth2?: never;   /** A token that does not change, such as that of a private app. */
  readonly token: StaticTokenInput; };

/** Where a connection’s data goes instead of the default destination. */
export type DestinationConfigInput =
  {   /** Data goes to Google BigQuery. */
  readonly bigquery: BigQueryDestinationInput; readonly postgres?: never; }
  |  { readonly bigquery?: never;   /** Data goes to a PostgreSQL database. */
  readonly postgres: PostgresDestinationInput; };

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

/** One field of your application, and the provider’s field that it is read from. */
export type FieldMappingInput = {
  /** The field’s name in the customer’s provider. */
  readonly mappedField: string;
  /** The field’s name in your application. */
  readonly schemaField: string;
};

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

/** An object of the provider that is synced. */
export type SyncedObjectInput = {
  /** The object’s name in the provider, case-sensitive. */
  readonly object: string;
  /** The table to write to. Without one: the default table. */
  readonly table?: string | null | undefined;
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

export type ContactPageQueryVariables = Exact<{
  emailDomain: string;
  first: number;
  after?: string | null | undefined;
}>;


export type ContactPageQuery = { readonly searchContacts: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly firstName: string | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null, readonly hasPreviousPage: boolean, readonly startCursor: string | null } } | null };

export type FindContactQueryVariables = Exact<{
  email: string;
}>;


export type FindContactQuery = { readonly hubspot: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly firstName: string | null, readonly lastName: string | null }> } | null, readonly pipedrive: { readonly nodes: ReadonlyArray<{ readonly id: string }> } | null };

export type SaveCustomerMutationVariables = Exact<{
  input: UpsertCustomerInput;
}>;


export type SaveCustomerMutation = { readonly upsertCustomer: { readonly created: boolean, readonly customer: { readonly id: string, readonly customerId: string, readonly version: number } } | null };


export const ContactPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ContactPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"emailDomain"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"HUBSPOT"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"emailDomain"},"value":{"kind":"Variable","name":{"kind":"Name","value":"emailDomain"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}}]}}]}}]}}]} as unknown as DocumentNode<ContactPageQuery, ContactPageQueryVariables>;
export const FindContactDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FindContact"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"email"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"hubspot"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"HUBSPOT"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"email"},"value":{"kind":"Variable","name":{"kind":"Name","value":"email"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}}]}}]}},{"kind":"Field","alias":{"kind":"Name","value":"pipedrive"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"PIPEDRIVE"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"email"},"value":{"kind":"Variable","name":{"kind":"Name","value":"email"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<FindContactQuery, FindContactQueryVariables>;
export const SaveCustomerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SaveCustomer"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpsertCustomerInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"upsertCustomer"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"customer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"customerId"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]}}]} as unknown as DocumentNode<SaveCustomerMutation, SaveCustomerMutationVariables>;