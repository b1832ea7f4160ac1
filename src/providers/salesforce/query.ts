import { CrossbookError } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import { API, type Call, failureOf, toBadResponse, toRemoteFailure } from './call.ts';
import { type Condition, type FieldName, isIn, quote, type Soql, type Sosl } from './soql.ts';

/** All rows of all queries. */
export async function readRows(call: Call, queries: readonly string[]): Promise<Pages> {
  const read = async () => readPages(call, await ask(call, queries));
  try {
    return await read();
  } catch (error) {
    // The cursor expired between two pages: the query is repeated once.
    if (failureOf(error).errorCode !== 'INVALID_QUERY_LOCATOR') throw error;
    return read();
  }
}

/** The rows of each query, or its error: one that fails leaves the others as they are. */
export async function readEach(
  call: Call,
  queries: readonly string[],
): Promise<readonly (Pages | Error)[]> {
  const parts = await readParts(call, queries);
  const read = async (part: Part) => readPages(call, [understandPart(part)]);
  return Promise.all(parts.map((part) => read(part).catch((error: Error) => error)));
}

/** The rows of these first pages and of the pages after them. */
export async function readPages(call: Call, firstPages: readonly QueryResult[]): Promise<Pages> {
  const pages: (readonly Row[])[] = [];
  for (const first of firstPages) pages.push(...(await follow(call, first)));
  return pages;
}

/** The row count of a query: COUNT() returns no rows. */
export async function readCount(call: Call, query: Soql): Promise<number> {
  const [result] = await ask(call, [toPath(query, 'query')]);
  return result?.totalSize ?? 0;
}

/** The ids that a full-text search finds. */
export async function readIds(call: Call, query: Sosl): Promise<readonly string[]> {
  const path = `${API}/search/?q=${encodeURIComponent(query)}`;
  return call({ path }, (json) => {
    const records = isRecord(json) ? json['searchRecords'] : undefined;
    if (!Array.isArray(records) || records.length > MAX_PAGE) return undefined;
    const ids = records.map((record) => (isRecord(record) ? record['Id'] : undefined));
    return ids.filter((id) => typeof id === 'string');
  });
}

/** Follows the next pages up to a limit, and throws there: truncating silently would be wrong. */
async function follow(call: Call, first: QueryResult): Promise<Pages> {
  const pages = [first.records];
  let rows = first.records.length;
  let { next } = first;
  while (next !== undefined && rows <= MAX_ROWS && pages.length < MAX_PAGES) {
    const page: QueryResult = await call({ path: next }, toQueryResult);
    pages.push(page.records);
    rows += page.records.length;
    next = page.next;
  }
  if (rows <= MAX_ROWS && next === undefined) return pages;
  throw new CrossbookError(
    'REMOTE_PROVIDER_ERROR',
    `Salesforce has more than ${MAX_ROWS} contacts for this`,
    { origin: 'remote-provider' },
  );
}

/** Sends a short query as one GET. Long ones go in a body, because URIs are limited, and several share a call. */
async function ask(call: Call, queries: readonly string[]): Promise<readonly QueryResult[]> {
  const [path, ...others] = queries;
  if (path !== undefined && others.length === 0 && path.length <= MAX_URI) {
    return [await call({ path }, toQueryResult)];
  }
  return (await readParts(call, queries)).map(understandPart);
}

/** The path of a query; `queryAll` includes deleted rows, such as merged contacts. */
export function toPath(query: Soql, resource: 'query' | 'queryAll'): string {
  // Encodes the quote, which is legal in a query string but encoded by some clients, so that the length is known.
  return `${API}/${resource}/?q=${encodeURIComponent(query).replaceAll("'", '%27')}`;
}

/** The values of an IN list in parts, each of which fits into one encoded query. */
export function isInList(field: FieldName, values: Iterable<string>): readonly Condition[] {
  const parts: string[][] = [];
  let room = 0;
  for (const value of values) {
    const length = encodedLength(value);
    const part = parts.at(-1);
    if (part === undefined || length > room) {
      parts.push([value]);
      room = MAX_ENCODED - length;
    } else {
      part.push(value);
      room -= length;
    }
  }
  return parts.map((part) => isIn(field, part));
}

/** As part of a query, where quotes are encoded too and a comma follows. */
function encodedLength(value: string): number {
  return encodeURIComponent(quote(value)).replaceAll("'", '%27').length + 12;
}

const MAX_ENCODED = 12_000;

function toQueryResult(json: unknown): QueryResult | undefined {
  if (!isRecord(json) || !Array.isArray(json['records'])) return undefined;
  if (json['records'].length > MAX_PAGE) return undefined;
  const { totalSize, done, nextRecordsUrl } = json;
  const records = json['records'].every(isRecord)
    ? json['records']
    : json['records'].filter(isRecord);
  if (typeof totalSize !== 'number') return undefined;
  if (done === true) return { totalSize, records, next: undefined };
  return done === false && typeof nextRecordsUrl === 'string' && LOCATOR.test(nextRecordsUrl)
    ? { totalSize, records, next: nextRecordsUrl }
    : undefined;
}

/** Salesforce's recommendation; it rejects more than 16,384 bytes. */
const MAX_URI = 2_000;
/** Rows per page. */
const MAX_PAGE = 2_000;
/** Rows per query. */
const MAX_ROWS = 20_000;
/** Pages of the smallest size, with slack for empty ones. */
const MAX_PAGES = 200;
/** The next page's URL, a path of the API: no other is followed. */
const LOCATOR = /^\/services\/data\/v\d{1,3}\.0\/query(?:All)?\/[\w-]{1,200}$/;

/**
 * The result of each query, successful or not, in as few calls as possible and in the order of the paths. `others`
 * are paths that are no queries; they go into the first call, in front.
 */
export async function readParts(
  call: Call,
  queries: readonly string[],
  others: readonly string[] = [],
): Promise<readonly Part[]> {
  const groups = chunk(queries, MAX_QUERIES).map((group, index) =>
    index === 0 ? [...others, ...group] : group,
  );
  return (await Promise.all(groups.map((group) => askGroup(call, group)))).flat();
}

export function isSuccess({ httpStatusCode }: Part): boolean {
  return httpStatusCode >= 200 && httpStatusCode < 300;
}

async function askGroup(call: Call, paths: readonly string[]): Promise<readonly Part[]> {
  const compositeRequest = paths.map((url, index) => ({
    method: 'GET',
    url,
    referenceId: `query${index}`,
  }));
  const isDescription = paths.some((path) => path.endsWith('/describe'));
  return call({ path: `${API}/composite`, body: { compositeRequest }, isDescription }, (json) => {
    const parts = isRecord(json) ? json['compositeResponse'] : undefined;
    return Array.isArray(parts) && parts.length === paths.length && parts.every(isPart)
      ? parts
      : undefined;
  });
}

/** Reads one part, which has its own status: a composite call succeeds even if parts fail. */
export function understandPart(part: Part): QueryResult {
  if (!isSuccess(part)) throw toRemoteFailure(toAnswer(part));
  const understood = toQueryResult(part.body);
  if (understood !== undefined) return understood;
  throw toBadResponse(toAnswer(part), 'Salesforce sent a partial response of an unknown format');
}

function toAnswer({ httpStatusCode: status, httpHeaders, body }: Part): ProviderResponse {
  const headers = Object.entries(isRecord(httpHeaders) ? httpHeaders : {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  return { status, headers: Object.fromEntries(headers), body: JSON.stringify(body) ?? '' };
}

function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value['httpStatusCode'] === 'number';
}

/** A composite call has up to 25 parts, of which five may be queries. */
const MAX_QUERIES = 5;

/** An unchecked row. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows in pages, which are not concatenated. */
export type Pages = readonly (readonly Row[])[];

interface QueryResult {
  readonly totalSize: number;
  readonly records: readonly Row[];
  readonly next: string | undefined;
}

export interface Part {
  readonly httpStatusCode: number;
  readonly httpHeaders?: unknown;
  readonly body?: unknown;
}
