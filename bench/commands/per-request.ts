import type { HeapProfiler } from 'node:inspector';
import { join, resolve } from 'node:path';
import { readCreated, toCreatedText } from '../report/created.ts';
import { toTable } from '../report/throughput-table.ts';
import type { Allocation, PromisePlace } from '../support/counters.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { measure } from '../throughput/measure.ts';
import { openStage, type Player, type Stage } from '../throughput/stage.ts';
import { verify } from '../throughput/verify.ts';
import { CASES, type Case } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';
import { CONNECTIONS } from './throughput.ts';

/**
 * Promises created, bytes allocated and bytes promoted per request, after warm-up. `per-request ../before`: other
 * builds too. `--only 1,100`: those cases.
 */
export async function countPerRequest(options: Options): Promise<void> {
  const variants = options.rest.map((folder) => ({
    name: folder,
    title: `Crossbook in ${folder}`,
    product: join(resolve(folder), 'dist'),
  }));
  const { only = ['1', '100', '1000'] } = options;
  const cases = CASES.filter(({ name }) => only.includes(name));
  const stage = await openStage({ ...options, only: PLAYERS, variants });
  try {
    const details: string[] = [];
    const totals: (readonly string[])[] = [];
    for (const workload of cases) {
      for (const player of stage.players) {
        await verify(player, workload);
        const run = createRun(stage, { player, workload, quick: options.quick });
        totals.push([`${player.title}, ${workload.title}`, ...toCells(await countTotals(run))]);
        if (player.script === undefined)
          details.push(`## ${player.title}, ${workload.title}\n\n${await listCreated(run)}`);
      }
    }
    say([...details, toTable(HEAD, totals)].join('\n\n'));
  } finally {
    await stage.close();
  }
}

/** A fixed number of requests, so that a slow machine does not count fewer collections. */
function createRun(stage: Stage, { player, workload, quick }: Work): Run {
  const requests = toRequests(player.kind, workload, player.headers);
  const most = toCount(workload) / (quick ? 10 : 1);
  return {
    player,
    async serve(share) {
      const count = most * share;
      showProgress(`${workload.title}: ${player.title}, ${count} requests`);
      const load = { player, requests, seconds: 0, count, connections: CONNECTIONS };
      const { calls } = await measure(stage, load);
      return { count, calls };
    },
  };
}

/** Enough for a dozen minor collections. */
function toCount({ contacts }: Case): number {
  return contacts === 1 ? 8_000 : contacts === 100 ? 1_600 : 320;
}

async function countTotals({ player: { process }, serve }: Run): Promise<Totals> {
  await serve(1);
  await process.call('startAllocation');
  const { count } = await serve(1);
  const allocation = await process.call<Allocation>('stopAllocation');
  await process.call('startPromises');
  const observed = await serve(EXACT);
  const promises = await process.call<number>('stopPromises');
  const { calls } = observed;
  return { requests: count, ...allocation, promises: promises / observed.count, calls };
}

async function listCreated({ player: { process }, serve }: Run): Promise<string> {
  await process.call('startSampling');
  const { count: sampled } = await serve(SAMPLED);
  const heap = await process.call<HeapProfiler.SamplingHeapProfile>('stopSampling');
  await process.call('startPromisePlaces');
  const { count: observed } = await serve(EXACT);
  const promises = await process.call<readonly PromisePlace[]>('stopPromisePlaces');
  return toCreatedText(readCreated({ promises, observed, heap, sampled }));
}

function toCells(totals: Totals): readonly string[] {
  const { promises, calls, requests, bytes, promotedBytes, minorCollections, minorMs } = totals;
  return [
    promises.toFixed(1),
    calls.toFixed(2),
    (bytes / requests / 1_000).toFixed(1),
    (promotedBytes / requests / 1_000).toFixed(2),
    (promotedBytes / minorCollections / 1_000_000).toFixed(2),
    (minorMs / minorCollections).toFixed(1),
  ];
}

/** Promises are the same for every request, and observing them is slow. */
const EXACT = 1 / 16;
const SAMPLED = 1 / 2;
const PLAYERS = ['floor', 'crossbook', 'mercurius'];
const HEAD = [
  'per request',
  'promises',
  'CRM calls',
  'kB allocated',
  'kB promoted',
  'MB promoted per minor collection',
  'its pause, ms',
];

interface Work {
  readonly player: Player;
  readonly workload: Case;
  readonly quick: boolean;
}

interface Run {
  readonly player: Player;
  /** Serves this share of the requests. Returns their number, and the CRM calls of one. */
  serve(share: number): Promise<{ readonly count: number; readonly calls: number }>;
}

interface Totals extends Allocation {
  /** Promises and CRM calls of one request. */
  readonly promises: number;
  readonly calls: number;
  /** Those of the allocation. */
  readonly requests: number;
}
