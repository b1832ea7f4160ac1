/**
 * How many bytes the JSON of a value has, in UTF-8, without writing it: never less than the truth. It stops counting
 * above `limit`. Nested values are kept on a stack of its own: a provider's JSON may nest deeper than calls can.
 */
export function jsonLength(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  const waiting: unknown[] = [value];
  let length = 0;
  while (waiting.length > 0 && length <= limit) {
    const one = waiting.pop();
    if (typeof one === 'string') length += stringLength(one);
    else if (typeof one !== 'object' || one === null) length += PRIMITIVE;
    else if (Array.isArray(one)) {
      length += 2 + one.length;
      for (const item of one) waiting.push(item);
    } else {
      length += 2;
      for (const key in one) {
        length += stringLength(key) + 2;
        waiting.push((one as Record<string, unknown>)[key]);
      }
    }
  }
  return length;
}

/** With its quotes. */
export function stringLength(text: string): number {
  let length = 2;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) length += code < 0x20 ? ESCAPED : code === QUOTE || code === BACKSLASH ? 2 : 1;
    else if (code < 0x800) length += 2;
    else if (code < FIRST_SURROGATE || code > LAST_SURROGATE) length += 3;
    else if (isPair(text, at)) {
      length += 4;
      at += 1;
    } else length += ESCAPED;
  }
  return length;
}

function isPair(text: string, at: number): boolean {
  const [high, low] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
  return high < FIRST_LOW && low >= FIRST_LOW && low <= LAST_SURROGATE;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_SURROGATE = 0xd800;
const FIRST_LOW = 0xdc00;
const LAST_SURROGATE = 0xdfff;
/** As `\u0001`. */
const ESCAPED = 6;
/** The longest number that JavaScript writes has 24 characters; `false` has 5. */
const PRIMITIVE = 24;
