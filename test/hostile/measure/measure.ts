/** Tests a product of its own, and reports per row what was measured, what was required, and whether it holds. */
export type Measure = (options: MeasureOptions) => Promise<readonly Row[]>;

export interface MeasureOptions {
  readonly seed: number;
  /** Below 1: fewer requests. */
  readonly scale: number;
  /** Only rows whose title contains this. */
  readonly only?: string | undefined;
}

export interface Row {
  readonly what: string;
  readonly value: string;
  readonly bound: string;
  readonly holds: boolean;
}

export function atMost(what: string, value: number, bound: number, unit: string): Row {
  const text = (number: number) => `${Math.round(number * 10) / 10} ${unit}`;
  return { what, value: text(value), bound: `at most ${text(bound)}`, holds: value <= bound };
}

/** Fails on any of these. */
export function none(what: string, found: readonly string[]): Row {
  const listed = found.slice(0, MOST_LISTED).map((one) => `\n         ${one.slice(0, 400)}`);
  return {
    what,
    value: `${found.length}${listed.join('')}`,
    bound: 'none',
    holds: found.length === 0,
  };
}

const MOST_LISTED = 8;

export const MEGABYTE = 1024 * 1024;
