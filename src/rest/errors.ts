import { ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import type { HttpAnswer } from '../lib/http-message.ts';
import { answerJson } from './answers.ts';

/** Whatever was thrown, as the answer for it; the journal learns of it under the same id. */
export function answerError(
  thrown: unknown,
  { journal, applicationName, headers = {} }: Circumstances,
): HttpAnswer {
  const error = toCrossbookError(thrown);
  const { status } = ERROR_CODES[error.code];
  journal.failed(error);
  return answerJson(
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
  readonly journal: Pick<Journal, 'failed'>;
  /** Null where no caller is known yet. */
  readonly applicationName: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}
