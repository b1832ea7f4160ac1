/**
 * Matches texts that share twelve consecutive letters and digits with a secret, in any of their decodings. Shorter
 * secrets must match completely. Case and all other characters are ignored on both sides. Takes a few nanoseconds for
 * each character of the secrets and of each decoding.
 */
export function createSecretMatcher(secrets: readonly string[]) {
  const normalized = secrets.map(toLetters).filter((secret) => secret !== '');
  const short = normalized.filter((secret) => secret.length < RUN);
  /** The longer secrets. No run of letters spans two of them. */
  const long = normalized.filter((secret) => secret.length >= RUN).join('\n');
  /** The ends of their runs by hash. */
  const ends = new Map<number, number>();
  /** The ends of different runs with the same hash, which are rare. */
  const collisions: number[] = [];
  eachRun(long, (hash, end) => {
    const known = ends.get(hash);
    if (known === undefined) ends.set(hash, end);
    else if (!long.startsWith(long.slice(end - RUN, end), known - RUN)) collisions.push(end);
  });

  return { matches: (text: string) => count(text) > 0, count };

  /** The number of matching places over all decodings: for joined texts at least the sum of theirs. */
  function count(text: string): number {
    let places = 0;
    for (const reading of readings(text)) {
      const letters = toLetters(reading);
      eachRun(letters, (hash, end) => {
        const known = ends.get(hash);
        if (known === undefined) return;
        const run = letters.slice(end - RUN, end);
        const isAt = (place: number) => long.startsWith(run, place - RUN);
        if (isAt(known) || collisions.some(isAt)) places += 1;
      });
      for (const secret of short) places += letters.split(secret).length - 1;
    }
    return places;
  }
}

/** Visits each run of letters with a rolling hash of it. */
function eachRun(letters: string, visit: (hash: number, end: number) => void): void {
  let hash = 0;
  for (let end = 1; end <= letters.length; end += 1) {
    hash = Math.imul(hash, BASE) + letters.charCodeAt(end - 1);
    if (end > RUN) hash -= Math.imul(letters.charCodeAt(end - 1 - RUN), LEAVING);
    // Without the sign bit it is a small integer for V8.
    if (end >= RUN) visit(hash & HASH_BITS, end);
  }
}

const BASE = 0x01000193;

export type SecretMatcher = ReturnType<typeof createSecretMatcher>;

function toLetters(text: string): string {
  return text.replace(NOT_LETTERS, '').toLowerCase();
}

/** The run length: shorter runs match by chance and reveal too little. */
const RUN = 12;
/** The factor of the character that leaves the run. */
const LEAVING = Array.from({ length: RUN }).reduce<number>((factor) => Math.imul(factor, BASE), 1);
const HASH_BITS = 0x3fffffff;
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
