import type { CaseRuns } from '../commands/throughput.ts';
import { meanInterval, median } from '../support/statistics.ts';
import type { Measured } from '../throughput/measure.ts';
import type { Player } from '../throughput/stage.ts';
import { toTable } from './throughput-table.ts';

/**
 * One row for each that was taken out. Above 1: without it an answer costs so much more processor time. An interval that
 * holds 1 shows nothing.
 */
export function toAblationTable({ players: [base, ...others], cases, peaksMb }: Ablated): string {
  if (!base) return '';
  const [basePeak = Number.NaN, ...peaks] = peaksMb;
  const head = [
    ...['taken out: in its place', ...cases.map(({ title }) => `CPU, ${title}`)],
    ...[`p99`, `peak MB beside ${basePeak.toFixed(0)}`],
  ];
  const rows = others.map((player, index) => [
    `${player.name}: ${player.title}`,
    ...cases.map(({ runs }) => toCell(ratios(runs, { base, player, key: 'cpuMs' }))),
    median(cases.flatMap(({ runs }) => ratios(runs, { base, player, key: 'p99' }))).toFixed(2),
    (peaks[index] ?? Number.NaN).toFixed(0),
  ]);
  return toTable(head, rows);
}

/** Of one round each: what slows the machine down for a while slows both. */
function ratios(runs: CaseRuns['runs'], { base, player, key }: Compared): readonly number[] {
  const before = runs.get(base) ?? [];
  return (runs.get(player) ?? []).map((one, round) => one[key] / (before[round]?.[key] ?? Number.NaN));
}

function toCell(values: readonly number[]): string {
  const { mean, low, high } = meanInterval(values);
  return `${mean.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

interface Ablated {
  /** The first is the product as it ships. */
  readonly players: readonly Player[];
  readonly cases: readonly CaseRuns[];
  readonly peaksMb: readonly number[];
}

interface Compared {
  readonly base: Player;
  readonly player: Player;
  readonly key: keyof Measured;
}
