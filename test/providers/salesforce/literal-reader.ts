/**
 * Reads SOQL literals by the documented grammar, character by character, independently of the code that writes them:
 * a backslash before anything that the grammar does not name is an error, and so is an end that comes too early.
 */
export function readQuoted(literal: string): string {
  return wholeOf(literal, SEQUENCES)
    .map(({ text }) => text)
    .join('');
}

/** The values of `prefix 'a','b')`, each read where the one before it ended. */
export function readQuotedList(condition: string, prefix: string): readonly string[] {
  if (!condition.startsWith(prefix)) throw new SyntaxError(`Not a list: ${condition}`);
  const values: string[] = [];
  let at = prefix.length;
  for (;;) {
    const { units, end } = readAt(condition, at, SEQUENCES);
    values.push(units.map(({ text }) => text).join(''));
    at = end + 1;
    if (condition[end] === ')' && at === condition.length) return values;
    if (condition[end] !== ',')
      throw new SyntaxError(`Neither goes on nor ends: ${condition.slice(end)}`);
  }
}

/** A pattern, with the text that it means literally in `text`: `%` is anything and `_` any one character. */
export function readPattern(literal: string): readonly (string | { readonly text: string })[] {
  const parts: (string | { text: string })[] = [];
  for (const { text, escaped } of wholeOf(literal, PATTERN_SEQUENCES)) {
    const last = parts.at(-1);
    if (!escaped && (text === '%' || text === '_')) parts.push(text);
    else if (typeof last === 'object') last.text += text;
    else parts.push({ text });
  }
  return parts;
}

function wholeOf(literal: string, sequences: Sequences): readonly Unit[] {
  const { units, end } = readAt(literal, 0, sequences);
  if (end !== literal.length) throw new SyntaxError(`Goes on after its end: ${literal}`);
  return units;
}

function readAt(
  source: string,
  start: number,
  sequences: Sequences,
): { units: Unit[]; end: number } {
  if (source[start] !== "'") throw new SyntaxError(`No quote at ${start}: ${source}`);
  const units: Unit[] = [];
  let at = start + 1;
  while (source[at] !== "'") {
    const character = source[at];
    if (character === undefined) throw new SyntaxError(`Never ends: ${source}`);
    const escaped = character === '\\';
    const { text, length } = escaped
      ? readEscape(source, at, sequences)
      : { text: character, length: 1 };
    units.push({ text, escaped });
    at += length;
  }
  return { units, end: at + 1 };
}

function readEscape(
  source: string,
  at: number,
  sequences: Sequences,
): { text: string; length: number } {
  const letter = source[at + 1] ?? '';
  if (letter === 'u') {
    const digits = source.slice(at + 2, at + 6);
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new SyntaxError(`Not four digits: ${digits}`);
    return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
  }
  const text = sequences.get(letter);
  if (text === undefined) throw new SyntaxError(`Illegal sequence \\${letter}`);
  return { text, length: 2 };
}

const SEQUENCES: Sequences = new Map([
  ...['nN', 'rR', 'tT', 'bB', 'fF'].flatMap(
    ([lower = '', upper = ''], index): [string, string][] => {
      const text = '\n\r\t\b\f'.charAt(index);
      return [
        [lower, text],
        [upper, text],
      ];
    },
  ),
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
]);
const PATTERN_SEQUENCES: Sequences = new Map([...SEQUENCES, ['_', '_'], ['%', '%']]);

type Sequences = ReadonlyMap<string, string>;

interface Unit {
  readonly text: string;
  readonly escaped: boolean;
}
