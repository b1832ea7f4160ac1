/** One text with line breaks in it: the first line is the first street, what is left the second. */
export function splitStreet(street: string | null): readonly [string | null, string | null] {
  const end = street === null ? -1 : findLineBreak(street);
  return street === null || end < 0 ? [street, null] : [trim(street.slice(0, end)), trim(street.slice(end))];
}

function findLineBreak(text: string): number {
  const feed = text.indexOf('\n');
  const ofTheLine = text.indexOf('\r');
  return feed < 0 || ofTheLine < 0 ? Math.max(feed, ofTheLine) : Math.min(feed, ofTheLine);
}

function trim(text: string): string | null {
  return text.trim() || null;
}
