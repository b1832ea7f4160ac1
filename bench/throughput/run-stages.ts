import { type CaseRuns, runCase } from '../commands/throughput.ts';
import { showProgress } from '../support/progress.ts';
import { CASES } from '../workload/cases.ts';
import { openStage, type Player, type Stage, type StageOptions } from './stage.ts';

/** Some cases, measured in each of several starts of all processes. Rounds of one start follow those of the one before. */
export async function runStages(options: StageOptions, { cases, watch }: Work): Promise<readonly CaseRuns[]> {
  const asked = CASES.filter(({ name }) => cases?.includes(name) ?? true);
  const found = asked.map((one): CaseRuns & { runs: Runs } => ({ ...one, runs: new Map() }));
  for (let start = 0; start < options.restarts; start += 1) {
    showProgress(`start ${start + 1} of ${options.restarts}`);
    const stage = await openStage(options);
    try {
      const finish = watch?.(stage);
      for (const [index, one] of asked.entries()) {
        append(found[index]?.runs, await runCase(stage, one, options));
      }
      finish?.();
    } finally {
      await stage.close();
    }
  }
  return found;
}

/** The players of the first start stand for those of the others. */
function append(known: Runs = new Map(), fresh: CaseRuns['runs']): void {
  for (const [player, runs] of fresh) {
    const same = [...known.keys()].find(({ name }) => name === player.name) ?? player;
    known.set(same, [...(known.get(same) ?? []), ...runs]);
  }
}

type Runs = Map<Player, CaseRuns['runs'] extends ReadonlyMap<Player, infer List> ? List : never>;

interface Work {
  /** Their names; all unless told. */
  readonly cases: readonly string[] | undefined;
  /** Called when everybody is there; what it returns, when everything of this start has been measured. */
  watch?(stage: Stage): () => void;
}
