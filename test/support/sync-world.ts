import {
  type HubSpotAccount,
  openSandbox,
  type Person,
  type SalesforceAccount,
} from '@crossbook/sandbox';
import pg from 'pg';
import type { ConnectionSyncConfig } from '../../src/domain/connection.ts';
import { RECORD_TYPES, type RecordType } from '../../src/domain/records/record-type.ts';
import type { Sync } from '../../src/domain/sync.ts';
import type { OAuthClient } from '../../src/domain/token-refresh.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  TEST_RING,
  type TestDatabase,
} from './databases.ts';
import { PATIENT_DATABASE } from './patience.ts';
import { createSyncRunner } from './sync-runner.ts';

export { SYNC_CONTACTS, SYNC_NOTHING } from './sync-settings.ts';

/**
 * A database of ours, a destination with the schema `crm`, both CRMs, and an application that syncs. The clock of the CRMs
 * may be behind ours.
 */
export async function openSyncWorld({ crmBehindMs = 0 } = {}) {
  const time = createPassingTime();
  const now = () => Math.floor(time.clock.wall()) - crmBehindMs;
  const sandbox = await openSandbox({ enforceLimits: false, now });
  const world = await openSyncWorldOf({ sandbox, time });
  return {
    ...world,
    sandbox,
    createAccount(provider: Crm, people: readonly Partial<Person>[]): CrmAccount {
      const options = { people, limits: null, accessTokenTtlMs: YEARS };
      return provider === 'hubspot'
        ? sandbox.hubspot.createAccount(options)
        : sandbox.salesforce.createAccount(options);
    },
    async close() {
      await world.close();
      await sandbox.close();
    },
  };
}

/** The same with another sandbox, whose clock does not follow, and another destination. */
export async function openSyncWorldOf({
  sandbox,
  target: given,
  time = createPassingTime(),
}: WorldOptions) {
  const { clock, pass } = time;
  const own = await createTestDatabase();
  const target = given ?? (await createEmptyDatabase());
  const database = await openDatabase(
    { url: own.url },
    { ...PATIENT_DATABASE, keyRing: TEST_RING, clock },
  );
  const application = await database.admin.createApplication('Syncing');
  const stores = database.forApplication(application.id);
  const warehouse = new pg.Pool({ connectionString: target.url, max: 3 });
  const ours = new pg.Pool({ connectionString: own.url, max: 1 });
  for (const pool of [warehouse, ours]) pool.on('error', () => undefined);
  await warehouse.query('create schema crm');
  const runner = createSyncRunner({
    database,
    clock,
    sandboxOrigins: [sandbox.hubspot.origin, sandbox.salesforce.origin],
    client: sandbox.hubspot.demo,
  });
  const destination = toDestination(target.url);

  return {
    own,
    target,
    sandbox,
    database,
    application,
    stores,
    warehouse,
    runner,
    clock,
    destination,
    /** Lets time pass. */
    pass,
    setDestination: (patch: Partial<typeof destination> = {}) =>
      stores.syncs.setDestination({ ...destination, ...patch }),
    /** Connects a customer, of this or of another application. */
    connect: (options: ConnectOptions) =>
      connectCustomer({ database, sandbox, application }, options),
    async syncsOf(customerId: string, provider: Crm): Promise<readonly Sync[]> {
      const [connection] = await stores.connections.findMany([
        { customerId, providerName: provider },
      ]);
      if (!connection) return [];
      return (await stores.syncs.listSyncs([connection.id]))[0] ?? [];
    },
    // biome-ignore lint/suspicious/noExplicitAny: rows of any table.
    rows: async (text: string, values: unknown[] = []): Promise<any[]> =>
      (await warehouse.query(text, values)).rows,
    // biome-ignore lint/suspicious/noExplicitAny: rows of any table.
    ourRows: async (text: string, values: unknown[] = []): Promise<any[]> =>
      (await ours.query(text, values)).rows,
    async close() {
      await runner.close();
      await Promise.all([warehouse.end(), ours.end()]);
      await database.close();
      await Promise.all([own.drop(), target.drop()]);
    },
  };
}

export type SyncWorld = Awaited<ReturnType<typeof openSyncWorld>>;
export type SyncWorldOf = Awaited<ReturnType<typeof openSyncWorldOf>>;

function createPassingTime() {
  let passed = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + passed,
    wall: () => systemClock.wall() + passed,
  };
  const pass = (ms: number): void => {
    passed += ms;
  };
  return { clock, pass };
}

/** Tests let hours pass. */
export const YEARS = 10 * 365 * 24 * 60 * 60_000;

/** The parts of a URL, as the product stores them. */
export function toDestination(url: string, schema = 'crm') {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    host: hostname,
    port: Number(port || 5432),
    database: pathname.slice(1),
    user: decodeURIComponent(username) || 'postgres',
    password: decodeURIComponent(password) || 'unused',
    caCertificate: null,
    schema,
  };
}

async function connectCustomer(
  { database, sandbox, application }: Pick<Parts, 'database' | 'sandbox' | 'application'>,
  {
    customerId,
    provider,
    account,
    config = null,
    of = application.id,
    records = RECORD_TYPES,
  }: ConnectOptions,
): Promise<void> {
  await database.forApplication(of).customers.upsert({
    customerId,
    name: 'Customer',
    email: 'customer@example.com',
    connections: [
      {
        providerName: provider,
        instanceUrl: provider === 'hubspot' ? sandbox.hubspot.origin : account.instanceUrl,
        connectionSyncConfig: config,
        records,
        credentials: { type: 'token', value: account.accessToken },
      },
    ],
  });
}

interface Parts {
  readonly database: Database;
  readonly sandbox: CrmOrigins;
  readonly application: { readonly id: string };
}

/** Both CRMs, of this process or of another one. */
interface CrmOrigins {
  readonly hubspot: { readonly origin: string; readonly demo: OAuthClient };
  readonly salesforce: { readonly origin: string };
}

interface WorldOptions {
  readonly sandbox: CrmOrigins;
  readonly target?: TestDatabase;
  readonly time?: ReturnType<typeof createPassingTime>;
}

export type Crm = 'hubspot' | 'salesforce';
export type CrmAccount = HubSpotAccount | SalesforceAccount;

interface ConnectOptions {
  readonly customerId: string;
  readonly provider: Crm;
  readonly account: Pick<CrmAccount, 'instanceUrl' | 'accessToken'>;
  readonly config?: ConnectionSyncConfig | null;
  /** What the connection may read. Default: all types. */
  readonly records?: readonly RecordType[];
  /** The id of another application. */
  readonly of?: string;
}
