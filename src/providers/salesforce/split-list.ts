/** Cuts the values of an IN list so that each part fits, encoded, into one query beside its fields. */
export function splitList(values: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let room = 0;
  for (const value of values) {
    const length = encodedLength(value);
    const part = parts.at(-1);
    if (part === undefined || length > room) {
      parts.push([value]);
      room = MAX_ENCODED - length;
    } else {
      part.push(value);
      room -= length;
    }
  }
  return parts;
}

/** Never too short: three bytes of UTF-8 are nine characters, and the quotes and the comma are nine more. */
function encodedLength(value: string): number {
  return /^[\w@.+-]*$/.test(value) ? value.length + 16 : value.length * 9 + 16;
}

const MAX_ENCODED = 12_000;
