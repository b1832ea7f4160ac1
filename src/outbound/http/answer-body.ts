import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';

/** Up to here unpacking on the spot is quicker than the way to another thread, and a bomb is still a small one. */
const UNPACK_AT_ONCE_BYTES = 8 * 1024;

const unpack = promisify(gunzip);

/** The body's bytes, in pieces. `maxBytes` holds for what it unpacks to. */
export function unpackBody({ chunks, encoding, maxBytes }: PackedBody): Pieces | Promise<Pieces> {
  if (encoding === undefined || encoding === 'identity' || chunks.length === 0) return chunks;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw badBody('The provider answered in an encoding that was not asked for.');
  }
  const bytes = Buffer.concat(chunks);
  const bound = { maxOutputLength: maxBytes };
  if (bytes.length > UNPACK_AT_ONCE_BYTES) return unpack(bytes, bound).then(inOnePiece, refuse);
  try {
    return inOnePiece(gunzipSync(bytes, bound));
  } catch (error) {
    return refuse(error);
  }
}

function inOnePiece(bytes: Buffer): Pieces {
  return [bytes];
}

export function tooLarge(maxBytes: number): CrossbookError {
  return badBody(`The provider's answer is larger than ${maxBytes} bytes.`);
}

function refuse(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    ? badBody("The provider's answer unpacks to more than is allowed.", error)
    : badBody("The provider's answer cannot be unpacked.", error);
}

/** Pieces are put together where the last ones were: what is made for a moment weighs on the garbage collector. */
export function toText(pieces: Pieces): string {
  const text = pieces.length === 1 && pieces[0] ? pieces[0].toString('utf8') : join(pieces);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function join(pieces: Pieces): string {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (size > room.length) return Buffer.concat(pieces).toString('utf8');
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

/** Used again and again: nothing but the text leaves it. */
const room = Buffer.allocUnsafeSlow(512 * 1024);

export type Pieces = readonly Buffer[];

interface PackedBody {
  readonly chunks: readonly Buffer[];
  readonly encoding: string | undefined;
  readonly maxBytes: number;
}
