import { toTimestamp } from '../../lib/to-timestamp.ts';

/**
 * A page has thousands of times, nearly all of them `2021-12-02T18:22:42.000+0000`: those only need another ending, at
 * a fiftieth of the price of a date. Everything else, days that not every month has too, is read with care.
 */
export function toTime(value: unknown): string | null {
  return typeof value === 'string' && USUAL.test(value) ? `${value.slice(0, -5)}Z` : toTimestamp(value);
}

const USUAL =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}\+0000$/;
