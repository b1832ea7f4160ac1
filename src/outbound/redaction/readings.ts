/**
 * A text as it stands, and as anybody would read it who decodes it: escapes (percent, `\u`, entities) resolved, base64 and
 * base64url at every offset, hex; and each of these decoded once more. Bytes that are no text stand in Latin-1. Linear
 * in the text. Complete: also those that change nothing, so that each reading of a part is in the reading of the whole.
 */
export function* readings(text: string, isComplete = false): Iterable<string> {
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
