import type { Connection, FieldMapping } from '../../domain/connection.ts';
import { CONTACT_FIELDS, type Contact } from '../../domain/contact.ts';
import {
  type FieldSelection,
  readSelectedFields,
  type SelectedFields,
  toContactOrigin,
} from '../../domain/contact-search.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import type { ApiVersion, RateLimit, RateLimitStatus } from '../../domain/provider.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest, type Send } from '../../domain/remote.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { parseJson } from '../../lib/json.ts';
import { PROPERTIES_OF, toContact, type WireProblem, wireProblem, wireProblems } from './contacts.ts';

/** The one way to HubSpot. Everything that we ask there is a POST that only reads. Refusals are thrown. */
export function createAsk(send: Send): HubSpotAsk {
  return ({ path, budget, body }) =>
    ask(send, { method: 'POST', path, budget, headers: HEADERS, body: JSON.stringify(body) });
}

async function ask(send: Send, request: RemoteRequest): Promise<ProviderResponse> {
  const answer = await send(request);
  if (answer.status < 200 || answer.status > 299) throw toFailure(answer);
  return answer;
}

/** HubSpot's refusal in our words. */
export function toFailure(answer: ProviderResponse, problem = readProblem(answer.body)): RemoteFailure {
  const message = problem.message ? `: ${problem.message.slice(0, MAX_MESSAGE)}` : '.';
  return new RemoteFailure(
    toCode(answer.status, problem),
    `HubSpot answered ${answer.status}${message}`,
    answer,
    { retryAfterMs: readRetryAfter(answer.headers) ?? impliedWait(answer.status, problem) },
  );
}

/**
 * HubSpot knows none of what was asked for, and names it. A 404 that names nothing is about the path: were it believed,
 * a retired version of the API would look like an account without people.
 */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof RemoteFailure) || error.answer.status !== 404) return false;
  const { category, context } = readProblem(error.answer.body);
  return category === MISSING && Object.values(context ?? {}).some((named) => named.length > 0);
}

/** What was asked for, of an answer that is no refusal. */
export function understand<Result>(read: Read<Result>, answer: ProviderResponse): Result {
  const json = parseJson(answer.body);
  const understood = read(json);
  if (understood === undefined) {
    throw new RemoteFailure(
      'REMOTE_PROVIDER_BAD_RESPONSE',
      json === undefined
        ? `HubSpot answered ${answer.status} with something that is not JSON.`
        : `HubSpot answered ${answer.status} with something of another shape than documented.`,
      answer,
    );
  }
  refusePartial(answer, json);
  answer.discardBody?.();
  return understood;
}

/** A batch may fail in parts. What is missing is missing; but what merely failed must not pass for missing. */
function refusePartial(answer: ProviderResponse, json: unknown): void {
  if (!Object.hasOwn(json as object, 'errors')) return;
  const problems = wireProblems.parse(json).errors ?? [];
  const failure = problems.find(({ category }) => category !== MISSING && category !== INVALID);
  if (failure) throw toFailure(answer, failure);
}

function toCode(status: number, problem: WireProblem): ErrorCode {
  if (status === 429 || isRateLimit(problem)) return 'REMOTE_PROVIDER_RATE_LIMITED';
  if (status === 401) return 'REMOTE_PROVIDER_UNAUTHORIZED';
  if (status === 403) return 'REMOTE_PROVIDER_FORBIDDEN';
  // 423: locked for the moment. 477: the account is being moved to another data centre.
  if (status === 423 || status === 477 || status >= 500) return 'REMOTE_PROVIDER_UNAVAILABLE';
  return 'REMOTE_PROVIDER_ERROR';
}

function isRateLimit({ category, errorType, policyName }: WireProblem): boolean {
  return category === 'RATE_LIMITS' || errorType === 'RATE_LIMIT' || Boolean(policyName);
}

/** How long a refusal lasts where HubSpot does not say it in a header. A day's limit ends at a midnight unknown to us. */
function impliedWait(status: number, { policyName, message }: WireProblem): number | undefined {
  if (status === 423) return 2_000;
  if (status !== 429) return undefined;
  const policy = `${policyName ?? ''} ${message ?? ''}`.toLowerCase();
  if (policy.includes('ten_secondly')) return 10_000;
  return policy.includes('secondly') ? 1_000 : undefined;
}

function readProblem(body: string): WireProblem {
  return wireProblem.parse(parseJson(body));
}

const HEADERS = { accept: 'application/json', 'content-type': 'application/json' } as const;
const MISSING = 'OBJECT_NOT_FOUND';
/** An input that HubSpot refuses as malformed cannot be anybody's. */
const INVALID = 'VALIDATION_ERROR';
const MAX_MESSAGE = 500;

/**
 * Below what HubSpot documents, because the windows are HubSpot's own and roll: 5 searches a second for the whole
 * account (all of its applications together), 100 other calls in 10 seconds on the smallest plan.
 */
export const BUDGETS = {
  search: { calls: 4, intervalMs: 1_000, concurrency: 4 },
  general: { calls: 90, intervalMs: 10_000, concurrency: 10 },
  token: { concurrency: 1 },
} as const satisfies Record<string, RateLimit>;

/** Larger plans say so in their headers. Searches carry none of them. */
export function readAllowance({ headers }: ProviderResponse): RateLimitStatus | undefined {
  const max = readCount(headers['x-hubspot-ratelimit-max']);
  const remaining = readCount(headers['x-hubspot-ratelimit-remaining']);
  const intervalMs = readCount(headers['x-hubspot-ratelimit-interval-milliseconds']);
  if (!max || !intervalMs || remaining === undefined) return undefined;
  return { max, remaining, intervalMs };
}

function readCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

/** HubSpot dates its versions and supports each for 18 months: this is the one place that names ours, released 2026-03-30. */
const VERSION = '2026-03';
export const API_VERSION: ApiVersion = { version: VERSION, supportedUntil: '2027-09-30' };

/** The same for every region: HubSpot routes by token. An account's instance URL only identifies it. */
export const API_ORIGIN = 'https://api.hubapi.com';

export const PATHS = {
  search: `/crm/objects/${VERSION}/contacts/search`,
  batchRead: `/crm/objects/${VERSION}/contacts/batch/read`,
  companies: `/crm/associations/${VERSION}/contacts/companies/batch/read`,
  deals: `/crm/associations/${VERSION}/contacts/deals/batch/read`,
  tickets: `/crm/associations/${VERSION}/contacts/tickets/batch/read`,
  token: `/oauth/${VERSION}/token`,
  introspect: `/oauth/${VERSION}/token/introspect`,
  revoke: `/oauth/${VERSION}/token/revoke`,
} as const;

/** HubSpot refuses anything else, together with the whole batch that it is in. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,18}$/.test(id);
}

/** Ids are numbers, too large for exact arithmetic one day: the longer is the larger. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Undefined where the answer is of another shape than documented. */
type Read<Result> = (json: unknown) => Result | undefined;

type HubSpotAsk = (request: {
  readonly path: string;
  readonly budget: BudgetName;
  readonly body: unknown;
}) => Promise<ProviderResponse>;

export type BudgetName = keyof typeof BUDGETS;

/** One customer's HubSpot, as every read sees it. */
export function openAccount(send: Send, connection: Connection): HubSpotAccount {
  const source = toContactOrigin(connection);
  const account: HubSpotAccount = {
    ask: createAsk(send),
    propertiesFor: (selection) => propertiesFor(connection, selection),
    toContact: (record, { rawData }) => toContact(record, { source, rawData }),
    toContacts: (records, selection) =>
      records
        .map((record) => account.toContact(record, selection))
        .filter((contact) => contact !== undefined),
  };
  return account;
}

/** What HubSpot finds a contact by, and what therefore has to come along: a hit is looked at again. */
const KEYS = ['email', 'hs_additional_emails', 'hs_object_id'];

const remembered = new WeakMap<SelectedFields, readonly string[]>();

const EVERY_PROPERTY = toProperties(new Set(CONTACT_FIELDS));

/** The properties that are asked for; with raw data, those as well that the customer has mapped. */
export function propertiesFor(connection: Connection, selection: FieldSelection): readonly string[] {
  const fields = readSelectedFields(selection);
  if (fields) return toProperties(fields);
  return selection.rawData ? withMappedProperties(connection) : EVERY_PROPERTY;
}

function toProperties(fields: SelectedFields): readonly string[] {
  const known = remembered.get(fields);
  if (known) return known;
  const properties = new Set(KEYS);
  for (const field of fields) for (const property of PROPERTIES_OF[field]) properties.add(property);
  const names = [...properties];
  remembered.set(fields, names);
  return names;
}

/** Of the mappings that the customer has made, those of contacts count. */
function withMappedProperties(connection: Connection): readonly string[] {
  const { schemaMappingsConfig: schemas, entityMappings } = connection;
  const objects = [...(schemas?.commonObjects ?? []), ...(schemas?.standardObjects ?? [])];
  const mappings = [
    ...objects.filter(({ object }) => isContact(object)),
    ...(entityMappings ?? []).filter(({ object }) => object?.type === 'standard' && isContact(object.name)),
  ].flatMap(({ fieldMappings }): readonly FieldMapping[] => fieldMappings);
  const mapped = mappings.map(({ mappedField }) => mappedField.trim()).filter((field) => field !== '');
  return [...new Set([...EVERY_PROPERTY, ...mapped])];
}

function isContact(object: string | null): boolean {
  return object !== null && /^contacts?$/i.test(object.trim());
}

export interface HubSpotAccount {
  readonly ask: HubSpotAsk;
  propertiesFor(selection: FieldSelection): readonly string[];
  /** Undefined where it is no record. */
  toContact(record: unknown, selection: FieldSelection): Contact | undefined;
  toContacts(records: readonly unknown[], selection: FieldSelection): readonly Contact[];
}
