import { buildTwin } from '../ablations/build-twin.ts';
import { ABLATIONS } from '../ablations/rows.ts';
import { toAblationTable } from '../report/ablation-table.ts';
import { watchMemory } from '../start/memory.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { openStage, type Variant } from '../throughput/stage.ts';
import { CASES } from '../workload/cases.ts';
import { type CaseRuns, runCase } from './throughput.ts';

/**
 * What each trick for speed buys: Crossbook once as it ships and once with each plain twin, in interleaved rounds.
 * `ablate compiled-variables contact-ids`: those rows; `--only 1,100`: those cases.
 */
export async function ablate(options: Options): Promise<void> {
  const { rest, only } = options;
  const variants: Variant[] = [];
  for (const row of ABLATIONS.filter(({ name }) => rest.length === 0 || rest.includes(name))) {
    showProgress(`building without ${row.name}`);
    const { name, title, engineFlags, twins } = row;
    variants.push({ name, title, engineFlags, product: twins && (await buildTwin(row)) });
  }
  const stage = await openStage({ ...options, only: ['crossbook'], variants });
  try {
    const memories = stage.players.map(({ process: { pid } }) => watchMemory(pid));
    const cases: CaseRuns[] = [];
    for (const one of CASES.filter(({ name }) => only?.includes(name) ?? true)) {
      cases.push({ ...one, runs: await runCase(stage, one, options) });
    }
    for (const memory of memories) memory.notePeak();
    const peaksMb = memories.map((memory) => memory.read().peakMb);
    say(toAblationTable({ players: stage.players, cases, peaksMb }));
  } finally {
    await stage.close();
  }
}
