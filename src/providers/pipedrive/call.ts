import * as z from 'zod';
import { CrossbookError, type ErrorCode } from '../../domain/errors.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import { type JsonResponse, type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import { readRetryAfter, toQuery } from '../../lib/http-message.ts';
import { isRecord, parseJson } from '../../lib/json.ts';

/** The only place with the version of the API, which has no end of support yet. Users are in version 1 only. */
export const V2 = '/api/v2';
export const V1 = '/api/v1';

export type Query = Readonly<Record<string, string | undefined>>;

/** All reads are GET requests. Throws on an error response. */
export async function get(
  { send }: Pick<CustomerAccount, 'send'>,
  path: string,
  query: Query = {},
  { budget = 'general', isDescription = false }: CallOptions = {},
): Promise<JsonResponse> {
  const text = toQuery(query);
  const answer = await send({
    method: 'GET',
    path: text === '' ? path : `${path}?${text}`,
    budget,
    retry: 'safe',
    isDescription,
  });
  if (answer.status < 200 || answer.status > 299) throw toFailure(answer);
  return answer;
}

/** A page of a list, with the cursor of the next page. The last page has no cursor. */
export async function getPage(
  account: Pick<CustomerAccount, 'send'>,
  path: string,
  query: Query,
  options?: CallOptions,
): Promise<Page> {
  const answer = await get(account, path, query, options);
  const page = parseResponse(toPage, answer);
  if (page.next !== null && page.next === query['cursor'])
    throw paginationError('repeats the pages of a list');
  return page;
}

/** All records of a list that is not long. */
export async function getAll(
  account: Pick<CustomerAccount, 'send'>,
  path: string,
  { query = {}, max, isDescription = false }: AllOptions,
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const pageQuery = { ...query, limit: String(MAX_PAGE), cursor };
    const { records, next } = await getPage(account, path, pageQuery, { isDescription });
    found.push(...records);
    if (next === null || found.length >= max) return found.slice(0, max);
    cursor = next;
  }
  throw paginationError(`did not end a list within ${MAX_CALLS} pages`);
}

const MAX_CALLS = 40;

/** The most of a list, and the most ids of one. */
export const MAX_PAGE = 500;
export const MAX_IDS = 100;

/** Reads a successful response. `read` returns undefined for an undocumented shape. */
export function parseResponse<Result>(
  read: (json: unknown) => Result | undefined,
  answer: JsonResponse,
): Result {
  const json = answer.readJson();
  // Some errors have the status of a success.
  if (isRecord(json) && json['success'] === false) throw toFailure(answer);
  const understood = read(json);
  if (understood === undefined) {
    const what = json === undefined ? 'that is not JSON' : 'that does not match its documentation';
    throw new RemoteFailure(
      'REMOTE_PROVIDER_BAD_RESPONSE',
      `Pipedrive responded with ${answer.status} and a body ${what}.`,
      answer,
    );
  }
  answer.discardBody?.();
  return understood;
}

/** The page of a list of records. Mapping more records than any call asks for would delay other requests. */
function toPage(json: unknown): Page | undefined {
  if (!isRecord(json)) return undefined;
  const { data, additional_data: additional } = json;
  if (!Array.isArray(data) || data.length > MAX_PAGE) return undefined;
  return { records: data, next: toCursor(additional) };
}

/** The cursor of a response. Empty where there is no further page. */
export function toCursor(additional: unknown): string | null {
  const next = isRecord(additional) ? additional['next_cursor'] : undefined;
  return typeof next === 'string' && next !== '' ? next : null;
}

export function paginationError(what: string): CrossbookError {
  const origin = 'remote-provider';
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', `Pipedrive ${what}.`, { origin });
}

/** Maps Pipedrive's error response to our error. */
export function toFailure(answer: ProviderResponse): RemoteFailure {
  const { status, headers, body } = answer;
  const { error, message } = readProblem(body);
  const text = error ?? message;
  const code = toCode(answer);
  const shown = text ? `: ${text.slice(0, MAX_MESSAGE)}` : '.';
  return new RemoteFailure(code, `Pipedrive responded with ${status}${shown}`, answer, {
    retryAfterMs: readRetryAfter(headers) ?? impliedWait(code, answer),
  });
}

function toCode(answer: ProviderResponse): ErrorCode {
  const { status } = answer;
  if (status === 429 || isBlocked(answer)) return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (status === 401) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  // 402: the company is closed, or has not paid.
  if (status === 402 || status === 403) return 'REMOTE_PROVIDER_FORBIDDEN';
  if (status === 423 || status >= 500) return 'REMOTE_PROVIDER_UNAVAILABLE';
  return 'REMOTE_PROVIDER_ERROR';
}

/** Cloudflare's page for clients that go on after many 429: no refusal of the customer. */
function isBlocked({ status, body }: ProviderResponse): boolean {
  return status === 403 && parseJson(body) === undefined && /cloudflare/i.test(body);
}

/** The wait that no header states: the rest of the day, a minute, or the window of the burst limit. */
function impliedWait(code: ErrorCode, answer: ProviderResponse): number | undefined {
  if (code !== 'REMOTE_PROVIDER_RATE_LIMITED') return undefined;
  if (isBlocked(answer)) return BLOCKED_MS;
  return isDayOver(answer) ? untilMidnight(answer) : BURST_MS;
}

function isDayOver({ headers, body }: ProviderResponse): boolean {
  const { error } = readProblem(body);
  return headers['x-daily-ratelimit-token-remaining'] === '0' || /daily|budget/i.test(error ?? '');
}

/** The budget is renewed at midnight. Pipedrive's clock is UTC, and its time is in the response. */
function untilMidnight({ headers }: ProviderResponse): number {
  const now = Date.parse(headers['date'] ?? '');
  return Number.isNaN(now) ? UNKNOWN_END_MS : DAY_MS - (now % DAY_MS);
}

/** How long no further call of the same budget is sent. */
export function readPause(answer: ProviderResponse): number | undefined {
  const { code, retryAfterMs } = toFailure(answer);
  return code === 'REMOTE_PROVIDER_RATE_LIMITED' ? retryAfterMs : undefined;
}

export function readProblem(body: string): WireProblem {
  return wireProblem.parse(parseJson(body));
}

const optionalText = z.string().nullish().catch(null);

/** Every field of an error response is optional, and it may be no JSON. */
const wireProblem = z
  .object({
    error: optionalText,
    error_info: optionalText,
    message: optionalText,
    code: optionalText,
  })
  .catch({});
type WireProblem = z.infer<typeof wireProblem>;

export const BURST_MS = 2_000;
const BLOCKED_MS = 60_000;
/** A call now and then finds out. */
const UNKNOWN_END_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_MESSAGE = 500;

export interface Page {
  readonly records: readonly unknown[];
  /** The cursor of the next page. Null: this is the last one. */
  readonly next: string | null;
}

interface CallOptions {
  readonly budget?: 'general' | 'search';
  readonly isDescription?: boolean;
}

interface AllOptions extends Pick<CallOptions, 'isDescription'> {
  readonly query?: Query;
  /** The most records. */
  readonly max: number;
}
