import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';
import { type Hold, memoryLimitReached } from '../../domain/held-bytes.ts';

/** Up to here unpacking on the spot is quicker than the way to another thread, and a bomb is still a small one. */
const UNPACK_AT_ONCE_BYTES = 8 * 1024;

/** Unpacks to four megabytes at most: gzip makes nothing smaller than a thousandth. */
const START_PACKED_BYTES = 4 * 1024;

/** The body's bytes, in pieces. `maxBytes` holds for what it unpacks to. */
export function unpackBody(body: PackedBody): Pieces | Promise<Pieces> {
  const { chunks, encoding, maxBytes } = body;
  if (encoding === undefined || encoding === 'identity' || chunks.length === 0) return chunks;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw badBody('The provider answered in an encoding that was not asked for.');
  }
  if (sizeOf(chunks) > UNPACK_AT_ONCE_BYTES) return unpackInPieces(body);
  try {
    return [gunzipSync(Buffer.concat(chunks), { maxOutputLength: maxBytes })];
  } catch (error) {
    return refuse(error);
  }
}

/** Counted piece by piece: a small answer may unpack to a large one, and many of them to more than there is room for. */
function unpackInPieces({ chunks, maxBytes, hold }: PackedBody): Promise<Pieces> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const stream = createGunzip({ chunkSize: UNPACKED_PIECE_BYTES });
    stream.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) stream.destroy(unpacksToTooMuch());
      else if (hold?.grow(piece.length) === false) stream.destroy(memoryLimitReached());
      else pieces.push(piece);
    });
    stream.once('end', () => resolve(pieces));
    stream.once('error', (error) => reject(error instanceof CrossbookError ? error : notUnpacked(error)));
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  });
}

/** What came of a body that did not come whole, or is too large: enough to show. */
export function readStart({ chunks, encoding, maxBytes }: Omit<PackedBody, 'hold'>): string {
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  if (encoding === undefined || encoding === 'identity') return toText([bytes]);
  try {
    const start = bytes.subarray(0, START_PACKED_BYTES);
    return toText([gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH })]);
  } catch {
    return '';
  }
}

export function tooLarge(maxBytes: number): CrossbookError {
  return badBody(`The provider's answer is larger than ${maxBytes} bytes.`);
}

function refuse(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    ? unpacksToTooMuch(error)
    : notUnpacked(error);
}

function unpacksToTooMuch(cause?: unknown): CrossbookError {
  return badBody("The provider's answer unpacks to more than is allowed.", cause);
}

function notUnpacked(cause: unknown): CrossbookError {
  return badBody("The provider's answer cannot be unpacked.", cause);
}

/**
 * At most so many bytes parsing it makes: the text, and a value for each comma and each bracket. A list of empty objects
 * takes twenty times its text.
 */
export function parsedSize(pieces: Pieces): number {
  let values = 0;
  for (const piece of pieces) {
    for (const byte of piece) {
      if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) values++;
    }
  }
  return sizeOf(pieces) + values * VALUE_BYTES;
}

export function sizeOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Pieces are put together where the last ones were: what is made for a moment weighs on the garbage collector. */
export function toText(pieces: Pieces): string {
  const text = pieces.length === 1 && pieces[0] ? pieces[0].toString('utf8') : join(pieces);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function join(pieces: Pieces): string {
  if (sizeOf(pieces) > room.length) return Buffer.concat(pieces).toString('utf8');
  let filled = 0;
  for (const piece of pieces) {
    room.set(piece, filled);
    filled += piece.length;
  }
  return room.toString('utf8', 0, filled);
}

function badBody(detail: string, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, { cause });
}

const BYTE_ORDER_MARK = 0xfeff;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** An empty object with its place in a list. */
const VALUE_BYTES = 64;
const UNPACKED_PIECE_BYTES = 64 * 1024;

/** Used again and again: nothing but the text leaves it. */
const room = Buffer.allocUnsafeSlow(512 * 1024);

export type Pieces = readonly Buffer[];

interface PackedBody {
  readonly chunks: readonly Buffer[];
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  /** Counts what is unpacked. */
  readonly hold: Hold | undefined;
}
