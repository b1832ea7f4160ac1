import { readFileSync } from 'node:fs';
import { type ProviderName, SEARCHABLE_PROVIDERS } from '../../domain/provider-names.ts';
import {
  DEFAULT_INTERVAL_SECONDS,
  type Sync,
  type SyncChange,
  type SyncConfigurationInput,
  type SyncRun,
  syncConfiguration,
} from '../../domain/sync.ts';
import { systemClock } from '../../lib/clock.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { createRegistry } from '../../providers/registry.ts';
import type { ApplicationStores } from '../../storage/database.ts';
import { createDestinations } from '../../sync/destinations.ts';
import { storeSyncConfiguration, storeSyncDestination } from '../../usecases/manage-syncs.ts';
import {
  APPLICATION,
  type Command,
  CUSTOMER,
  type Invocation,
  readProvider,
  toTable,
  UsageError,
} from '../command.ts';

const PROVIDER = {
  name: 'PROVIDER',
  description: `The provider: ${SEARCHABLE_PROVIDERS.join(', ')}.`,
};
const TABLE = {
  value: 'NAME',
  description: 'Table of the sync. Default: all syncs of the connection.',
};
/** What is copied if it is chosen, as configurations name it. */
const RECORDS = ['contacts', 'companies', 'deals', 'edges'] as const;
const FOLLOWS = 'Running servers follow within a few seconds.';

/** Commands for the syncs of an application. */
export const syncCommands: readonly Command[] = [
  {
    name: 'sync-destination set',
    summary: 'Sets the PostgreSQL that an application’s syncs write to, after a test of it.',
    details: [
      'The URL with user, password, host, port and database is read from standard input, so that no process list shows it: … --schema crm < url.txt',
    ],
    operands: [APPLICATION],
    options: {
      schema: { value: 'NAME', description: 'Schema of the tables, which must exist.' },
      'ca-file': {
        value: 'FILE',
        description: 'Certificates that the server’s certificate is verified with, in PEM.',
      },
    },
    async run({ text, readInput, readConfig, openApplication }) {
      const schema = text('schema');
      if (schema === undefined) throw new UsageError('Missing: --schema NAME');
      const file = text('ca-file');
      const caCertificate = file === undefined ? null : readFileSync(file, 'utf8');
      const url = (await readInput()).trim();
      const { name, syncs } = await openApplication();
      const destinations = createDestinations({
        clock: systemClock,
        hosts: readConfig().syncHosts,
      });
      const deps = { syncs, checkDestination: destinations.check };
      const data = await storeSyncDestination(deps, { url, schema, caCertificate });
      const { host, database } = data.postgres;
      return { data, text: `${name} syncs to the schema ${schema} of ${database} at ${host}.` };
    },
  },
  {
    name: 'sync-destination show',
    summary: 'Shows the PostgreSQL that an application’s syncs write to, never its password.',
    operands: [APPLICATION],
    async run({ openApplication }) {
      const data = (await (await openApplication()).syncs.findDestination()) ?? null;
      if (!data) return { data, text: 'There is no sync destination.' };
      const { host, port, database, user, schema } = data.postgres;
      return { data, text: `${user}@${host}:${port}/${database}, schema ${schema}` };
    },
  },
  {
    name: 'sync-destination delete',
    summary: 'Deletes the sync destination of an application: its syncs pause, and tables stay.',
    operands: [APPLICATION],
    async run({ openApplication }) {
      const { id, name, syncs } = await openApplication();
      if (!(await syncs.deleteDestination())) throw new Error(`${name} has no sync destination.`);
      return {
        data: { applicationId: id, deleted: true },
        text: `The sync destination of ${name} is deleted.`,
      };
    },
  },
  {
    name: 'sync-configurations list',
    summary: 'Lists what an application syncs of each provider.',
    operands: [APPLICATION],
    async run({ openApplication }) {
      const data = await (await openApplication()).syncs.listConfigurations();
      const rows = data.map(({ provider, isEnabled, intervalSeconds, ...configured }) => [
        provider,
        [
          ...RECORDS.filter((name) => configured[name]),
          ...[...configured.standardObjects, ...configured.customObjects].map(
            ({ object }) => object,
          ),
        ].join(' '),
        `every ${intervalSeconds} s`,
        isEnabled ? 'enabled' : 'disabled',
      ]);
      return { data, text: toTable(rows) || 'There are no sync configurations.' };
    },
  },
  {
    name: 'sync-configurations set',
    summary: 'Sets what an application syncs of one provider.',
    details: [
      'It is read from standard input, as JSON in the form that `sync-configurations list --json` prints for one provider: … < configuration.json',
      'For example: {"contacts":true,"deals":true,"intervalSeconds":3600}',
      FOLLOWS,
    ],
    operands: [APPLICATION, PROVIDER],
    async run({ operand, readInput, openApplication }) {
      const provider = readProvider(operand('PROVIDER'));
      const { name, syncs } = await openApplication();
      const configuration = readConfiguration(await readInput());
      const stores = { syncs, providers: createRegistry() };
      const data = await storeSyncConfiguration(stores, { provider, ...configuration });
      return { data, text: `${name} syncs ${provider} every ${data.intervalSeconds} seconds.` };
    },
  },
  {
    name: 'syncs list',
    summary: 'Lists the syncs of a customer with their status.',
    operands: [APPLICATION, CUSTOMER],
    async run({ operand, openApplication }) {
      const { name, customers, syncs } = await openApplication();
      const customerId = operand('CUSTOMER');
      const [customer] = await customers.findMany([customerId], { withConfigurations: false });
      if (!customer) throw new Error(`${name} has no customer ${JSON.stringify(customerId)}.`);
      const { connections } = customer;
      const found = await syncs.listSyncs(connections.map(({ id }) => id));
      const data = connections.flatMap(({ providerName }, index) =>
        (found[index] ?? []).map((one) => ({ provider: providerName, ...one })),
      );
      return { data, text: toTable(data.map(toRow)) || 'There are no syncs.' };
    },
  },
  defineChange('syncs start', 'Starts the next run of a connection’s syncs now.', {
    options: { full: { description: 'Reads all records, and not only changes.' } },
    toChange: ({ flag }) => ({ to: 'start', isFull: flag('full') }),
  }),
  defineChange('syncs pause', 'Pauses a connection’s syncs.', {
    toChange: () => ({ to: 'pause' }),
  }),
  defineChange('syncs resume', 'Resumes a connection’s syncs.', {
    toChange: () => ({ to: 'resume' }),
  }),
];

/** What has been done, in the command's text. */
const DONE = { start: 'started', pause: 'paused', resume: 'resumed' } as const;

function defineChange(
  name: string,
  summary: string,
  { options = {}, toChange }: ChangeCommand,
): Command {
  return {
    name,
    summary,
    details: [FOLLOWS],
    operands: [APPLICATION, CUSTOMER, PROVIDER],
    options: { table: TABLE, ...options },
    async run(invocation) {
      const { operand, text, openApplication } = invocation;
      const target = {
        customerId: operand('CUSTOMER'),
        providerName: readProvider(operand('PROVIDER')),
        table: text('table'),
      };
      const change = toChange(invocation);
      const changed = await changeSyncs(await openApplication(), target, change);
      return {
        data: { ...target, changed },
        text: `${changed} ${changed === 1 ? 'sync' : 'syncs'} ${DONE[change.to]}.`,
      };
    },
  };
}

async function changeSyncs(
  { syncs }: ApplicationStores,
  target: Parameters<ApplicationStores['syncs']['changeSyncs']>[0],
  change: SyncChange,
): Promise<number> {
  const changed = await syncs.changeSyncs(target, change);
  if (changed > 0) return changed;
  throw new Error(
    `${JSON.stringify(target.customerId)} has no such sync of ${target.providerName}.`,
  );
}

interface ChangeCommand {
  readonly options?: Command['options'];
  toChange(invocation: Invocation): SyncChange;
}

function toRow({ provider, table, status, runs, progress, error, incompleteRecords }: ListedSync) {
  const full = runs.find((run) => run.isFull && run.error === null);
  const [last] = runs;
  const lines = [
    progress && `running: ${toCounts(progress)} so far`,
    last && last !== full && `last run: ${toCounts(last)}`,
    full && `last full run: ${toCounts(full)}`,
  ].filter(Boolean);
  const state = error?.detail ?? (lines.length > 0 ? lines.join('; ') : 'not run yet');
  return [
    provider,
    table,
    status.toLowerCase(),
    `${state}${describeIncomplete(incompleteRecords)}`,
  ];
}

type ListedSync = Sync & { readonly provider: ProviderName };

function toCounts({ records, deleted }: Pick<SyncRun, 'records' | 'deleted'>): string {
  return `${records} rows, ${deleted} deleted`;
}

function describeIncomplete({ count, examples }: Sync['incompleteRecords']): string {
  const [example] = examples;
  if (count === 0 || !example) return '';
  const records = count === 1 ? '1 record' : `${count} records`;
  return `; ${records} without the longest fields, such as ${example.id} (${example.fields.join(', ')})`;
}

/** Checks the types of its members; the use case checks their values. */
function readConfiguration(text: string): SyncConfigurationInput {
  const json = parseJson(text);
  if (!isRecord(json)) throw new UsageError('Standard input is not a JSON object');
  const name = Object.keys(json).find((one) => !SETTINGS.has(one));
  if (name !== undefined) throw new UsageError(`${JSON.stringify(name)} is not known`);
  const { contacts, companies, deals, edges, ...rest } = json;
  const { standardObjects, customObjects, intervalSeconds, isEnabled } = rest;
  return {
    contacts: contacts === true,
    companies: companies === true,
    deals: deals === true,
    edges: edges === true,
    standardObjects: readObjects('standardObjects', standardObjects),
    customObjects: readObjects('customObjects', customObjects),
    intervalSeconds:
      intervalSeconds === undefined ? DEFAULT_INTERVAL_SECONDS : Number(intervalSeconds),
    isEnabled: isEnabled !== false,
  };
}

const SETTINGS: ReadonlySet<string> = new Set(Object.keys(syncConfiguration.fields));

function readObjects(name: string, value: unknown = []) {
  if (!Array.isArray(value)) throw new UsageError(`${name} is not a list`);
  return value.map((one, index) => {
    const { object, table = null } = isRecord(one) ? one : { object: undefined };
    const isTable = table === null || typeof table === 'string';
    if (typeof object === 'string' && isTable) return { object, table };
    throw new UsageError(`${name}[${index}] must have an "object", and may have a "table"`);
  });
}
