import { join, resolve } from 'node:path';
import { toRatioTable, toThroughputTable } from '../report/throughput-table.ts';
import type { Options } from '../support/options.ts';
import { say } from '../support/progress.ts';
import { openStage } from '../throughput/stage.ts';
import { CASES } from '../workload/cases.ts';
import { type CaseResult, CONNECTIONS, measureCase } from './throughput.ts';

/**
 * This checkout beside others that have been built, with the floor and Mercurius in one run: has a change made it slower?
 * `compare ../before`: folders with a `dist`. `--only 1,100`: those cases.
 */
export async function compareBuilds(options: Options): Promise<void> {
  const { rest, only, rounds, seconds } = options;
  const variants = rest.map((folder) => ({
    ...{ name: folder, title: `Crossbook in ${folder}` },
    product: join(resolve(folder), 'dist'),
  }));
  const stage = await openStage({ ...options, only: ['floor', 'crossbook', 'mercurius'], variants });
  try {
    const cases: CaseResult[] = [];
    for (const one of CASES.filter(({ name }) => only?.includes(name) ?? true)) {
      cases.push(await measureCase(stage, one, options));
    }
    say(toThroughputTable({ connections: CONNECTIONS, rounds, seconds, cases }));
    say(toRatioTable(cases));
  } finally {
    await stage.close();
  }
}
