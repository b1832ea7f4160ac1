/** One text with line breaks in it: the first line is the first street, what is left the second. */
export function splitStreet(street: string | null): readonly [string | null, string | null] {
  const end = street?.search(/[\r\n]/) ?? -1;
  return street === null || end < 0 ? [street, null] : [trim(street.slice(0, end)), trim(street.slice(end))];
}

function trim(text: string): string | null {
  return text.trim() || null;
}
