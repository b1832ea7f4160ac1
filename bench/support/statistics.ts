export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function summarise(values: readonly number[]): Summary {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) };
}

export interface Summary {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}
