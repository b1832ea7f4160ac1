import { type CrossbookError, ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { Log } from '../domain/log.ts';
import { answerJson } from './answers.ts';

/** Whatever was thrown, as the answer for it; and the one line in the log that has its id. */
export function answerError(
  thrown: unknown,
  { log, applicationName, headers = {} }: Circumstances,
): Response {
  const error = toCrossbookError(thrown);
  const { status } = ERROR_CODES[error.code];
  writeDown(error, log);
  return answerJson(
    { errors: [toErrorBody(error, applicationName)] },
    {
      ...headers,
      ...(status === 401 && { 'www-authenticate': 'Bearer realm="crossbook"' }),
      ...(error.retryAfterMs !== undefined && {
        'retry-after': String(Math.ceil(error.retryAfterMs / 1_000)),
      }),
    },
    status,
  );
}

function writeDown(error: CrossbookError, log: Log): void {
  const fields = { errorId: error.id, code: error.code };
  if (error.code === 'INTERNAL_SERVER_ERROR') log.error({ ...fields, cause: error.cause ?? error }, 'failed');
  else log.info(fields, 'refused');
}

interface Circumstances {
  readonly log: Log;
  /** Null where no caller is known yet. */
  readonly applicationName: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}
