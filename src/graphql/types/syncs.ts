import { costs } from '@crossbook/executor';
import { type Connection, connection } from '../../domain/connection.ts';
import { providerName } from '../../domain/provider-names.ts';
import { LIST_COST, PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { boolean, field, id, nullable, string } from '../../domain/shape.ts';
import {
  postgresSyncDestinationInput,
  type SyncConfiguration,
  type SyncConfigurationInput,
  type SyncDestination,
  syncConfiguration,
  syncConfigurationInput,
  syncDestination,
} from '../../domain/sync.ts';
import {
  changeSyncs,
  deleteSyncDestination,
  listSyncConfigurations,
  readSyncDestination,
  setSyncConfiguration,
  setSyncDestination,
} from '../../usecases/manage-syncs.ts';
import { builder, tagged } from '../define/builder.ts';
import { objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';

builder.queryField('syncDestination', (t) =>
  t.field({
    ...tagged('api-key'),
    type: objectOf(syncDestination),
    nullable: true,
    description:
      'The database that the syncs of your application write to. Null if none was set. Requires an API key.',
    ...costs({ weight: LIST_COST }),
    resolve: async (_root, _args, context) => (await readSyncDestination(context)) ?? null,
  }),
);

builder.queryField('syncConfigurations', (t) =>
  t.field({
    ...tagged('api-key'),
    type: [objectOf(syncConfiguration)],
    description: 'What is synced of each provider. Requires an API key.',
    ...costs({ weight: LIST_COST, items: 2 }),
    resolve: (_root, _args, context) => listSyncConfigurations(context),
  }),
);

defineMutation('setSyncDestination', {
  description:
    'Sets the database that the syncs of your application write to. It is connected to, and a table is created in the schema and removed again: if that fails, the error is `UNPROCESSABLE_ENTITY` with the reason, and nothing is changed. After a change of the database or the schema, all syncs start with a full run. Requires an API key.',
  cost: { weight: PROVIDER_CALL },
  input: {
    argument: 'The destination.',
    description: 'Sync destination to set.',
    fields: { postgres: field(postgresSyncDestinationInput, 'A PostgreSQL database.') },
  },
  resolve: async ({ postgres }, context) => ({
    syncDestination: await setSyncDestination(context, postgres),
  }),
  payload: {
    description: 'Result of setting a sync destination.',
    fields: { syncDestination: field<SyncDestination>(syncDestination, 'The stored destination.') },
  },
});

defineMutation('deleteSyncDestination', {
  description:
    'Deletes the sync destination with its password. All syncs are paused; the tables stay as they are. Requires an API key.',
  input: {
    argument: 'Pass `{}`.',
    description: 'Deletion of the sync destination.',
    fields: {},
  },
  async resolve(_given, context) {
    await deleteSyncDestination(context);
    return { isDeleted: true };
  },
  payload: {
    description: 'Result of deleting the sync destination.',
    fields: { isDeleted: field(boolean, 'True.') },
  },
});

defineMutation('setSyncConfiguration', {
  description:
    'Sets what is synced of all your customers’ connections to one provider, and replaces the previous configuration. All servers follow within a few seconds. Requires an API key.',
  cost: { weight: LIST_COST },
  input: {
    argument: 'The configuration.',
    description: 'Sync configuration to set.',
    fields: { provider: field(providerName, 'The provider.'), ...syncConfigurationInput.fields },
  },
  resolve: async ({ provider, ...configuration }, context) => ({
    syncConfiguration: await setSyncConfiguration(context, {
      ...(configuration as SyncConfigurationInput),
      provider,
    }),
  }),
  payload: {
    description: 'Result of setting a sync configuration.',
    fields: {
      syncConfiguration: field<SyncConfiguration>(syncConfiguration, 'The stored configuration.'),
    },
  },
});

const TARGET = {
  customerId: field(id, 'Your own id of the customer.'),
  provider: field(providerName, 'Provider of the connection.'),
  table: nullable(string, 'Table of the sync. Default: all syncs of the connection.'),
};

const PAYLOAD = {
  description: 'Result of changing syncs.',
  fields: {
    connection: field<Connection>(connection as never, 'The connection with its syncs.'),
  },
};

defineMutation('startSync', {
  description:
    'Starts the next run of a connection’s syncs now. A sync that is paused runs when it is resumed. Requires an API key.',
  cost: { weight: LIST_COST },
  input: {
    argument: 'The syncs.',
    description: 'Syncs to start.',
    fields: {
      ...TARGET,
      full: field(boolean, 'Whether to read all records, and not only changes.', {
        defaultValue: false,
      }),
    },
  },
  resolve: async ({ full, ...target }, context) => ({
    connection: await changeSyncs(context, { ...target, to: 'start', isFull: full }),
  }),
  payload: PAYLOAD,
});

defineMutation('pauseSync', {
  description:
    'Pauses a connection’s syncs. A run that has begun stops within a minute, and continues when it is resumed. Requires an API key.',
  cost: { weight: LIST_COST },
  input: { argument: 'The syncs.', description: 'Syncs to pause.', fields: TARGET },
  resolve: async (target, context) => ({
    connection: await changeSyncs(context, { ...target, to: 'pause' }),
  }),
  payload: PAYLOAD,
});

defineMutation('resumeSync', {
  description: 'Resumes a connection’s syncs, which run at once. Requires an API key.',
  cost: { weight: LIST_COST },
  input: { argument: 'The syncs.', description: 'Syncs to resume.', fields: TARGET },
  resolve: async (target, context) => ({
    connection: await changeSyncs(context, { ...target, to: 'resume' }),
  }),
  payload: PAYLOAD,
});
