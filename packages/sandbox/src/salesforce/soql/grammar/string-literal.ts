import type { TokenReader } from './token-reader.ts';
import type { Token } from './tokens.ts';

/**
 * The value of a quoted literal. Only the documented escapes are valid: a backslash before anything else is an
 * error.
 */
export function readString(reader: TokenReader, token: Token): string {
  return contentOf(reader, token).replace(ESCAPE, (sequence) =>
    readEscape(reader, { token, sequence, escapes: ESCAPES }),
  );
}

/**
 * A LIKE pattern as a regular expression over the whole value: `%` is any text, `_` any one character, unless
 * escaped.
 */
export function readLikePattern(reader: TokenReader, token: Token): RegExp {
  const source = contentOf(reader, token).replace(PATTERN_PART, (part) => {
    if (part === '%') return '.*';
    if (part === '_') return '.';
    return quote(
      part.length > 1 ? readEscape(reader, { token, sequence: part, escapes: LIKE_ESCAPES }) : part,
    );
  });
  return new RegExp(`^${source}$`, 'isu');
}

function contentOf(reader: TokenReader, token: Token): string {
  const raw = token.text.slice(1, -1);
  if (raw.length <= MAX_LITERAL) return raw;
  throw reader.fault(
    token.at,
    `String literal is longer than the maximum of ${MAX_LITERAL} characters`,
  );
}

function readEscape(reader: TokenReader, { token, sequence, escapes }: Escape): string {
  const value = /^\\u./.test(sequence)
    ? String.fromCharCode(Number.parseInt(sequence.slice(2), 16))
    : escapes.get(sequence.slice(1));
  if (value !== undefined) return value;
  const text = `Invalid string literal ${token.text}. Illegal character sequence '${sequence}' in string literal.`;
  throw reader.fault(token.at, text);
}

function quote(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

const MAX_LITERAL = 4_000;
const ESCAPE = /\\(?:u[0-9a-f]{4}|[\s\S])/gi;
const PATTERN_PART = /\\(?:u[0-9a-f]{4}|[\s\S])|[%_\\^$.*+?()[\]{}|/]/gi;

const CONTROLS = Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' });
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...CONTROLS,
  ...CONTROLS.map(([letter, value]): [string, string] => [letter.toUpperCase(), value]),
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
]);
const LIKE_ESCAPES: ReadonlyMap<string, string> = new Map([...ESCAPES, ['%', '%'], ['_', '_']]);

interface Escape {
  readonly token: Token;
  readonly sequence: string;
  readonly escapes: ReadonlyMap<string, string>;
}
