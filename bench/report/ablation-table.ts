import type { CaseRuns } from '../commands/throughput.ts';
import { geometricMean, meanInterval, median } from '../support/statistics.ts';
import type { Measured } from '../throughput/measure.ts';
import type { Player } from '../throughput/stage.ts';
import { toTable } from './throughput-table.ts';

/**
 * One row for each removed optimization. Above 1: without it a response costs that much more CPU time. An interval
 * that contains 1 is not significant. Where processes were restarted several times, a sample is one start, because
 * the rounds of one process are correlated.
 */
export function toAblationTable({ cases, peaksMb, restarts }: Ablated): string {
  const [base, ...others] = cases[0]?.runs.keys() ?? [];
  if (!base) return '';
  const head = [
    'taken out: in its place',
    ...cases.map(({ title }) => `CPU, ${title}`),
    'p99',
    `peak MB beside ${toMegabytes(peaksMb, base)}`,
  ];
  const rows = others.map((player) => [
    `${player.name}: ${player.title}`,
    ...cases.map(({ runs }) =>
      toCell(perStart(ratios(runs, { base, player, key: 'cpuMs' }), restarts)),
    ),
    median(cases.flatMap(({ runs }) => ratios(runs, { base, player, key: 'p99' }))).toFixed(2),
    toMegabytes(peaksMb, player),
  ]);
  return toTable(head, rows);
}

/** Computed within one round: a temporary slowdown of the machine affects both sides. */
function ratios(runs: CaseRuns['runs'], { base, player, key }: Compared): readonly number[] {
  const before = namesake(runs, base);
  return namesake(runs, player).map(
    (one, round) => one[key] / (before[round]?.[key] ?? Number.NaN),
  );
}

function namesake(runs: CaseRuns['runs'], { name }: Player): readonly Measured[] {
  return [...runs].find(([player]) => player.name === name)?.[1] ?? [];
}

function perStart(values: readonly number[], restarts: number): readonly number[] {
  if (restarts === 1) return values;
  const rounds = values.length / restarts;
  return Array.from({ length: restarts }, (_, start) =>
    geometricMean(values.slice(start * rounds, (start + 1) * rounds)),
  );
}

function toCell(values: readonly number[]): string {
  const { mean, low, high } = meanInterval(values);
  return `${mean.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

function toMegabytes(peaksMb: ReadonlyMap<string, number>, { name }: Player): string {
  return (peaksMb.get(name) ?? Number.NaN).toFixed(0);
}

interface Ablated {
  /** The first player of each is the product as shipped. */
  readonly cases: readonly CaseRuns[];
  readonly peaksMb: ReadonlyMap<string, number>;
  readonly restarts: number;
}

interface Compared {
  readonly base: Player;
  readonly player: Player;
  readonly key: keyof Measured;
}
