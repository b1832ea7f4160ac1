import { ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { RequestLog } from '../domain/request-log.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { jsonResponse } from './answers.ts';

/** Whatever was thrown, as the answer for it; the request log learns of it under the same id. */
export function errorResponse(
  thrown: unknown,
  { requestLog, applicationName, headers = {} }: Circumstances,
): HttpResponse {
  const error = toCrossbookError(thrown);
  const { status } = ERROR_CODES[error.code];
  requestLog.failed(error);
  return jsonResponse(
    { errors: [toErrorBody(error, applicationName)] },
    {
      ...headers,
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="crossbook"' }),
      ...(error.retryAfterMs !== undefined && {
        'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)),
      }),
    },
    { status },
  );
}

interface Circumstances {
  readonly requestLog: Pick<RequestLog, 'failed'>;
  /** Null where no caller is known yet. */
  readonly applicationName: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}
