/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What may be done with records. */
export type AccessLevel =
  /** Records may be read. */
  | 'READ'
  /** Records may be read, created and changed. None may be deleted. */
  | 'READ_WRITE';

/** Google BigQuery as the destination. Stored, not implemented yet: every sync of the connection is `FAILED` with `NOT_IMPLEMENTED`. */
export type BigQueryDestinationInput = {
  /** Dataset, which must exist. Default: the dataset of the configured destination. */
  readonly dataset?: string | null | undefined;
};

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

/** Sync configuration of one connection, which overrides the default. */
export type ConnectionSyncConfigInput = {
  /** Preview. Custom objects to sync. Default: the list of the sync configuration. */
  readonly customObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
  /** Destination of the data. Default: the default destination. */
  readonly destinationConfig?: DestinationConfigInput | null | undefined;
  /** Standard objects to sync. Default: the list of the sync configuration. */
  readonly standardObjects?: ReadonlyArray<SyncedObjectInput> | null | undefined;
};

/** Credentials for a provider: exactly one of the fields. Write-only: no response, log or error contains them. */
export type CredentialsInput =
  {   /** Tokens of an OAuth 2.0 grant. */
  readonly oauth2: OAuth2CredentialsInput; readonly token?: never; }
  |  { readonly oauth2?: never;   /** A static token, such as that of a private app. */
  readonly token: StaticTokenInput; };

/** Destination of a connection’s data, which overrides the default. Syncs to BigQuery are not implemented yet. */
export type DestinationConfigInput =
  {   /** Google BigQuery as the destination. Stored, not implemented yet: every sync of the connection is `FAILED` with `NOT_IMPLEMENTED`. */
  readonly bigquery: BigQueryDestinationInput; readonly postgres?: never; }
  |  { readonly bigquery?: never;   /** PostgreSQL as the destination. */
  readonly postgres: PostgresDestinationInput; };

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

/** Mapping of a custom field of your application to a field of the provider. */
export type FieldMappingInput = {
  /** Name of the field at the provider. */
  readonly mappedField: string;
  /** Name of the custom field. A name that no custom field has is stored, and appears in `mappingProblems`. */
  readonly schemaField: string;
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

/** PostgreSQL as the destination. */
export type PostgresDestinationInput = {
  /** Schema, which must exist. Default: the schema of the configured destination. */
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

/** Field mappings by object. Those of a type of record give its custom fields their sources, unless `entityMappings` or `customFieldMappings` do. */
export type SchemaMappingsConfigInput = {
  /** Mappings of objects common to all providers, which take precedence over those of standard objects. */
  readonly commonObjects?: ReadonlyArray<ObjectFieldMappingsInput> | null | undefined;
  /** Mappings of the provider’s standard objects. */
  readonly standardObjects?: ReadonlyArray<ObjectFieldMappingsInput> | null | undefined;
};

/** A static token, such as that of a private app. */
export type StaticTokenInput = {
  /** The token. */
  readonly value: string;
};

/** An object of the provider to sync. */
export type SyncedObjectInput = {
  /** Name of the object at the provider, case-sensitive. */
  readonly object: string;
  /** Target table. Default: the default table. */
  readonly table?: string | null | undefined;
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

export type ContactPageQueryVariables = Exact<{
  emailDomain: string;
  first: number;
  after?: string | null | undefined;
}>;


export type ContactPageQuery = { readonly searchContacts: { readonly edges: ReadonlyArray<{ readonly cursor: string, readonly node: { readonly id: string, readonly firstName: string | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null, readonly hasPreviousPage: boolean, readonly startCursor: string | null } } | null };

export type FindContactQueryVariables = Exact<{
  email: string;
}>;


export type FindContactQuery = { readonly hubspot: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly firstName: string | null, readonly lastName: string | null }> } | null, readonly zendesk: { readonly nodes: ReadonlyArray<{ readonly id: string }> } | null };

export type SaveCustomerMutationVariables = Exact<{
  input: UpsertCustomerInput;
}>;


export type SaveCustomerMutation = { readonly upsertCustomer: { readonly created: boolean, readonly customer: { readonly id: string, readonly customerId: string, readonly version: number } } | null };


export const ContactPageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ContactPage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"emailDomain"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"HUBSPOT"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"emailDomain"},"value":{"kind":"Variable","name":{"kind":"Name","value":"emailDomain"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasPreviousPage"}},{"kind":"Field","name":{"kind":"Name","value":"startCursor"}}]}}]}}]}}]} as unknown as DocumentNode<ContactPageQuery, ContactPageQueryVariables>;
export const FindContactDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FindContact"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"email"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"hubspot"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"HUBSPOT"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"email"},"value":{"kind":"Variable","name":{"kind":"Name","value":"email"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"firstName"}},{"kind":"Field","name":{"kind":"Name","value":"lastName"}}]}}]}},{"kind":"Field","alias":{"kind":"Name","value":"zendesk"},"name":{"kind":"Name","value":"searchContacts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"provider"},"value":{"kind":"EnumValue","value":"ZENDESK_SELL"}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"email"},"value":{"kind":"Variable","name":{"kind":"Name","value":"email"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<FindContactQuery, FindContactQueryVariables>;
export const SaveCustomerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SaveCustomer"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpsertCustomerInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"upsertCustomer"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"customer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"customerId"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]}}]} as unknown as DocumentNode<SaveCustomerMutation, SaveCustomerMutationVariables>;