import type { ExecutionResult, GraphQLError } from 'graphql';
import { ERROR_CODES, type RemoteCause } from '../../domain/errors.ts';
import type { RequestLog } from '../../domain/log.ts';
import { type Allowance, createAllowance, RESPONSE_BOUNDS } from '../../domain/resources.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import { type JsonBody, toJsonBody } from '../../lib/to-json-body.ts';
import { type ExecutionError, type ReportedError, translateErrors } from '../errors.ts';
import {
  acceptsJsonAlone,
  allowanceOf,
  chooseMediaType,
  type GraphQLRequest,
  JSON_TYPE,
} from './read-request.ts';

export function writeResponse(
  results: ExecutionResult | readonly ExecutionResult[],
  { opened, suggestions }: { readonly opened: GraphQLRequest; readonly suggestions: boolean },
): OwnAnswer {
  const accept = opened.request.headers.get('accept');
  return toHttpResponse(results, {
    mediaType: chooseMediaType(accept) ?? JSON_TYPE,
    accept,
    applicationName: opened.context?.caller?.application.name ?? null,
    suggestions,
    requestLog: opened.requestLog,
    allowance: allowanceOf(opened),
  });
}

/** From what an operation, or a batch of them, has come to, to the HTTP answer: by the rules of GraphQL over HTTP. */
export function toHttpResponse(
  results: ExecutionResult | readonly ExecutionResult[],
  target: ResponseTarget,
): OwnAnswer {
  try {
    return toWholeAnswer(results, target);
  } catch (thrown) {
    const { exceeded } = target.allowance;
    if (thrown !== exceeded) throw thrown;
    // It is small, and there is no more to consume.
    const allowance = createAllowance(RESPONSE_BOUNDS.stranger);
    return toWholeAnswer({ errors: [exceeded as never] }, { ...target, allowance });
  }
}

function toWholeAnswer(
  results: ExecutionResult | readonly ExecutionResult[],
  target: ResponseTarget,
): OwnAnswer {
  const causes = new Set<RemoteCause>();
  if (!isBatch(results)) return send(toAnswer(results, target, causes), target);
  const answers = results.map((result) => toAnswer(result, target, causes));
  const statuses = new Set(answers.map(({ status }) => status));
  return send(
    {
      // A batch whose operations fare differently is itself well answered.
      status: statuses.size === 1 ? (answers[0]?.status ?? 200) : 200,
      errors: answers.flatMap(({ errors }) => errors),
      body: answers.map(({ body }) => body),
    },
    target,
  );
}

function send(
  { status, errors, body }: Answer,
  { requestLog, mediaType, allowance }: ResponseTarget,
): OwnAnswer {
  const written = toJsonBody(body, allowance);
  for (const { known, isFirst } of errors) if (isFirst) requestLog.failed(known);
  const headers = { 'content-type': `${mediaType}; charset=utf-8`, 'cache-control': 'no-store' };
  return {
    status,
    headers: status === 200 ? headers : { ...headers, ...toHeaders(errors[0]) },
    ...written,
  };
}

/** `causes` are those that an error of the response has told already. */
function toAnswer(result: ExecutionResult, target: ResponseTarget, causes: Set<RemoteCause>): Answer {
  const { data, errors: raised = NONE } = result;
  const extensions = result.extensions && withoutHttp(result.extensions);
  if (data !== undefined && raised.length === 0)
    return { status: 200, errors: NONE, body: extensions ? { data, extensions } : { data } };
  const executed = data !== undefined;
  const told: readonly ExecutionError[] =
    executed || raised.length > 0 ? raised : [new Error('There is no result.')];
  const { applicationName, suggestions, allowance } = target;
  const errors = translateErrors(told, { applicationName, executed, suggestions, allowance, causes });
  const formatted = errors.map((error) => error.formatted);
  return {
    status: executed ? 200 : statusOf(errors[0], target),
    errors,
    body: { errors: formatted, ...(executed && { data }), ...(extensions && { extensions }) },
  };
}

/** What plugins tell of an operation. How the response is to be sent is not theirs to say. */
function withoutHttp({ http: _http, ...told }: Readonly<Record<string, unknown>>): object | undefined {
  return Object.keys(told).length > 0 ? told : undefined;
}

function isBatch<Result>(results: Result | readonly Result[]): results is readonly Result[] {
  return Array.isArray(results);
}

/**
 * Plain JSON cannot say whether a GraphQL server answers: there, a document that is refused is an answer like others. So is
 * one without a caller, where nothing else is accepted: a gateway makes of a 401 an error of its own, without ours in it.
 */
function statusOf(error: ReportedError | undefined, { mediaType, accept }: ResponseTarget): number {
  if (!error) return 200;
  const { code } = error.known;
  const isRequestError =
    (error.isRequestError && code === 'BAD_REQUEST') || code === 'PERSISTED_QUERY_NOT_FOUND';
  if (isRequestError && mediaType === JSON_TYPE) return 200;
  if (code === 'UNAUTHORIZED' && acceptsJsonAlone(accept)) return 200;
  return ERROR_CODES[code].status;
}

function toHeaders(error: ReportedError | undefined): Record<string, string> {
  const { code, retryAfterMs } = error?.known ?? {};
  return {
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer' }),
    ...(code === 'METHOD_NOT_ALLOWED' && { allow: 'GET, POST' }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  };
}

const NONE: readonly never[] = [];

interface Answer {
  readonly status: number;
  readonly errors: readonly ReportedError[];
  readonly body: unknown;
}

interface OwnAnswer extends HttpResponse {
  readonly body: JsonBody['body'];
}

interface ResponseTarget {
  readonly mediaType: string;
  /** The header; null for what is refused before it is a GraphQL request, such as a wrong key. */
  readonly accept: string | null;
  readonly applicationName: string | null;
  readonly suggestions: boolean;
  readonly requestLog: Pick<RequestLog, 'failed'>;
  readonly allowance: Allowance;
}

type Results = ExecutionResult | readonly ExecutionResult[];

/** In place of an answer that tells of something that was removed while it was made: the error that says so. */
export function confirmResult(
  { context }: Pick<GraphQLRequest, 'context'>,
  result: Results,
): Results | Promise<Results> {
  try {
    const confirmed = context?.confirm();
    if (!confirmed) return result;
    return confirmed.then(() => result, toResult);
  } catch (error) {
    return toResult(error);
  }
}

function toResult(error: unknown): ExecutionResult {
  return { errors: [error as GraphQLError] };
}
