import { constants, gunzipSync } from 'node:zlib';
import { CrossbookError } from '../../domain/errors.ts';
import type { JsonResponse } from '../../domain/remote.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { decodeUtf8 } from '../../lib/utf8.ts';

/** Decompresses to four megabytes at most: gzip's maximum ratio is about a thousand. */
const START_PACKED_BYTES = 4 * 1024;

/**
 * Decodes the body lazily: the promise of the response outlives its use, and long-lived large strings burden the
 * garbage collector.
 */
export class ReceivedAnswer implements JsonResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  #bytes: Buffer;

  constructor({ status, headers, bytes }: Received) {
    this.status = status;
    this.headers = headers;
    this.#bytes = bytes;
  }

  get body(): string {
    return toText(this.#bytes.subarray(0, MAX_TEXT_BYTES));
  }

  get bodyBytes(): number {
    return this.#bytes.length;
  }

  readJson(): unknown {
    try {
      return parseExactJson(this.#bytes, toText(this.#bytes));
    } catch {
      return undefined;
    }
  }

  discardBody(): void {
    this.#bytes = NO_BYTES;
  }
}

/** The length of the body once it is decompressed, as gzip tells it. */
export function readUnpackedLength({ packed, encoding, maxBytes }: PackedBody): number {
  if (!isPacked(encoding) || packed.length < ISIZE_BYTES) return packed.length;
  const length = packed.readUInt32LE(packed.length - ISIZE_BYTES);
  if (length > maxBytes) throw unpacksToTooMuch();
  return length;
}

/** Decompresses a body. `maxBytes` limits the decompressed size. */
export function unpackBody({ packed, encoding, maxBytes }: PackedBody): Buffer {
  if (!isPacked(encoding) || packed.length === 0) return packed;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw badBody('The provider used a content encoding that was not requested.');
  }
  try {
    return gunzipSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooMuch = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooMuch ? unpacksToTooMuch(error) : notUnpacked(error);
  }
}

function isPacked(encoding: string | undefined): boolean {
  return encoding !== undefined && encoding !== 'identity';
}

/** The start of a body that is incomplete or too large, for the error. */
export function readStart({ packed, encoding, maxBytes }: PackedBody): string {
  const bytes = packed.subarray(0, maxBytes);
  if (!isPacked(encoding)) return toText(bytes);
  try {
    const start = bytes.subarray(0, START_PACKED_BYTES);
    return toText(gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH }));
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

function toText(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function badBody(detail: string, cause?: unknown): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', detail, { cause });
}

const NO_BYTES = Buffer.alloc(0);
const BYTE_ORDER_MARK = 0xfeff;
/** Holds every error response. */
const MAX_TEXT_BYTES = 128 * 1024;
/** The length at the end of a gzip body. */
const ISIZE_BYTES = 4;

interface PackedBody {
  readonly packed: Buffer;
  readonly encoding: string | undefined;
  readonly maxBytes: number;
}

interface Received extends Pick<JsonResponse, 'status'> {
  readonly headers: Record<string, string>;
  readonly bytes: Buffer;
}
