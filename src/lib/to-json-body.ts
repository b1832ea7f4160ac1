import { toUtf8 } from './to-utf8.ts';

/**
 * A value as the body of an answer. What is short stays text, and travels with its headers. What is long is made into
 * bytes at once, and its long lists some items at a time: no text is ever so long that the engine keeps it apart from
 * what is young, which costs it dearly.
 */
export function toJsonBody(value: unknown): string | Uint8Array<ArrayBuffer> {
  if (holdsLongList(value, LEVELS)) return toUtf8(writeParts(value, LEVELS));
  const text = JSON.stringify(value);
  return text.length > SHORT ? toUtf8([text]) : text;
}

function* writeParts(value: unknown, levels: number): Iterable<string> {
  if (!holdsLongList(value, levels)) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* writeItems(value);
  else yield* writeMembers(value, levels - 1);
}

function* writeItems(items: readonly unknown[]): Iterable<string> {
  for (let from = 0; from < items.length; from += ITEMS) {
    yield from === 0 ? '[' : ',';
    yield JSON.stringify(items.slice(from, from + ITEMS)).slice(1, -1);
  }
  yield ']';
}

function* writeMembers(value: object, levels: number): Iterable<string> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* writeParts(member, levels);
    before = ',';
  }
  yield '}';
}

/** Not far below the value: whoever is further down is one of many, and not looked at one by one. */
function holdsLongList(value: unknown, levels: number): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length > ITEMS;
  if (levels === 0 || 'toJSON' in value) return false;
  const members = value as Record<string, unknown>;
  for (const key in members) if (holdsLongList(members[key], levels - 1)) return true;
  return false;
}

const SHORT = 4_096;
const ITEMS = 32;
/** In GraphQL: `data`, a field, and its list. */
const LEVELS = 3;
