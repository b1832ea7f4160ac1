import type { ErrorCode } from '../../domain/errors.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest, type Send } from '../../domain/remote.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { isRecord, parseJson } from '../../lib/json.ts';

/** The version that every path carries: old enough for every org, and years away from its end. */
export const API = '/services/data/v66.0';

export function createCall(send: Send): Call {
  return async (ask, parseResponse) => {
    const answer = await send(toRequest(ask));
    if (answer.status < 200 || answer.status >= 300) throw toRemoteFailure(answer);
    const understood = parseResponse(parseJson(answer.body));
    if (understood === undefined)
      throw toBadResponse(answer, 'Salesforce gave an answer of an unknown shape');
    answer.discardBody?.();
    return understood;
  };
}

function toRequest({ path, body }: Ask): RemoteRequest {
  if (body === undefined) return { method: 'GET', path, budget: 'api' };
  return { method: 'POST', path, body: JSON.stringify(body), budget: 'api' };
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
    errorCode: nonBlank(first['errorCode'] ?? first['error']),
    message: nonBlank(first['message'] ?? first['error_description']),
  };
}

function readTextFailure(body: string): Failure {
  const start = body.slice(0, MAX_READ);
  const errorCode = /<errorCode>\s*(?:\w+:)?(\w+)\s*<\/errorCode>/.exec(start)?.[1] ?? null;
  const inside = /<message>([^<]*)<\/message>/.exec(start)?.[1];
  const isMarkup = start.trimStart().startsWith('<');
  return { errorCode, message: nonBlank(inside ?? (isMarkup ? null : start)) };
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

function nonBlank(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

const SILENT: Failure = { errorCode: null, message: null };
const MAX_READ = 4_096;
const MAX_DETAIL = 300;

/**
 * The adapter's one way out. `parseResponse` says what the JSON of a success is; undefined where it is nothing that was
 * asked for. Everything else that can come back is thrown as a RemoteFailure.
 */
export type Call = <T>(ask: Ask, parseResponse: (json: unknown) => T | undefined) => Promise<T>;

interface Ask {
  readonly path: string;
  /** Present: the call is a POST. */
  readonly body?: unknown;
}

/** What a refusal says, whichever of its shapes it came in; both are null where it says nothing that can be read. */
export interface Failure {
  readonly errorCode: string | null;
  readonly message: string | null;
}

const LABEL = '(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/**
 * The hosts of the REST API, and only those: not where people log in, look at pages or chat. The customer chooses the
 * first label, so that they keep tokens inside Salesforce and do not tell one org from another.
 */
export const INSTANCE_HOSTS: readonly RegExp[] = [
  // My Domain, with the sandbox, partition or pod that may stand behind it.
  new RegExp(`^${LABEL}(?:\\.${LABEL})?\\.my\\.salesforce\\.(?:com|mil)$`),
  // Salesforce on Alibaba Cloud.
  new RegExp(`^${LABEL}(?:\\.${LABEL})?\\.my\\.sfcrmproducts\\.cn$`),
  // Names from before My Domain that connections of old still carry. gs1 is a host for logins.
  /^(?!gs\d)[a-z]{2,3}\d{1,4}s?\.salesforce\.com$/,
  new RegExp(`^(?!(?:www|login|test)\\.)${LABEL}\\.(?:cloudforce|database)\\.com$`),
  new RegExp(`^(?:${LABEL}\\.${LABEL}\\.sandbox|${LABEL})\\.my-salesforce\\.com$`),
];

/** Where people log in: the common hosts, and My Domain, which not every instance has. Never the pages (Lightning). */
export const LOGIN_HOSTS: readonly RegExp[] = [
  /^(?:login|test)\.salesforce\.com$/,
  ...INSTANCE_HOSTS.slice(0, 2),
];

/** Where the connection's calls go; undefined for everything that is not plainly an instance of Salesforce. */
export function instanceOrigin(instanceUrl: string | null): string | undefined {
  if (instanceUrl === null) return undefined;
  const checked = checkInstanceUrl(instanceUrl, { hosts: INSTANCE_HOSTS, sandboxOrigins: [] });
  return 'problem' in checked ? undefined : checked.origin;
}

/** Where the connection's refresh token goes: to the org's My Domain, because an org may forbid the common login hosts. */
export function tokenOrigin(instanceUrl: string | null): string | undefined {
  const origin = instanceOrigin(instanceUrl);
  return origin === undefined || MY_DOMAIN.test(origin) ? origin : loginOrigin(origin);
}

/** A My Domain that was renamed redirects. The common login host still knows the org; separate clouds have none. */
export function movedTokenOrigin(instanceUrl: string | null): string | undefined {
  const origin = instanceOrigin(instanceUrl);
  return origin === undefined || SEPARATE_CLOUD.test(origin) ? undefined : loginOrigin(origin);
}

/** Test orgs have a host of their own. */
function loginOrigin(origin: string): string {
  return TEST_ORG.test(origin) ? 'https://test.salesforce.com' : 'https://login.salesforce.com';
}

const MY_DOMAIN = /\.my\.(?:salesforce\.(?:com|mil)|sfcrmproducts\.cn)$/;

const SEPARATE_CLOUD = /\.(?:mil|cn)$/;
/** `--` parts the name of a sandbox from its org's; `cs12` and `usa2s` are pods of sandboxes. */
const TEST_ORG = /^https:\/\/(?:[^.]*--|(?:cs\d+|[a-z]+\d+s)\.salesforce\.)|\.(?:sandbox|scratch|cs\d+)\./;
