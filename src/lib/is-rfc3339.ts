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
