import { ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import type { Allowance } from '../domain/resources.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { toJsonBody } from '../lib/to-json-body.ts';

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

/** Data is the caller's own: no cache between us keeps it. */
export function jsonResponse(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  { status = 200, allowance }: AnswerOptions = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    ...toJsonBody(body, allowance),
  };
}

/** It is done, and there is nothing to tell of it. */
export function answerEmpty(): HttpResponse {
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
}

interface AnswerOptions {
  readonly status?: number;
  /** Consumed while the body is written. */
  readonly allowance?: Pick<Allowance, 'consumeBytes' | 'isLarge'>;
}

/** Does `If-None-Match` hold the tag of what would be answered? Weak and strong are the same here. */
export function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map(toStrong);
  return tags.includes('*') || tags.includes(toStrong(etag));
}

function toStrong(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
