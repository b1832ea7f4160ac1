/** The API's own form: milliseconds always, and an offset without a colon. */
export function wireDatetime(time: number): string {
  return new Date(time).toISOString().replace('Z', '+0000');
}

/** A point in time in the API's form; undefined where the text is none. */
export function toWireDatetime(text: string): string | undefined {
  const time = Date.parse(text);
  // Without the second test 2023-02-30 would quietly become the second of March.
  return Number.isNaN(time) || Number(text.slice(8, 10)) > daysInMonth(text) ? undefined : wireDatetime(time);
}

function daysInMonth(text: string): number {
  return new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
}
