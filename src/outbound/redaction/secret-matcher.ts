/**
 * Matches texts that share twelve consecutive letters and digits with a secret, in any of their decodings. Shorter
 * secrets must match completely. Case and all other characters are ignored on both sides.
 */
export function createSecretMatcher(secrets: readonly string[]) {
  const normalised = [...new Set(secrets.map(toLetters))].filter((secret) => secret !== '');
  const long = normalised.filter((secret) => secret.length >= RUN);
  const short = normalised.filter((secret) => secret.length < RUN);
  /** A filter by the hash of a run: only runs that pass it are compared with the secrets. */
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

    /** The number of matching places over all decodings: for joined texts at least the sum of theirs. */
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

/** Writes the relevant characters of a text to the scratch buffer. */
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

/** Visits each run in the scratch buffer with its rolling hash and end. */
function eachRun(length: number, visit: (slot: number, end: number) => void): void {
  let hash = 0;
  for (let index = 0; index < length; index += 1) {
    hash = (Math.imul(hash, BASE) + (room[index] as number)) | 0;
    if (index >= RUN) hash = (hash - Math.imul(room[index - RUN] as number, LEAVING)) | 0;
    if (index >= RUN - 1) visit((hash ^ (hash >>> 15)) & MASK, index + 1);
  }
}

/** The run length: shorter runs match by chance and reveal too little. */
const RUN = 12;
const MASK = 0xffff;
const BASE = 31;
const LEAVING = Array.from({ length: RUN }).reduce<number>((power) => Math.imul(power, BASE), 1);

/** By character code: the lower-case letter or digit that it counts as; 0 for all others. */
const LETTERS = Uint8Array.from({ length: 128 }, (_, code) => {
  const lower = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(lower) ? lower.charCodeAt(0) : 0;
});

/** A scratch buffer, reused for each decoding. */
let room = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The decodings of a text: as is; with escapes (percent, `\u`, entities) resolved; base64 and base64url at every
 * offset; hex; and each of these decoded once more. Non-text bytes are read as Latin-1. Linear time. `isComplete`
 * also yields unchanged decodings, so that each decoding of a part is contained in that of the whole.
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

/** Normalizes look-alike letters (full width, accents) to plain ones. */
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

/** Ignores separators (spaces, quotes); preceding letters shift the alignment, hence all offsets. */
function* fromBase64(text: string): Iterable<string> {
  const runs = text.match(BASE64_RUN);
  if (!runs) return;
  const letters = runs.join('');
  // Runs that were encoded separately: the padding of one would shift the next.
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
/** Within one line, so that a tag cannot span two values. */
const TAG = /<[^<>\n]*>/g;
/** `%70 \x70 %u0070 \u0070 \u{70} &#x70; &#112;`, and escapes that are no letter (`&amp; \n`). */
const ESCAPE =
  /(?:%|\\x)([0-9a-f]{2})|[%\\]u([0-9a-f]{4})|(?:\\u\{|&#x)0*([0-9a-f]{1,6})[;}]?|&#0*(\d{1,7});?|&[a-z]{2,10};|\\["'/\\a-z]/gi;
const BASE64_RUN = /[A-Za-z0-9+/_-]+/g;
/** Zero bits that complete the last byte and are dropped again. */
const PADDING = ['', 'AAA', 'AA', 'A'];
const NOT_HEX = /0x|[^0-9a-f]+/gi;
const LAST_CODE_POINT = 0x10ffff;
