import { buildTwin } from '../ablations/build-twin.ts';
import { listAblations } from '../ablations/rows.ts';
import { toAblationTable } from '../report/ablation-table.ts';
import { watchMemory } from '../start/memory.ts';
import type { Options } from '../support/options.ts';
import { FLAGS_OF_ALL } from '../support/process.ts';
import { say, showProgress } from '../support/progress.ts';
import { runStages } from '../throughput/run-stages.ts';
import type { Variant } from '../throughput/stage.ts';

/**
 * What each optimization gains: Crossbook as shipped and with each optimization replaced by a plain implementation,
 * in interleaved rounds of several starts. `ablate json-in-pieces nothing`: those rows; `--only 1,100`: those
 * cases.
 */
export async function ablate(options: Options): Promise<void> {
  const { rest, only, restarts } = options;
  const variants: Variant[] = [];
  const rows = listAblations(FLAGS_OF_ALL);
  for (const row of rows.filter(({ name }) => rest.length === 0 || rest.includes(name))) {
    showProgress(`building without ${row.name}`);
    const { name, title, engineFlags, twins } = row;
    variants.push({ name, title, engineFlags, product: twins && (await buildTwin(row)) });
  }
  const peaksMb = new Map<string, number>();
  const cases = await runStages(
    { ...options, only: ['crossbook'], variants },
    {
      cases: only,
      watch({ players }) {
        const memories = players.map(({ name, process: { pid } }) => ({
          name,
          memory: watchMemory(pid),
        }));
        return () => {
          for (const { name, memory } of memories) {
            memory.notePeak();
            peaksMb.set(name, Math.max(peaksMb.get(name) ?? 0, memory.read().peakMb));
          }
        };
      },
    },
  );
  say(toAblationTable({ cases, peaksMb, restarts }));
}
