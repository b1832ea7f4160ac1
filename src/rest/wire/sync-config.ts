import * as z from 'zod';
import type { ConnectionSyncConfig, DestinationConfig, SyncedObject } from '../../domain/connection.ts';
import { absentOrNull, text } from './fields.ts';

export const syncedObjectShape = z
  .strictObject({
    object: text('The object’s name in the provider, case-sensitive.', 'Contact'),
    table: absentOrNull(z.string()).describe('The table to write to instead of the default table.'),
  })
  .describe('A provider’s object to sync.');

export const destinationConfigShape = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('postgres').describe('The destination is PostgreSQL.'),
      schema: absentOrNull(z.string()).describe(
        'The schema to write to, which must exist. Absent: the schema of the configured destination.',
      ),
    }),
    z.strictObject({
      type: z.literal('bigquery').describe('The destination is BigQuery.'),
      dataset: absentOrNull(z.string()).describe(
        'The dataset to write to, which must exist. Absent: the dataset of the configured destination.',
      ),
    }),
  ])
  .describe('Where this connection’s data goes instead of the default.');

export const connectionSyncConfigShape = z
  .strictObject({
    destination_config: absentOrNull(destinationConfigShape).describe(
      'Overrides the default destination for this connection.',
    ),
    standard_objects: absentOrNull(z.array(syncedObjectShape)).describe(
      'The provider’s standard objects to sync; overrides the list of the sync configuration.',
    ),
    custom_objects: absentOrNull(z.array(syncedObjectShape)).describe(
      'Preview. The provider’s custom objects to sync; overrides the list of the sync configuration.',
    ),
  })
  .describe('What this connection syncs differently.');

type SyncConfigRecord = z.output<typeof connectionSyncConfigShape>;
type DestinationRecord = z.output<typeof destinationConfigShape>;
type SyncedObjectRecord = z.output<typeof syncedObjectShape>;

export function toConnectionSyncConfig(record: SyncConfigRecord): ConnectionSyncConfig {
  return {
    destinationConfig: record.destination_config ? toDestination(record.destination_config) : null,
    standardObjects: record.standard_objects?.map(toSyncedObject) ?? null,
    customObjects: record.custom_objects?.map(toSyncedObject) ?? null,
  };
}

export function toConnectionSyncRecord(config: ConnectionSyncConfig): SyncConfigRecord {
  return {
    destination_config: config.destinationConfig ? toDestinationRecord(config.destinationConfig) : undefined,
    standard_objects: config.standardObjects?.map(toSyncedObjectRecord),
    custom_objects: config.customObjects?.map(toSyncedObjectRecord),
  };
}

function toDestination(record: DestinationRecord): DestinationConfig {
  return record.type === 'postgres'
    ? { type: record.type, schema: record.schema ?? null }
    : { type: record.type, dataset: record.dataset ?? null };
}

function toDestinationRecord(config: DestinationConfig): DestinationRecord {
  return config.type === 'postgres'
    ? { type: config.type, schema: config.schema ?? undefined }
    : { type: config.type, dataset: config.dataset ?? undefined };
}

function toSyncedObject({ object, table }: SyncedObjectRecord): SyncedObject {
  return { object, table: table ?? null };
}

function toSyncedObjectRecord({ object, table }: SyncedObject): SyncedObjectRecord {
  return { object, table: table ?? undefined };
}
