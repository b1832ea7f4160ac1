import { isChunked, JsonBytes, writeList } from './json.ts';
import { type ByteMeter, toUtf8 } from './to-utf8.ts';

/**
 * A value as the body of an answer. What is short stays text, and travels with its headers. What is long, or bytes in
 * part, is made into bytes at once. The meter counts them while they are written, and throws where they are too many.
 */
export function toJsonBody(value: unknown, meter?: BodyMeter): JsonBody {
  const inParts = meter?.isLarge ?? false;
  if (inParts || holdsLong(value, LEVELS)) {
    return toBytes(writeParts(value, { levels: LEVELS, inParts }), meter);
  }
  const text = JSON.stringify(value);
  if (text.length > SHORT) return toBytes([text], meter);
  const length = Buffer.byteLength(text);
  meter?.consumeBytes(length);
  return { body: text, length };
}

function toBytes(parts: Parameters<typeof toUtf8>[0], meter: BodyMeter | undefined): JsonBody {
  const body = new JsonBytes(toUtf8(parts, meter));
  return { body, length: body.length };
}

function* writeParts(value: unknown, depth: Depth): Iterable<string | readonly Uint8Array[]> {
  if (value instanceof JsonBytes) yield value.take();
  else if (!isWrittenInParts(value, depth)) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* writeList(value);
  else yield* writeMembers(value, { ...depth, levels: depth.levels - 1 });
}

function* writeMembers(value: object, depth: Depth): Iterable<string | readonly Uint8Array[]> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* writeParts(member, depth);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function isWrittenInParts(value: unknown, { levels, inParts }: Depth): value is object {
  if (!inParts || typeof value !== 'object' || value === null) return holdsLong(value, levels);
  return Array.isArray(value) || (levels > 0 && !('toJSON' in value));
}

/** Not far below the value: what is further down is one of many, and not looked at one by one. */
function holdsLong(value: unknown, levels: number): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return isChunked(value);
  if (value instanceof JsonBytes) return true;
  if (levels === 0 || 'toJSON' in value) return false;
  const members = value as Record<string, unknown>;
  for (const key in members) if (holdsLong(members[key], levels - 1)) return true;
  return false;
}

const SHORT = 4_096;
/** In GraphQL: `data`, a field, and its list. */
const LEVELS = 3;

interface Depth {
  readonly levels: number;
  /** Nothing is written as a whole that can be written piece by piece: the meter then stops it early. */
  readonly inParts: boolean;
}

export interface JsonBody {
  readonly body: string | JsonBytes;
  /** In bytes. */
  readonly length: number;
}

export interface BodyMeter extends ByteMeter {
  /** Is there much to be written? */
  readonly isLarge?: boolean;
}
