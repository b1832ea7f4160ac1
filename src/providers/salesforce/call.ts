import type { ErrorCode } from '../../domain/errors.ts';
import {
  type ProviderResponse,
  RemoteFailure,
  type RemoteRequest,
  type Send,
} from '../../domain/remote.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { isRecord, parseJson } from '../../lib/json.ts';

/** The API version of all paths: supported by every org, and for years to come. */
export const API = '/services/data/v66.0';

export function createCall(send: Send): Call {
  return async (ask, parseResponse) => {
    const answer = await send(toRequest(ask));
    if (answer.status < 200 || answer.status >= 300) throw toRemoteFailure(answer);
    const understood = parseResponse(answer.readJson());
    if (understood === undefined)
      throw toBadResponse(answer, 'Salesforce sent a response of an unknown format');
    answer.discardBody?.();
    return understood;
  };
}

function toRequest({ path, body, isDescription = false }: Ask): RemoteRequest {
  const read = { path, budget: 'api', retry: 'safe', isDescription } as const;
  if (body === undefined) return { ...read, method: 'GET' };
  return { ...read, method: 'POST', body: JSON.stringify(body) };
}

export function toRemoteFailure(answer: ProviderResponse): RemoteFailure {
  const failure = readFailure(answer.body);
  const { status, headers } = answer;
  return new RemoteFailure(toCode(status, failure), toDetail(status, failure), answer, {
    retryAfterMs: readRetryAfter(headers) ?? impliedWait(status, failure),
  });
}

/** Of concurrent calls the next one may succeed; of a day's, some are given back every minute. */
function impliedWait(status: number, { errorCode, message }: Failure): number | undefined {
  if (errorCode !== 'REQUEST_LIMIT_EXCEEDED' || status === 429) return undefined;
  return /concurrent/i.test(message ?? '') ? 2_000 : 60_000;
}

export function readPause(answer: ProviderResponse): number | undefined {
  const { code, retryAfterMs } = toRemoteFailure(answer);
  return code === 'REMOTE_PROVIDER_RATE_LIMITED' ? retryAfterMs : undefined;
}

/** The host of an org that has moved redirects, or shows a page that is no JSON. */
export function hasMoved({ status, body }: ProviderResponse): boolean {
  return (status >= 300 && status < 400) || (status === 404 && parseJson(body) === undefined);
}

/** The error for a successful response of unexpected shape. */
export function toBadResponse(answer: ProviderResponse, detail: string): RemoteFailure {
  return new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', detail, answer);
}

/** Salesforce's error details of an error that was created here. */
export function failureOf(error: unknown): Failure {
  return error instanceof RemoteFailure ? readFailure(error.answer.body) : SILENT;
}

/** Reads an error body: the API sends an array, OAuth an object, the edge in front XML, HTML or text. */
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

/** Salesforce reports rate limits as a 403 with a certain code. */
function toCode(status: number, { errorCode }: Failure): ErrorCode {
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED' || status === 429)
    return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (errorCode === 'QUERY_TIMEOUT') return 'REMOTE_PROVIDER_TIMEOUT';
  if (errorCode === 'SERVER_UNAVAILABLE') return 'REMOTE_PROVIDER_UNAVAILABLE';
  if (status === 401) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  // An object that the connected user may not access, or that the edition lacks, is reported as an invalid type. Only
  // the customer's administrator can change that, so it is a missing permission.
  if (status === 403 || errorCode === 'INVALID_TYPE') return 'REMOTE_PROVIDER_FORBIDDEN';
  // 420: the edge cannot reach the org; 423: a record is temporarily locked.
  if (status === 420 || status === 423 || status >= 500) return 'REMOTE_PROVIDER_UNAVAILABLE';
  return 'REMOTE_PROVIDER_ERROR';
}

function toDetail(status: number, { errorCode, message }: Failure): string {
  const moved = status >= 300 && status < 400 ? ' The instance URL may have moved.' : '';
  const said =
    message === null ? '' : `: ${message.replace(/\s+/g, ' ').trim().slice(0, MAX_DETAIL)}`;
  return `Salesforce responded with ${status}${errorCode === null ? '' : ` ${errorCode}`}${said}${moved}`;
}

function nonBlank(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

const SILENT: Failure = { errorCode: null, message: null };
const MAX_READ = 4_096;
const MAX_DETAIL = 300;

/**
 * Makes a call of the adapter. `parseResponse` reads the JSON of a success, and returns undefined for an unexpected
 * shape. Every other outcome is thrown as a RemoteFailure.
 */
export type Call = <T>(ask: Ask, parseResponse: (json: unknown) => T | undefined) => Promise<T>;

interface Ask {
  readonly path: string;
  /** Present: the call is a POST. */
  readonly body?: unknown;
  readonly isDescription?: boolean;
}

/** The error details in any of the formats; null if unreadable. */
export interface Failure {
  readonly errorCode: string | null;
  readonly message: string | null;
}

const LABEL = '(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** The name of an instance, which changes when Salesforce moves the org: `na139`, `cs12`, `usa2s`. */
const INSTANCE = '[a-z]{2,3}\\d{1,4}s?';

/** The suffixes of My Domain; the second one is Salesforce on Alibaba Cloud. */
const MY_DOMAIN_SUFFIX = 'my\\.(?:salesforce\\.(?:com|mil)|sfcrmproducts\\.cn)';

/**
 * The My Domain hosts of the REST API, optionally with a sandbox or partition; without those for login, pages or
 * chat. Customers choose the first label, so the hosts keep tokens within Salesforce but do not identify an org.
 */
export const MY_DOMAIN_HOSTS: readonly RegExp[] = [
  new RegExp(`^${LABEL}(?:\\.(?!${INSTANCE}\\.)${LABEL})?\\.${MY_DOMAIN_SUFFIX}$`),
];

/**
 * Hosts on which Salesforce no longer supports API calls: they name an instance, or have a suffix from before enhanced
 * domains. Connections may be stored with one; a refresh replaces it. gs1 is a login host.
 */
export const RETIRED_HOSTS: readonly RegExp[] = [
  new RegExp(`^(?!gs\\d)${INSTANCE}\\.salesforce\\.com$`),
  new RegExp(`^${LABEL}\\.${INSTANCE}\\.${MY_DOMAIN_SUFFIX}$`),
  new RegExp(`^(?!(?:www|login|test)\\.)${LABEL}\\.(?:cloudforce|database)\\.com$`),
  new RegExp(`^(?:${LABEL}\\.${LABEL}\\.sandbox|${LABEL})\\.my-salesforce\\.com$`),
];

/** The login hosts: the common ones and My Domain, which some instances lack. Not the Lightning pages. */
export const LOGIN_HOSTS: readonly RegExp[] = [
  /^(?:login|test)\.salesforce\.com$/,
  ...MY_DOMAIN_HOSTS,
];

/** The origin of a connection's calls; undefined if it is no Salesforce instance. */
export function instanceOrigin(instanceUrl: string | null): string | undefined {
  if (instanceUrl === null) return undefined;
  const checked = checkInstanceUrl(instanceUrl, {
    hosts: [...MY_DOMAIN_HOSTS, ...RETIRED_HOSTS],
    sandboxOrigins: [],
  });
  return 'problem' in checked ? undefined : checked.origin;
}

/** The origin for refreshing tokens: the org's My Domain, because an org may forbid the common login hosts. */
export function tokenOrigin(instanceUrl: string | null): string | undefined {
  const origin = instanceOrigin(instanceUrl);
  return origin === undefined || MY_DOMAIN.test(origin) ? origin : loginOrigin(origin);
}

/**
 * The alternative origin where a renamed My Domain redirects: the common login host still serves the org. Separate
 * clouds have none.
 */
export function movedTokenOrigin(instanceUrl: string | null): string | undefined {
  const origin = instanceOrigin(instanceUrl);
  return origin === undefined || SEPARATE_CLOUD.test(origin) ? undefined : loginOrigin(origin);
}

/** The common login host; test orgs have their own. */
function loginOrigin(origin: string): string {
  return TEST_ORG.test(origin) ? 'https://test.salesforce.com' : 'https://login.salesforce.com';
}

const MY_DOMAIN = new RegExp(`\\.${MY_DOMAIN_SUFFIX}$`);

const SEPARATE_CLOUD = /\.(?:mil|cn)$/;
/** `--` separates a sandbox name from the org's; `cs12` and `usa2s` are sandbox pods. */
const TEST_ORG =
  /^https:\/\/(?:[^.]*--|(?:cs\d+|[a-z]+\d+s)\.salesforce\.)|\.(?:sandbox|scratch|cs\d+)\./;
