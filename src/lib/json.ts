import { isUtf8 } from 'node:buffer';
import { decodeUtf8 } from './utf8.ts';

export { jsonLength, measureSize } from '@crossbook/executor';

/**
 * Parses a request body as strict JSON: valid UTF-8, no duplicate keys, no lone surrogates. For ordinary bodies the
 * checks add a third of a microsecond.
 */
export function readJsonBody(bytes: Buffer): ReadJson {
  const text = decodeUtf8(bytes);
  // The replacement character stands for invalid bytes, unless it was sent itself.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) return { problem: 'is not UTF-8' };
  return readJsonText(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
}

export function readJsonText(text: string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
    // A lone surrogate is no character: no database and no CRM can store it. `JSON.stringify` escapes it.
    if (
      text.includes('\\u') &&
      ESCAPED_SURROGATE.test(text) &&
      LONE_SURROGATE.test(JSON.stringify(value))
    )
      return { problem: 'contains half of a surrogate pair, which is no character' };
  } catch (cause) {
    return { problem: text.trim() === '' ? 'is empty; it must be JSON' : NOT_JSON, cause };
  }
  // Only objects have keys.
  if (typeof value !== 'object' || value === null) return { value };
  if (text.length > LONG_TEXT && isNestedTooDeep(text))
    return { problem: `is nested deeper than ${MAX_DEPTH} levels` };
  // Duplicate keys collapse in the value, so the counts differ. A false alarm only costs the slower search.
  if (countKeyColons(text) === countKeys(value)) return { value };
  const twice = findDuplicateKey(text);
  return twice === undefined ? { value } : { problem: toDuplicate(twice) };
}

/** A short text is as deep as it is long at most, which later steps can take. The text must be valid JSON. */
function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = findEnd(json, index);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const LONG_TEXT = 128 * 1024;
const MAX_DEPTH = 1_000;
const NOT_JSON = 'is not JSON';

function toDuplicate(key: string): string {
  return `names ${key.slice(0, 100)} twice in one object`;
}

/**
 * Counts the colons after quotes, which include those in strings. Undefined if a colon is separated from its key.
 */
function countKeyColons(text: string): number | undefined {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before === QUOTE) count += 1;
    else if (before <= SPACE) return undefined;
  }
  return count;
}

/** Iterative, because a body may be nested as deep as it is long. */
function countKeys(value: unknown): number {
  let count = 0;
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object' && item !== null) waiting.push(item);
    } else {
      for (const key in next as object) {
        count += 1;
        const inner = (next as Record<string, unknown>)[key];
        if (typeof inner === 'object' && inner !== null) waiting.push(inner);
      }
    }
  }
  return count;
}

const REPLACEMENT = '\ufffd';
const BYTE_ORDER_MARK = '\ufeff';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** The highest white space character of JSON. */
const SPACE = 0x20;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
/** After an even number of backslashes, which are escaped ones. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * The first duplicate key of an object in a JSON text, as written. `JSON.parse` keeps the last value and other
 * parsers the first, so they would read different requests. The text must be valid JSON.
 */
export function findDuplicateKey(json: string): string | undefined {
  // One entry per open bracket: the keys of an object, undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let start = 0;
  let end = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === OPEN_BRACE) open.push(new Set());
    else if (code === OPEN_BRACKET) open.push(undefined);
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) open.pop();
    else if (code === QUOTE) {
      start = index;
      end = findEnd(json, index);
      index = end;
    } else if (code === COLON) {
      const text = json.slice(start, end + 1);
      // Escapes allow several spellings of one key.
      const key = text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
      const keys = open.at(-1);
      if (keys?.has(key)) return text;
      keys?.add(key);
    }
  }
  return undefined;
}

/** The end of the string that starts here: a quote after an even number of backslashes. */
function findEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/** Undefined for invalid JSON; no JSON text has that value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a content type is JSON in UTF-8. Other parameters than the charset are ignored. */
export function isJson(contentType: string | null): boolean {
  if (contentType === null || contentType === 'application/json') return contentType !== null;
  return JSON_TYPE.test(contentType) && !OTHER_CHARSET.test(contentType);
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const OTHER_CHARSET = /;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The problem completes a sentence: "The body …". */
export type ReadJson =
  | { readonly value: unknown }
  | { readonly problem: string; readonly cause?: unknown };
