import {
  CrossbookError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  toErrorBody,
} from '../../domain/errors.ts';
import { errorsShape } from '../wire/error.ts';
import { refToAnswered } from './components.ts';
import { QUOTA_HEADERS } from './quota.ts';

export function refToRefusal(status: number): object {
  const [code] = Object.entries(ERROR_CODES).find(([, facts]) => facts.status === status) ?? [];
  if (code === undefined) throw new Error(`No code in ERROR_CODES has the status ${status}.`);
  return { $ref: `#/components/responses/${toName(code)}` };
}

/** One for each status of which there is an example. */
export function toComponentResponses(): Record<string, object> {
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, ErrorFacts][];
  const responses = codes.flatMap(([code, facts]) => {
    const [name, { when }] = codes.find(([, { status }]) => status === facts.status) ?? [code, facts];
    return facts.example === undefined ? [] : [[toName(name), toResponse(code, when, facts)]];
  });
  return Object.fromEntries(responses);
}

function toResponse(code: ErrorCode, description: string, facts: ErrorFacts): object {
  const { status, example = '', retryAfterMs } = facts;
  const error = new CrossbookError(code, example, { retryAfterMs });
  const body = {
    ...toErrorBody(error, status === 401 ? null : 'Demo'),
    id: '5b0e3f64-9c1f-4c53-8d6e-0a4d1f2b7c88',
  };
  const retryAfter = { description: 'Seconds to wait, where that is known.', schema: { type: 'integer' } };
  return {
    description,
    ...(retryAfterMs !== undefined && {
      headers: { 'Retry-After': retryAfter, ...(status === 429 && QUOTA_HEADERS) },
    }),
    content: { 'application/json': { schema: refToAnswered(errorsShape), example: { errors: [body] } } },
  };
}

/** `NOT_FOUND` is `NotFound`. */
function toName(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
