import type { LoadRequest, LoadResult } from '../load/main.ts';
import { toTable } from '../report/throughput-table.ts';
import type { Crossbook } from '../support/crossbook.ts';
import { type CrossbookStage, openCrossbookStage } from '../support/crossbook-stage.ts';
import type { Options } from '../support/options.ts';
import { scriptOf } from '../support/paths.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';
import { readCpuMs } from '../support/processor-time.ts';
import { say, showProgress } from '../support/progress.ts';
import { summarise } from '../support/statistics.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';
import { type CustomerRequests, toCustomerRequests } from '../workload/customers.ts';

/**
 * One and two workers at the same rate for each: the processor time of all of Crossbook's processes for a request, the
 * calls to HubSpot, and the share of requests that went to another worker. `workers 300`: requests a second for each.
 */
export async function measureWorkers(options: Options): Promise<void> {
  const { databaseUrl, rest, rounds, seconds, warmUps } = options;
  if (databaseUrl === undefined) {
    say('workers: skipped, DATABASE_URL names no PostgreSQL server.');
    return;
  }
  const perWorker = Number(rest[0] ?? RATE);
  const load = await startProcess<object>({ script: scriptOf('load/main'), node: options.node });
  const database = await openTemporaryDatabase(databaseUrl);
  const results = new Map<string, Measured[]>();
  try {
    // A start each round, because connections are spread over the workers when they are opened.
    for (let round = 0; round < rounds; round += 1) {
      for (const workers of COUNTS) {
        showProgress(`workers: round ${round + 1} of ${rounds}, ${workers} of them`);
        const stage = await openCrossbookStage({ ...options, workers, databaseUrl: database.url });
        const all = toCustomerRequests(stage.crossbook);
        for (const [name, requests] of toCases(all)) {
          const run = (length: number) =>
            measure({ ...stage, load, requests, seconds: length, perSecond: perWorker * workers });
          await run(WARM_UP_SECONDS * warmUps);
          const key = toKey(name, workers);
          results.set(key, [...(results.get(key) ?? []), await run(seconds)]);
        }
        await stage.close();
      }
    }
  } finally {
    await database.drop();
    await load.stop();
  }
  say(toWorkersTable(results, perWorker));
}

function toCases(all: CustomerRequests): readonly (readonly [string, readonly LoadRequest[]])[] {
  return [
    ['read a customer', all.read],
    ['upsert', all.upsert],
    ['search, many customers', all.searchOfMany],
    ['search, one customer', all.searchOfOne],
  ];
}

async function measure(run: Run): Promise<Measured> {
  const { crossbook, upstream, load, requests, seconds, perSecond } = run;
  const read = async () => ({
    cpuMs: readCpuMs(crossbook.pid),
    calls: await upstream.call<number>('calls'),
    forwarded: await readForwarded(crossbook),
  });
  const before = await read();
  const { answers, p50, p99 } = await load.call<LoadResult>('run', {
    url: crossbook.url,
    connections: CONNECTIONS,
    seconds,
    requests,
    perSecond,
  });
  const after = await read();
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / answers,
    calls: (after.calls - before.calls) / answers,
    forwarded: (after.forwarded - before.forwarded) / answers,
    p50,
    p99,
  };
}

async function readForwarded({ url }: Crossbook): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(
    /^crossbook_requests_forwarded_total\{outcome="answered"\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

function toWorkersTable(results: ReadonlyMap<string, readonly Measured[]>, rate: number): string {
  const rows = [...results].map(([key, measured]) => {
    const of = (name: keyof Measured) => summarise(measured.map((one) => one[name])).median;
    return [
      key,
      of('cpuMs').toFixed(2),
      of('calls').toFixed(2),
      `${Math.round(of('forwarded') * 100)} %`,
      `${of('p50').toFixed(1)} / ${of('p99').toFixed(1)}`,
    ];
  });
  const head = [
    `${rate} requests a second each`,
    'CPU ms',
    'CRM calls',
    'forwarded',
    'p50 / p99 ms',
  ];
  return toTable(
    head,
    rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
  );
}

function toKey(name: string, workers: number): string {
  return `${name}, ${workers} worker${workers === 1 ? '' : 's'}`;
}

const COUNTS = [1, 2];
const RATE = 150;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 1;

interface Run extends CrossbookStage {
  readonly load: BenchProcess<object>;
  readonly requests: readonly LoadRequest[];
  readonly seconds: number;
  readonly perSecond: number;
}

interface Measured {
  readonly cpuMs: number;
  readonly calls: number;
  readonly forwarded: number;
  readonly p50: number;
  readonly p99: number;
}
