import type { ErrorCode } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import { isRecord, parseJson } from '../../lib/parse-json.ts';
import { readRetryAfter } from '../../lib/read-retry-after.ts';

/** What a refusal says, whichever of its shapes it came in; both are null where it says nothing that can be read. */
export interface Failure {
  readonly errorCode: string | null;
  readonly message: string | null;
}

export function toRemoteFailure(answer: ProviderResponse): RemoteFailure {
  const failure = readFailure(answer.body);
  const { status, headers } = answer;
  return new RemoteFailure(toCode(status, failure), toDetail(status, failure), answer, {
    retryAfterMs: readRetryAfter(headers),
  });
}

/** For an answer that succeeded, and yet is not what was asked for. */
export function toBadResponse(answer: ProviderResponse, detail: string): RemoteFailure {
  return new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', detail, answer);
}

/** What Salesforce said, of an error that was made here. */
export function failureOf(error: unknown): Failure {
  return error instanceof RemoteFailure ? readFailure(error.answer.body) : SILENT;
}

/** The API answers with an array, OAuth with an object, the edge in front of both with XML, HTML or text. */
export function readFailure(body: string): Failure {
  const json = parseJson(body);
  return json === undefined ? readTextFailure(body) : readJsonFailure(json);
}

function readJsonFailure(json: unknown): Failure {
  const first: unknown = Array.isArray(json) ? json[0] : json;
  if (!isRecord(first)) return SILENT;
  return {
    errorCode: toText(first['errorCode'] ?? first['error']),
    message: toText(first['message'] ?? first['error_description']),
  };
}

function readTextFailure(body: string): Failure {
  const start = body.slice(0, MAX_READ);
  const errorCode = /<errorCode>\s*(?:\w+:)?(\w+)\s*<\/errorCode>/.exec(start)?.[1] ?? null;
  const inside = /<message>([^<]*)<\/message>/.exec(start)?.[1];
  const isMarkup = start.trimStart().startsWith('<');
  return { errorCode, message: toText(inside ?? (isMarkup ? null : start)) };
}

/** Salesforce has no 429 of its own: a limit is a 403 with a certain code. */
function toCode(status: number, { errorCode }: Failure): ErrorCode {
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED' || status === 429) return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (errorCode === 'QUERY_TIMEOUT') return 'REMOTE_PROVIDER_TIMEOUT';
  if (errorCode === 'SERVER_UNAVAILABLE') return 'REMOTE_PROVIDER_UNAVAILABLE';
  if (status === 401) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  // An object that the connected user has no right to is of no known type.
  if (status === 403 || errorCode === 'INVALID_TYPE') return 'REMOTE_PROVIDER_FORBIDDEN';
  // 420 is the edge that cannot reach the org, 423 a record that is locked for the moment.
  if (status === 420 || status === 423 || status >= 500) return 'REMOTE_PROVIDER_UNAVAILABLE';
  return 'REMOTE_PROVIDER_ERROR';
}

function toDetail(status: number, { errorCode, message }: Failure): string {
  const moved = status >= 300 && status < 400 ? ' The instance URL may have moved.' : '';
  const said = message === null ? '' : `: ${message.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL)}`;
  return `Salesforce answered ${status}${errorCode === null ? '' : ` ${errorCode}`}${said}${moved}`;
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

const SILENT: Failure = { errorCode: null, message: null };
const MAX_READ = 4_096;
const MAX_DETAIL = 300;
