/**
 * Parses JSON, and keeps the digits of a number as text where a double cannot hold its value: `9007199254740993` becomes
 * "9007199254740993". Numbers of up to 15 digits always fit, so a text without longer ones takes the time of
 * `JSON.parse`.
 */
export function parseExactJson(bytes: Uint8Array, text: string): unknown {
  return JSON.parse(hasLongNumber(bytes) ? quoteInexact(text) : text);
}

/**
 * Whether there are sixteen digits and points in a row, in a number or in a text. Such a row has one at a multiple of
 * sixteen, and one eight bytes before or after it, so that few bytes are read: a fiftieth of the time of `JSON.parse`,
 * where a regular expression takes as long as that.
 */
function hasLongNumber(bytes: Uint8Array): boolean {
  const { length } = bytes;
  for (let at = LONG - 1; at < length; at += LONG)
    if (isDigit(bytes[at]) && (isDigit(bytes[at + HALF]) || isDigit(bytes[at - HALF])))
      if (countDigits(bytes, at) >= LONG) return true;
  return false;
}

function countDigits(bytes: Uint8Array, at: number): number {
  let [start, end] = [at, at];
  while (isDigit(bytes[start - 1])) start -= 1;
  while (isDigit(bytes[end])) end += 1;
  return end - start;
}

/** A digit or a point. */
function isDigit(byte = SLASH): boolean {
  return byte <= NINE && byte >= POINT && byte !== SLASH;
}

const LONG = 16;
const HALF = LONG / 2;
const POINT = 0x2e;
const SLASH = 0x2f;
const NINE = 0x39;

/** The same JSON with such numbers as strings. What is no JSON stays as it is. */
function quoteInexact(text: string): string {
  let quoted = '';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    for (const { 0: number, index } of text.slice(at, end).matchAll(NUMBER)) {
      if (isExact(number)) continue;
      const start = at + index;
      quoted += `${text.slice(copied, start)}"${number}"`;
      copied = start + number.length;
    }
    if (quote < 0) break;
    at = findStringEnd(text, quote);
  }
  return quoted + text.slice(copied);
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Whether the shortest decimal that the double prints as has the same value. */
function isExact(number: string): boolean {
  return number.length < LONG || toDecimal(number) === toDecimal(String(Number(number)));
}

/** The digits without zeros around them, and the exponent. "Infinity" has no digits. */
function toDecimal(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return DECIMAL.test(number) ? '0' : 'none';
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length);
  return `${sign}${significant}e${scale}`;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The position after the string that starts here. */
function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return text.length;
}
