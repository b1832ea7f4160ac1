import { transcode } from 'node:buffer';
import { measureSize, type SizeLimits } from './size.ts';

/**
 * Serializes a value as a response body. Short JSON stays text and is sent with the headers in one write; long JSON
 * is encoded to bytes at once. The meter counts bytes while they are written, throws above its limit, and pauses the
 * writing of a very long body: only then the result is a promise.
 */
export function toJsonBody(value: unknown): string | JsonBytes;
export function toJsonBody(
  value: unknown,
  meter: BodyMeter | undefined,
): Promise<JsonBytes> | string | JsonBytes;
export function toJsonBody(value: unknown, meter?: BodyMeter) {
  if (isLong(value, WHOLE)) return writeBytes(writeParts(value), meter);
  const text = JSON.stringify(value);
  if (text.length > SHORT) return writeBytes([text], meter);
  meter?.consumeBytes(Buffer.byteLength(text));
  return text;
}

/** Parts of long values by themselves: each text is short, or a single string. */
function* writeParts(value: unknown): Iterable<Part> {
  if (value instanceof JsonBytes) yield value.take();
  else if (Array.isArray(value)) yield* writeList(value);
  else if (isPlainObject(value)) yield* writeMembers(value);
  else yield JSON.stringify(value);
}

function* writeMembers(value: object): Iterable<Part> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    if (isLong(member, WHOLE)) yield* writeParts(member);
    else yield JSON.stringify(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

function isLong(value: unknown, limits: SizeLimits): boolean {
  return !Number.isFinite(measureSize(value, limits));
}

const SHORT = 4_096;

export interface BodyMeter {
  /** Throws above the limit. */
  consumeBytes(count: number): void;
  /** Asked between two parts: a promise for which the writing has to wait, if one is due. */
  pause?(): Promise<void> | undefined;
}

type Part = string | readonly Uint8Array[];

/**
 * The JSON of a list in chunks: very long strings would be allocated in V8's large object space, which is slow, and
 * take long to write.
 */
function* writeList(items: readonly unknown[]): Iterable<Part> {
  let chunk: unknown[] = [];
  let size = 0;
  let before = '[';
  function* writeChunk() {
    if (chunk.length === 0) return;
    yield before;
    yield toItems(chunk);
    [chunk, size, before] = [[], 0, ','];
  }
  for (const item of items) {
    const itemSize = measureSize(item, CHUNK);
    if (Number.isFinite(itemSize)) {
      chunk.push(item);
      size += itemSize;
      if (chunk.length >= JSON_CHUNK_ITEMS || size >= CHUNK.size) yield* writeChunk();
    } else {
      yield* writeChunk();
      yield before;
      yield* writeParts(item);
      before = ',';
    }
  }
  yield* writeChunk();
  yield items.length === 0 ? '[]' : ']';
}

/** The same for items that are read only to be written: what is read lives briefly. */
export function* writeReadList(
  items: readonly unknown[],
  read: (item: unknown) => unknown,
): Iterable<Part> {
  for (let index = 0; index < items.length; index += JSON_CHUNK_ITEMS) {
    yield index === 0 ? '[' : ',';
    yield toItems(items.slice(index, index + JSON_CHUNK_ITEMS).map(read));
  }
  yield items.length === 0 ? '[]' : ']';
}

/** The JSON of the items without the brackets of the list. */
function toItems(chunk: readonly unknown[]): string {
  return JSON.stringify(chunk).slice(1, -1);
}

const isWritten = (value: object) => value instanceof JsonBytes;
/** More than most responses of a few contacts. */
const WHOLE = { levels: 64, size: 16 * 1024, isUnknown: isWritten };
/** More than 32 ordinary items. */
const CHUNK = { levels: 64, size: 128 * 1024, isUnknown: isWritten };

export function isChunked(list: unknown, above = JSON_CHUNK_ITEMS): list is readonly unknown[] {
  return Array.isArray(list) && list.length > above;
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

/** Writes parts as bytes, with the pauses of the meter. */
export function writeBytes(
  parts: Iterable<Part>,
  meter?: BodyMeter,
): Promise<JsonBytes> | JsonBytes {
  const pieces = toUtf8(parts, meter);
  return pieces instanceof Promise
    ? pieces.then((all) => new JsonBytes(all))
    : new JsonBytes(pieces);
}

/**
 * Encodes texts as UTF-8 pieces; parts that are bytes already are passed through. Texts are first copied as UTF-16
 * and transcoded there, which handles many characters at a time even outside of ASCII, unlike V8's own encoder. No
 * text may end within a surrogate pair. Bytes that are passed through were metered before.
 */
export function toUtf8(
  parts: Iterable<Part>,
  meter?: BodyMeter,
): Promise<readonly Uint8Array[]> | readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const iterator = parts[Symbol.iterator]();
  let filled = 0;
  return run();

  function run(): Promise<readonly Uint8Array[]> | readonly Uint8Array[] {
    for (let part = iterator.next(); !part.done; part = iterator.next()) {
      add(part.value);
      const pause = meter?.pause?.();
      if (pause) return waitFor(pause);
    }
    empty();
    return pieces;
  }

  function waitFor(pause: Promise<void>): Promise<readonly Uint8Array[]> {
    // Others use the scratch buffer meanwhile.
    empty();
    return pause.then(() => {
      const next = meter?.pause?.();
      return next ? waitFor(next) : run();
    });
  }

  function add(part: Part): void {
    if (typeof part === 'string') addText(part);
    else {
      empty();
      pieces.push(...part);
    }
  }

  function addText(text: string): void {
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
