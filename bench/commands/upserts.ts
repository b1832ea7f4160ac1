import type { ContenderReady } from '../contenders/serve.ts';
import type { LoadRequest, LoadResult } from '../load/main.ts';
import { toTable } from '../report/throughput-table.ts';
import { type Crossbook, KEYS, startCrossbook, toHeaders } from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { scriptOf } from '../support/paths.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';
import { say, showProgress } from '../support/progress.ts';
import { type Summary, summarise } from '../support/statistics.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';
import { CONNECTIONS } from './throughput.ts';

/** Upserts per second, of 1,000 customers in rotation, against the bare statement on the same PostgreSQL. */
export async function measureUpserts(options: Options): Promise<UpsertsResult | undefined> {
  if (options.databaseUrl === undefined) {
    say('upserts: skipped, DATABASE_URL names no PostgreSQL server.');
    return undefined;
  }
  const database = await openTemporaryDatabase(options.databaseUrl);
  try {
    const cast = await startCast(options.node, database.url);
    const result = await measureRounds(cast, options);
    await Promise.all(Object.values(cast).map((one) => one.stop()));
    say(toUpsertsTable(result));
    return result;
  } finally {
    await database.drop();
  }
}

async function startCast(node: string, databaseUrl: string): Promise<Cast> {
  showProgress('upserts: starting');
  const crossbook = await startCrossbook({ node, env: { DATABASE_URL: databaseUrl } });
  const bare = await startProcess<ContenderReady>({
    script: scriptOf('contenders/bare-upsert'),
    args: [databaseUrl, String(POOL)],
    node,
  });
  const storage = await startProcess<object>({
    script: scriptOf('contenders/storage-upsert'),
    args: [databaseUrl, KEYS],
    node,
  });
  const load = await startProcess<object>({ script: scriptOf('load/main'), node });
  return { crossbook, bare, storage, load };
}

async function measureRounds(cast: Cast, { rounds, seconds }: Options): Promise<UpsertsResult> {
  const { crossbook, bare, storage } = cast;
  const inLoop = { customerIds: IDS, seconds, connections: CONNECTIONS };
  const underLoad = (url: string, requests: readonly LoadRequest[]) => async () => {
    const work = { url, connections: CONNECTIONS, seconds, requests };
    const result = await cast.load.call<LoadResult>('run', work);
    return result.answers / result.seconds;
  };
  const contenders: readonly [string, () => Promise<number>][] = [
    ['bare statement, in a loop', () => bare.call('loop', inLoop)],
    ['Crossbook’s storage, in a loop', () => storage.call('loop', inLoop)],
    ['bare statement behind node:http', underLoad(bare.ready.url, IDS.map(toBareRequest))],
    ['Crossbook', underLoad(crossbook.url, toMutations(crossbook, false))],
    [
      'bare statement of customer, connection and token, in a loop',
      () => bare.call('connectedLoop', inLoop),
    ],
    ['Crossbook’s storage, of the same three', () => storage.call('connectedLoop', inLoop)],
    [
      'Crossbook, with a connection and its token',
      underLoad(crossbook.url, toMutations(crossbook, true)),
    ],
  ];
  const rates = new Map<string, number[]>();
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    for (const [title, once] of contenders) {
      showProgress(`upserts: ${title}`);
      const rate = await once();
      if (round >= 0) rates.set(title, [...(rates.get(title) ?? []), rate]);
    }
  }
  return { settings: await bare.call('settings'), rows: toRows(rates) };
}

function toRows(rates: ReadonlyMap<string, readonly number[]>): readonly UpsertsRow[] {
  const [floor = []] = rates.values();
  return [...rates].map(([title, own]) => ({
    title,
    rate: summarise(own),
    ratio: summarise(own.map((rate, round) => rate / (floor[round] ?? Number.NaN))),
  }));
}

function toBareRequest(customerId: string): LoadRequest {
  return {
    path: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customerId }),
  };
}

function toMutations(crossbook: Crossbook, withConnection: boolean): readonly LoadRequest[] {
  const query = `mutation ($input: UpsertCustomerInput!) {
    upsertCustomer(input: $input) { created customer { id customerId name email version } }
  }`;
  const connections = [
    { provider: 'HUBSPOT', credentials: { token: { value: 'pat-na1-of-the-bench' } } },
  ];
  return IDS.map((customerId) => {
    const input = {
      customerId,
      name: `Customer ${customerId}`,
      email: `${customerId}@bench.example`,
      ...(withConnection && { connections }),
    };
    const body = JSON.stringify({ query, variables: { input } });
    return { path: '/graphql', headers: toHeaders(crossbook, customerId), body };
  });
}

export function toUpsertsTable({ rows, settings }: UpsertsResult): string {
  const settingsText = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  const table = toTable(
    ['upserts', 'per second', 'share of the bare statement', 'spread'],
    rows.map(({ title, rate, ratio }) => [
      title,
      Math.round(rate.median).toLocaleString('en'),
      ratio.median.toFixed(2),
      `${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}`,
    ]),
  );
  return `${table}\n\nPostgreSQL: ${settingsText.join(', ')}.`;
}

/** The size of Crossbook's connection pool. */
const POOL = 10;
const IDS: readonly string[] = Array.from({ length: 1_000 }, (_, index) => `customer-${index}`);

interface UpsertsRow {
  readonly title: string;
  readonly rate: Summary;
  readonly ratio: Summary;
}

export interface UpsertsResult {
  /** The durability settings of the server. */
  readonly settings: Readonly<Record<string, string>>;
  readonly rows: readonly UpsertsRow[];
}

interface Cast {
  readonly crossbook: Crossbook;
  readonly bare: BenchProcess<ContenderReady>;
  readonly storage: BenchProcess<object>;
  readonly load: BenchProcess<object>;
}
