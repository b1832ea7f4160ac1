import { join, resolve } from 'node:path';
import { toRatioTable, toThroughputTable } from '../report/throughput-table.ts';
import type { Options } from '../support/options.ts';
import { say } from '../support/progress.ts';
import { runStages } from '../throughput/run-stages.ts';
import { CONNECTIONS, toRows } from './throughput.ts';

/**
 * Compares this checkout with other builds, with the floor and Mercurius in one run, to find regressions. `compare
 * ../before`: directories with a `dist`. `--only 1,100`: those cases.
 */
export async function compareBuilds(options: Options): Promise<void> {
  const { rest, rounds, seconds } = options;
  const variants = rest.map((folder) => ({
    name: folder,
    title: `Crossbook in ${folder}`,
    product: join(resolve(folder), 'dist'),
  }));
  const players = ['floor', 'crossbook', 'crossbook-rest', 'mercurius'];
  const measured = await runStages(
    { ...options, only: players, variants },
    { cases: options.only },
  );
  const cases = measured.map((one) => ({ ...one, rows: toRows(one.runs) }));
  say(toThroughputTable({ connections: CONNECTIONS, rounds, seconds, cases }));
  say(toRatioTable(cases));
}
