/** The API's own format: always milliseconds, and an offset without a colon. */
export function wireDatetime(time: number): string {
  return new Date(time).toISOString().replace('Z', '+0000');
}

/** Timestamps of records have whole seconds, so that changes of one second have the same. */
export function wireSeconds(time: number): string {
  return wireDatetime(Math.floor(time / 1_000) * 1_000);
}

/** Converts a timestamp to the API's format; undefined if it is invalid. */
export function toWireDatetime(text: string): string | undefined {
  const time = Date.parse(text);
  // Without the second check 2023-02-30 would silently become the second of March.
  return Number.isNaN(time) || Number(text.slice(8, 10)) > daysInMonth(text)
    ? undefined
    : wireDatetime(time);
}

function daysInMonth(text: string): number {
  return new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
}
