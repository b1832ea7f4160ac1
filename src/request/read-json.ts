import { CrossbookError } from '../domain/errors.ts';
import type { HttpRequest } from '../lib/http-message.ts';
import { isJson, readJsonBody } from '../lib/json.ts';

/** Reads the body of a request as JSON. Throws 415 for another type, and 400 for what is not JSON. */
export function readJson(request: HttpRequest): unknown {
  if (!isJson(request.headers.get('content-type')))
    throw new CrossbookError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON in UTF-8, with the header content-type: application/json.',
    );
  const read = readJsonBody(request.readBody());
  if ('value' in read) return read.value;
  throw new CrossbookError('BAD_REQUEST', `The body ${read.problem}.`, { cause: read.cause });
}
