import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, PageRequest, Signer } from '../domain/page.ts';
import { PHONE_HITS, type RecordCapabilities } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import {
  type FilterKind,
  filterCacheKey,
  type ListFilter,
  type ModifiedFilter,
  type PhoneFilter,
  type RecordFilter,
  type SearchedKind,
} from '../domain/records/conditions.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import {
  type FieldSelection,
  type FoundPage,
  type RecordSearch,
  type RecordTarget,
  rawKey,
} from '../domain/records/record-search.ts';
import { checkMayList } from './authorization.ts';
import { type CrmClient, type OpenDeps, openCrmClient } from './open-crm-client.ts';
import {
  bindCursors,
  readForwardPage,
  readListPage,
  readPageRequest,
  signCursor,
  signPlaceOf,
  slicePage,
} from './page.ts';
import type { RefreshDeps } from './provider-fields.ts';
import {
  type CacheDeps,
  readThroughCache,
  type SearchResult,
  type TimedResult,
} from './read-through-cache.ts';
import { searchByCustomField } from './search-by-custom-field.ts';
import { type SelectionDeps, selectCustomFields } from './select-custom-fields.ts';

/** Searches a customer's records of one type in one CRM and returns a page, ordered by id. */
export async function searchRecords<Item extends CrmRecord, Input>(
  deps: SearchDeps,
  kind: SearchedKind<Item, Input>,
  search: RecordSearch<Input>,
): Promise<FoundPage<Item>> {
  deps.requireCaller();
  const { record, filters } = kind;
  const filter = filters.read(search.filter);
  checkMayList(deps, filters, filter);
  const opened = openCrmClient(deps, search, record);
  const client = opened instanceof Promise ? await opened : opened;
  requireFilter(client, record, filter);
  const selecting = selectCustomFields(
    deps,
    record,
    client,
    selectForFilter(search.selection, filters, filter),
  );
  const selection = selecting instanceof Promise ? await selecting : selecting;
  const cursors = bindCursors(deps.cursors, client.source, record, filter);
  const requested = readPageRequest(cursors, search.page);
  if (filters.isListing(filter)) requireDirection(client, record, requested);
  const { readFromCache } = search;
  const now = deps.wall();
  const page = fixPeriod(requested, filter, { now, client });
  const query = { kind, filter, client, cursors, page, selection, readFromCache };
  const timed = await readTimed(deps, query);
  // The first response of a CRM may show that its clock is behind, and that the period has to end earlier.
  const corrected = fixPeriod(requested, filter, { now, client });
  if (!endsEarlier(corrected, page)) return toFoundPage(query, timed);
  const again = { ...query, page: corrected };
  return toFoundPage(again, await readTimed(deps, again));
}

function requireFilter(
  { access, connection }: CrmClient,
  { type, nouns }: Pick<RecordKind<CrmRecord>, 'type' | 'nouns'>,
  filter: RecordFilter,
): void {
  const most = access.records[type]?.filters[filter.by]?.most;
  if (filter.by === 'emails' && most !== undefined && filter.emails.length > most)
    throw new CrossbookError(
      'BAD_REQUEST',
      `The ${nouns} of ${PROVIDER_TITLES[connection.providerName]} can be searched by at most ${most} emails at once, and the filter has ${filter.emails.length}.`,
    );
  const lacking = findLacking(access.records[type], filter);
  if (lacking === undefined) return;
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `The ${nouns} of ${PROVIDER_TITLES[connection.providerName]} cannot be searched by ${lacking}.`,
  );
}

/** The condition of the filter by which a CRM cannot search. Undefined: it can search by all of them. */
export function findLacking(
  { filters }: Pick<RecordCapabilities, 'filters'> = { filters: {} },
  filter: RecordFilter,
): string | undefined {
  const names = filter.by === 'where' ? Object.keys(filter.where) : [filter.by];
  return names.find((name) => !filters[name]);
}

/** Look-ups find everything, and are paged here. */
function requireDirection(
  { access, connection }: CrmClient,
  { type, nouns }: Pick<RecordKind<CrmRecord>, 'type' | 'nouns'>,
  { direction }: PageRequest,
): void {
  if (direction === 'forward' || !access.records[type]?.isForwardOnly) return;
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `Lists of ${nouns} of ${PROVIDER_TITLES[connection.providerName]} can be read forward only: use "first" and "after".`,
  );
}

function endsEarlier({ until }: PageRequest, before: PageRequest): boolean {
  return until !== undefined && before.until !== undefined && until < before.until - SLACK_MS;
}

/** Responses take a while: a difference between clocks is known to a second or two. */
const SLACK_MS = 2_000;

/** Listings are not cached: they are long, and a copy of a customer's CRM is not what the cache is for. */
function readTimed<Item extends CrmRecord>(
  deps: SearchDeps,
  query: Query<Item>,
): Promise<TimedResult<Item>> {
  const { client, kind, filter, selection, readFromCache } = query;
  if (kind.filters.isListing(filter)) {
    const fetchedAt = new Date(deps.wall());
    return searchProvider(deps, query).then((found) => ({ found, fetchedAt }));
  }
  return readThroughCache(deps, {
    client,
    selection,
    readFromCache,
    cacheKey: createCacheKey(query),
    find: () => searchProvider(deps, query),
  });
}

/** The selection with what the filter's hits are verified by. */
function selectForFilter<Selection extends FieldSelection>(
  selection: Selection,
  filters: Pick<FilterKind<never, never>, 'verifiedFields'>,
  filter: RecordFilter,
): Selection {
  const { fields, customFieldNames = [] } = selection;
  if (filter.by === 'customField' && customFieldNames !== 'all')
    return { ...selection, customFieldNames: [...customFieldNames, filter.name] };
  const verified = filters.verifiedFields(filter);
  if (!fields || verified.every((name) => fields.has(name))) return selection;
  return { ...selection, fields: new Set([...fields, ...verified]) };
}

/**
 * The first page fixes the end of the period of a search by time, and cursors keep it. It follows the clock of the CRM
 * where that is behind ours, because the records have its times.
 */
function fixPeriod(
  page: PageRequest,
  filter: RecordFilter,
  { now, client }: { readonly now: number; readonly client: CrmClient },
): PageRequest {
  if (filter.by !== 'modifiedSince' || page.until !== undefined) return page;
  if (filter.since > now + MAX_CLOCK_ERROR_MS)
    throw new CrossbookError(
      'UNPROCESSABLE_ENTITY',
      'The filter’s time of modification is in the future.',
    );
  const lagMs = client.access.searchLagMs + client.port.clockBehindMs();
  // A period that has just begun is empty, and the next one begins where it did. It ends with a whole second, because
  // the times of some CRMs are rounded down to one.
  return { ...page, until: Math.max(toSecond(filter.since), toSecond(now - lagMs)) };
}

function toSecond(time: number): number {
  return Math.floor(time / 1_000) * 1_000;
}

/** The caller's clock may be ahead of ours. */
const MAX_CLOCK_ERROR_MS = 60 * 60_000;

/** A look-up finds everything and is sliced later; a list reads a single page from the provider. */
function searchProvider<Item extends CrmRecord>(
  deps: SearchDeps,
  query: Query<Item>,
): Promise<SearchResult<Item>> {
  const { filter, page } = query;
  switch (filter.by) {
    case 'emails':
      return searchByKeys(deps, query, filter.emails);
    case 'phone':
      return searchByPhone(query, filter);
    case 'customField':
      return listByCustomField(deps, query, filter);
    case 'modifiedSince':
      return readPeriod(query, { ...filter, until: page.until ?? filter.since });
    case 'emailDomain':
    case 'namePrefix':
    case 'domains':
    case 'where':
    case 'all':
      return readList(query, filter);
  }
}

function searchByKeys<Item extends CrmRecord>(
  deps: LookupDeps,
  { client, kind, selection }: Query<Item>,
  keys: readonly string[],
): Promise<SearchResult<Item>> {
  return deps.lookup(client, kind.record, keys, selection).then((found) => {
    const records = sortUnique(client, found);
    return { ...NOTHING, records, totalCount: records.length };
  });
}

async function searchByPhone<Item extends CrmRecord>(
  { client, kind, selection }: Query<Item>,
  phone: PhoneFilter,
): Promise<SearchResult<Item>> {
  const records = await client.port.of(kind.record).readList(phone, PHONE_HITS, selection);
  return { ...NOTHING, records: sortById(client, [...records]), totalCount: null };
}

async function readPeriod<Item extends CrmRecord>(
  query: Query<Item>,
  filter: ModifiedFilter,
): Promise<SearchResult<Item>> {
  return filter.until < filter.since ? NOTHING : readList(query, filter);
}

async function listByCustomField<Item extends CrmRecord>(
  deps: SearchDeps,
  query: Query<Item>,
  filter: Extract<RecordFilter, { by: 'customField' }>,
): Promise<SearchResult<Item>> {
  const { kind, client, selection } = query;
  const found = await searchByCustomField(
    deps,
    { kind: kind.record, client, filter, selection },
    (list): Promise<SearchResult<Item>> => readList(query, list),
  );
  return found ?? NOTHING;
}

async function readList<Item extends CrmRecord>(
  { client, kind, page, selection }: Query<Item>,
  filter: ListFilter,
): Promise<SearchResult<Item>> {
  const port = client.port.of(kind.record);
  const { isForwardOnly } = client.access.records[kind.record.type] ?? {};
  const read = isForwardOnly ? readForwardPage : readListPage;
  const { items, ...ends } = await read(port, filter, page, selection);
  const found = { records: items, ...ends, totalCount: null };
  const isOnlyPage = page.boundary === undefined && !ends.hasNextPage && !ends.hasPreviousPage;
  if (isOnlyPage) return { ...found, totalCount: items.length };
  if (!selection.totalCount) return found;
  if (selection.totalCount === 'first page' && page.total !== undefined)
    return { ...found, totalCount: page.total };
  try {
    return { ...found, totalCount: await port.count(filter) };
  } catch (countFailure) {
    // A failed count does not fail the page.
    return { ...found, countFailure };
  }
}

function toFoundPage<Item extends CrmRecord>(
  { filter, client, cursors, page, selection, readFromCache }: Query<Item>,
  { found, fetchedAt }: TimedResult<Item>,
): FoundPage<Item> {
  const { records, totalCount, countFailure } = found;
  const isCountKept = selection.totalCount === 'first page' && !isLookUp(filter);
  const total = isCountKept ? (totalCount ?? undefined) : undefined;
  const place = { ...page, total };
  const { items, hasNextPage, hasPreviousPage } = isLookUp(filter)
    ? slicePage(records, page, client.access.compareIds)
    : { ...found, items: records };
  return {
    items,
    hasNextPage,
    hasPreviousPage,
    totalCount,
    countFailure,
    source: client.source,
    modifiedUntil: page.until === undefined ? null : new Date(page.until).toISOString(),
    fetchedAt: fetchedAt.toISOString(),
    readFromCache,
    cursorOf: (item, direction) =>
      item
        ? signCursor(cursors, {
            key: item.remoteId,
            direction,
            until: page.until,
            total,
            place: item.place?.cursor,
          })
        : signPlaceOf(cursors, place, direction),
  };
}

/** The cache key without the fields, because an entry with more fields also serves a smaller selection. */
function createCacheKey<Item extends CrmRecord>({
  kind,
  filter,
  page,
  selection,
}: Query<Item>): () => string {
  const { rawData, rawFields, totalCount, needsPreviousPage, customFields } = selection;
  return () => {
    const raw = rawFields ? rawKey(selection) : rawData;
    const of = isLookUp(filter) ? [raw] : [raw, page, totalCount, needsPreviousPage];
    const parts = customFields ? [...of, customFields.key, customFields.names] : of;
    return `${kind.record.key}${JSON.stringify(parts)}${filterCacheKey(filter)}`;
  };
}

/** Unique, because two keys may belong to one record. */
export function sortUnique<Item extends CrmRecord>(client: CrmClient, records: Item[]): Item[] {
  const sorted = sortById(client, records);
  const isLast = ({ remoteId }: Item, index: number) => sorted[index + 1]?.remoteId !== remoteId;
  return sorted.every(isLast) ? sorted : sorted.filter(isLast);
}

function sortById<Item extends CrmRecord>({ access }: CrmClient, records: Item[]): Item[] {
  return records.sort((a, b) => access.compareIds(a.remoteId, b.remoteId));
}

const NOTHING = { records: [], hasNextPage: false, hasPreviousPage: false, totalCount: 0 };

/** No provider has longer ids. A longer one is not looked up, because a request can repeat it many times. */
const MAX_REMOTE_ID_LENGTH = 255;

/** One record by the provider's own id; undefined if the provider has none. */
export function findRecord<Item extends CrmRecord>(
  deps: FindRecordDeps,
  kind: RecordKind<Item>,
  key: RecordTarget & Pick<CrmRecord, 'remoteId'>,
  selection: FieldSelection,
): Promise<Item | undefined> {
  return deps.withSpan('findRecord', async () => {
    const client = await openCrmClient(deps, key, kind);
    if (key.remoteId.length > MAX_REMOTE_ID_LENGTH) return undefined;
    const resolved = await selectCustomFields(deps, kind, client, selection);
    const found = await deps.loadRecords(client, kind, [key.remoteId], resolved);
    return found.get(key.remoteId);
  });
}

/** Finds all that there is and slices it: other searches read one page from the provider. */
function isLookUp({ by }: RecordFilter): boolean {
  return by === 'emails' || by === 'phone';
}

/** A search with validated input. */
interface Query<Item extends CrmRecord> extends Pick<RecordSearch<never>, 'readFromCache'> {
  readonly kind: SearchedKind<Item, unknown>;
  readonly filter: RecordFilter;
  readonly selection: RecordSearch<never>['selection'];
  readonly client: CrmClient;
  readonly cursors: BoundSigner;
  readonly page: PageRequest;
}

export interface SearchDeps extends OpenDeps, CacheDeps, LookupDeps, RefreshDeps {
  readonly cursors: Signer;
}

export interface LookupDeps extends SelectionDeps {
  /** Batches the look-ups of one request per connection. The calling function owns the list. */
  lookup<Item extends CrmRecord>(
    client: CrmClient,
    kind: RecordKind<Item>,
    keys: readonly string[],
    selection: FieldSelection,
  ): Promise<Item[]>;
}

export interface FindRecordDeps extends OpenDeps, SelectionDeps {
  /** Batches the ids of one request per connection: the result has all records that were asked for. */
  loadRecords<Item extends CrmRecord>(
    client: CrmClient,
    kind: RecordKind<Item>,
    ids: readonly string[],
    selection: FieldSelection,
  ): Promise<ReadonlyMap<string, Item>>;
}
