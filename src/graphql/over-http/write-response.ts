import type { Allowance } from '@crossbook/executor';
import type { ExecutionResult } from 'graphql';
import type { Caller } from '../../domain/caller.ts';
import { ERROR_CODES, type RemoteCause } from '../../domain/errors.ts';
import type { RequestLog } from '../../domain/log.ts';
import { type HttpResponse, toRetryAfter } from '../../lib/http-message.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { type JsonBytes, toJsonBody } from '../../lib/response-body.ts';
import { openAllowance, RESPONSE_BOUNDS } from '../../request/allowance.ts';
import { type ExecutionError, type ReportedError, translateErrors } from './errors.ts';
import { acceptsJsonAlone, chooseMediaType, GRAPHQL_TYPE, JSON_TYPE } from './read-request.ts';

/**
 * Writes the HTTP response of an operation or batch by the GraphQL over HTTP specification. Beyond the allowance all
 * operations of a batch have the same error, whichever of them has exceeded it.
 */
export function writeResponse(
  results: Results,
  target: ResponseTarget,
): MaybePromise<WrittenResponse> {
  const { allowance } = target;
  const refuse = (thrown: unknown) => {
    if (thrown !== allowance.exceeded) throw thrown;
    // With a fresh allowance, because the original one is used up.
    const refused = { errors: [thrown as never] };
    return write(isBatch(results) ? results.map(() => refused) : refused, {
      ...target,
      allowance: openAllowance(RESPONSE_BOUNDS.unauthenticated),
    });
  };
  if (allowance.exceeded) return refuse(allowance.exceeded);
  try {
    const written = write(results, target);
    return written instanceof Promise ? written.catch(refuse) : written;
  } catch (thrown) {
    return refuse(thrown);
  }
}

function write(results: Results, target: ResponseTarget): MaybePromise<WrittenResponse> {
  const { accept, requestLog, allowance } = target;
  const mediaType = chooseMediaType(accept) ?? JSON_TYPE;
  const causes = new Set<RemoteCause>();
  const { status, errors, body } = isBatch(results)
    ? joinAnswers(results.map((result) => toAnswer(result, target, causes)))
    : toAnswer(results, target, causes);
  const finish = (written: WrittenResponse['body']): WrittenResponse => {
    for (const { known, isFirst } of errors) if (isFirst) requestLog.failed(known);
    const headers = { 'content-type': `${mediaType}; charset=utf-8`, 'cache-control': 'no-store' };
    return {
      status,
      headers: status < 300 ? headers : { ...headers, ...toHeaders(errors[0]) },
      body: written,
    };
  };
  const writing = toJsonBody(body, allowance);
  return writing instanceof Promise ? writing.then(finish) : finish(writing);
}

/** A batch with different statuses is a 200. */
function joinAnswers(answers: readonly Answer[]): Answer {
  const statuses = new Set(answers.map(({ status }) => status));
  const [status = 200] = statuses.size === 1 ? statuses : [];
  return {
    status,
    errors: answers.flatMap(({ errors }) => errors),
    body: answers.map(({ body }) => body),
  };
}

/** `causes`: provider errors that are already in the response. */
function toAnswer(
  result: ExecutionResult,
  target: ResponseTarget,
  causes: Set<RemoteCause>,
): Answer {
  const { data, errors: raised = NONE } = result;
  const extensions = result.extensions && withoutHttp(result.extensions);
  if (data !== undefined && raised.length === 0)
    return { status: 200, errors: NONE, body: extensions ? { data, extensions } : { data } };
  const executed = data !== undefined;
  const told: readonly ExecutionError[] =
    executed || raised.length > 0 ? raised : [new Error('There is no result.')];
  const applicationName = target.caller?.application.name ?? null;
  const errors = translateErrors(told, { ...target, applicationName, executed, causes });
  const formatted = errors.map((error) => error.formatted);
  return {
    status: executed ? statusOfPartial(target) : statusOf(errors[0], target),
    errors,
    body: { errors: formatted, ...(executed && { data }), ...(extensions && { extensions }) },
  };
}

/** The extensions of plugins without `http`: they cannot change how the response is sent. */
function withoutHttp({
  http: _http,
  ...told
}: Readonly<Record<string, unknown>>): object | undefined {
  return Object.keys(told).length > 0 ? told : undefined;
}

function isBatch<Result>(results: Result | readonly Result[]): results is readonly Result[] {
  return Array.isArray(results);
}

/**
 * GraphQL over HTTP's own status for data with errors (294 Partial Success), so that proxies and logs can tell them
 * from a success. Only clients that accept its media type know the code.
 */
function statusOfPartial({ accept }: ResponseTarget): number {
  return chooseMediaType(accept) === GRAPHQL_TYPE ? PARTIAL_SUCCESS : 200;
}

const PARTIAL_SUCCESS = 294;

/**
 * Chooses the status. With plain JSON a rejected document is a 200, because only GraphQL's media type allows other
 * statuses for it. So are missing credentials where only plain JSON is accepted: gateways replace a 401 by an error
 * of their own and hide ours.
 */
function statusOf(
  error: ReportedError | undefined,
  { accept, isRejected }: ResponseTarget,
): number {
  if (!error) return 200;
  const { code } = error.known;
  const isRequestError =
    (error.isRequestError && code === 'BAD_REQUEST') || code === 'PERSISTED_QUERY_NOT_FOUND';
  if (isRequestError && chooseMediaType(accept) !== GRAPHQL_TYPE) return 200;
  if (code === 'UNAUTHORIZED' && !isRejected && acceptsJsonAlone(accept)) return 200;
  return ERROR_CODES[code].status;
}

function toHeaders(error: ReportedError | undefined): Record<string, string> {
  const { code, retryAfterMs } = error?.known ?? {};
  return {
    ...(code === 'UNAUTHORIZED' && { 'www-authenticate': 'Bearer' }),
    ...(code === 'METHOD_NOT_ALLOWED' && { allow: 'GET, POST' }),
    ...toRetryAfter(retryAfterMs),
  };
}

const NONE: readonly never[] = [];

interface Answer {
  readonly status: number;
  readonly errors: readonly ReportedError[];
  readonly body: unknown;
}

interface WrittenResponse extends HttpResponse {
  readonly body: string | JsonBytes;
}

interface ResponseTarget {
  /** The `Accept` header. */
  readonly accept: string | null;
  readonly caller: Caller | undefined;
  /** Whether it failed before it became a GraphQL request, e.g. by an invalid key. */
  readonly isRejected: boolean;
  /** Whether messages may suggest names of the schema. */
  readonly suggestions: boolean;
  readonly requestLog: Pick<RequestLog, 'failed'>;
  readonly allowance: Allowance;
}

export type Results = ExecutionResult | readonly ExecutionResult[];
