import { transcode } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpResponse } from './http-message.ts';
import { measureSize } from './json.ts';

/**
 * Serializes a value as a response body. Short JSON stays text and is sent with the headers in one write; long JSON
 * is encoded to bytes at once. The meter counts bytes while they are written, and throws above its limit.
 */
export function toJsonBody(value: unknown, meter?: BodyMeter): string | JsonBytes {
  if (meter?.isLarge || holdsLong(value, LEVELS))
    return new JsonBytes(toUtf8(writeParts(value, LEVELS), meter));
  const text = JSON.stringify(value);
  if (text.length > SHORT) return new JsonBytes(toUtf8([text], meter));
  meter?.consumeBytes(Buffer.byteLength(text));
  return text;
}

/** Piecewise down to some level, so that the meter can stop early. */
function* writeParts(value: unknown, levels: number): Iterable<string | readonly Uint8Array[]> {
  if (value instanceof JsonBytes) yield value.take();
  else if (Array.isArray(value)) yield* writeList(value);
  else if (levels > 0 && isPlainObject(value)) yield* writeMembers(value, levels - 1);
  else yield JSON.stringify(value);
}

function* writeMembers(value: object, levels: number): Iterable<string | readonly Uint8Array[]> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* writeParts(member, levels);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** Checks only a few levels: deeper values are items of lists and too many to check. */
function holdsLong(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return isChunked(value);
  if (value instanceof JsonBytes) return true;
  if (levels === 0 || !isPlainObject(value)) return false;
  for (const key in value) if (holdsLong(value[key], levels - 1)) return true;
  return false;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

const SHORT = 4_096;
/** The levels of GraphQL: `data`, a field, and its list. */
const LEVELS = 3;

export interface BodyMeter {
  /** Throws above the limit. */
  consumeBytes(count: number): void;
  /** Whether the response is expected to be large. */
  readonly isLarge?: boolean;
}

/**
 * The JSON of a list in chunks: very long strings would be allocated in V8's large object space, which is slow, and
 * take long to write. Values that are read from an item only for serialization live briefly.
 */
export function* writeList(items: readonly unknown[], read = itself): Iterable<string> {
  let chunk: unknown[] = [];
  let size = 0;
  let before = '[';
  for (const [index, item] of items.entries()) {
    const value = read(item);
    chunk.push(value);
    size += measureSize(value, CHUNK);
    const isLast = index === items.length - 1;
    if (!isLast && chunk.length < JSON_CHUNK_ITEMS && size < CHUNK.size) continue;
    yield before;
    yield JSON.stringify(chunk).slice(1, -1);
    [chunk, size, before] = [[], 0, ','];
  }
  yield items.length === 0 ? '[]' : ']';
}

/** More than 32 ordinary items. */
const CHUNK = { levels: 64, size: 128 * 1024 };

export function isChunked(list: unknown, above = JSON_CHUNK_ITEMS): list is readonly unknown[] {
  return Array.isArray(list) && list.length > above;
}

function itself(item: unknown): unknown {
  return item;
}

/** The number of items per chunk. */
export const JSON_CHUNK_ITEMS = 32;

/**
 * Serialized JSON on its way through promises. The promises of a request are in the old generation by then and would
 * retain the bytes until the next full GC; they carry this object instead, and taking the bytes empties it.
 */
export class JsonBytes {
  /** The length in bytes. */
  readonly length: number;
  #pieces: readonly Uint8Array[] | undefined;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** The length without pieces that other responses share. */
  get ownLength(): number {
    return (this.#pieces ?? []).reduce((sum, piece) => sum + countOwnBytes(piece), 0);
  }

  /** Returns the pieces; may be called once. */
  take(): readonly Uint8Array[] {
    const pieces = this.#pieces;
    if (!pieces) throw new Error('These bytes have been taken already.');
    this.#pieces = undefined;
    return pieces;
  }

  /** The bytes as one buffer. */
  toBuffer(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.take());
  }

  /** For a part of a value that is serialized by `JSON.stringify` after all. */
  toJSON(): unknown {
    return JSON.parse(this.toBuffer().toString());
  }
}

/**
 * Encodes texts as UTF-8 pieces; parts that are bytes already are passed through. Texts are first copied as UTF-16
 * and transcoded there, which handles many characters at a time even outside of ASCII, unlike V8's own encoder. No
 * text may end within a surrogate pair. Bytes that are passed through were metered before.
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
/** A scratch buffer, reused by every call and never handed out. */
const room = Buffer.allocUnsafeSlow(512 * 1024);

/** Marks bytes that all responses share, so that one more reader of them takes no memory. */
export function shareBytes<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  shared.add(bytes);
  return bytes;
}

/** The bytes that a body takes by itself. */
export function countOwnBytes(body: Uint8Array | JsonBytes): number {
  if (body instanceof JsonBytes) return body.ownLength;
  return shared.has(body) ? 0 : body.length;
}

const shared = new WeakSet<Uint8Array>();

/** Smaller bodies hardly compress, and fit into two packets anyway. */
const WORTHWHILE_BYTES = 1_400;

const compressions: Readonly<Record<string, (body: Uint8Array | string) => Promise<Uint8Array>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => promisify(gzip)(body, { level: 6 }),
};

/**
 * Compresses a large response where the client accepts it. A response with a strong ETag is not compressed, because
 * the tag promises identical bytes.
 */
export async function compressAnswer(
  answer: HttpResponse,
  acceptEncoding: string | null,
): Promise<HttpResponse> {
  const { body } = answer;
  if (body === null || answer.headers['etag']?.startsWith('"')) return answer;
  const vary = [answer.headers['vary'] ?? [], 'accept-encoding'].flat().join(', ');
  const headers = { ...answer.headers, vary };
  const encoding =
    body.length < WORTHWHILE_BYTES ? undefined : chooseEncoding(acceptEncoding ?? '');
  const compress = encoding && compressions[encoding];
  if (!compress) return { ...answer, headers };
  const compressed = await compress(body instanceof JsonBytes ? body.toBuffer() : body);
  return { ...answer, headers: { ...headers, 'content-encoding': encoding }, body: compressed };
}

/** Prefers Brotli to gzip; of the weights only 0 (not acceptable) counts, and `*` is any that is not named. */
export function chooseEncoding(accept: string): string | undefined {
  const offers = accept
    .toLowerCase()
    .split(',')
    .map((offer) => offer.split(';').map((part) => part.trim()));
  return Object.keys(compressions).find((name) => {
    const offer = [name, '*'].flatMap((one) => offers.filter(([offered]) => offered === one)).at(0);
    return offer !== undefined && !offer.some((part) => /^q=0(\.0*)?$/.test(part));
  });
}
