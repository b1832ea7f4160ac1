const ISO_DATE = /^\d{4}-\d\d-\d\d/;
const HAS_ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;
const EPOCH_MILLISECONDS = /^\d{12,14}$/;

/** RFC 3339 in UTC with milliseconds, from whichever way a CRM writes a moment or a day; null where it is neither. */
export function toTimestamp(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // What most CRMs send is already what we say.
  if (typeof value === 'string' && value.length === 24 && value.endsWith('Z') && isMoment(value))
    return value;
  const moment = new Date(toMilliseconds(value));
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment.toISOString() : null;
}

/**
 * Does it begin like `2025-01-31T09:30:00.000`? Days that not every month has are left to the calendar. Character by
 * character, because there are thousands of them in an answer, and a pattern takes ten times as long.
 */
export function isMoment(text: string): boolean {
  return (
    isAtMost(text, 0, 99) &&
    isAtMost(text, 2, 99) &&
    text[4] === '-' &&
    isFromOne(text, 5, 12) &&
    text[7] === '-' &&
    isFromOne(text, 8, 28) &&
    text[10] === 'T' &&
    isAtMost(text, 11, 23) &&
    text[13] === ':' &&
    isAtMost(text, 14, 59) &&
    text[16] === ':' &&
    isAtMost(text, 17, 59) &&
    text[19] === '.' &&
    isAtMost(text, 20, 99) &&
    isDigit(text.charCodeAt(22))
  );
}

function isFromOne(text: string, at: number, most: number): boolean {
  return isAtMost(text, at, most) && !(text[at] === '0' && text[at + 1] === '0');
}

/** Two digits that stand there, as a number. */
function isAtMost(text: string, at: number, most: number): boolean {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) && (tens - ZERO) * 10 + ones - ZERO <= most;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

const ZERO = 48;

function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim();
  if (EPOCH_MILLISECONDS.test(text)) return Number(text);
  if (!ISO_DATE.test(text)) return Number.NaN;
  // A day is UTC by itself; a time that names no zone would be read as this machine's.
  return Date.parse(text.length === 10 || HAS_ZONE.test(text) ? text : `${text}Z`);
}
