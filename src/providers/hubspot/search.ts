import * as z from 'zod';
import type { CustomerAccount, KeysetRange } from '../../domain/provider.ts';
import { type ListFilter, NotFilterableError } from '../../domain/records/conditions.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../domain/records/record-search.ts';
import { RemoteFailure } from '../../domain/remote.ts';
import {
  ask,
  isResultList,
  OBJECTS,
  paginationLimitError,
  parseResponse,
  wirePaging,
} from './call.ts';
import { type SearchQuery, toQuery } from './filters.ts';
import { compareIds, type HubSpotObject, isRecordId, propertiesFor } from './object.ts';

/**
 * Reads any number of records from HubSpot's pages with keyset pagination: each page starts after the last record of
 * the previous one. Concurrent changes shift nothing, and the limit of 10,000 results does not apply.
 */
export async function readList<Item extends CrmRecord>(
  account: CustomerAccount,
  object: HubSpotObject<Item>,
  { filter, range: run, selection }: ListAsk,
): Promise<readonly Item[]> {
  const properties = propertiesFor(object, account.connection, selection);
  const query = toQuery(filter, object);
  const search = createSearch(account, { object, query, properties, direction: run.direction });
  const source = toRecordOrigin(account.connection, object.kind);
  const found = new Map<string, Item>();
  let position: Position | undefined = { from: run.from, isInclusive: true };
  const kind = selection.rawData ? `${object.name} with raw data` : object.name;
  let limit = Math.min(MAX_PAGE, run.limit);
  let calls = 0;
  while (position && found.size < run.limit) {
    if (calls === MAX_CALLS) {
      throw paginationLimitError(`${object.name} did not come to an end within ${MAX_CALLS} calls`);
    }
    const page = await account.pageSizes.read(kind, limit, (fitting) => {
      limit = fitting;
      return askByFilter({ filter, query, selection }, () => search(position ?? {}, fitting));
    });
    // Of large records there are many small pages, which the deadline limits.
    if (!account.pageSizes.isReduced(kind)) calls += 1;
    // A field that no record has.
    if (!page) return [];
    const { results, paging } = page;
    let last: Item | undefined;
    let hits = 0;
    for (const [index, record] of results.entries()) {
      const item = object.toRecord(record, source, selection);
      if (!item || !isWithin(position, run.direction, item)) continue;
      // Records beyond the limit are not in order.
      if (index < limit) last = item;
      if (!object.filters.matches(item, filter)) continue;
      hits += 1;
      found.set(item.remoteId, item);
    }
    position = toNext(position, last, paging?.next?.after);
    // False hits may be consecutive: large pages skip them.
    const lied = results.length === 0 || hits < results.length;
    limit = lied ? MAX_PAGE : Math.min(MAX_PAGE, run.limit - found.size);
  }
  const ascending = [...found.values()].sort((a, b) => compareIds(a.remoteId, b.remoteId));
  return run.direction === 'forward' ? ascending.slice(0, run.limit) : ascending.slice(-run.limit);
}

/**
 * Counts the hits where they fit one page, because HubSpot's total includes deleted ones. A larger total is used,
 * minus the false hits that were seen, unless the query matches more than the filter.
 */
export async function count<Item extends CrmRecord>(
  account: CustomerAccount,
  object: HubSpotObject<Item>,
  filter: ListFilter,
): Promise<number | null> {
  const query = toQuery(filter, object);
  const selection = selectionFor(object, filter);
  const properties = propertiesFor(object, account.connection, selection);
  const search = createSearch(account, { object, query, properties, direction: 'forward' });
  const page = await askByFilter({ filter, query, selection }, () => search({}, MAX_PAGE));
  if (!page) return 0;
  const source = toRecordOrigin(account.connection, object.kind);
  let hits = 0;
  for (const record of page.results) {
    const item = object.toRecord(record, source, selection);
    if (item && object.filters.matches(item, filter)) hits += 1;
  }
  if (!page.paging?.next?.after) return hits;
  return query.isExact ? Math.max(hits, (page.total ?? 0) - (page.results.length - hits)) : null;
}

/** Searches, with the query's fallback from the first time on that HubSpot rejects one of its filters. */
function createSearch(account: CustomerAccount, { object, query, properties, direction }: Search) {
  const sorts = [{ propertyName: ID, direction: SORTS[direction] }];
  let { groups } = query;

  return async (position: Position, limit: number) => {
    try {
      return await search(position, limit);
    } catch (error) {
      const { fallback } = query;
      if (!fallback || groups === fallback || !findRefused(error, groups)) throw error;
      groups = fallback;
      return search(position, limit);
    }
  };

  async function search({ from, isInclusive, after }: Position, limit: number) {
    const operator = `${direction === 'forward' ? 'GT' : 'LT'}${isInclusive ? 'E' : ''}`;
    const bounds = from === undefined ? [] : [{ propertyName: ID, operator, value: from }];
    const filterGroups = groups
      .map((filters) => ({ filters: [...filters, ...bounds] }))
      .filter(({ filters }) => filters.length > 0);
    const body = { filterGroups, sorts, properties, limit, after };
    const answer = await ask(account, `${OBJECTS.list}/${object.name}/search`, body, 'search');
    return parseResponse((json) => wireSearchPage.safeParse(json).data, answer);
  }
}

/**
 * Undefined if the portal lacks the property of the filter's custom field: no contact has a value. Throws the use case's
 * error if the portal cannot filter by a property, or lacks one that every portal should have.
 */
async function askByFilter<Page>(
  { filter, query, selection: { customFields } }: FilteredAsk,
  search: () => Promise<Page>,
): Promise<Page | undefined> {
  try {
    return await search();
  } catch (error) {
    const refused = findRefused(error, query.groups);
    if (refused === undefined) throw error;
    if (filter.by !== 'customField') throw new NotFilterableError({ source: refused.property });
    const isMissing = /PROPERTY_DOESNT_EXIST|does not exist/.test(refused.body);
    if (!isMissing) throw new NotFilterableError(filter.field);
    customFields?.onProblem(filter.field, 'MISSING');
    return undefined;
  }
}

/** What a hit is verified by. */
function selectionFor(
  { filters }: Pick<HubSpotObject<CrmRecord>, 'filters'>,
  filter: ListFilter,
): FieldSelection {
  const fields = new Set(filters.verifiedFields(filter));
  if (filter.by !== 'customField') return { rawData: false, fields };
  const { name } = filter.field;
  const customFields = {
    key: '',
    names: [name],
    fields: [filter.field],
    onProblem: () => undefined,
  };
  return { rawData: false, fields, customFields };
}

/**
 * The position after the last record of the page. An empty page may not be the last one: then its offset is used.
 * Without `after` it was the last.
 */
function toNext(
  position: Position,
  last: CrmRecord | undefined,
  offset: string | null | undefined,
): Position | undefined {
  if (!offset) return undefined;
  return last ? { from: last.remoteId } : { ...position, after: offset };
}

/** Drops records outside of the requested range, which would corrupt the next position. */
function isWithin(
  { from, isInclusive = false }: Position,
  direction: KeysetRange['direction'],
  { remoteId }: CrmRecord,
): boolean {
  if (!isRecordId(remoteId)) return false;
  if (from === undefined) return true;
  const order = compareIds(remoteId, from);
  if (order === 0) return isInclusive;
  return direction === 'forward' ? order > 0 : order < 0;
}

const MAX_PAGE = 200;
/** The longest read takes six calls; the rest is for false hits. */
const MAX_CALLS = 20;

const ID = 'hs_object_id';
const SORTS = { forward: 'ASCENDING', backward: 'DESCENDING' } as const;

/** The property because of which HubSpot rejects a search, by its name or operator in the error. */
function findRefused(error: unknown, groups: SearchQuery['groups']) {
  if (!(error instanceof RemoteFailure) || error.answer.status !== 400) return undefined;
  const { body } = error.answer;
  const words = new Set(body.split(/\W+/));
  const filters = groups.flat();
  const refused =
    filters.find(({ propertyName }) => words.has(propertyName)) ??
    filters.find(({ operator }) => words.has(operator));
  return refused && { property: refused.propertyName, body };
}

const wireSearchPage = z.object({
  total: z.number().nullish(),
  results: z.custom<readonly unknown[]>(isResultList),
  paging: wirePaging,
});

/** What is read of a list. */
interface ListAsk {
  readonly filter: ListFilter;
  readonly range: KeysetRange;
  readonly selection: FieldSelection;
}

interface FilteredAsk extends Pick<ListAsk, 'filter' | 'selection'> {
  readonly query: SearchQuery;
}

interface Search {
  readonly object: Pick<HubSpotObject<CrmRecord>, 'name'>;
  readonly query: SearchQuery;
  readonly properties: readonly string[];
  readonly direction: KeysetRange['direction'];
}

interface Position {
  readonly from?: string | undefined;
  readonly isInclusive?: boolean;
  readonly after?: string;
}
