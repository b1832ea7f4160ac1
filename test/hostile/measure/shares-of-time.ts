import type { Row } from './measure.ts';

const TIMES = 15;
/** Measurement noise: two measurements of the same thing differ by this on a quiet machine. */
const SLACK_MS = 10;

/** Runs the tasks sequentially and measures each; collects failures. */
export async function measureEach(tasks: Tasks, failed: string[]): Promise<Medians> {
  const medians: Record<string, number> = {};
  for (const [name, task] of Object.entries(tasks)) {
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const from = performance.now();
      await task().catch((error) => failed.push(`${name}: ${error}`));
      times.push(performance.now() - from);
    }
    medians[name] = times.sort((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0;
  }
  return medians;
}

/** At most twice the time without load. */
export function compare(when: string, alone: Medians, meanwhile: Medians): Row[] {
  return Object.entries(alone).map(([name, before]) => {
    const after = meanwhile[name] ?? Number.POSITIVE_INFINITY;
    return {
      what: `${name} ${when}, against alone`,
      value: `${before.toFixed(1)} → ${after.toFixed(1)} ms`,
      bound: `at most twice, and ${SLACK_MS} ms`,
      holds: after <= before * 2 + SLACK_MS,
    };
  });
}

type Tasks = Readonly<Record<string, () => Promise<unknown>>>;
export type Medians = Readonly<Record<string, number>>;
