import { toUtf8 } from './to-utf8.ts';
import { isLong, writeList } from './write-list.ts';
import { WrittenJson } from './written-json.ts';

/**
 * A value as the body of an answer. What is short stays text, and travels with its headers. What is long, or bytes in
 * part, is made into bytes at once.
 */
export function toJsonBody(value: unknown): string | WrittenJson {
  if (holdsLong(value, LEVELS)) return new WrittenJson(toUtf8(writeParts(value, LEVELS)));
  const text = JSON.stringify(value);
  return text.length > SHORT ? new WrittenJson(toUtf8([text])) : text;
}

function* writeParts(value: unknown, levels: number): Iterable<string | readonly Uint8Array[]> {
  if (value instanceof WrittenJson) yield value.take();
  else if (!holdsLong(value, levels)) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* writeList(value);
  else yield* writeMembers(value, levels - 1);
}

function* writeMembers(value: object, levels: number): Iterable<string | readonly Uint8Array[]> {
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
function holdsLong(value: unknown, levels: number): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return isLong(value);
  if (value instanceof WrittenJson) return true;
  if (levels === 0 || 'toJSON' in value) return false;
  const members = value as Record<string, unknown>;
  for (const key in members) if (holdsLong(members[key], levels - 1)) return true;
  return false;
}

const SHORT = 4_096;
/** In GraphQL: `data`, a field, and its list. */
const LEVELS = 3;
