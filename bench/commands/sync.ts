import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Copied } from '../contenders/copy-contacts.ts';
import type { LoadRequest, LoadResult } from '../load/main.ts';
import { readHotSpots, toHotSpotText } from '../report/hot-spots.ts';
import { toTable } from '../report/throughput-table.ts';
import { readMemoryMb } from '../start/memory.ts';
import { type Crossbook, startCrossbook, toHeaders } from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { RESULTS, scriptOf } from '../support/paths.ts';
import { findFreePorts } from '../support/ports.ts';
import { goFirst, pinTo } from '../support/priority.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';
import { findPostmaster, readCpuMs } from '../support/processor-time.ts';
import { say, showProgress } from '../support/progress.ts';
import { type Summary, summarise } from '../support/statistics.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';
import type { Crm, RecordedAccount } from '../upstream/recorder.ts';
import { emailsOf, inventPeople } from '../workload/people.ts';
import type { Cost } from './scale.ts';

/**
 * Full syncs of contacts, with CRM rate limits too high to matter: rows per second compared with a hand-written copy,
 * memory by the number of rows, the calls of a sync with nothing new, and the latency of look-ups during a sync.
 */
export async function measureSync(options: Options): Promise<void> {
  if (options.databaseUrl === undefined) {
    say('sync: skipped, DATABASE_URL names no PostgreSQL server.');
    return;
  }
  const [only, how] = options.rest;
  const stage = await openStage(options, options.databaseUrl, { areJobsApart: how === 'apart' });
  try {
    for (const [name, part] of Object.entries(PARTS))
      if (only === undefined ? name !== 'profile' : only === name) say(await part(stage, options));
  } finally {
    await stage.close();
  }
}

const PARTS: Readonly<Record<string, (stage: Stage, options: Options) => Promise<string>>> = {
  memory: measureMemory,
  throughput: measureRates,
  idle: countIdleCalls,
  lookups: measureLookups,
  cost: showCost,
  profile: profileSync,
};

async function measureRates(stage: Stage, { rounds, quick }: Options): Promise<string> {
  const count = quick ? 5_000 : PEOPLE;
  const account = await stage.createAccount('hubspot', count);
  const { floor, floorPort, destinationUrl } = stage;
  const rates: Readonly<Record<string, number[]>> = { floor: [], first: [], again: [], share: [] };
  // The first round is recorded, and warms up.
  for (let round = -1; round < rounds; round += 1) {
    showProgress(`sync: round ${round + 1} of ${rounds}`);
    const origin = `http://127.0.0.1:${floorPort}`;
    const wanted = { origin, token: account.token, databaseUrl: destinationUrl };
    const copied = await floor.call<Copied>('copy', wanted);
    const customerId = `rate-${round}`;
    const first = await stage.connect({ customerId, crm: 'hubspot', account });
    const again = await stage.sync(customerId, 'hubspot', true);
    await stage.disconnect(customerId);
    if (copied.rows !== count || first.records !== count || again.records !== 0)
      throw new Error(`Not ${count} rows: ${copied.rows}, ${first.records}, ${again.records}.`);
    if (round < 0) continue;
    const floorRate = (copied.rows / copied.ms) * 1_000;
    rates['floor']?.push(floorRate);
    rates['first']?.push((count / first.ms) * 1_000);
    rates['again']?.push((count / again.ms) * 1_000);
    rates['share']?.push(((count / first.ms) * 1_000) / floorRate);
  }
  const of = (name: string): Summary => summarise(rates[name] ?? []);
  const toCells = (name: string) => {
    const { median, lowest, highest } = of(name);
    return [median, lowest, highest].map((value) => Math.round(value).toLocaleString('en'));
  };
  return [
    toTable(
      [`${count.toLocaleString('en')} contacts of HubSpot, rows/s`, 'median', 'lowest', 'highest'],
      [
        ['hand-written copy', ...toCells('floor')],
        ['first sync', ...toCells('first')],
        ['full sync without changes', ...toCells('again')],
      ],
    ),
    `first sync, share of the hand-written copy: ${of('share').median.toFixed(2)} (${of('share').lowest.toFixed(2)}–${of('share').highest.toFixed(2)})`,
  ].join('\n\n');
}

/** The processor time of a first sync by function: `sync profile`. */
async function profileSync(stage: Stage): Promise<string> {
  const account = await stage.createAccount('hubspot', PEOPLE);
  const customers = ['warm', 'profiled'];
  for (const customerId of customers) {
    if (customerId === 'profiled') await stage.crossbook.call('startProfile');
    showProgress(`sync: ${customerId}`);
    await stage.connect({ customerId, crm: 'hubspot', account });
  }
  const profile = await stage.crossbook.call<Profiler.Profile>('stopProfile');
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, 'sync.cpuprofile'), JSON.stringify(profile));
  return toHotSpotText(readHotSpots(profile));
}

/** The resident memory at its peak, by the number of rows, in one process. */
async function measureMemory(stage: Stage): Promise<string> {
  const rows: string[][] = [];
  const { pid } = stage.crossbook;
  // The first one warms up.
  for (const [index, count] of [5_000, ...MEMORY_ROWS].entries()) {
    showProgress(`sync: memory of ${count} rows`);
    const account = await stage.createAccount('hubspot', count);
    const customerId = `memory-${index}`;
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    await stage.connect({ customerId, crm: 'hubspot', account });
    const peakMb = readMemoryMb(pid, 'VmHWM');
    await stage.disconnect(customerId);
    const heapMb = (await stage.crossbook.call<number>('heap')) / 1_048_576;
    if (index > 0) rows.push([count.toLocaleString('en'), peakMb.toFixed(0), heapMb.toFixed(1)]);
  }
  return toTable(['rows of a first sync', 'peak RSS, MB', 'heap afterwards, MB'], rows);
}

/** What a sync calls where nothing has changed. */
async function countIdleCalls(stage: Stage): Promise<string> {
  const rows: string[][] = [];
  for (const crm of ['hubspot', 'salesforce'] as const) {
    showProgress(`sync: calls of ${crm}`);
    const account = await stage.createAccount(crm, 1_000);
    const customerId = `idle-${crm}`;
    await stage.connect({ customerId, crm, account });
    const recorder = stage.recorders[crm];
    await recorder.call('calls');
    const { records } = await stage.sync(customerId, crm, false);
    const calls = await recorder.call<readonly string[]>('calls');
    rows.push([crm, String(calls.length), String(records), calls.join(', ')]);
    await stage.disconnect(customerId);
  }
  return toTable(['calls of a sync with nothing new', 'calls', 'rows written', 'paths'], rows);
}

/** The processor time of a run with nothing new, and of a thousand rows of a first sync, with those of the destination. */
export async function measureSyncCost(options: Options, databaseUrl: string): Promise<SyncCost> {
  const stage = await openStage(options, databaseUrl);
  try {
    return await measureCost(stage, options);
  } finally {
    await stage.close();
  }
}

async function showCost(stage: Stage, options: Options): Promise<string> {
  const { thousandRows, runWithoutNews } = await measureCost(stage, options);
  const toRow = (title: string, { product, postgres }: Cost) => [
    title,
    product.toFixed(1),
    postgres.toFixed(1),
  ];
  return toTable(
    ['ms of a processor', 'Crossbook', 'PostgreSQL, with the destination'],
    [toRow('a thousand rows', thousandRows), toRow('a run with nothing new', runWithoutNews)],
  );
}

async function measureCost(stage: Stage, options: Options): Promise<SyncCost> {
  const postmaster = await findPostmaster(stage.destinationUrl);
  showProgress('sync: processor time');
  const read = () => ({
    product: readCpuMs(stage.crossbook.pid),
    postgres: readCpuMs(postmaster),
  });
  const spentIn = async (work: () => Promise<unknown>) => {
    const before = read();
    await work();
    const after = read();
    return {
      product: after.product - before.product,
      postgres: after.postgres - before.postgres,
    };
  };
  const count = options.quick ? 2_000 : 10_000;
  const account = await stage.createAccount('hubspot', count);
  // The first one is recorded, and warms up.
  await stage.connect({ customerId: 'warm', crm: 'hubspot', account });
  await stage.disconnect('warm');
  const first = await spentIn(() => stage.connect({ customerId: 'cost', crm: 'hubspot', account }));
  const customers = Array.from({ length: IDLE_RUNS }, (_, index) => `idle-${index}`);
  const ofAll = (work: (customerId: string) => Promise<unknown>) =>
    Promise.all(customers.map(work));
  // An account for each, because each has a limit of its own.
  await ofAll(async (customerId) => {
    const own = await stage.createAccount('hubspot', 100);
    await stage.connect({ customerId, crm: 'hubspot', account: own });
  });
  const run = () => ofAll((customerId) => stage.sync(customerId, 'hubspot', false));
  // What they call is recorded first.
  await run();
  const asked = stage.countAsked();
  const again = await spentIn(run);
  // The requests that start runs and wait for their end are no part of them.
  const requests = stage.countAsked() - asked;
  const waiting = await spentIn(async () => {
    for (let request = 0; request < requests; request += 1) await stage.ask('cost');
  });
  const toCost = (toValue: (name: 'product' | 'postgres') => number) => ({
    product: toValue('product'),
    postgres: toValue('postgres'),
  });
  return {
    thousandRows: toCost((name) => first[name] / (count / 1_000)),
    runWithoutNews: toCost((name) => Math.max(0, again[name] - waiting[name]) / IDLE_RUNS),
  };
}

/** Milliseconds of a processor. */
export interface SyncCost {
  readonly thousandRows: Cost;
  readonly runWithoutNews: Cost;
}

/** The processes that a process has started, in order. */
function listChildren(pid: number): readonly number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

/**
 * Look-ups of another customer, by HubSpot: alone, during full syncs of the product, and during full copies by a process that
 * has nothing to do with it, which is what the machine takes. The look-ups, the product and HubSpot come before PostgreSQL and
 * the copies, which have cores of their own elsewhere.
 */
async function measureLookups(stage: Stage, { seconds, rounds, quick }: Options): Promise<string> {
  const { crossbook, load, floor, floorPort, destinationUrl, recorders } = stage;
  // The supervisor is one of them: look-ups need its permits.
  goFirst(...new Set([crossbook.pid, ...stage.servers]), load.pid, recorders.hubspot.pid);
  const count = quick ? 5_000 : PEOPLE;
  const live = await stage.createAccount('hubspot', LOOKUPS);
  await stage.connect({ customerId: 'live', crm: 'hubspot', account: live });
  const requests = emailsOf(LOOKUPS).map(
    (email): LoadRequest => ({
      path: '/graphql',
      headers: toHeaders(crossbook, 'live'),
      body: JSON.stringify({ query: SEARCH, variables: { email } }),
    }),
  );
  const ask = (length: number) =>
    load.call<LoadResult>('run', {
      url: crossbook.url,
      connections: 16,
      seconds: length,
      requests,
      perSecond: LOOKUPS_PER_SECOND,
    });
  showProgress('sync: look-ups');
  await ask(LOOKUPS / LOOKUPS_PER_SECOND + 1);
  const length = Math.max(seconds * 2, 4);
  const during = async (copy: () => Promise<unknown>) => {
    let isOver = false;
    const copying = (async () => {
      while (!isOver) await copy();
    })();
    await sleep(500);
    await crossbook.call('watchDelay');
    const result = await ask(length);
    const delay = await crossbook.call<Delay>('delay');
    isOver = true;
    await copying;
    return { ...result, delay };
  };
  const table: string[][] = [];
  for (const crm of ['hubspot', 'salesforce'] as const) {
    const account = await stage.createAccount(crm, count);
    const customerId = `lookups-${crm}`;
    await stage.connect({ customerId, crm, account });
    const { token } = await stage.createAccount('hubspot', count);
    const origin = `http://127.0.0.1:${floorPort}`;
    for (let round = 0; round < rounds; round += 1) {
      const alone = await ask(length);
      const syncing = await during(() => stage.sync(customerId, crm, true));
      const copying = await during(() =>
        floor.call<Copied>('copy', { origin, token, databaseUrl: destinationUrl }),
      );
      table.push([
        crm,
        ...[alone, syncing, copying].flatMap(({ p50, p99 }) => [p50.toFixed(1), p99.toFixed(1)]),
        (syncing.p99 / alone.p99).toFixed(2),
        (copying.p99 / alone.p99).toFixed(2),
        // It is that of the process that was started, which serves no request where others do.
        stage.servers.includes(crossbook.pid)
          ? `${syncing.delay.p99.toFixed(1)} / ${syncing.delay.max.toFixed(1)}`
          : '–',
      ]);
    }
    await stage.disconnect(customerId);
  }
  return toTable(
    [
      `${LOOKUPS_PER_SECOND} look-ups a second, ms; a full sync of`,
      'alone p50',
      'p99',
      'during the sync p50',
      'p99',
      'during a copy by another process p50',
      'p99',
      'ratio of p99, sync',
      'copy',
      'event loop delay p99 / max',
    ],
    table,
  );
}

async function openStage(
  { node }: Options,
  databaseUrl: string,
  { areJobsApart = false } = {},
): Promise<Stage> {
  showProgress('starting Crossbook, the CRMs and the hand-written copy');
  const [own, destination] = await Promise.all([
    openTemporaryDatabase(databaseUrl),
    openTemporaryDatabase(databaseUrl),
  ]);
  const { hostname, port } = new URL(databaseUrl);
  const destinations = `${hostname}:${port || 5432}`;
  const crossbook = await startCrossbook({
    node,
    core: 'first',
    flags: ['--expose-gc'],
    env: {
      DATABASE_URL: own.url,
      CROSSBOOK_SYNC_HOSTS: destinations,
      CROSSBOOK_SYNC_PLAIN_HOSTS: destinations,
      ...(areJobsApart && { CROSSBOOK_WORKERS: '2' }),
    },
  });
  // The supervisor starts the workers in order, and the one for jobs last.
  const workers = areJobsApart ? listChildren(crossbook.pid) : [];
  const [jobs] = workers.slice(-1);
  if (jobs !== undefined) pinTo('others', jobs);
  const servers = areJobsApart ? workers.slice(0, -1) : [crossbook.pid];
  const [floorPort = 0] = await findFreePorts(1);
  const startRecorder = (crm: Crm, ports: readonly number[]) =>
    startProcess<object>({
      script: scriptOf('upstream/recorder'),
      args: [crm, ...ports.map(String)],
      node,
      core: 'others',
    });
  const recorders = {
    hubspot: await startRecorder('hubspot', [crossbook.hubspotPort, floorPort]),
    salesforce: await startRecorder('salesforce', [crossbook.salesforcePort]),
  };
  const floor = await startProcess<object>({
    script: scriptOf('contenders/copy-contacts'),
    node,
    core: 'first',
  });
  const load = await startProcess<object>({ script: scriptOf('load/main'), node, core: 'others' });
  let asked = 0;
  const ask = (query: string, variables: object = {}) => {
    asked += 1;
    return send(crossbook, query, variables);
  };
  await ask(DELETE, { customerId: 'demo' });
  const url = new URL(destination.url);
  // One is required, and a server that trusts its clients ignores it.
  if (url.password === '') url.password = 'unused';
  await ask(SET_DESTINATION, { url: url.href });
  for (const provider of ['HUBSPOT', 'SALESFORCE']) await ask(SET_CONFIGURATION, { provider });
  const readSync = async (customerId: string): Promise<SyncState | undefined> => {
    const { customer } = (await ask(SYNCS, { customerId })) as CustomerSyncs;
    return customer.connections[0]?.syncs[0];
  };
  return {
    crossbook,
    recorders,
    floor,
    load,
    floorPort,
    servers,
    destinationUrl: destination.url,
    createAccount: (crm, count) =>
      recorders[crm].call<RecordedAccount>('createAccount', { people: inventPeople(count) }),
    async connect({ customerId, crm, account }) {
      const port = crm === 'hubspot' ? crossbook.hubspotPort : crossbook.salesforcePort;
      const connection = {
        provider: crm.toUpperCase(),
        instanceUrl: `http://127.0.0.1:${port}${account.pathname}`,
        credentials: { token: { value: account.token } },
      };
      const email = 'bench@bench.example';
      await ask(UPSERT, {
        input: { customerId, name: customerId, email, connections: [connection] },
      });
      return waitForRun(customerId, { isFull: true, after: '' });
    },
    async sync(customerId, crm, isFull) {
      const after = (await readSync(customerId))?.runs[0]?.finishedAt ?? '';
      await ask(START, { input: { customerId, provider: crm.toUpperCase(), full: isFull } });
      return waitForRun(customerId, { isFull, after });
    },
    disconnect: (customerId) => ask(DELETE, { customerId }),
    ask: readSync,
    countAsked: () => asked,
    async close() {
      const all = [crossbook, ...Object.values(recorders), floor, load];
      await Promise.all(all.map((one) => one.stop()));
      await Promise.all([own.drop(), destination.drop()]);
    },
  };

  /** A full run is followed by one of changes: until nothing is due. */
  async function waitForRun(customerId: string, { isFull, after }: RunWanted): Promise<Run> {
    for (;;) {
      const sync = await readSync(customerId);
      if (sync?.error) throw new Error(`${customerId}: ${sync.error.detail}`);
      const run = sync?.runs.find((one) => one.isFull === isFull && one.finishedAt > after);
      if (sync && run && sync.status === 'IDLE' && Date.parse(sync.nextRunAt) > Date.now()) {
        const ms = Date.parse(run.finishedAt) - Date.parse(run.startedAt);
        return { records: run.records, ms };
      }
      await sleep(POLL_MS);
    }
  }
}

async function send({ url, key }: Crossbook, query: string, variables: object): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const SEARCH = `query ($email: String!) {
  searchContacts(filter: { email: $email }) { nodes { firstName lastName } }
}`;
const SET_DESTINATION = `mutation ($url: String!) {
  setSyncDestination(input: { postgres: { url: $url, schema: "public" } }) { clientMutationId }
}`;
const SET_CONFIGURATION = `mutation ($provider: ProviderName!) {
  setSyncConfiguration(input: { provider: $provider, contacts: true, intervalSeconds: 86400 }) { clientMutationId }
}`;
const UPSERT =
  'mutation ($input: UpsertCustomerInput!) { upsertCustomer(input: $input) { created } }';
const DELETE = `mutation ($customerId: ID!) {
  deleteCustomer(input: { customerId: $customerId, deleteSyncedRows: false }) { clientMutationId }
}`;
const START =
  'mutation ($input: StartSyncInput!) { startSync(input: $input) { clientMutationId } }';
const SYNCS = `query ($customerId: ID!) {
  customer(customerId: $customerId) {
    connections { syncs { status nextRunAt error { detail } runs { startedAt finishedAt isFull records } } }
  }
}`;

const PEOPLE = 25_000;
const MEMORY_ROWS = [5_000, 12_500, 25_000, 50_000];
const LOOKUPS = 2_000;
const LOOKUPS_PER_SECOND = 100;
const IDLE_RUNS = 9;
/** Seldom, because syncs leave the thread to requests. */
const POLL_MS = 1_000;

interface Stage {
  readonly crossbook: Crossbook;
  readonly recorders: Readonly<Record<Crm, BenchProcess<object>>>;
  readonly floor: BenchProcess<object>;
  readonly load: BenchProcess<object>;
  readonly floorPort: number;
  /** The processes of Crossbook that serve requests. */
  readonly servers: readonly number[];
  readonly destinationUrl: string;
  createAccount(crm: Crm, people: number): Promise<RecordedAccount>;
  /** Connects a customer, and waits for its first sync. */
  connect(customer: {
    readonly customerId: string;
    readonly crm: Crm;
    readonly account: RecordedAccount;
  }): Promise<Run>;
  sync(customerId: string, crm: Crm, isFull: boolean): Promise<Run>;
  disconnect(customerId: string): Promise<unknown>;
  /** Reads the state of a customer's sync. */
  ask(customerId: string): Promise<unknown>;
  /** The requests that were sent to Crossbook. */
  countAsked(): number;
  close(): Promise<void>;
}

interface Run {
  readonly records: number;
  readonly ms: number;
}

interface RunWanted {
  readonly isFull: boolean;
  /** The end of the run before. */
  readonly after: string;
}

interface CustomerSyncs {
  readonly customer: { readonly connections: readonly { readonly syncs: readonly SyncState[] }[] };
}

interface SyncState {
  readonly status: string;
  readonly nextRunAt: string;
  readonly error: { readonly detail: string } | null;
  readonly runs: readonly {
    readonly startedAt: string;
    readonly finishedAt: string;
    readonly isFull: boolean;
    readonly records: number;
  }[];
}

/** Milliseconds. */
interface Delay {
  readonly p99: number;
  readonly max: number;
}
