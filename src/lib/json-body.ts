import { transcode } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpResponse } from './http-message.ts';

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

export interface BodyMeter {
  /** Throws where there are too many of them. */
  consumeBytes(count: number): void;
  /** Is there much to be written? */
  readonly isLarge?: boolean;
}

/**
 * The JSON of a list, some items at a time: no text is ever so long that the engine keeps it apart from what is young,
 * which costs it dearly. And what is read from an item only to be written lives for a moment.
 */
export function* writeList(items: readonly unknown[], read = itself): Iterable<string> {
  for (let from = 0; from < items.length; from += JSON_CHUNK_ITEMS) {
    yield from === 0 ? '[' : ',';
    yield JSON.stringify(items.slice(from, from + JSON_CHUNK_ITEMS).map(read)).slice(1, -1);
  }
  yield items.length === 0 ? '[]' : ']';
}

export function isChunked(list: unknown, above = JSON_CHUNK_ITEMS): list is readonly unknown[] {
  return Array.isArray(list) && list.length > above;
}

function itself(item: unknown): unknown {
  return item;
}

/** So many items are written at a time. */
export const JSON_CHUNK_ITEMS = 32;

/**
 * JSON that is bytes already, on its way through promises. Those were made when the request came, and by now they are
 * old; what is old keeps what it refers to until the next full collection, long after everybody is through with it. So
 * they bring this, and taking the bytes leaves nothing behind.
 */
export class JsonBytes {
  /** In bytes. */
  readonly length: number;
  #pieces: readonly Uint8Array[] | undefined;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Once. */
  take(): readonly Uint8Array[] {
    const pieces = this.#pieces;
    if (!pieces) throw new Error('These bytes have been taken already.');
    this.#pieces = undefined;
    return pieces;
  }

  /** In one piece. */
  toBuffer(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.take());
  }

  /** Part of something that is written by the engine after all. */
  toJSON(): unknown {
    return JSON.parse(this.toBuffer().toString());
  }
}

/**
 * Texts as the bytes of one, in pieces; what is bytes already goes between them as it is. Texts are copied out of the
 * engine as they are and translated there: that takes many characters at a time, also where some are not English, while
 * the engine's own way goes from one to the next. No text may end in the middle of a character. What was bytes already has
 * been counted when it was made.
 */
export function toUtf8(
  parts: Iterable<string | readonly Uint8Array[]>,
  meter?: Pick<BodyMeter, 'consumeBytes'>,
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let filled = 0;
  for (const part of parts) {
    if (typeof part === 'string') add(part);
    else {
      empty();
      pieces.push(...part);
    }
  }
  empty();
  return pieces;

  function add(text: string): void {
    const size = text.length * BYTES_OF_A_UNIT;
    if (filled + size > room.length) empty();
    if (size > room.length) keep(Buffer.from(text, 'utf8'));
    else filled += room.write(text, filled, 'utf16le');
  }

  function empty(): void {
    const length = filled;
    filled = 0;
    if (length > 0) keep(transcode(room.subarray(0, length), 'utf16le', 'utf8'));
  }

  function keep(piece: Uint8Array): void {
    meter?.consumeBytes(piece.length);
    pieces.push(piece);
  }
}

const BYTES_OF_A_UNIT = 2;
/** Used again and again, and never left to anybody. */
const room = Buffer.allocUnsafeSlow(512 * 1024);

/** Below this a compressed body is hardly smaller, and two packets are one anyway. */
const WORTHWHILE_BYTES = 1_400;

const compressions: Readonly<Record<string, (body: Uint8Array | string) => Promise<Uint8Array>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => promisify(gzip)(body, { level: 6 }),
};

/**
 * Compresses a large answer where the caller takes it. One with a strong ETag is left alone: that tag promises the
 * same bytes, whatever was asked for.
 */
export async function compressAnswer(
  answer: HttpResponse,
  acceptEncoding: string | null,
): Promise<HttpResponse> {
  const { body } = answer;
  if (body === null || answer.headers['etag']?.startsWith('"')) return answer;
  const vary = [answer.headers['vary'] ?? [], 'accept-encoding'].flat().join(', ');
  const headers = { ...answer.headers, vary };
  const encoding = body.length < WORTHWHILE_BYTES ? undefined : chooseEncoding(acceptEncoding ?? '');
  const compress = encoding && compressions[encoding];
  if (!compress) return { ...answer, headers };
  const compressed = await compress(body instanceof JsonBytes ? body.toBuffer() : body);
  return {
    ...answer,
    headers: { ...headers, 'content-encoding': encoding },
    body: compressed,
    length: compressed.length,
  };
}

/** Brotli before gzip, whatever the weights: only a weight of 0 means no. */
function chooseEncoding(accept: string): string | undefined {
  const offers = accept
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()));
  return Object.keys(compressions).find((name) =>
    offers.some(
      ([offered, ...weights]) => offered === name && !weights.some((one) => /^q=0(\.0*)?$/.test(one)),
    ),
  );
}
