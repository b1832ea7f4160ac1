import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';

/** Up to here unpacking on the spot is quicker than the way to another thread, and a bomb is still a small one. */
const UNPACK_AT_ONCE_BYTES = 8 * 1024;

const unpack = promisify(gunzip);

/** The body's bytes. `maxBytes` holds for what it unpacks to. */
export function unpackBody({ chunks, encoding, maxBytes }: PackedBody): Buffer | Promise<Buffer> {
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  if (encoding === undefined || encoding === 'identity' || bytes.length === 0) return bytes;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw badBody('The provider answered in an encoding that was not asked for.');
  }
  const bound = { maxOutputLength: maxBytes };
  if (bytes.length > UNPACK_AT_ONCE_BYTES) return unpack(bytes, bound).catch(refuse);
  try {
    return gunzipSync(bytes, bound);
  } catch (error) {
    return refuse(error);
  }
}

export function tooLarge(maxBytes: number): CrossbookError {
  return badBody(`The provider's answer is larger than ${maxBytes} bytes.`);
}

function refuse(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    ? badBody("The provider's answer unpacks to more than is allowed.", error)
    : badBody("The provider's answer cannot be unpacked.", error);
}

export function toText(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function badBody(detail: string, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, { cause });
}

const BYTE_ORDER_MARK = 0xfeff;

interface PackedBody {
  readonly chunks: readonly Buffer[];
  readonly encoding: string | undefined;
  readonly maxBytes: number;
}
