import * as z from 'zod';
import type { Credentials } from '../../domain/connection.ts';
import type { ConnectionUpsert } from '../../domain/customer.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { choice, text } from './fields.ts';
import {
  entityMappingShape,
  schemaMappingsConfigShape,
  toEntityMapping,
  toSchemaMappingsConfig,
} from './mappings.ts';
import { connectionSyncConfigShape, toConnectionSyncConfig } from './sync-config.ts';

export const credentialsShape = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('oauth2').describe('Tokens of an OAuth 2.0 grant.'),
      access_token: text('The access token.'),
      refresh_token: z
        .string()
        .nullable()
        .default(null)
        .describe('The refresh token: without one the customer has to connect again when the first expires.'),
      expires_at: z
        .string()
        .nullable()
        .default(null)
        .meta({
          description: 'When the access token expires; null where that is not known.',
          format: 'date-time',
          examples: ['2025-03-01T12:00:00.000Z'],
        }),
    }),
    z.strictObject({
      type: z.literal('token').describe('One token that does not expire.'),
      value: text('The token.'),
    }),
  ])
  .describe('What convinces the provider. Write-only: no answer, log or error ever shows it.');

export const connectionUpsertShape = z
  .strictObject({
    provider_name: choice(PROVIDER_NAMES, 'The provider: a customer has at most one connection to each.'),
    instance_url: z
      .string()
      .nullable()
      .optional()
      .describe('Where the customer’s own instance of the provider is: one of the provider’s own hosts.'),
    schema_mappings_config: schemaMappingsConfigShape
      .nullable()
      .optional()
      .meta({ description: 'Field mappings where data is modelled with objects.', deprecated: true }),
    entity_mappings: z
      .array(entityMappingShape)
      .nullable()
      .optional()
      .meta({ description: 'Mappings where data is modelled with entities.', deprecated: true }),
    connection_sync_config: connectionSyncConfigShape
      .nullable()
      .optional()
      .describe('What this connection syncs differently.'),
    credentials: credentialsShape.nullable().optional().describe('Write-only; null forgets them.'),
  })
  .describe('A connection to create or update. An absent field stays as it is, null clears it.');

export function toConnectionUpsert(record: z.output<typeof connectionUpsertShape>): ConnectionUpsert {
  return {
    providerName: record.provider_name,
    instanceUrl: record.instance_url,
    schemaMappingsConfig: whereGiven(record.schema_mappings_config, toSchemaMappingsConfig),
    entityMappings: whereGiven(record.entity_mappings, (mappings) => mappings.map(toEntityMapping)),
    connectionSyncConfig: whereGiven(record.connection_sync_config, toConnectionSyncConfig),
    credentials: whereGiven(record.credentials, toCredentials),
  };
}

/** Absent stays absent and null stays null: one leaves a field as it is, the other clears it. */
function whereGiven<From, To>(value: From | null | undefined, translate: (value: From) => To) {
  return value === undefined || value === null ? (value as null | undefined) : translate(value);
}

function toCredentials(record: z.output<typeof credentialsShape>): Credentials {
  if (record.type === 'token') return record;
  const { type, access_token, refresh_token, expires_at } = record;
  return { type, accessToken: access_token, refreshToken: refresh_token, expiresAt: expires_at };
}
