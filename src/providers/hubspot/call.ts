import * as z from 'zod';
import { CrossbookError, type ErrorCode } from '../../domain/errors.ts';
import type { ApiVersion, CustomerAccount } from '../../domain/provider.ts';
import { type JsonResponse, type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { isRecord, parseJson } from '../../lib/json.ts';

/** The API origin of all regions: HubSpot routes by token. The instance URL only identifies the account. */
export const API_ORIGIN = 'https://api.hubapi.com';

/**
 * HubSpot's versions are dates, each supported for 18 months. This is the only place with ours, released 2026-03-30.
 */
const VERSION = '2026-03';
export const API_VERSION: ApiVersion = { version: VERSION, supportedUntil: '2027-09-30' };

export const PATHS = {
  token: `/oauth/${VERSION}/token`,
  introspect: `/oauth/${VERSION}/token/introspect`,
  revoke: `/oauth/${VERSION}/token/revoke`,
} as const;

/** The lists of any object, and its properties; an object's name follows. */
export const OBJECTS = {
  list: `/crm/objects/${VERSION}`,
  properties: `/crm/properties/${VERSION}`,
  associations: `/crm/associations/${VERSION}`,
  pipelines: `/crm/pipelines/${VERSION}`,
} as const;

export const OWNERS_PATH = `/crm/owners/${VERSION}`;
export const ACCOUNT_PATH = `/account-info/${VERSION}/details`;

/** Reads with GET. Throws on an error response, unless it says that there is no such object. */
export async function get(
  { send }: CustomerAccount,
  path: string,
  isDescription = false,
): Promise<JsonResponse> {
  const answer = await send({
    method: 'GET',
    path,
    budget: 'general',
    retry: 'safe',
    isDescription,
  });
  const isFine = answer.status >= 200 && answer.status < 300;
  if (isFine || isUnknownObject(answer)) return answer;
  throw toFailure(answer);
}

/** A name that no object has is a 400. A 404 is about the path: it stands for a retired version as well. */
export function isUnknownObject(response: ProviderResponse): boolean {
  if (response.status !== 400 && response.status !== 404) return false;
  // Reading the body decodes it.
  return UNKNOWN_OBJECT.test(readProblem(response.body).message ?? '');
}

const UNKNOWN_OBJECT = /unable to infer object type/i;

/** All searches and batch reads are POST requests that change nothing. Throws on an error response. */
export async function ask(
  { send }: CustomerAccount,
  path: string,
  body: unknown,
  budget = 'general',
): Promise<JsonResponse> {
  const answer = await send({
    method: 'POST',
    path,
    budget,
    retry: 'safe',
    body: JSON.stringify(body),
  });
  if (answer.status < 200 || answer.status > 299) throw toFailure(answer);
  return answer;
}

/**
 * Undefined if HubSpot has none of the records. Documented: a 207 that lists missing ids. Also observed: a 404 for a
 * whole batch.
 */
export async function askForKnown(
  account: CustomerAccount,
  path: string,
  body: unknown,
  budget?: string,
): Promise<JsonResponse | undefined> {
  try {
    return await ask(account, path, body, budget);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Reads a successful response. `read` returns undefined for an undocumented shape. */
export function parseResponse<Result>(
  read: (json: unknown) => Result | undefined,
  answer: JsonResponse,
): Result {
  const json = answer.readJson();
  const understood = read(json);
  if (understood === undefined) {
    throw json === undefined
      ? toBadResponse(answer, 'a body that is not JSON')
      : toUnknownShape(answer);
  }
  refusePartial(answer, json);
  answer.discardBody?.();
  return understood;
}

export function toUnknownShape(answer: ProviderResponse): RemoteFailure {
  return toBadResponse(answer, 'a body that does not match its documentation');
}

function toBadResponse(answer: ProviderResponse, what: string): RemoteFailure {
  return new RemoteFailure(
    'REMOTE_PROVIDER_BAD_RESPONSE',
    `HubSpot responded with ${answer.status} and ${what}.`,
    answer,
  );
}

/**
 * A batch may fail partially. Missing records are fine, but records that failed for other reasons must not be treated
 * as missing.
 */
function refusePartial(answer: ProviderResponse, json: unknown): void {
  const errors = isRecord(json) ? json['errors'] : undefined;
  if (!Array.isArray(errors)) return;
  const problems = errors.slice(0, MAX_PROBLEMS).map((error) => wireProblem.parse(error));
  const failure = problems.find((problem) => !isAboutInputs(problem));
  if (failure) throw toFailure(answer, failure);
}

/** Every field is optional: without a category, the inputs that it names are missing. */
function isAboutInputs({ category, context }: WireProblem): boolean {
  return category
    ? category === MISSING || category === INVALID
    : Boolean(context?.['ids'] ?? context?.['fromObjectId']);
}

/** The error for endless pagination. */
export function paginationLimitError(detail: string): CrossbookError {
  const origin = 'remote-provider';
  return new CrossbookError('REMOTE_PROVIDER_BAD_RESPONSE', `HubSpot’s ${detail}.`, { origin });
}

/**
 * Whether a 404 names the missing records. One that names nothing is about the path: a retired API version would
 * otherwise look like an empty account.
 */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof RemoteFailure) || error.answer.status !== 404) return false;
  const { category, context } = readProblem(error.answer.body);
  return category === MISSING && Object.values(context ?? {}).some((named) => named.length > 0);
}

const MISSING = 'OBJECT_NOT_FOUND';
/** An input that HubSpot rejects as malformed matches no record. */
const INVALID = 'VALIDATION_ERROR';

/** Maps HubSpot's error response to our error. */
export function toFailure(
  answer: ProviderResponse,
  problem = readProblem(answer.body),
): RemoteFailure {
  const { status, headers } = answer;
  const message = problem.message ? `: ${problem.message.slice(0, MAX_MESSAGE)}` : '.';
  const code = toCode(status, problem);
  return new RemoteFailure(code, `HubSpot responded with ${status}${message}`, answer, {
    retryAfterMs:
      readRetryAfter(headers) ?? (status === 423 ? LOCKED_MS : impliedWait(code, problem)),
  });
}

function toCode(status: number, { category, errorType, policyName }: WireProblem): ErrorCode {
  const isRateLimit =
    category === 'RATE_LIMITS' || errorType === 'RATE_LIMIT' || Boolean(policyName);
  if (status === 429 || isRateLimit) return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (status === 401) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  if (status === 403) return 'REMOTE_PROVIDER_FORBIDDEN';
  // 423: locked for the moment.
  if (status === 423 || status === MOVING || status >= 500) return 'REMOTE_PROVIDER_UNAVAILABLE';
  return 'REMOTE_PROVIDER_ERROR';
}

/**
 * The retry time where no header has it. A daily limit ends at a midnight in an unknown time zone: until then a call
 * every few minutes finds out.
 */
function impliedWait(code: ErrorCode, { policyName, message }: WireProblem): number | undefined {
  if (code !== 'REMOTE_PROVIDER_RATE_LIMITED') return undefined;
  const policy = `${policyName ?? ''} ${message ?? ''}`.toLowerCase();
  if (policy.includes('daily')) return 300_000;
  return /(?<!ten_)secondly/.test(policy) ? 1_000 : 10_000;
}

/** A rate limit, or an account that is being moved for up to a day. */
export function readPause(answer: ProviderResponse): number | undefined {
  const { code, retryAfterMs } = toFailure(answer);
  return code === 'REMOTE_PROVIDER_RATE_LIMITED' || answer.status === MOVING
    ? retryAfterMs
    : undefined;
}

export function readProblem(body: string): WireProblem {
  return wireProblem.parse(parseJson(body));
}

/** The account is being moved to another data centre. */
const MOVING = 477;
const LOCKED_MS = 2_000;
const MAX_MESSAGE = 500;
/** One for each input of a batch. */
const MAX_PROBLEMS = 1_000;

/** A list of records that is no longer than any call asks for: mapping more of them would delay other requests. */
export function isResultList(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length <= MAX_RESULTS;
}

const MAX_RESULTS = 1_000;

/** The records of a response, checked without copying, because they are most of the data. Undefined for anything else. */
export function toResults(json: unknown): readonly unknown[] | undefined {
  const results = isRecord(json) ? json['results'] : undefined;
  return isResultList(results) ? results : undefined;
}

export const optionalText = z.string().nullish().catch(null);

/**
 * Every field of an error response is optional, and it may be no JSON. `status` and OAuth errors come from the token
 * endpoint.
 */
const wireProblem = z
  .object({
    message: optionalText,
    category: optionalText,
    errorType: optionalText,
    policyName: optionalText,
    status: optionalText,
    error: optionalText,
    error_description: optionalText,
    context: z.record(z.string(), z.array(z.unknown())).nullish().catch(null),
  })
  .catch({});
type WireProblem = z.infer<typeof wireProblem>;

/** Ids are documented as strings, but some are sent as numbers. */
export const wireId = z.union([z.string(), z.number()]).transform(String);

export const wirePaging = z
  .object({ next: z.object({ after: wireId.nullish() }).nullish() })
  .nullish();
