/** As `trim` does it, which is a costly call for the thousands of texts that there is nothing to trim of. */
export function trimmed(text: string): string {
  const { length } = text;
  if (length > 0 && isInk(text.charCodeAt(0)) && isInk(text.charCodeAt(length - 1))) return text;
  return text.trim();
}

/** Of ASCII; for others `trim` knows better. */
function isInk(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

/** One text with line breaks in it: the first line is the first street, what is left the second. */
export function splitStreet(street: string | null): readonly [string | null, string | null] {
  const end = street?.search(/[\r\n]/) ?? -1;
  return street === null || end < 0 ? [street, null] : [trim(street.slice(0, end)), trim(street.slice(end))];
}

function trim(text: string): string | null {
  return text.trim() || null;
}
