/**
 * The 18-character id of a record: 15 characters identify it (sorted as they are), and 3 are a checksum of their
 * case.
 */
export function makeId(prefix: string, number: number): string {
  let digits = '';
  for (let rest = number; digits.length < 9; rest = Math.floor(rest / 62)) {
    digits = DIGITS.charAt(rest % 62) + digits;
  }
  return withChecksum(`${prefix}RO0${digits}`);
}

/** The number in an id; undefined for an id that this sandbox does not issue for that kind of record. */
export function numberOf(id15: string, prefix: string): number | undefined {
  if (!id15.startsWith(`${prefix}RO0`)) return undefined;
  return [...id15.slice(6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
}

/** The 15 characters of an id of either length; undefined if it is malformed. The checksum restores a lost case. */
export function toId15(text: string): string | undefined {
  if (!/^[0-9a-z]{15}(?:[a-z0-5]{3})?$/i.test(text)) return undefined;
  if (text.length === 15) return text;
  const suffix = text.slice(15).toUpperCase();
  const mended = [...text.slice(0, 15)].map((letter, place) => {
    const bits = SUFFIX.indexOf(suffix.charAt(Math.floor(place / 5)));
    return (bits >> (place % 5)) & 1 ? letter.toUpperCase() : letter.toLowerCase();
  });
  const id15 = mended.join('');
  return withChecksum(id15).slice(15) === suffix ? id15 : undefined;
}

function withChecksum(id15: string): string {
  let suffix = '';
  for (const start of [0, 5, 10]) {
    let bits = 0;
    for (let place = 0; place < 5; place += 1) {
      if (/[A-Z]/.test(id15.charAt(start + place))) bits |= 1 << place;
    }
    suffix += SUFFIX.charAt(bits);
  }
  return id15 + suffix;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SUFFIX = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
