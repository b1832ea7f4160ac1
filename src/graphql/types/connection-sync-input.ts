import { builder } from '../builder.ts';

const PostgresDestinationInput = builder.inputType('PostgresDestinationInput', {
  description: 'Data goes to a PostgreSQL database.',
  fields: (t) => ({
    schema: t.string({
      description: 'The schema. It must exist already. Left out: that of the destination that is configured.',
    }),
  }),
});

const BigQueryDestinationInput = builder.inputType('BigQueryDestinationInput', {
  description: 'Data goes to Google BigQuery.',
  fields: (t) => ({
    dataset: t.string({
      description:
        'The dataset. It must exist already. Left out: that of the destination that is configured.',
    }),
  }),
});

const DestinationConfigInput = builder.inputType('DestinationConfigInput', {
  description:
    'Where a connection’s data goes, instead of the default destination: exactly one of the fields.',
  isOneOf: true,
  fields: (t) => ({
    postgres: t.field({ type: PostgresDestinationInput, description: 'To a PostgreSQL database.' }),
    bigquery: t.field({ type: BigQueryDestinationInput, description: 'To Google BigQuery.' }),
  }),
});

const SyncedObjectInput = builder.inputType('SyncedObjectInput', {
  description: 'An object of the tool that is to be synced.',
  fields: (t) => ({
    object: t.string({
      required: true,
      description: 'The tool’s name for it; upper and lower case matter.',
    }),
    table: t.string({ description: 'The table that it goes to. Left out: the default table.' }),
  }),
});

export const ConnectionSyncConfigInput = builder.inputType('ConnectionSyncConfigInput', {
  description: 'What one connection syncs otherwise than the rest. It replaces what was there.',
  fields: (t) => ({
    destinationConfig: t.field({
      type: DestinationConfigInput,
      description: 'Where its data goes. Left out: to the default destination.',
    }),
    standardObjects: t.field({
      type: [SyncedObjectInput],
      description: 'The tool’s own objects to sync. Left out: those of the sync configuration.',
    }),
    customObjects: t.field({
      type: [SyncedObjectInput],
      description:
        'The customer’s own objects to sync (a preview). Left out: those of the sync configuration.',
    }),
  }),
});
