import { CrossbookError } from '../../domain/errors.ts';
import type { HttpHeaders, HttpRequest } from '../../lib/http-message.ts';
import { readJsonBytes } from '../../lib/read-json.ts';

export const MAX_BODY_BYTES = 1024 * 1024;

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

/** A request's body as JSON, within its bound. Undefined where there is none and none is needed. */
export function readJson(request: HttpRequest, isOptional: boolean): unknown {
  const isSilent = isOptional && request.headers.get('content-type') === null;
  if (isSilent && request.readBody(0)) return undefined;
  checkHeaders(request.headers);
  const bytes = request.readBody(MAX_BODY_BYTES);
  if (!bytes)
    throw new CrossbookError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const read = readJsonBytes(bytes);
  if ('value' in read) return read.value;
  throw new CrossbookError('BAD_REQUEST', `The body ${read.problem}.`, { cause: read.cause });
}

function checkHeaders(headers: HttpHeaders): void {
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) {
    throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json, in UTF-8.');
  }
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
  }
}
