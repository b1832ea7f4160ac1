import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { ERROR_CODES } from '../../domain/errors.ts';
import type { Journal } from '../../domain/journal.ts';
import { type RaisedError, type TranslatedError, translateErrors } from '../errors.ts';
import { JSON_TYPE } from './media-types.ts';

/** From what an operation, or a batch of them, has come to, to the HTTP response: by the rules of GraphQL over HTTP. */
export function toResponse(results: ExecutionResult | readonly ExecutionResult[], asked: Asked): HttpAnswer {
  const answers = [results].flat().map((result) => toAnswer(result, asked));
  const statuses = new Set(answers.map(({ status }) => status));
  // A batch whose operations fare differently is itself well answered.
  const status = statuses.size === 1 ? (answers[0]?.status ?? 200) : 200;
  const errors = answers.flatMap((answer) => answer.errors);
  for (const { known, isFirst } of errors) if (isFirst) asked.journal.failed(known);
  const body = JSON.stringify(
    Array.isArray(results) ? answers.map((answer) => answer.body) : answers[0]?.body,
  );
  return {
    status,
    headers: {
      'content-type': `${asked.mediaType}; charset=utf-8`,
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      ...(status !== 200 && toHeaders(errors[0])),
    },
    body,
  };
}

function toAnswer(result: ExecutionResult, { applicationName, suggestions, mediaType }: Asked): Answer {
  const executed = result.data !== undefined;
  const raised: readonly RaisedError[] =
    executed || result.errors?.length ? (result.errors ?? []) : [new Error('There is no result.')];
  const errors = translateErrors(raised, { applicationName, executed, suggestions });
  const body = {
    ...(errors.length > 0 && { errors: errors.map(({ formatted }) => formatted) }),
    ...(executed && { data: result.data }),
  };
  return { errors, body, status: executed ? 200 : statusOf(errors[0], mediaType) };
}

/** Plain JSON cannot say whether a GraphQL server answers: there, a document that is refused is an answer like others. */
function statusOf(error: TranslatedError | undefined, mediaType: string): number {
  const isComplaint = error?.isComplaint || error?.known.code === 'PERSISTED_QUERY_NOT_FOUND';
  if (!error || (isComplaint && mediaType === JSON_TYPE)) return 200;
  return ERROR_CODES[error.known.code].status;
}

function toHeaders(error: TranslatedError | undefined): Record<string, string> {
  const { code, retryAfterMs } = error?.known ?? {};
  return {
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer' }),
    ...(code === 'METHOD_NOT_ALLOWED' && { allow: 'GET, POST' }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  };
}

interface Answer {
  readonly status: number;
  readonly errors: readonly TranslatedError[];
  readonly body: FormattedExecutionResult;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface Asked {
  readonly mediaType: string;
  readonly applicationName: string | null;
  readonly suggestions: boolean;
  readonly journal: Pick<Journal, 'failed'>;
}
