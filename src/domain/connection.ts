import { EXAMPLE_URLS, withNotes } from '../provider-texts.ts';
import { type CustomFieldMapping, customFieldMapping } from './custom-field.ts';
import { category, type ProviderName, providerName } from './provider-names.ts';
import { type AllowedRecords, accessLevel, grantedAccess } from './record-access.ts';
import { recordType } from './records/record-type.ts';
import {
  field,
  id,
  listOf,
  moment,
  nullable,
  type Of,
  patch,
  shape,
  shownOf,
  string,
  union,
  url,
  uuid,
  words,
} from './shape.ts';

export const connectionStatus = words('ConnectionStatus', 'Status of a connection.', {
  connected:
    'The connection has credentials that are not known to be refused. Its `statusReason` says whether they were ever used.',
  reauthorize:
    'The provider permanently refused the credentials: the customer has to connect again.',
  unauthorized: 'The connection has no credentials.',
});

/** Transient rejections, such as `ip restricted`, change no status and have no reason here. */
export const statusReason = words('StatusReason', 'Reason for the status of a connection.', {
  not_tried:
    'Connected, and nothing has been read from the provider with these credentials yet: they may be wrong.',
  no_instance_url:
    'Connected, and the URL of the customer’s instance is missing, without which the provider cannot be called: set `instanceUrl` with `upsertCustomer`.',
  not_searchable:
    'Connected, and contacts of this provider cannot be searched, so that the credentials are not used.',
  no_credentials: 'No credentials were set yet.',
  credentials_cleared: 'The credentials were cleared by an upsert.',
  token_expired: 'The access token has expired, and there is no refresh token.',
  token_refused: 'The provider refused the access token, and there is no refresh token.',
  refresh_token_refused:
    'The provider refused the refresh token, or reported that the app was uninstalled: the token was revoked or has expired.',
});

export const connectedAccount = shape(
  'ConnectedAccount',
  withNotes('The account at the provider.', 'connectedAccount'),
  {
    id: field(id, 'Id of the account at the provider.', { example: '7654321' }),
    name: nullable(string, 'Name of the account, if the provider returns one.', {
      example: 'Analytical Engines Ltd',
    }),
    url: nullable(string, 'URL at which a user opens the account.', {
      example: EXAMPLE_URLS.account,
    }),
    userId: nullable(id, 'Id, at the provider, of the user who granted access.', {
      example: '9876543',
    }),
  },
);

export const fieldMapping = shape(
  'FieldMapping',
  'Mapping of a custom field of your application to a field of the provider.',
  {
    schemaField: field(
      string,
      'Name of the custom field. A name that no custom field has is stored, and appears in `mappingProblems`.',
      { example: 'email' },
    ),
    mappedField: field(string, 'Name of the field at the provider.', { example: 'work_email__c' }),
  },
);

export const objectFieldMappings = shape('ObjectFieldMappings', 'Field mappings of one object.', {
  object: nullable(
    string,
    'Name of the object, compared without case, spaces and plural. Only mappings of contacts, companies and other types of records are read: by the name of the type, or by the provider’s name of its object.',
    { example: 'contact' },
  ),
  fieldMappings: field(listOf(fieldMapping), 'Field mappings of the object.', { items: 10 }),
});

export const schemaMappingsConfig = shape(
  'SchemaMappingsConfig',
  'Field mappings by object. Those of a type of record give its custom fields their sources, unless `entityMappings` or `customFieldMappings` do.',
  {
    commonObjects: nullable(
      listOf(objectFieldMappings),
      'Mappings of objects common to all providers, which take precedence over those of standard objects.',
      {
        items: 5,
      },
    ),
    standardObjects: nullable(
      listOf(objectFieldMappings),
      'Mappings of the provider’s standard objects.',
      {
        items: 5,
      },
    ),
  },
);

const entityObjectType = words(
  'EntityObjectType',
  'Whether it is a standard object of the provider or a custom one of the customer.',
  {
    standard: 'Standard object, defined by the provider.',
    custom: 'Custom object, defined by the customer.',
  },
);

const entityObject = shape('EntityObject', 'Object of the provider that represents an entity.', {
  type: field(
    entityObjectType,
    'Whether it is a standard object of the provider or a custom one of the customer.',
  ),
  name: nullable(string, 'Name of the object at the provider, case-sensitive.', {
    example: 'Contact',
  }),
});

export const entityMapping = shape(
  'EntityMapping',
  'Mapping of an entity of your application to an object of the provider. It is read if the object is a standard one that a type of record is read from.',
  {
    entityId: nullable(string, 'Id of the entity in your application.'),
    object: nullable(entityObject, 'Object of the provider that the entity is mapped to.'),
    fieldMappings: field(listOf(fieldMapping), 'Field mappings of the entity.', {
      items: 10,
      emptyInGraphQL: true,
    }),
  },
);

export const destinationConfig = union(
  'DestinationConfig',
  'Destination of a connection’s data, which overrides the default. Syncs to BigQuery are not implemented yet.',
  {
    postgres: shape('PostgresDestination', 'PostgreSQL as the destination.', {
      schema: nullable(
        string,
        'Schema, which must exist. Default: the schema of the configured destination.',
      ),
    }),
    bigquery: shape(
      'BigQueryDestination',
      'Google BigQuery as the destination. Stored, not implemented yet: every sync of the connection is `FAILED` with `NOT_IMPLEMENTED`.',
      {
        dataset: nullable(
          string,
          'Dataset, which must exist. Default: the dataset of the configured destination.',
        ),
      },
    ),
  },
);

export const syncedObject = shape('SyncedObject', 'An object of the provider to sync.', {
  object: field(string, 'Name of the object at the provider, case-sensitive.', {
    example: 'Contact',
  }),
  table: nullable(string, 'Target table. Default: the default table.'),
});

export const connectionSyncConfig = shape(
  'ConnectionSyncConfig',
  'Sync configuration of one connection, which overrides the default.',
  {
    destinationConfig: nullable(
      destinationConfig,
      'Destination of the data. Default: the default destination.',
    ),
    standardObjects: nullable(
      listOf(syncedObject),
      'Standard objects to sync. Default: the list of the sync configuration.',
      { items: 10 },
    ),
    customObjects: nullable(
      listOf(syncedObject),
      'Preview. Custom objects to sync. Default: the list of the sync configuration.',
      { items: 10 },
    ),
  },
);

/** Credentials for a provider. Write-only: never in a response, log or error. */
export const credentialsShape = union(
  'Credentials',
  'Credentials for a provider: exactly one of the fields. Write-only: no response, log or error contains them.',
  {
    oauth2: shape('OAuth2Credentials', 'Tokens of an OAuth 2.0 grant.', {
      accessToken: field(string, 'Access token.'),
      refreshToken: nullable(
        string,
        'Refresh token. Without one, the customer has to connect again when the access token expires.',
      ),
      expiresAt: nullable(moment, 'Expiry of the access token, if the provider returns it.'),
    }),
    token: shape('StaticToken', 'A static token, such as that of a private app.', {
      value: field(string, 'The token.'),
    }),
  },
);

const REPLACED =
  'Use `customFieldMappings`, which is set with `setCustomFieldMappings`. The value is stored and returned unchanged.';

/** Settings that an upsert can set and responses show. */
const settings = {
  instanceUrl: nullable(
    url,
    withNotes(
      `URL of the customer’s instance at the provider, e.g. \`${EXAMPLE_URLS.instance}\`. Its host must be one of the provider’s.`,
      'connection.instanceUrl',
    ),
  ),
  schemaMappingsConfig: nullable(schemaMappingsConfig, schemaMappingsConfig.description, {
    deprecated: REPLACED,
  }),
  entityMappings: nullable(
    listOf(entityMapping),
    'Field mappings by entity. Those of standard objects give custom fields of their type of record their sources, unless `customFieldMappings` does.',
    {
      deprecated: REPLACED,
      items: 5,
    },
  ),
  connectionSyncConfig: nullable(connectionSyncConfig, connectionSyncConfig.description),
};

const shownConnection = shape(
  'Connection',
  'A customer’s connection to one provider. Its credentials are never returned.',
  {
    id: field(uuid, 'Id of the connection.'),
    applicationId: field(uuid, 'Id of your application.'),
    customerId: field(id, 'Your own id of the customer.', { example: 'customer-1' }),
    providerId: field(
      uuid,
      'Id of the provider within your application: the same for all of its customers.',
    ),
    providerName: field(providerName, 'The provider.'),
    category: field(category, 'Category of the provider.'),
    ...settings,
    status: field(connectionStatus, 'Status of the connection.'),
    statusReason: nullable(
      statusReason,
      'Reason of the status. Null if connected and contacts have been read.',
    ),
    statusChangedAt: field(moment, 'Time of the last change of the status or its reason.'),
    customFieldMappings: field(
      listOf(customFieldMapping),
      'Mappings of custom fields, which take precedence over all others. They are set with `setCustomFieldMappings`.',
      { items: 10, leftOutOfRest: true },
    ),
    account: nullable(
      connectedAccount,
      'Account that was connected by a connect link. Null if the credentials came by an upsert.',
    ),
    grantedScopes: field(
      listOf(string),
      'OAuth scopes that the customer granted through a connect link. Empty if the credentials came by an upsert.',
      { items: 10, leftOutOfRest: true },
    ),
    missingScopes: field(
      listOf(string),
      'OAuth scopes that the access of the connection needs, and that the customer did not grant through the connect link.',
      { items: 2, leftOutOfRest: true },
    ),
    grantedAccess: field(
      listOf(grantedAccess),
      'What may be read and changed, by type of record. A connect link with more `records` or another `access` extends it.',
      { items: 3, leftOutOfRest: true },
    ),
  },
);

export const connectionUpsert = patch(
  'Connection',
  'A connection to create or update. An absent field is unchanged; null clears an optional one.',
  {
    providerName: field(providerName, 'Provider. A customer has at most one connection to each.', {
      inputName: 'provider',
    }),
  },
  {
    ...settings,
    credentials: nullable(
      credentialsShape,
      'Credentials for the provider, stored encrypted and never returned. Null deletes them.',
    ),
    records: field(
      listOf(recordType),
      'Types of records that may be read with these credentials. Default for a new connection: contacts. A connection that was made by a connect link has those that its customer allowed: create another link to extend them.',
    ),
    access: field(
      accessLevel,
      'Whether these records may also be created and changed. Default for a new connection: `READ`.',
    ),
  },
);

/** The stored connection. */
export type Connection = Omit<
  Of<typeof shownConnection>,
  'missingScopes' | 'grantedAccess' | 'customFieldMappings'
> &
  AllowedRecords & {
    /** Null or absent: none, or not read. */
    readonly customFieldMappings?: readonly CustomFieldMapping[] | null | undefined;
    /**
     * Changes where credentials are set, replaced or cleared; a refresh leaves it unchanged. Optional, because no API
     * returns it.
     */
    readonly credentialsVersion?: number | undefined;
  };

/** A customer's connection to one provider; at most one per customer and provider. Without its credentials. */
export const connection = shownOf<Connection>(shownConnection);

export type ConnectionStatus = Of<typeof connectionStatus>;
export type StatusReason = Of<typeof statusReason>;
/** Reasons why only new credentials help. */
export type RefusalReason = Extract<
  StatusReason,
  'token_expired' | 'token_refused' | 'refresh_token_refused'
>;
export type ConnectedAccount = Of<typeof connectedAccount>;
export type FieldMapping = Of<typeof fieldMapping>;
export type SchemaMappingsConfig = Of<typeof schemaMappingsConfig>;
export type EntityMapping = Of<typeof entityMapping>;
export type ConnectionSyncConfig = Of<typeof connectionSyncConfig>;
export type Credentials = Of<typeof credentialsShape>;
export type OAuth2Credentials = Extract<Credentials, { type: 'oauth2' }>;

/** The longest token that is stored. */
export const MAX_SECRET_LENGTH = 16_384;

/** The fields of a connection that may be long: up to 64 KiB together. */
export const CONFIGURATION_FIELDS = [
  'schemaMappingsConfig',
  'entityMappings',
  'connectionSyncConfig',
  'customFieldMappings',
] as const satisfies readonly (keyof Connection)[];

/** The status of a connection whose credentials were just set. */
export function toNewStatus(credentials: Credentials, now: Date) {
  return isExpired(credentials, now.getTime())
    ? ({ status: 'reauthorize', statusReason: 'token_expired' } as const)
    : ({ status: 'connected', statusReason: 'not_tried' } as const);
}

/** Whether the access token has expired and cannot be refreshed. */
export function isExpired(credentials: Credentials, now: number): boolean {
  return readFinalExpiry(credentials) <= now;
}

/** The expiry of an access token that cannot be refreshed, in milliseconds; infinite for other credentials. */
export function readFinalExpiry(credentials: Credentials): number {
  return isRefreshable(credentials) ? Number.POSITIVE_INFINITY : readExpiry(credentials);
}

export function isRefreshable(credentials: Credentials): boolean {
  return credentials.type === 'oauth2' && credentials.refreshToken !== null;
}

/** The expiry of the access token, in milliseconds; infinite if it is unknown. */
export function readExpiry(credentials: Credentials): number {
  const expiresAt = credentials.type === 'oauth2' ? credentials.expiresAt : null;
  const moment = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  return Number.isNaN(moment) ? Number.POSITIVE_INFINITY : moment;
}

/** The customer's field mappings of one provider object, from both kinds of mappings. */
export function findFieldMappings(
  { schemaMappingsConfig, entityMappings }: Connection,
  isObject: (object: string) => boolean,
): readonly FieldMapping[] {
  const objects = [
    ...(schemaMappingsConfig?.commonObjects ?? []),
    ...(schemaMappingsConfig?.standardObjects ?? []),
    ...(entityMappings ?? []).flatMap(({ object, fieldMappings }) =>
      object?.type === 'standard' ? [{ object: object.name, fieldMappings }] : [],
    ),
  ];
  return objects
    .filter(({ object }) => object !== null && isObject(object))
    .flatMap(({ fieldMappings }) => fieldMappings);
}

/** The connections of ONE application's customers. */
export interface ConnectionStore {
  /** One result per target, in order; undefined if there is no such connection. */
  findMany(targets: readonly ConnectionTarget[]): Promise<readonly (Connection | undefined)[]>;
  /** The customer of each connection, in order; undefined if there is no such connection. */
  findCustomerIds(connectionIds: readonly string[]): Promise<readonly (string | undefined)[]>;
}

export interface ConnectionTarget {
  readonly customerId: string;
  readonly providerName: ProviderName;
}

/**
 * Facts that an adapter has learnt about one connection and caches, such as fields hidden from its user. Shared by
 * all processes, for at most a day and until the connection is changed. Best effort: lost facts are learnt again.
 */
export interface ConnectionFacts {
  /** In the adapter's format; undefined if nothing is known. */
  read(): Promise<string | undefined>;
  /**
   * Called when the provider contradicts the `seen` facts. Single flight: of concurrent callers one does the work,
   * and none if newer facts exist. Undefined for all others, who read again.
   */
  learn<Result>(
    seen: string | undefined,
    work: () => Promise<Learnt<Result>>,
  ): Promise<Result | undefined>;
}

export interface Learnt<Result> {
  readonly facts: string;
  /** For the caller that did the work. */
  readonly result: Result;
}
