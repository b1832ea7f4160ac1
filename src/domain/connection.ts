import { category, type ProviderName, providerName } from './provider-names.ts';
import {
  field,
  id,
  listOf,
  moment,
  nullable,
  type Of,
  patch,
  shape,
  string,
  union,
  url,
  uuid,
  words,
} from './shape.ts';

export const connectionStatus = words('ConnectionStatus', 'Can a connection be used?', {
  connected: 'It has credentials, and they are not known to be refused.',
  reauthorize: 'The provider has refused its credentials: the customer has to connect again.',
  unauthorized: 'It has no credentials yet.',
});

/** Refusals that the next try may not meet, such as `ip restricted`, change no status and have no reason here. */
export const statusReason = words('StatusReason', 'Why a connection cannot be used.', {
  no_credentials: 'None were given yet.',
  credentials_cleared: 'An upsert has cleared them.',
  token_refused: 'The provider has refused the access token, and there is no refresh token to renew it with.',
  refresh_token_refused:
    'The provider has refused the refresh token: the customer has withdrawn it, or it has expired.',
});

export const connectedAccount = shape(
  'ConnectedAccount',
  'The account at the provider: a HubSpot portal, a Salesforce organisation.',
  {
    id: field(id, 'The provider’s own id of the account.', { example: '7654321' }),
    name: nullable(string, 'The account’s name, where the provider tells it.', {
      example: 'Analytical Engines Ltd',
    }),
    url: nullable(string, 'Where a person opens the account.', {
      example: 'https://app.hubspot.com/contacts/7654321',
    }),
    userId: nullable(id, 'The provider’s own id of the user who granted.', { example: '9876543' }),
  },
);

export const fieldMapping = shape(
  'FieldMapping',
  'One field of your application, and the provider’s field that it is read from.',
  {
    schemaField: field(string, 'The field’s name in your application.', { example: 'email' }),
    mappedField: field(string, 'The field’s name in the customer’s provider.', { example: 'work_email__c' }),
  },
);

export const objectFieldMappings = shape('ObjectFieldMappings', 'An object and how its fields are mapped.', {
  object: nullable(string, 'The object’s name.', { example: 'contact' }),
  fieldMappings: field(listOf(fieldMapping), 'The fields of the object.', { items: 10 }),
});

export const schemaMappingsConfig = shape(
  'SchemaMappingsConfig',
  'Field mappings where data is modelled with objects.',
  {
    commonObjects: nullable(
      listOf(objectFieldMappings),
      'Mappings of the objects that all providers have in common.',
      { items: 5 },
    ),
    standardObjects: nullable(listOf(objectFieldMappings), 'Mappings of the provider’s own objects.', {
      items: 5,
    }),
  },
);

const entityObjectType = words(
  'EntityObjectType',
  'Is it an object of the provider’s own, or one of the customer’s?',
  { standard: 'The provider brings it along.', custom: 'The customer made it.' },
);

const entityObject = shape('EntityObject', 'The provider’s object that stands for an entity.', {
  type: field(entityObjectType, 'Is it an object of the provider’s own, or one of the customer’s?'),
  name: nullable(string, 'The object’s name in the provider, case-sensitive.', { example: 'Contact' }),
});

export const entityMapping = shape(
  'EntityMapping',
  'An entity of your application, and what stands for it in the provider.',
  {
    entityId: nullable(string, 'The entity’s id in your application.'),
    object: nullable(entityObject, 'The provider’s object that the entity is mapped to.'),
    fieldMappings: field(listOf(fieldMapping), 'The fields of the entity.', {
      items: 10,
      emptyInGraphQL: true,
    }),
  },
);

export const destinationConfig = union(
  'DestinationConfig',
  'Where a connection’s data goes instead of the default destination.',
  {
    postgres: shape('PostgresDestination', 'Data goes to a PostgreSQL database.', {
      schema: nullable(
        string,
        'The schema, which must exist. Without one: the schema of the configured destination.',
      ),
    }),
    bigquery: shape('BigQueryDestination', 'Data goes to Google BigQuery.', {
      dataset: nullable(
        string,
        'The dataset, which must exist. Without one: the dataset of the configured destination.',
      ),
    }),
  },
);

export const syncedObject = shape('SyncedObject', 'An object of the provider that is synced.', {
  object: field(string, 'The object’s name in the provider, case-sensitive.', { example: 'Contact' }),
  table: nullable(string, 'The table to write to. Without one: the default table.'),
});

export const connectionSyncConfig = shape('ConnectionSyncConfig', 'What one connection syncs differently.', {
  destinationConfig: nullable(
    destinationConfig,
    'Where its data goes. Without one: the default destination.',
  ),
  standardObjects: nullable(
    listOf(syncedObject),
    'The provider’s own objects to sync. Without a list: that of the sync configuration.',
    { items: 10 },
  ),
  customObjects: nullable(
    listOf(syncedObject),
    'Preview. The customer’s own objects to sync. Without a list: that of the sync configuration.',
    { items: 10 },
  ),
});

/** What a provider wants to be convinced by. Write-only: no answer, log or error ever shows one. */
export const credentialsShape = union(
  'Credentials',
  'What convinces the provider: exactly one of the two. Write-only: no answer, log or error ever shows it.',
  {
    oauth2: shape('OAuth2Credentials', 'Tokens of an OAuth 2.0 grant.', {
      accessToken: field(string, 'The access token.'),
      refreshToken: nullable(
        string,
        'The refresh token: without one the customer has to connect again when the access token expires.',
      ),
      expiresAt: nullable(moment, 'When the access token expires, where the provider says that.'),
    }),
    token: shape('StaticToken', 'A token that does not change, such as that of a private app.', {
      value: field(string, 'The token.'),
    }),
  },
);

/** What an upsert can set, and every answer shows. */
const settings = {
  instanceUrl: nullable(
    url,
    'Where the customer’s own instance of the provider is: at one of the provider’s own hosts.',
  ),
  schemaMappingsConfig: nullable(schemaMappingsConfig, schemaMappingsConfig.description, {
    deprecated: 'Mappings are moving out of the connection; it is kept and answered as it was given.',
  }),
  entityMappings: nullable(listOf(entityMapping), 'Mappings where data is modelled with entities.', {
    deprecated: 'Mappings are moving out of the connection; it is kept and answered as it was given.',
    items: 5,
  }),
  connectionSyncConfig: nullable(connectionSyncConfig, connectionSyncConfig.description),
};

/** A customer's link to one provider: at most one for each (customer, provider). Its credentials are not part of it. */
export const connection = shape(
  'Connection',
  'A customer’s link to one provider. Its credentials are never shown.',
  {
    id: field(uuid, 'Id of the connection.'),
    applicationId: field(uuid, 'Id of the application that the connection belongs to: yours.'),
    customerId: field(id, 'Your own id of the customer.', { example: 'customer-1' }),
    providerId: field(
      uuid,
      'Id of the provider for this application: the same for all of its customers, always.',
    ),
    providerName: field(providerName, 'The provider.'),
    category: field(category, 'The category of the provider.'),
    ...settings,
    status: field(connectionStatus, 'Can the connection be used?'),
    statusReason: nullable(statusReason, 'Why it cannot be used, where it cannot.'),
    statusChangedAt: field(moment, 'When the status, or its reason, last became what it is.'),
    account: nullable(
      connectedAccount,
      'The account that a connect link connected. None where the credentials came by an upsert.',
    ),
    grantedScopes: field(
      listOf(string),
      'The OAuth scopes that the customer granted by a connect link. None where the credentials came by an upsert.',
      { items: 10, leftOutOfRest: true },
    ),
    missingScopes: field(
      listOf(string),
      'The OAuth scopes that contacts cannot be read without, and that the customer did not grant by the connect link.',
      { items: 2, leftOutOfRest: true },
    ),
  },
);

export const connectionUpsert = patch(
  'Connection',
  'A connection to create or update. A field that is left out stays as it is; one that is null is cleared.',
  {
    providerName: field(providerName, 'The provider: a customer has at most one connection to each.'),
  },
  {
    ...settings,
    credentials: nullable(
      credentialsShape,
      'What the provider lets Crossbook in with. It is kept sealed and never shown again; null forgets it.',
    ),
  },
);

/** As it is stored. */
export type Connection = Omit<Of<typeof connection>, 'missingScopes'>;
export type ConnectionStatus = Of<typeof connectionStatus>;
export type StatusReason = Of<typeof statusReason>;
/** Why a provider's refusal is for good. */
export type RefusalReason = Extract<StatusReason, 'token_refused' | 'refresh_token_refused'>;
export type ConnectedAccount = Of<typeof connectedAccount>;
export type FieldMapping = Of<typeof fieldMapping>;
export type SchemaMappingsConfig = Of<typeof schemaMappingsConfig>;
export type EntityMapping = Of<typeof entityMapping>;
export type ConnectionSyncConfig = Of<typeof connectionSyncConfig>;
export type Credentials = Of<typeof credentialsShape>;
export type OAuth2Credentials = Extract<Credentials, { type: 'oauth2' }>;

/** What the customer maps of one object of the provider's own, in both kinds of mappings. */
export function findFieldMappings(
  { schemaMappingsConfig, entityMappings }: Connection,
  isWanted: (object: string) => boolean,
): readonly FieldMapping[] {
  const objects = [
    ...(schemaMappingsConfig?.commonObjects ?? []),
    ...(schemaMappingsConfig?.standardObjects ?? []),
    ...(entityMappings ?? []).flatMap(({ object, fieldMappings }) =>
      object?.type === 'standard' ? [{ object: object.name, fieldMappings }] : [],
    ),
  ];
  return objects
    .filter(({ object }) => object !== null && isWanted(object))
    .flatMap(({ fieldMappings }) => fieldMappings);
}

/** The connections of ONE application's customers. */
export interface ConnectionStore {
  /** One answer for each target, in their order; undefined where there is no such connection. */
  findMany(targets: readonly ConnectionTarget[]): Promise<readonly (Connection | undefined)[]>;
  /** The customer of each connection, by the connection's id. */
  findCustomerIds(connectionIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface ConnectionTarget {
  readonly customerId: string;
  readonly providerName: ProviderName;
}

/**
 * What an adapter has found out about one connection and asks the provider only once for, such as the fields that its user
 * may not see. All processes share it, for at most a day and until the connection is changed. Best effort: what cannot be
 * read or kept is found out again.
 */
export interface ConnectionFacts {
  /** In the adapter's own words; undefined where nothing is known. */
  read(): Promise<string | undefined>;
  /**
   * For when the provider contradicts the facts that were `seen`. Of those who ask at the same moment one does the work, and
   * none where newer facts are there already. Undefined for all others: there is more to read now.
   */
  learn<Result>(seen: string | undefined, work: () => Promise<Learnt<Result>>): Promise<Result | undefined>;
}

export interface Learnt<Result> {
  readonly facts: string;
  /** For who did the work. */
  readonly result: Result;
}
