import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { charge, type Hold, toHoldError } from '../../admission/memory.ts';
import type { Work } from '../../admission/work.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { type JsonResponse, ResponseTooLarge } from '../../domain/remote.ts';
import { Chunks } from '../../lib/chunks.ts';
import { withErrorListener } from '../../lib/error-listener.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { JsonLimitError, PIECE_BYTES, parseJsonInPieces } from '../../lib/json-pieces.ts';
import { timeTask } from '../../lib/task-time.ts';

/** Up to this size synchronous decompression is faster than a thread, and a bomb stays small. */
const UNPACK_AT_ONCE_BYTES = 8 * 1024;

/** Decompresses to four megabytes at most: gzip's maximum ratio is about a thousand. */
const START_PACKED_BYTES = 4 * 1024;

/**
 * Decodes the body lazily: the promise of the response outlives its use, and long-lived large strings burden the
 * garbage collector. What is parsed from the body is charged before it is parsed, until the request ends.
 */
export class ReceivedAnswer implements JsonResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly #received: Received;
  #pieces: Chunks;

  constructor(received: Received) {
    this.status = received.status;
    this.headers = received.headers;
    this.#received = received;
    this.#pieces = received.pieces;
  }

  get body(): string {
    return toText(this.#pieces, PIECE_BYTES);
  }

  get bodyBytes(): number {
    return this.#pieces.bytes;
  }

  async readJson(): Promise<unknown> {
    const bytes = await this.#pieces.join(() => this.#received.work?.takeTurn());
    try {
      return await parseJsonInPieces(bytes, {
        takeTurn: () => this.#received.work?.takeTurn(),
        charge: (memory) => this.#chargeParsed(memory),
        parse: (text) => timeTask('provider_response', () => parseExactJson(text)),
      });
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      if (error instanceof JsonLimitError) {
        const detail = `The provider's response cannot be read, because ${error.message}.`;
        throw new ResponseTooLarge(this.bodyBytes, detail, this);
      }
      throw error;
    }
  }

  discardBody(): void {
    this.#received.hold?.shrink(this.#pieces.bytes);
    this.#pieces = NO_CHUNKS;
  }

  #chargeParsed(memory: number): void {
    const { hold } = this.#received;
    if (hold && memory > SMALL_BYTES) charge(hold, memory);
  }
}

/** Decompresses a body. `maxBytes` limits the decompressed size. */
export function unpackBody(body: PackedBody): Chunks | Promise<Chunks> {
  const { packed, encoding, maxBytes, hold } = body;
  if (encoding === undefined || encoding === 'identity' || packed.bytes === 0) return packed;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw badBody('The provider used a content encoding that was not requested.');
  }
  if (packed.bytes > UNPACK_AT_ONCE_BYTES) return unpackInPieces(body);
  const bytes = unpackAtOnce(packed, maxBytes);
  if (hold) charge(hold, bytes.length);
  return new Chunks(bytes);
}

function unpackAtOnce(packed: Chunks, maxOutputLength: number): Buffer {
  try {
    return gunzipSync(Buffer.concat(packed.list), { maxOutputLength });
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
    const stream = withErrorListener(createGunzip({ chunkSize: UNPACKED_PIECE_BYTES }), (error) =>
      reject(error instanceof CrossbookError ? error : notUnpacked(error)),
    );
    stream.on('data', (piece: Buffer) => {
      if (pieces.bytes + piece.length > maxBytes) stream.destroy(unpacksToTooMuch());
      else if (hold?.grow(pieces.memoryFor(piece)) === false) stream.destroy(toHoldError(hold));
      else pieces.add(piece);
    });
    stream.once('end', () => resolve(pieces));
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

/** The body is larger than the limit. The transport adds the response. */
export class BodyTooLarge extends CrossbookError {
  constructor(detail: string, cause?: unknown) {
    super('REMOTE_PROVIDER_BAD_RESPONSE', detail, { cause });
  }
}

export function tooLarge(maxBytes: number): CrossbookError {
  return new BodyTooLarge(`The provider's response is larger than ${maxBytes} bytes.`);
}

function unpacksToTooMuch(cause?: unknown): CrossbookError {
  const detail = "The provider's response exceeds the size limit after decompression.";
  return new BodyTooLarge(detail, cause);
}

function notUnpacked(cause: unknown): CrossbookError {
  return badBody("The provider's response cannot be decompressed.", cause);
}

function toText({ list, bytes }: Chunks, maxBytes = bytes): string {
  const [first] = list;
  const isOne = first !== undefined && first.length >= Math.min(bytes, maxBytes);
  const start = isOne ? first : Buffer.concat(takeStart(list, maxBytes));
  const text = start.toString('utf8', 0, maxBytes);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** As few chunks as have this many bytes. */
function takeStart(list: readonly Buffer[], maxBytes: number): readonly Buffer[] {
  let bytes = 0;
  const end = list.findIndex((chunk) => {
    bytes += chunk.length;
    return bytes >= maxBytes;
  });
  return end < 0 ? list : list.slice(0, end + 1);
}

function badBody(detail: string, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, { cause });
}

export const NO_CHUNKS = new Chunks();
const BYTE_ORDER_MARK = 0xfeff;
const UNPACKED_PIECE_BYTES = 64 * 1024;
/** What is parsed from a smaller response takes no more than the rest of its request. */
const SMALL_BYTES = 32 * 1024;

interface PackedBody {
  readonly packed: Chunks;
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  /** The hold for the decompressed bytes. */
  readonly hold: Hold | undefined;
}

interface Received extends Pick<JsonResponse, 'status'> {
  readonly headers: Record<string, string>;
  readonly pieces: Chunks;
  readonly hold: Hold | undefined;
  /** Of the request that the call is made for. */
  readonly work: Pick<Work, 'takeTurn'> | undefined;
}
