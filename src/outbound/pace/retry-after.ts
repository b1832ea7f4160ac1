import type { RemoteAnswer } from '../../domain/remote.ts';

/** How long the provider asks to wait, in seconds or as a date. Undefined where it does not say, or not clearly. */
export function readRetryAfter({ headers }: RemoteAnswer, now: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const date = readDate(text);
  // By the provider's own clock, where it shows it: ours may go differently.
  const since = readDate(headers['date'] ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(since) ? now : since));
}

/** `Date.parse` would take nearly anything for a year. */
function readDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

const HTTP_DATE = /^[A-Za-z]{3,9},? /;
