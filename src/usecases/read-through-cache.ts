import { CrossbookError, type ErrorCode } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import type { CrmRecord } from '../domain/records/record.ts';
import {
  type FieldSelection,
  includesFields,
  readSelectedFields,
  type SelectedFields,
} from '../domain/records/record-search.ts';
import { CACHE_ENTRY_MAX_AGE_MS, type CacheEntry, type ContactCache } from '../domain/tenant.ts';
import type { CrmClient } from './open-crm-client.ts';

/** Reads from the provider and caches the result, or serves the cached one where the caller allows it. */
export async function readThroughCache<Item extends CrmRecord>(
  deps: CacheDeps,
  search: CachedSearch<Item>,
): Promise<TimedResult<Item>> {
  const cached = search.readFromCache ? await readCached(deps, search) : undefined;
  // An entry may be from the future where a clock has stepped back: its distance counts.
  const age = cached
    ? Math.abs(deps.wall() - cached.fetchedAt.getTime())
    : Number.POSITIVE_INFINITY;
  const isFresh = cached !== undefined && age <= deps.cacheMaxAgeMs;
  if (search.readFromCache) deps.requestLog.record({ cache: isFresh ? 'hit' : 'miss' });
  if (isFresh) return cached;
  const stale = age <= CACHE_ENTRY_MAX_AGE_MS ? cached : undefined;
  const fetchedAt = new Date(deps.wall());
  try {
    const found = await search.find();
    const { countFailure } = found;
    if (countFailure === undefined) keep(deps, search, { found, fetchedAt });
    else if (stale && isOutage(countFailure)) throw countFailure;
    return { found, fetchedAt };
  } catch (error) {
    if (!stale || !isOutage(error)) throw error;
    deps.requestLog.record({ cache: 'stale' });
    return stale;
  }
}

/** Whether the provider is unavailable. A refusal is no outage, and neither is a response that cannot be understood. */
function isOutage(error: unknown): boolean {
  return error instanceof CrossbookError && OUTAGES.has(error.code);
}

/** An open circuit breaker is reported as unavailable. */
const OUTAGES: ReadonlySet<ErrorCode> = new Set([
  'REMOTE_PROVIDER_RATE_LIMITED',
  'REMOTE_PROVIDER_TIMEOUT',
  'REMOTE_PROVIDER_UNAVAILABLE',
]);

/** Writes to the cache in the background: the search does not wait for it. */
function keep<Item extends CrmRecord>(
  deps: CacheDeps,
  { client, cacheKey, selection }: CachedSearch<Item>,
  { found, fetchedAt }: TimedResult<Item>,
): void {
  const { records } = found;
  const entry = {
    connectionId: client.connection.id,
    fetchedAt,
    weight: Math.max(records.length, Math.ceil(deps.work.takeReadBytes() / RECORD_BYTES)),
    filterKey: cacheKey,
    payload: toPayload(found, readSelectedFields(selection)),
  };
  deps.runInBackground(deps.cache.write(entry));
}

/** An ordinary record, in the response of a CRM. */
const RECORD_BYTES = 1_000;

/** Serializes a result when it is written: not before, because a newer one may replace it. */
function toPayload(
  { records, ...page }: SearchResult<CrmRecord>,
  fields: SelectedFields | undefined,
): CacheEntry['payload'] {
  return (maxLength) => {
    const texts: string[] = [];
    let length = 0;
    // One by one, so that no more than the maximum is serialized. The source is restored from the connection.
    for (const { source: _, ...record } of records) {
      const text = JSON.stringify(record);
      length += text.length;
      if (length > maxLength) return undefined;
      texts.push(text);
    }
    // `contacts`, whatever they are: so the previous version reads it during an upgrade.
    const rest = JSON.stringify({ ...page, fields: fields && [...fields] });
    return `{"contacts":[${texts.join(',')}],${rest.slice(1)}`;
  };
}

/** Reads the cache. Entries with fewer fields than selected do not match. */
async function readCached<Item extends CrmRecord>(
  deps: CacheDeps,
  { client, cacheKey, selection }: CachedSearch<Item>,
): Promise<TimedResult<Item> | undefined> {
  const filterKey = cacheKey();
  const cached = await deps.shareCachedRead(client.connection.id, filterKey, () =>
    readEntry<Item>(deps, client, filterKey),
  );
  return cached && includesFields(cached.fields, selection) ? cached : undefined;
}

/** One read and one parse for all searches of the request with this key: none of them may change the result. */
async function readEntry<Item extends CrmRecord>(
  deps: CacheDeps,
  { connection, source }: CrmClient,
  filterKey: string,
): Promise<CachedResult<Item> | undefined> {
  const entry = await deps.cache.read(connection.id, filterKey);
  if (!entry) return undefined;
  const { contacts, fields, ...page } = JSON.parse(entry.payload) as CachedRecords<Item>;
  const found = { ...page, records: contacts.map((record) => ({ ...record, source })) };
  return { found, fields, fetchedAt: entry.fetchedAt };
}

/** The result of a search before pagination. */
export interface SearchResult<Item extends CrmRecord> {
  /** Other searches of the request may have the same result. */
  readonly records: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
  /** Set if counting failed; then the result is not cached, because another search may succeed in counting. */
  readonly countFailure?: unknown;
}

interface CachedRecords<Item extends CrmRecord> extends Omit<SearchResult<Item>, 'records'> {
  readonly contacts: readonly Item[];
  /** The fields that the search has read; absent: all. */
  readonly fields?: readonly string[];
}

export interface TimedResult<Item extends CrmRecord> {
  readonly found: SearchResult<Item>;
  readonly fetchedAt: Date;
}

interface CachedResult<Item extends CrmRecord> extends TimedResult<Item> {
  readonly fields: readonly string[] | undefined;
}

interface CachedSearch<Item extends CrmRecord> {
  readonly client: CrmClient;
  readonly selection: FieldSelection;
  readonly readFromCache: boolean;
  /** Searches with the same key share a result. */
  cacheKey(): string;
  find(): Promise<SearchResult<Item>>;
}

export interface CacheDeps {
  readonly cache: ContactCache;
  readonly cacheMaxAgeMs: number;
  readonly requestLog: Pick<RequestLog, 'record'>;
  readonly work: {
    /** The bytes that the request has read from CRMs since the last call. */
    takeReadBytes(): number;
  };
  wall(): number;
  /** Within the request, concurrent and later reads of an entry share the first one. */
  shareCachedRead<Result>(
    connectionId: string,
    filterKey: string,
    read: () => Promise<Result>,
  ): Promise<Result>;
  /** Runs a background task that may outlive the response; its errors are logged. */
  runInBackground(work: Promise<unknown>): void;
}
