/**
 * `Retry-After` in either form, as milliseconds from now; undefined where there is none or it makes no sense. A date is
 * read by the clock of its sender, the `Date` header: ours may differ, and HTTP demands the header.
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  if (/^\d{1,8}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const waitMs = readDate(value) - readDate(headers['date'] ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** `Date.parse` would take nearly anything for a year. */
function readDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

const HTTP_DATE = /^[A-Za-z]{3,9},? /;
