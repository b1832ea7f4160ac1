import { type CaseRuns, runCase } from '../commands/throughput.ts';
import { showProgress } from '../support/progress.ts';
import { CASES } from '../workload/cases.ts';
import { openStage, type Player, type StageOptions } from './stage.ts';

/** Runs cases after each of several starts of all processes. The rounds of all starts are concatenated. */
export async function runStages(
  options: StageOptions,
  { cases }: Work,
): Promise<readonly CaseRuns[]> {
  const selected = CASES.filter(({ name }) => cases?.includes(name) ?? true);
  const found = selected.map((one): CaseRuns & { runs: Runs } => ({ ...one, runs: new Map() }));
  for (let start = 0; start < options.restarts; start += 1) {
    showProgress(`start ${start + 1} of ${options.restarts}`);
    const stage = await openStage(options);
    try {
      for (const [index, one] of selected.entries()) {
        append(found[index]?.runs, await runCase(stage, one, options));
      }
    } finally {
      await stage.close();
    }
  }
  return found;
}

/** The players of the first start represent those of the others. */
function append(existing: Runs = new Map(), fresh: CaseRuns['runs']): void {
  for (const [player, runs] of fresh) {
    const same = [...existing.keys()].find(({ name }) => name === player.name) ?? player;
    existing.set(same, [...(existing.get(same) ?? []), ...runs]);
  }
}

type Runs = Map<Player, CaseRuns['runs'] extends ReadonlyMap<Player, infer List> ? List : never>;

interface Work {
  /** Names of cases; defaults to all. */
  readonly cases: readonly string[] | undefined;
}
