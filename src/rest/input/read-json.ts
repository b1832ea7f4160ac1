import { CrossbookError } from '../../domain/errors.ts';
import { findDuplicateKey } from '../../lib/find-duplicate-key.ts';
import type { HttpHeaders, HttpRequest } from '../../lib/http-message.ts';

export const MAX_BODY_BYTES = 1024 * 1024;

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A request's body as JSON: bounded, UTF-8, unambiguous, and nothing in it that is no text. */
export async function readJson(request: HttpRequest): Promise<unknown> {
  checkHeaders(request.headers);
  const bytes = await request.readBody(MAX_BODY_BYTES);
  if (!bytes)
    throw new CrossbookError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const text = decode(bytes);
  if (text.trim() === '') throw new CrossbookError('BAD_REQUEST', 'The body is empty; it must be JSON.');
  const value = parse(text);
  const twice = findDuplicateKey(text);
  if (twice !== undefined) {
    throw new CrossbookError('BAD_REQUEST', `The body names ${twice.slice(0, 100)} twice in one object.`);
  }
  return value;
}

function checkHeaders(headers: HttpHeaders): void {
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) {
    throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json, in UTF-8.');
  }
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CrossbookError('BAD_REQUEST', 'The body is not UTF-8.', { cause });
  }
}

function parse(text: string): unknown {
  try {
    // Half of a pair is no character: no database and no CRM could keep it.
    return ESCAPED_SURROGATE.test(text) ? JSON.parse(text, refuseLoneSurrogates) : JSON.parse(text);
  } catch (cause) {
    if (cause instanceof CrossbookError) throw cause;
    throw new CrossbookError('BAD_REQUEST', 'The body is not JSON.', { cause });
  }
}

function refuseLoneSurrogates(key: string, value: unknown): unknown {
  if (LONE_SURROGATE.test(key) || (typeof value === 'string' && LONE_SURROGATE.test(value))) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'The body contains half of a surrogate pair, which is no character.',
    );
  }
  return value;
}
