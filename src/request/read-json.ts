import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { HttpRequest } from '../lib/http-message.ts';
import { isJson, readJsonBody } from '../lib/json.ts';

/** Reads the body of a request as JSON. Rejects with 415 for another type, and with 400 for what is not JSON. */
export async function readJson(request: HttpRequest, work: RequestWork): Promise<unknown> {
  if (!isJson(request.headers.get('content-type')))
    throw new CrossbookError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON in UTF-8, with the header content-type: application/json.',
    );
  const read = await readJsonBody(request.readBody(), () => work.takeTurn());
  if ('value' in read) return read.value;
  throw new CrossbookError('BAD_REQUEST', `The body ${read.problem}.`, { cause: read.cause });
}
