/**
 * Does a text share twelve letters and digits in a row with one of the secrets, in any of its readings? Of a shorter secret
 * it has to be the whole. Case and all other characters do not count, on either side.
 */
export function createSecretMatcher(secrets: readonly string[]) {
  const normalised = [...new Set(secrets.map(toLetters))].filter((secret) => secret !== '');
  const long = normalised.filter((secret) => secret.length >= RUN);
  const short = normalised.filter((secret) => secret.length < RUN);
  /** By the hash of a run: may it be a secret's? Only such runs are looked for in the secrets. */
  const filter = new Uint8Array(MASK + 1);
  for (const secret of long) {
    eachRun(fillLetters(secret), (slot) => {
      filter[slot] = 1;
    });
  }

  return {
    matches(text: string): boolean {
      for (const reading of readings(text)) if (countPlaces(reading) > 0) return true;
      return false;
    },

    /** At how many places, over all readings: of texts in a row at least the sum of theirs. */
    count(text: string): number {
      let places = 0;
      for (const reading of readings(text, true)) places += countPlaces(reading);
      return places;
    },
  };

  function countPlaces(reading: string): number {
    const length = fillLetters(reading);
    let places = 0;
    if (long.length > 0) {
      eachRun(length, (slot, end) => {
        if (filter[slot] === 0) return;
        const run = room.toString('latin1', end - RUN, end);
        if (long.some((secret) => secret.includes(run))) places += 1;
      });
    }
    if (short.length === 0) return places;
    const letters = room.toString('latin1', 0, length);
    return short.reduce((sum, secret) => sum + letters.split(secret).length - 1, places);
  }
}

export type SecretMatcher = ReturnType<typeof createSecretMatcher>;

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

/** Each run of the letters that stand in the room: the rolling hash of it, and where it ends. */
function eachRun(length: number, visit: (slot: number, end: number) => void): void {
  let hash = 0;
  for (let index = 0; index < length; index += 1) {
    hash = (Math.imul(hash, BASE) + (room[index] as number)) | 0;
    if (index >= RUN) hash = (hash - Math.imul(room[index - RUN] as number, LEAVING)) | 0;
    if (index >= RUN - 1) visit((hash ^ (hash >>> 15)) & MASK, index + 1);
  }
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

/**
 * A text as it stands, and as anybody would read it who decodes it: escapes (percent, `\u`, entities) resolved, base64 and
 * base64url at every offset, hex; and each of these decoded once more. Bytes that are no text stand in Latin-1. Linear
 * in the text. Complete: also those that change nothing, so that each reading of a part is in the reading of the whole.
 */
function* readings(text: string, isComplete = false): Iterable<string> {
  const plain = fold(text);
  yield plain;
  for (const decoded of decode(plain, isComplete)) {
    yield decoded;
    yield* decode(decoded, isComplete);
  }
}

function* decode(text: string, isComplete: boolean): Iterable<string> {
  if (isComplete || ESCAPED.test(text)) yield fold(text.replace(TAG, '').replace(ESCAPE, readEscape));
  yield* fromBase64(text);
  yield* fromHex(text);
}

/** Letters that look alike (full width, with accents) become the plain ones. */
function fold(text: string): string {
  return NOT_ASCII.test(text) ? text.normalize('NFKD') : text;
}

function readEscape(all: string, ...digits: readonly (string | undefined)[]): string {
  const [two, four, several, decimal] = digits;
  const hex = two ?? four ?? several;
  if (hex === undefined && decimal === undefined) return all === '\\\\' ? '\\' : '';
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : '';
}

/** What stands between the letters (spaces, quotes) does not count; letters in front shift the rest, hence all offsets. */
function* fromBase64(text: string): Iterable<string> {
  const runs = text.match(BASE64_RUN);
  if (!runs) return;
  const letters = runs.join('');
  // Neighbours that were encoded apart: the padding of the first would shift the second.
  yield fromLetters(runs.map((run) => run + PADDING[run.length % 4]).join(''));
  for (let offset = 0; offset < 4; offset += 1) yield fromLetters(letters.slice(offset));
}

function fromLetters(letters: string): string {
  return Buffer.from(letters, 'base64').toString('latin1');
}

function* fromHex(text: string): Iterable<string> {
  const digits = text.replace(NOT_HEX, '');
  for (let offset = 0; offset < 2; offset += 1) {
    const even = digits.length - ((digits.length - offset) % 2);
    yield Buffer.from(digits.slice(offset, even), 'hex').toString('latin1');
  }
}

const NOT_ASCII = /[^\0-\x7f]/;
const ESCAPED = /[%\\&<]/;
/** In one line: a bracket in one value does not reach to one in another. */
const TAG = /<[^<>\n]*>/g;
/** `%70 \x70 %u0070 \u0070 \u{70} &#x70; &#112;`, and what stands for no letter (`&amp; \n`). */
const ESCAPE =
  /(?:%|\\x)([0-9a-f]{2})|[%\\]u([0-9a-f]{4})|(?:\\u\{|&#x)0*([0-9a-f]{1,6})[;}]?|&#0*(\d{1,7});?|&[a-z]{2,10};|\\["'/\\a-z]/gi;
const BASE64_RUN = /[A-Za-z0-9+/_-]+/g;
/** Zero bits, which are dropped again: a run ends at a whole byte. */
const PADDING = ['', 'AAA', 'AA', 'A'];
const NOT_HEX = /0x|[^0-9a-f]+/gi;
const LAST_CODE_POINT = 0x10ffff;
