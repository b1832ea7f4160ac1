import * as z from 'zod';
import type { Connection } from '../../domain/connection.ts';
import { CATEGORIES, PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { choice, text, uuid } from './fields.ts';
import {
  entityMappingShape,
  schemaMappingsConfigShape,
  toEntityMappingRecord,
  toSchemaMappingsRecord,
} from './mappings.ts';
import { connectionSyncConfigShape, toConnectionSyncRecord } from './sync-config.ts';

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
  })
  .describe('A customer’s link to one provider. Its credentials are never shown.');

export function toConnectionRecord(connection: Connection): z.output<typeof connectionShape> {
  const { schemaMappingsConfig, entityMappings, connectionSyncConfig } = connection;
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
  };
}
