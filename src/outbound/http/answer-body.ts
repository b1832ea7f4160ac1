import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { type Hold, memoryLimitReached } from '../../domain/resources.ts';
import { Chunks } from '../../lib/json.ts';

/** Up to this size synchronous decompression is faster than a thread, and a bomb stays small. */
const UNPACK_AT_ONCE_BYTES = 8 * 1024;

/** Decompresses to four megabytes at most: gzip's maximum ratio is about a thousand. */
const START_PACKED_BYTES = 4 * 1024;

/**
 * Decodes the body lazily and once: the promise of the response outlives its use, and long-lived large strings burden
 * the garbage collector.
 */
export class ReceivedAnswer implements ProviderResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly #hold: Hold | undefined;
  readonly #maxParsedBytes: number;
  #pieces: Chunks;
  /** Charged for the parsed values of a large response, until it is processed. */
  #parsed = 0;

  constructor({ status, headers, pieces, hold, maxParsedBytes }: Received) {
    this.status = status;
    this.headers = headers;
    this.#pieces = pieces;
    this.#hold = hold;
    this.#maxParsedBytes = maxParsedBytes;
  }

  get body(): string {
    if (this.#parsed === 0 && this.#pieces.isLarge) this.#countParsed();
    return toText(this.#pieces);
  }

  discardBody(): void {
    this.#pieces = NO_CHUNKS;
    this.#hold?.shrink(this.#parsed);
  }

  #countParsed(): void {
    const bytes = this.#pieces.parsedBytes;
    if (bytes > this.#maxParsedBytes) throw tooLarge(this.#maxParsedBytes);
    if (this.#hold?.grow(bytes) === false) throw memoryLimitReached();
    this.#parsed = bytes;
  }
}

/** Decompresses a body. `maxBytes` limits the decompressed size. */
export function unpackBody(body: PackedBody): Chunks | Promise<Chunks> {
  const { packed, encoding, maxBytes } = body;
  if (encoding === undefined || encoding === 'identity' || packed.bytes === 0) return packed;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw badBody('The provider answered in an encoding that was not asked for.');
  }
  if (packed.bytes > UNPACK_AT_ONCE_BYTES) return unpackInPieces(body);
  try {
    return new Chunks(gunzipSync(Buffer.concat(packed.list), { maxOutputLength: maxBytes }));
  } catch (error) {
    const isTooMuch = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooMuch ? unpacksToTooMuch(error) : notUnpacked(error);
  }
}

/**
 * Charges memory per chunk, because a small response may decompress to a large one, and many of them exceed the
 * budget.
 */
function unpackInPieces({ packed, maxBytes, hold }: PackedBody): Promise<Chunks> {
  return new Promise((resolve, reject) => {
    const pieces = new Chunks();
    const stream = createGunzip({ chunkSize: UNPACKED_PIECE_BYTES });
    stream.on('data', (piece: Buffer) => {
      if (pieces.bytes + piece.length > maxBytes) stream.destroy(unpacksToTooMuch());
      else if (hold?.grow(pieces.memoryFor(piece)) === false) stream.destroy(memoryLimitReached());
      else pieces.add(piece);
    });
    stream.once('end', () => resolve(pieces));
    stream.once('error', (error) =>
      reject(error instanceof CrossbookError ? error : notUnpacked(error)),
    );
    for (const chunk of packed.list) stream.write(chunk);
    stream.end();
  });
}

/** The start of a body that is incomplete or too large, for the error. */
export function readStart({ packed, encoding, maxBytes }: Omit<PackedBody, 'hold'>): string {
  const bytes = Buffer.concat(packed.list, Math.min(packed.bytes, maxBytes));
  if (encoding === undefined || encoding === 'identity') return toText(new Chunks(bytes));
  try {
    const start = bytes.subarray(0, START_PACKED_BYTES);
    return toText(new Chunks(gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH })));
  } catch {
    return '';
  }
}

export function tooLarge(maxBytes: number): CrossbookError {
  return badBody(`The provider's answer is larger than ${maxBytes} bytes.`);
}

function unpacksToTooMuch(cause?: unknown): CrossbookError {
  return badBody("The provider's answer unpacks to more than is allowed.", cause);
}

function notUnpacked(cause: unknown): CrossbookError {
  return badBody("The provider's answer cannot be unpacked.", cause);
}

/** Concatenates in a shared scratch buffer, because short-lived buffers burden the garbage collector. */
function toText(pieces: Chunks): string {
  const { list, bytes } = pieces;
  const text =
    list.length < 2 || bytes > scratch.length ? pieces.toBuffer().toString('utf8') : join(list);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function join(pieces: readonly Buffer[]): string {
  let filled = 0;
  for (const piece of pieces) {
    scratch.set(piece, filled);
    filled += piece.length;
  }
  return scratch.toString('utf8', 0, filled);
}

function badBody(detail: string, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, { cause });
}

export const NO_CHUNKS = new Chunks();
const BYTE_ORDER_MARK = 0xfeff;
const UNPACKED_PIECE_BYTES = 64 * 1024;
/** Reused by every call: only the decoded text leaves it. */
const scratch = Buffer.allocUnsafeSlow(512 * 1024);

interface PackedBody {
  readonly packed: Chunks;
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  /** The hold for the decompressed bytes. */
  readonly hold: Hold | undefined;
}

interface Received extends Pick<ProviderResponse, 'status'> {
  readonly headers: Record<string, string>;
  readonly pieces: Chunks;
  readonly hold: Hold | undefined;
  readonly maxParsedBytes: number;
}
