/** What CRMs and callers write as text: spaces, streets, moments, and what a database can keep. */

/** A value of a CRM as a text, trimmed; null for what is no text, and for text that says nothing. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() || null;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** One text with line breaks in it: the first line is the first street, what is left the second. */
export function splitStreet(street: string | null): readonly [string | null, string | null] {
  const end = street?.search(/[\r\n]/) ?? -1;
  return street === null || end < 0
    ? [street, null]
    : [toText(street.slice(0, end)), toText(street.slice(end))];
}

/** What most CRMs send is already what we say; days that not every month has are left to the calendar. */
const ALREADY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d/;
const HAS_ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;
const EPOCH_MILLISECONDS = /^\d{12,14}$/;

/** RFC 3339 in UTC with milliseconds, from whichever way a CRM writes a moment or a day; null where it is neither. */
export function toTimestamp(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && ALREADY.test(value)) return value;
  const moment = new Date(toMilliseconds(value));
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment.toISOString() : null;
}

function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim();
  if (EPOCH_MILLISECONDS.test(text)) return Number(text);
  if (!ISO_DATE.test(text)) return Number.NaN;
  // A day is UTC by itself; a time that names no zone would be read as this machine's.
  return Date.parse(text.length === 10 || HAS_ZONE.test(text) ? text : `${text}Z`);
}

/** A moment as RFC 3339 writes it. `Date.parse` alone also takes "5", "March 7" and the 30th of February. */
export function isRfc3339(text: string): boolean {
  const match = RFC_3339.exec(text);
  if (!match || Number.isNaN(Date.parse(text))) return false;
  const [, year = '', month = '', day = ''] = match;
  return Number(day) <= daysOf(Number(year), Number(month));
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** PostgreSQL keeps neither U+0000 nor half a surrogate pair: no stored text holds one, and none can be asked for. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/** The same for JSON, where `JSON.stringify` has written both as escapes. The text `\u0000` itself is harmless. */
export function isStorableJson(json: string): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}
