/**
 * RFC 3339 in UTC with milliseconds, of `2021-12-02T18:22:42.000+0000` and its like. A date alone is its first
 * moment in UTC: Salesforce does not say in which zone the activity was.
 */
export function toTimestamp(value: unknown): string | null {
  if (typeof value !== 'string' || !WIRE.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Without an offset a time would be read in the zone of this machine: only those that say theirs are understood. */
const WIRE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/;
