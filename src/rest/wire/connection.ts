import * as z from 'zod';
import type { ConnectedAccount } from '../../domain/authorization.ts';
import { CONNECTION_STATUSES, type Connection, STATUS_REASONS } from '../../domain/connection.ts';
import type { Provider } from '../../domain/provider.ts';
import { CATEGORIES, PROVIDER_NAMES, type ProviderName } from '../../domain/provider-names.ts';
import { REVOCATIONS } from '../../domain/removal.ts';
import { findMissingScopes } from '../../usecases/find-missing-scopes.ts';
import { choice, moment, optionalText, text, uuid } from './fields.ts';
import {
  entityMappingShape,
  schemaMappingsConfigShape,
  toEntityMappingRecord,
  toSchemaMappingsRecord,
} from './mappings.ts';
import { connectionSyncConfigShape, toConnectionSyncRecord } from './sync-config.ts';

export const connectedAccountShape = z
  .strictObject({
    id: text('The provider’s own id of the account.', '7654321'),
    name: optionalText('The account’s name, where the provider tells it.', 'Analytical Engines Ltd'),
    url: optionalText('Where a person opens the account.', 'https://app.hubspot.com/contacts/7654321'),
    user_id: optionalText('The provider’s own id of the user who granted.', '9876543'),
  })
  .describe('The account at the provider: a HubSpot portal, a Salesforce organisation.');

export const connectionShape = z
  .strictObject({
    id: uuid('Id of the connection.'),
    application_id: uuid('Id of the application that the connection belongs to.'),
    customer_id: text('The application’s own id of the customer.', 'customer-1'),
    provider_id: uuid('Id of the provider for this application: the same for all of its customers.'),
    provider_name: choice(PROVIDER_NAMES, 'The provider.'),
    category: choice(CATEGORIES, 'The category of the provider.'),
    instance_url: z
      .string()
      .optional()
      .meta({ description: 'Where the customer’s own instance of the provider is.', format: 'uri' }),
    schema_mappings_config: schemaMappingsConfigShape.optional().meta({
      description: 'Field mappings where data is modelled with objects.',
      deprecated: true,
    }),
    entity_mappings: z.array(entityMappingShape).optional().meta({
      description: 'Mappings where data is modelled with entities.',
      deprecated: true,
    }),
    connection_sync_config: connectionSyncConfigShape
      .optional()
      .describe('What this connection syncs differently.'),
    status: choice(CONNECTION_STATUSES, 'Can the connection be used?'),
    status_reason: choice(STATUS_REASONS, 'Why it cannot be used.').optional(),
    status_changed_at: moment('When the status last became what it is.'),
    account: connectedAccountShape.optional().describe('Where a connect link connected it.'),
    granted_scopes: z
      .array(z.string())
      .optional()
      .describe('The OAuth scopes that the customer granted, where a connect link connected.'),
    missing_scopes: z
      .array(z.string())
      .optional()
      .describe(
        'Those that contacts cannot be read without and that were not granted, where a link connected.',
      ),
  })
  .describe('A customer’s link to one provider. Its credentials are never shown.');

export const disconnectionShape = z
  .strictObject({
    revocation: choice(
      REVOCATIONS,
      'What became of the grant at the provider. SHARED: another connection lives on it, it was left. FAILED: the provider was not reached or has refused. NOT_SUPPORTED: it cannot be revoked, or came by an upsert and is yours to revoke.',
    ),
  })
  .describe('A connection that was removed.');

export function toConnectionRecord(
  connection: Connection,
  providers: Providers,
): z.output<typeof connectionShape> {
  const { schemaMappingsConfig, entityMappings, connectionSyncConfig, account, grantedScopes } = connection;
  return {
    id: connection.id,
    application_id: connection.applicationId,
    customer_id: connection.customerId,
    provider_id: connection.providerId,
    provider_name: connection.providerName,
    category: connection.category,
    instance_url: connection.instanceUrl ?? undefined,
    schema_mappings_config: schemaMappingsConfig ? toSchemaMappingsRecord(schemaMappingsConfig) : undefined,
    entity_mappings: entityMappings?.map(toEntityMappingRecord),
    connection_sync_config: connectionSyncConfig ? toConnectionSyncRecord(connectionSyncConfig) : undefined,
    status: connection.status,
    status_reason: connection.statusReason ?? undefined,
    status_changed_at: connection.statusChangedAt,
    ...(account && { account: toAccountRecord(account) }),
    ...(grantedScopes.length > 0 && {
      granted_scopes: [...grantedScopes],
      missing_scopes: [...findMissingScopes(providers, connection)],
    }),
  };
}

function toAccountRecord({ id, name, url, userId }: ConnectedAccount) {
  return { id, name: name ?? undefined, url: url ?? undefined, user_id: userId ?? undefined };
}

/** For what each needs to be granted. */
export type Providers = ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>;
