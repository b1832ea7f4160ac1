import { isMoment, toTimestamp } from '../../lib/to-timestamp.ts';

/**
 * A page has thousands of times, nearly all of them `2021-12-02T18:22:42.000+0000`: those only need another ending, at
 * a fiftieth of the price of a date. Everything else is read with care.
 */
export function toTime(value: unknown): string | null {
  const isUsual =
    typeof value === 'string' && value.length === 28 && value.endsWith('+0000') && isMoment(value);
  return isUsual ? `${value.slice(0, -5)}Z` : toTimestamp(value);
}
