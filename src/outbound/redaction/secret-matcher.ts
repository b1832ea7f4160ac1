/**
 * Matches texts that share twelve consecutive letters and digits with a secret, in any of their decodings. Shorter
 * secrets must match completely, and those of fewer than four only as a word of their own: `t` is in every error. Case
 * and all other characters are ignored on both sides. Takes a few nanoseconds for each character of the secrets and of
 * each decoding.
 */
export function createSecretMatcher(secrets: readonly string[]) {
  const normalized = secrets.map(toLetters).filter((secret) => secret !== '');
  const short = normalized.filter((secret) => secret.length < RUN && secret.length >= WORD);
  const words = secrets
    .filter((secret) => toLetters(secret).length < WORD)
    .flatMap((secret) => [secret, toLetters(secret)])
    .filter((word) => word !== '')
    .map(
      (word) => new RegExp(`(?<![a-z0-9])${word.replace(/[^a-z0-9]/gi, '\\$&')}(?![a-z0-9])`, 'gi'),
    );
  /** The longer secrets. No run of letters spans two of them. */
  const long = normalized.filter((secret) => secret.length >= RUN).join('\n');
  const runs = new RunTable(long);

  return {
    matches(text: string): boolean {
      for (const reading of readings(text)) if (countIn(reading, 1) > 0) return true;
      return false;
    },

    /**
     * The number of matching places over all decodings: for joined texts at least the sum of theirs. Counts up to
     * `most`.
     */
    count(text: string, most = MAX_PLACES): number {
      let places = 0;
      for (const reading of readings(text)) {
        places += countIn(reading, most - places);
        if (places >= most) return most;
      }
      return places;
    },
  };

  function countIn(reading: string, most: number): number {
    let places = 0;
    const letters = toLetters(reading);
    eachRun(letters, (hash, end) => {
      if (runs.has(hash, letters, end)) places += 1;
      return places < most;
    });
    for (const secret of short) places += letters.split(secret).length - 1;
    for (const word of words) places += reading.match(word)?.length ?? 0;
    return places;
  }
}

/** More places than this are not told apart. */
export const MAX_PLACES = 10_000;

/** The runs of a text, in a hash table: a Map would take ten times as long to fill. */
class RunTable {
  readonly #text: string;
  readonly #hashes: Int32Array;
  /** Where in the text each run ends. 0: the slot is empty. */
  readonly #ends: Int32Array;

  constructor(text: string) {
    const slots = 2 ** Math.ceil(Math.log2(2 * text.length + 2));
    this.#text = text;
    this.#hashes = new Int32Array(slots);
    this.#ends = new Int32Array(slots);
    eachRun(text, (hash, end) => {
      const slot = this.#findSlot(hash, text, end);
      this.#hashes[slot] = hash;
      this.#ends[slot] = end;
      return true;
    });
  }

  /** Whether the run that ends here in these letters is in the text. */
  has(hash: number, letters: string, end: number): boolean {
    return this.#ends[this.#findSlot(hash, letters, end)] !== 0;
  }

  /** The slot of this run, else the empty one where it would be. Different runs may have the same hash. */
  #findSlot(hash: number, letters: string, end: number): number {
    const last = this.#ends.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const known = this.#ends[slot] ?? 0;
      if (known === 0) return slot;
      if (this.#hashes[slot] !== hash) continue;
      if (this.#text.startsWith(letters.slice(end - RUN, end), known - RUN)) return slot;
    }
  }
}

/** Visits each run of letters with a rolling hash of it, until `visit` returns false. */
function eachRun(letters: string, visit: (hash: number, end: number) => boolean): void {
  let hash = 0;
  for (let end = 1; end <= letters.length; end += 1) {
    hash = (Math.imul(hash, BASE) + letters.charCodeAt(end - 1)) | 0;
    if (end > RUN) hash = (hash - Math.imul(letters.charCodeAt(end - 1 - RUN), LEAVING)) | 0;
    if (end >= RUN && !visit(hash, end)) return;
  }
}

const BASE = 0x01000193;

export type SecretMatcher = ReturnType<typeof createSecretMatcher>;

function toLetters(text: string): string {
  return text.replace(NOT_LETTERS, '').toLowerCase();
}

/** The run length: shorter runs match by chance and reveal too little. */
const RUN = 12;
/** Shorter secrets are in other words by chance. */
const WORD = 4;
/** The factor of the character that leaves the run. */
const LEAVING = Array.from({ length: RUN }).reduce<number>((factor) => Math.imul(factor, BASE), 1);
const NOT_LETTERS = /[^A-Za-z0-9]+/g;

/**
 * The decodings of a text: as is; with escapes (percent, `\u`, entities) resolved; base64 and base64url at every
 * offset; hex; and each of these decoded once more. Non-text bytes are read as Latin-1. Linear time. Unchanged
 * decodings are among them, so that each decoding of a part is contained in that of the whole.
 */
function* readings(text: string): Iterable<string> {
  const plain = fold(text);
  yield plain;
  for (const decoded of decode(plain)) {
    yield decoded;
    yield* decode(decoded);
  }
}

function* decode(text: string): Iterable<string> {
  yield fold(text.replace(TAG, '').replace(ESCAPE, readEscape));
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
  if (hex === undefined && decimal === undefined) return ESCAPED_SIGNS[all.toLowerCase()] ?? '';
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
/** Within one line, so that a tag cannot span two values. */
const TAG = /<[^<>\n]*>/g;
/** `%70 \x70 %u0070 \u0070 \u{70} &#x70; &#112;`, and escapes that are no letter (`&quot; \n`). */
const ESCAPE =
  /(?:%|\\x)([0-9a-f]{2})|[%\\]u([0-9a-f]{4})|(?:\\u\{|&#x)0*([0-9a-f]{1,6})[;}]?|&#0*(\d{1,7});?|&[a-z]{2,10};|\\["'/\\a-z]/gi;
/** These begin another escape once they are resolved. */
const ESCAPED_SIGNS: Readonly<Record<string, string>> = { '\\\\': '\\', '&amp;': '&' };
const BASE64_RUN = /[A-Za-z0-9+/_-]+/g;
/** Zero bits that complete the last byte and are dropped again. */
const PADDING = ['', 'AAA', 'AA', 'A'];
const NOT_HEX = /0x|[^0-9a-f]+/gi;
const LAST_CODE_POINT = 0x10ffff;
