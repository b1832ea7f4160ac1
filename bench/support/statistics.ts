export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function summarise(values: readonly number[]): Summary {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) };
}

/** The geometric mean of ratios, with its 95 % confidence interval. */
export function meanInterval(ratios: readonly number[]): Interval {
  const logs = ratios.map(Math.log);
  const mean = Math.log(geometricMean(ratios));
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1);
  const reach = studentT(logs.length - 1) * Math.sqrt(variance / logs.length);
  return { mean: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach) };
}

export function geometricMean(ratios: readonly number[]): number {
  return Math.exp(sum(ratios.map(Math.log)) / ratios.length);
}

/** The 97.5th percentile of Student's t distribution, by its usual expansion around the normal one. */
function studentT(degrees: number): number {
  const z = 1.96;
  return (
    z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The value below which that share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Summary {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}
