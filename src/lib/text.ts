/** Helpers for text of CRMs and callers: white space, streets, timestamps, and what a database or a header can hold. */

/** A trimmed text of a CRM's value; null if it is no text or blank. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() || null;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** A decimal number as text, without an exponent. */
export function toDecimal(value: unknown): string | null {
  const text =
    typeof value === 'number'
      ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
      : (toText(value) ?? '');
  return DECIMAL.test(text) ? text : null;
}

const DECIMAL = /^-?\d{1,40}(?:\.\d{1,40})?$/;

/** A whole number of 32 bits. */
export function toWhole(value: unknown): number | null {
  const number = Number(toDecimal(value) ?? Number.NaN);
  return Number.isInteger(number) && Math.abs(number) < 2 ** 31 ? number : null;
}

/** Splits a street at the first line break: first line and the rest. */
export function splitStreet(street: string | null): readonly [string | null, string | null] {
  const end = street?.search(/[\r\n]/) ?? -1;
  return street === null || end < 0
    ? [street, null]
    : [toText(street.slice(0, end)), toText(street.slice(end))];
}

/** The fast path: most CRMs send this format already. Days above 28 need the calendar. */
const ALREADY =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d/;
const HAS_ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;
const EPOCH_MILLISECONDS = /^\d{12,14}$/;

/** Converts a CRM's timestamp or date to RFC 3339 in UTC with milliseconds; null if it is neither. */
export function toTimestamp(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && ALREADY.test(value)) return value;
  const moment = new Date(toMilliseconds(value));
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment.toISOString() : null;
}

/** Dates as RFC 3339 in UTC with milliseconds; any other value as it is. */
export function withIsoDate(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim();
  if (EPOCH_MILLISECONDS.test(text)) return Number(text);
  if (!ISO_DATE.test(text)) return Number.NaN;
  // `Date.parse` reads a date as UTC, but a time without a zone as local time.
  return Date.parse(text.length === 10 || HAS_ZONE.test(text) ? text : `${text}Z`);
}

/**
 * Whether a text is a valid RFC 3339 timestamp. `Date.parse` alone also accepts "5", "March 7" and the 30th of
 * February.
 */
export function isRfc3339(text: string): boolean {
  const match = RFC_3339.exec(text);
  if (!match || Number.isNaN(Date.parse(text))) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day <= daysOfMonth;
}

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Whether it is a calendar date such as `2026-01-31`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isRfc3339(`${text}T00:00:00Z`);
}

/** The calendar date, in UTC, of a date or a time that a CRM sends. */
export function toDay(value: unknown): string | null {
  return toTimestamp(value)?.slice(0, 10) ?? null;
}

/**
 * PostgreSQL stores neither U+0000 nor lone surrogates, so no stored text contains one and none can be searched for.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/**
 * The same check for JSON, where `JSON.stringify` has escaped both. An escaped backslash before `u0000` is harmless.
 */
export function isStorableJson(json: string): boolean {
  return !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json);
}

/** Replaces each matching character by its escape `\uXXXX`. */
export function escapeCharacters(text: string, pattern: RegExp): string {
  return text.replace(
    pattern,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether a text is visible ASCII without spaces, and not empty: what a secret or an id in a header consists of. */
export function isVisibleAscii(text: string, maxLength = Infinity): boolean {
  return text.length <= maxLength && /^[\x21-\x7e]+$/.test(text);
}

/** Whether a text is a UUID as we write them. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** A text of a client for a message: quoted, and cut where it is long. Every message that repeats such a text uses it. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

/** The beginning of a text of a client, for where it is not quoted. */
export function shorten(text: string): string {
  return text.slice(0, MAX_QUOTED);
}

const MAX_QUOTED = 80;
