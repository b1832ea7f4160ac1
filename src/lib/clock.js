/** A longer delay would overflow the timer and fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;
export const systemClock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback);
    return () => clearTimeout(timer);
  },
};
/** Its timers keep no process alive. */
export const backgroundClock = {
  ...systemClock,
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback).unref();
    return () => clearTimeout(timer);
  },
};
function startTimer(delayMs, callback) {
  return setTimeout(callback, Math.min(Math.max(delayMs, 0), LONGEST_DELAY_MS));
}
/** What most CRMs send is already what we say; days that not every month has are left to the calendar. */
const ALREADY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const ISO_DATE = /^\d{4}-\d\d-\d\d/;
const HAS_ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;
const EPOCH_MILLISECONDS = /^\d{12,14}$/;
/** RFC 3339 in UTC with milliseconds, from whichever way a CRM writes a moment or a day; null where it is neither. */
export function toTimestamp(value) {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && ALREADY.test(value)) return value;
  const moment = new Date(toMilliseconds(value));
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment.toISOString() : null;
}
function toMilliseconds(value) {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return Number.NaN;
  const text = value.trim();
  if (EPOCH_MILLISECONDS.test(text)) return Number(text);
  if (!ISO_DATE.test(text)) return Number.NaN;
  // A day is UTC by itself; a time that names no zone would be read as this machine's.
  return Date.parse(text.length === 10 || HAS_ZONE.test(text) ? text : `${text}Z`);
}
/** A moment as RFC 3339 writes it. `Date.parse` alone also takes "5", "March 7" and the 30th of February. */
export function isRfc3339(text) {
  const match = RFC_3339.exec(text);
  if (!match || Number.isNaN(Date.parse(text))) return false;
  const [, year = '', month = '', day = ''] = match;
  return Number(day) <= daysOf(Number(year), Number(month));
}
function daysOf(year, month) {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
