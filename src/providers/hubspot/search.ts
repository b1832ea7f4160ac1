import * as z from 'zod';
import type { Contact } from '../../domain/contact.ts';
import {
  type ListFilter,
  matchesFilter,
  NotFilterableError,
  verifiedFields,
} from '../../domain/contact-filter.ts';
import { type FieldSelection, toContactOrigin } from '../../domain/contact-search.ts';
import type { CustomerAccount, KeysetRange } from '../../domain/provider.ts';
import { RemoteFailure } from '../../domain/remote.ts';
import {
  ask,
  isResultList,
  PATHS,
  paginationLimitError,
  parseResponse,
  wirePaging,
} from './call.ts';
import { compareIds, isRecordId, propertiesFor, toContact } from './contacts.ts';
import { type SearchQuery, toQuery } from './filters.ts';

/**
 * Reads any number of records from HubSpot's pages with keyset pagination: each page starts after the last record of
 * the previous one. Concurrent changes shift nothing, and the limit of 10,000 results does not apply.
 */
export async function readList(
  account: CustomerAccount,
  filter: ListFilter,
  run: KeysetRange,
  selection: FieldSelection,
): Promise<readonly Contact[]> {
  const properties = propertiesFor(account.connection, selection);
  const search = createSearch(account, toQuery(filter), properties, run.direction);
  const source = toContactOrigin(account.connection);
  const found = new Map<string, Contact>();
  let position: Position | undefined = { from: run.from, isInclusive: true };
  const kind = selection.rawData ? 'contacts with raw data' : 'contacts';
  let limit = Math.min(MAX_PAGE, run.limit);
  let calls = 0;
  while (position && found.size < run.limit) {
    if (calls === MAX_CALLS) {
      throw paginationLimitError(`contacts did not come to an end within ${MAX_CALLS} calls`);
    }
    const page = await account.pageSizes.read(kind, limit, (fitting) => {
      limit = fitting;
      return askByFilter(filter, selection, () => search(position ?? {}, fitting));
    });
    // Of large contacts there are many small pages, which the deadline limits.
    if (!account.pageSizes.isReduced(kind)) calls += 1;
    // A field that no contact has.
    if (!page) return [];
    const { results, paging } = page;
    let last: Contact | undefined;
    let hits = 0;
    for (const [index, record] of results.entries()) {
      const contact = toContact(record, source, selection);
      if (!contact || !isWithin(position, run.direction, contact)) continue;
      // Records beyond the limit are not in order.
      if (index < limit) last = contact;
      if (!matchesFilter(contact, filter)) continue;
      hits += 1;
      found.set(contact.remoteId, contact);
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
export async function count(account: CustomerAccount, filter: ListFilter): Promise<number | null> {
  const query = toQuery(filter);
  const selection = selectionFor(filter);
  const properties = propertiesFor(account.connection, selection);
  const search = createSearch(account, query, properties, 'forward');
  const page = await askByFilter(filter, selection, () => search({}, MAX_PAGE));
  if (!page) return 0;
  const source = toContactOrigin(account.connection);
  let hits = 0;
  for (const record of page.results) {
    const contact = toContact(record, source, selection);
    if (contact && matchesFilter(contact, filter)) hits += 1;
  }
  if (!page.paging?.next?.after) return hits;
  return query.isExact ? Math.max(hits, (page.total ?? 0) - (page.results.length - hits)) : null;
}

/** Searches, with the query's fallback from the first time on that HubSpot rejects one of its filters. */
function createSearch(
  account: CustomerAccount,
  query: SearchQuery,
  properties: readonly string[],
  direction: KeysetRange['direction'],
) {
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
    const answer = await ask(account, PATHS.search, body, 'search');
    return parseResponse((json) => wireSearchPage.safeParse(json).data, answer);
  }
}

/**
 * Undefined if the portal lacks the property of the filter's custom field: no contact has a value. Throws the use case's
 * error if the portal cannot filter by a property, or lacks one that every portal should have.
 */
async function askByFilter<Page>(
  filter: ListFilter,
  { customFields }: FieldSelection,
  search: () => Promise<Page>,
): Promise<Page | undefined> {
  try {
    return await search();
  } catch (error) {
    const refused = findRefused(error, toQuery(filter).groups);
    if (refused === undefined) throw error;
    if (filter.by !== 'customField') throw new NotFilterableError({ source: refused.property });
    const isMissing = /PROPERTY_DOESNT_EXIST|does not exist/.test(refused.body);
    if (!isMissing) throw new NotFilterableError(filter.field);
    customFields?.onProblem(filter.field, 'MISSING');
    return undefined;
  }
}

/** What a hit is verified by. */
function selectionFor(filter: ListFilter): FieldSelection {
  const fields = new Set(verifiedFields(filter));
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
  last: Contact | undefined,
  offset: string | null | undefined,
): Position | undefined {
  if (!offset) return undefined;
  return last ? { from: last.remoteId } : { ...position, after: offset };
}

/** Drops records outside of the requested range, which would corrupt the next position. */
function isWithin(
  { from, isInclusive = false }: Position,
  direction: KeysetRange['direction'],
  { remoteId }: Contact,
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

interface Position {
  readonly from?: string | undefined;
  readonly isInclusive?: boolean;
  readonly after?: string;
}
