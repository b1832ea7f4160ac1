import { readings } from './readings.ts';

/**
 * Does a text share twelve letters and digits in a row with one of the secrets, in any of its readings? Of a shorter secret
 * it has to be the whole. Case and all other characters do not count, on either side.
 */
export function createSecretMatcher(secrets: readonly string[]): SecretMatcher {
  const normalised = [...new Set(secrets.map(toLetters))].filter((secret) => secret !== '');
  const long = normalised.filter((secret) => secret.length >= RUN);
  const short = normalised.filter((secret) => secret.length < RUN);
  const filter = new Uint8Array(MASK + 1);
  for (const secret of long) mark(filter, secret);

  return {
    matches(text) {
      for (const reading of readings(text)) if (countPlaces(reading) > 0) return true;
      return false;
    },
    count(text) {
      let places = 0;
      for (const reading of readings(text, true)) places += countPlaces(reading);
      return places;
    },
  };

  function countPlaces(reading: string): number {
    const length = fillLetters(reading);
    const places = long.length > 0 ? countRuns(length, long, filter) : 0;
    if (short.length === 0) return places;
    const letters = room.toString('latin1', 0, length);
    return short.reduce((sum, secret) => sum + letters.split(secret).length - 1, places);
  }
}

function toLetters(text: string): string {
  return room.toString('latin1', 0, fillLetters(text));
}

/** Fills the room with what counts of a text. */
function fillLetters(text: string): number {
  if (room.length < text.length) room = Buffer.allocUnsafeSlow(text.length * 2);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const letter = code < 128 ? (LETTERS[code] as number) : 0;
    room[length] = letter;
    if (letter !== 0) length += 1;
  }
  return length;
}

/** A rolling hash finds the runs that may be a secret's; only those are looked for in the secrets. */
function countRuns(length: number, secrets: readonly string[], filter: Uint8Array): number {
  let places = 0;
  let hash = 0;
  for (let index = 0; index < length; index += 1) {
    hash = (Math.imul(hash, BASE) + (room[index] as number)) | 0;
    if (index >= RUN) hash = (hash - Math.imul(room[index - RUN] as number, LEAVING)) | 0;
    if (index < RUN - 1 || filter[toSlot(hash)] === 0) continue;
    const run = room.toString('latin1', index + 1 - RUN, index + 1);
    if (secrets.some((secret) => secret.includes(run))) places += 1;
  }
  return places;
}

function mark(filter: Uint8Array, secret: string): void {
  for (let end = RUN; end <= secret.length; end += 1) {
    let hash = 0;
    for (let index = end - RUN; index < end; index += 1) {
      hash = (Math.imul(hash, BASE) + secret.charCodeAt(index)) | 0;
    }
    filter[toSlot(hash)] = 1;
  }
}

function toSlot(hash: number): number {
  return (hash ^ (hash >>> 15)) & MASK;
}

/** In a row: fewer are found by chance, and are of no use to anybody. */
const RUN = 12;
const MASK = 0xffff;
const BASE = 31;
const LEAVING = Array.from({ length: RUN }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** By character code: the lower-case letter or the digit that it counts as; 0 for all others. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/** Used again for each reading: nothing that is kept stands in it. */
let room = Buffer.allocUnsafeSlow(64 * 1024);

export interface SecretMatcher {
  matches(text: string): boolean;
  /** At how many places, over all readings: of texts in a row at least the sum of theirs. */
  count(text: string): number;
}
