import * as z from 'zod';
import { syncedObject } from '../../domain/connection.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { EXAMPLE_PROVIDERS, PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { LIST_COST } from '../../domain/records/record-search.ts';
import { descriptionOf } from '../../domain/shape.ts';
import {
  DEFAULT_INTERVAL_SECONDS,
  MAX_INTERVAL_SECONDS,
  MAX_SYNCED_OBJECTS,
  MIN_INTERVAL_SECONDS,
  postgresSyncDestinationInput,
  type SyncConfigurationInput,
  sync,
  syncConfiguration,
  syncConfigurationInput,
  syncDestination,
} from '../../domain/sync.ts';
import { findCustomerConnection } from '../../usecases/find-customer.ts';
import {
  changeSyncs,
  deleteSyncDestination,
  listSyncConfigurations,
  readSyncDestination,
  readSyncs,
  setSyncConfiguration,
  setSyncDestination,
} from '../../usecases/manage-syncs.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_MOMENT,
  enumInput,
  fromWire,
  object,
  optional,
  toSchema,
  toWire,
} from '../schemas.ts';
import { CONNECTION_PATH, connectionPath } from './connections.ts';

const EXAMPLE_URL = 'postgresql://crossbook:secret@db.example.com:5432/warehouse';
const EXAMPLE_DESTINATION = {
  postgres: {
    host: 'db.example.com',
    port: 5432,
    database: 'warehouse',
    user: 'crossbook',
    schema: 'crm',
    has_ca_certificate: false,
  },
  updated_at: EXAMPLE_MOMENT,
};

const DESTINATION = {
  schema: toSchema(syncDestination, 'response'),
  example: EXAMPLE_DESTINATION,
};

const setDestinationSchema = object('request', 'SyncDestinationInput', 'Sync destination to set.', {
  postgres: toSchema(postgresSyncDestinationInput, 'request').describe('A PostgreSQL database.'),
});

const objects = (name: 'standardObjects' | 'customObjects') =>
  optional(
    z.array(toSchema(syncedObject, 'request')).max(MAX_SYNCED_OBJECTS),
    descriptionOf(syncConfigurationInput, name),
  );

const copied = (name: 'contacts' | 'companies' | 'deals' | 'edges') =>
  optional(z.boolean(), `${descriptionOf(syncConfigurationInput, name)} Default: false.`);

const setConfigurationSchema = object('request', 'SyncConfigurationInput', 'What to sync.', {
  contacts: copied('contacts'),
  companies: copied('companies'),
  deals: copied('deals'),
  edges: copied('edges'),
  standard_objects: objects('standardObjects'),
  custom_objects: objects('customObjects'),
  interval_seconds: optional(
    z.int().min(MIN_INTERVAL_SECONDS).max(MAX_INTERVAL_SECONDS),
    `Seconds between two runs. Default: ${DEFAULT_INTERVAL_SECONDS}.`,
  ),
  is_enabled: optional(z.boolean(), 'Whether the syncs run. Default: true.'),
});

const configurationsSchema = object(
  'response',
  'SyncConfigurations',
  'What is synced of each provider.',
  { records: z.array(toSchema(syncConfiguration, 'response')).describe('The configurations.') },
);

const EXAMPLE_CONFIGURATION = {
  provider_name: EXAMPLE_PROVIDERS.first,
  contacts: true,
  companies: true,
  deals: true,
  edges: true,
  standard_objects: [{ object: 'tickets' }],
  custom_objects: [],
  interval_seconds: 900,
  is_enabled: true,
  updated_at: EXAMPLE_MOMENT,
};

const syncsSchema = object('response', 'Syncs', 'The syncs of a connection.', {
  records: z.array(toSchema(sync, 'response')).describe('Syncs.'),
});

const EXAMPLE_RUN = {
  started_at: EXAMPLE_MOMENT,
  finished_at: EXAMPLE_MOMENT,
  is_full: false,
  records: 12,
  deleted: 1,
};
const SYNCS = {
  schema: syncsSchema,
  example: {
    records: [
      {
        kind: 'contacts',
        object: 'contacts',
        schema: 'crm',
        table: 'contacts',
        edge_tables: ['contact_companies'],
        status: 'idle',
        last_run: EXAMPLE_RUN,
        runs: [EXAMPLE_RUN],
        next_run_at: EXAMPLE_MOMENT,
        synced_until: EXAMPLE_MOMENT,
        incomplete_records: {
          count: 1,
          examples: [{ id: '501', omitted_fields: 2, fields: ['biography', 'notes'] }],
        },
      },
    ],
  },
};

/** Destination and configurations of the application. */
export const syncSettingOperations = [
  defineOperation({
    id: 'getSyncDestination',
    route: 'GET /sync_destination',
    summary: 'Read the sync destination',
    description: 'The database that the application’s syncs write to, without its password.',
    input: {},
    response: { ...DESTINATION, description: 'The destination.' },
    errors: [404],
    async handle(context) {
      const found = await readSyncDestination(context);
      if (found) return toWire(syncDestination, found);
      throw new CrossbookError('NOT_FOUND', 'There is no sync destination.');
    },
  }),
  defineOperation({
    id: 'setSyncDestination',
    route: 'PUT /sync_destination',
    summary: 'Set the sync destination',
    description:
      'Sets the database that the application’s syncs write to. It is connected to, and a table is created in the schema and removed again: if that fails, the response is 422 with the reason, and nothing is changed.',
    input: { body: setDestinationSchema },
    bodyExample: { postgres: { url: EXAMPLE_URL, schema: 'crm' } },
    response: { ...DESTINATION, description: 'The stored destination.' },
    errors: [422],
    async handle(context, { body: { postgres } }) {
      const destination = fromWire(postgresSyncDestinationInput, postgres);
      return toWire(syncDestination, await setSyncDestination(context, destination));
    },
  }),
  defineOperation({
    id: 'deleteSyncDestination',
    route: 'DELETE /sync_destination',
    summary: 'Delete the sync destination',
    description:
      'Deletes the destination with its password. All syncs are paused; the tables stay as they are.',
    input: {},
    response: { status: 204, description: 'The destination was deleted.' },
    errors: [404],
    handle: (context) => deleteSyncDestination(context),
  }),
  defineOperation({
    id: 'listSyncConfigurations',
    route: 'GET /sync_configurations',
    summary: 'List sync configurations',
    description: 'What is synced of each provider.',
    input: {},
    response: {
      description: 'The configurations.',
      schema: configurationsSchema,
      example: { records: [EXAMPLE_CONFIGURATION] },
    },
    async handle(context) {
      const found = await listSyncConfigurations(context);
      return { records: found.map((one) => toWire(syncConfiguration, one)) };
    },
  }),
  defineOperation({
    id: 'setSyncConfiguration',
    route: 'PUT /sync_configurations/{provider_name}',
    summary: 'Set a sync configuration',
    description:
      'Sets what is synced of all connections to a provider, and replaces the previous configuration. All servers follow within a few seconds.',
    input: {
      path: z.object({
        provider_name: enumInput(PROVIDER_NAMES, 'The provider.', EXAMPLE_PROVIDERS.first),
      }),
      body: setConfigurationSchema,
    },
    bodyExample: { contacts: true, companies: true, standard_objects: [{ object: 'tickets' }] },
    response: {
      description: 'The stored configuration.',
      schema: toSchema(syncConfiguration, 'response'),
      example: EXAMPLE_CONFIGURATION,
    },
    errors: [422, 501],
    async handle(context, { path, body }) {
      const {
        contacts = false,
        companies = false,
        deals = false,
        edges = false,
        standard_objects: standardObjects = [],
        custom_objects: customObjects = [],
        interval_seconds: intervalSeconds = DEFAULT_INTERVAL_SECONDS,
        is_enabled: isEnabled = true,
      } = body;
      const stored = await setSyncConfiguration(context, {
        provider: path.provider_name,
        contacts,
        companies,
        deals,
        edges,
        standardObjects: toObjects(standardObjects),
        customObjects: toObjects(customObjects),
        intervalSeconds,
        isEnabled,
      });
      return toWire(syncConfiguration, stored);
    },
  }),
];

function toObjects(objects: readonly object[]): SyncConfigurationInput['standardObjects'] {
  return objects.map((one) => fromWire(syncedObject, one));
}

const input = { path: connectionPath };
const SYNCS_PATH = `${CONNECTION_PATH}/syncs` as const;

const oneTable = {
  table: optional(
    z.string().min(1).max(100),
    'Table of the sync. Default: all syncs of the connection.',
  ),
};

const startSchema = object('request', 'StartSync', 'Syncs to start.', {
  ...oneTable,
  full: optional(z.boolean(), 'Whether to read all records, and not only changes.'),
}).optional();

const changeSchema = object(
  'request',
  'ChangeSync',
  'Syncs to pause or to resume.',
  oneTable,
).optional();

/** The syncs of one connection. */
export const syncOperations = [
  defineOperation({
    id: 'listSyncs',
    route: `GET ${SYNCS_PATH}`,
    summary: 'List syncs',
    description: 'The syncs of a connection, with their status and their last 30 runs.',
    callers: ['apiKey', 'customerToken'],
    input,
    response: { ...SYNCS, description: 'The syncs.' },
    errors: [404],
    async handle(context, { path }) {
      await context.charge(LIST_COST);
      return toSyncs(context, path);
    },
  }),
  defineChange({
    id: 'startSync',
    verb: 'start',
    summary: 'Start syncs',
    description:
      'Starts the next run of a connection’s syncs now. A sync that is paused runs when it is resumed.',
    body: startSchema,
    bodyExample: { full: true },
    toChange: (body) => ({ to: 'start', isFull: body?.full ?? false }) as const,
  }),
  defineChange({
    id: 'pauseSync',
    verb: 'pause',
    summary: 'Pause syncs',
    description:
      'Pauses a connection’s syncs. A run that has begun stops within a minute, and continues when it is resumed.',
    body: changeSchema,
    bodyExample: { table: 'contacts' },
    toChange: () => ({ to: 'pause' }) as const,
  }),
  defineChange({
    id: 'resumeSync',
    verb: 'resume',
    summary: 'Resume syncs',
    description: 'Resumes a connection’s syncs, which run at once.',
    body: changeSchema,
    bodyExample: { table: 'contacts' },
    toChange: () => ({ to: 'resume' }) as const,
  }),
];

function defineChange<Body extends typeof startSchema | typeof changeSchema>({
  id,
  verb,
  summary,
  description,
  body,
  bodyExample,
  toChange,
}: ChangeOperation<Body>) {
  return defineOperation({
    id,
    route: `POST ${SYNCS_PATH}/_${verb}`,
    summary,
    description,
    input: { ...input, body: body as typeof startSchema },
    bodyExample,
    response: { ...SYNCS, description: 'The syncs of the connection.' },
    errors: [404],
    async handle(context, { path, body: configuration }) {
      const target = { customerId: path.customer_id, provider: path.provider_name };
      await changeSyncs(context, {
        ...target,
        table: configuration?.table,
        ...toChange(configuration as z.output<Body>),
      });
      return toSyncs(context, path);
    },
  });
}

async function toSyncs(
  context: Parameters<typeof findCustomerConnection>[0] & Parameters<typeof readSyncs>[0],
  path: z.output<typeof connectionPath>,
) {
  const found = await findCustomerConnection(context, path.customer_id, path.provider_name);
  const syncs = await readSyncs(context, found);
  return { records: syncs.map((one) => toWire(sync, one)) };
}

interface ChangeOperation<Body extends z.ZodType> {
  readonly id: string;
  readonly verb: 'start' | 'pause' | 'resume';
  readonly summary: string;
  readonly description: string;
  readonly body: Body;
  readonly bodyExample: object;
  toChange(
    body: z.output<Body>,
  ): { readonly to: 'pause' | 'resume' } | { readonly to: 'start'; readonly isFull: boolean };
}
