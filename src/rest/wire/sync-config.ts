import { z } from 'zod';
import type { ConnectionSyncConfig, DestinationConfig } from '../../domain/connection.ts';
import { text } from './fields.ts';

export const syncedObjectShape = z
  .strictObject({
    object: text('The object’s name in the provider, case-sensitive.', 'Contact'),
    table: z
      .string()
      .nullable()
      .default(null)
      .describe('The table to write to; null where it is the default table.'),
  })
  .describe('A provider’s object to sync.');

export const destinationConfigShape = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('postgres').describe('The destination is PostgreSQL.'),
      schema: z
        .string()
        .nullable()
        .default(null)
        .describe('The schema to write to, which must exist; null where it is the destination’s own.'),
    }),
    z.strictObject({
      type: z.literal('bigquery').describe('The destination is BigQuery.'),
      dataset: z
        .string()
        .nullable()
        .default(null)
        .describe('The dataset to write to, which must exist; null where it is the destination’s own.'),
    }),
  ])
  .describe('Where this connection’s data goes instead of the default.');

export const connectionSyncConfigShape = z
  .strictObject({
    destination_config: destinationConfigShape
      .nullable()
      .default(null)
      .describe('Overrides the default destination for this connection.'),
    standard_objects: z
      .array(syncedObjectShape)
      .nullable()
      .default(null)
      .describe('The provider’s standard objects to sync; overrides the list of the sync configuration.'),
    custom_objects: z
      .array(syncedObjectShape)
      .nullable()
      .default(null)
      .describe(
        'Preview. The provider’s custom objects to sync; overrides the list of the sync configuration.',
      ),
  })
  .describe('What this connection syncs differently.');

type SyncConfigRecord = z.output<typeof connectionSyncConfigShape>;

export function toConnectionSyncConfig(record: SyncConfigRecord): ConnectionSyncConfig {
  return {
    destinationConfig: record.destination_config,
    standardObjects: record.standard_objects,
    customObjects: record.custom_objects,
  };
}

export function toConnectionSyncRecord(config: ConnectionSyncConfig): SyncConfigRecord {
  return {
    destination_config: config.destinationConfig && toDestinationRecord(config.destinationConfig),
    standard_objects: config.standardObjects?.map(({ object, table }) => ({ object, table })) ?? null,
    custom_objects: config.customObjects?.map(({ object, table }) => ({ object, table })) ?? null,
  };
}

function toDestinationRecord(config: DestinationConfig): z.output<typeof destinationConfigShape> {
  return config.type === 'postgres'
    ? { type: config.type, schema: config.schema }
    : { type: config.type, dataset: config.dataset };
}
