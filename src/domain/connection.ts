import type { ConnectedAccount } from './authorization.ts';
import type { Category, ProviderName } from './provider-names.ts';

/** A customer's link to one provider: at most one for each (customer, provider). Its credentials are not part of it. */
export interface Connection {
  readonly id: string;
  readonly applicationId: string;
  readonly customerId: string;
  /** The same for the same (application, provider), always. */
  readonly providerId: string;
  readonly providerName: ProviderName;
  readonly category: Category;
  readonly instanceUrl: string | null;
  readonly schemaMappingsConfig: SchemaMappingsConfig | null;
  readonly entityMappings: readonly EntityMapping[] | null;
  readonly connectionSyncConfig: ConnectionSyncConfig | null;
  readonly status: ConnectionStatus;
  /** Why the status is not `connected`; null where it is. */
  readonly statusReason: StatusReason | null;
  /** RFC 3339, UTC: when the status, or its reason, last became another. */
  readonly statusChangedAt: string;
  /** Null where the credentials came by an upsert: then nobody has asked the provider whose they are. */
  readonly account: ConnectedAccount | null;
  /** What the customer granted by a link; empty where the credentials came by an upsert. */
  readonly grantedScopes: readonly string[];
}

/**
 * `connected`: credentials are there and not known to be refused. `reauthorize`: the provider refused them, the
 * customer has to connect again. `unauthorized`: none were given yet.
 */
export const CONNECTION_STATUSES = ['connected', 'reauthorize', 'unauthorized'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** Refusals that the next try may not meet, such as `ip restricted`, change no status and have no reason here. */
export const STATUS_REASONS = [
  'no_credentials',
  'credentials_cleared',
  'token_refused',
  'refresh_token_refused',
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];

/** Why a provider's refusal is for good. */
export type RefusalReason = Extract<StatusReason, 'token_refused' | 'refresh_token_refused'>;

/** What a provider wants to be convinced by. Write-only: no answer, log or error ever shows one. */
export type Credentials = OAuth2Credentials | StaticToken;

export interface OAuth2Credentials {
  readonly type: 'oauth2';
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** RFC 3339. Null where the provider does not say (Salesforce never does). */
  readonly expiresAt: string | null;
}

export interface StaticToken {
  readonly type: 'token';
  readonly value: string;
}

export interface FieldMapping {
  /** The field's name in the client application. */
  readonly schemaField: string;
  /** The field's name in the customer's provider. */
  readonly mappedField: string;
}

/** Null where a list was not given. */
export interface SchemaMappingsConfig {
  readonly commonObjects: readonly ObjectFieldMappings[] | null;
  readonly standardObjects: readonly ObjectFieldMappings[] | null;
}

export interface ObjectFieldMappings {
  readonly object: string | null;
  readonly fieldMappings: readonly FieldMapping[];
}

export const ENTITY_OBJECT_TYPES = ['standard', 'custom'] as const;
export type EntityObjectType = (typeof ENTITY_OBJECT_TYPES)[number];

export interface EntityMapping {
  readonly entityId: string | null;
  readonly object: { readonly type: EntityObjectType; readonly name: string | null } | null;
  readonly fieldMappings: readonly FieldMapping[];
}

export interface ConnectionSyncConfig {
  readonly destinationConfig: DestinationConfig | null;
  readonly standardObjects: readonly SyncedObject[] | null;
  readonly customObjects: readonly SyncedObject[] | null;
}

/** Null where the configured destination's own schema or dataset is used. */
export type DestinationConfig =
  | { readonly type: 'postgres'; readonly schema: string | null }
  | { readonly type: 'bigquery'; readonly dataset: string | null };

export interface SyncedObject {
  /** The provider's name for it, case-sensitive. */
  readonly object: string;
  /** Null where the default table is used. */
  readonly table: string | null;
}
