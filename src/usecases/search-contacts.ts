import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import {
  type ContactFilter,
  filterCacheKey,
  isListing,
  type ListFilter,
  type ModifiedFilter,
  type PhoneFilter,
  readContactFilter,
  verifiedFields,
} from '../domain/contact-filter.ts';
import {
  type ContactPage,
  type ContactSearch,
  type ContactTarget,
  type FieldSelection,
  rawKey,
} from '../domain/contact-search.ts';
import { readEmail } from '../domain/email.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, PageRequest, Signer } from '../domain/page.ts';
import { checkMayList } from './authorization.ts';
import { type ContactClient, type OpenDeps, openContactClient } from './open-contact-client.ts';
import {
  bindCursors,
  readListPage,
  readPageRequest,
  readPageSize,
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

/** Searches a customer's contacts in one CRM and returns a page, ordered by id. */
export function searchContacts(deps: SearchDeps, search: ContactSearch) {
  return deps.withSpan('searchContacts', () => runSearch(deps, search));
}

async function runSearch(deps: SearchDeps, search: ContactSearch): Promise<ContactPage> {
  deps.requireCaller();
  const filter = readContactFilter(search.filter);
  checkMayList(deps, filter);
  const opened = openContactClient(deps, search);
  const client = opened instanceof Promise ? await opened : opened;
  const selecting = selectCustomFields(
    deps,
    client.connection,
    selectForFilter(search.selection, filter),
  );
  const selection = selecting instanceof Promise ? await selecting : selecting;
  const cursors = bindCursors(deps.cursors, client.source, filter);
  const requested = readPageRequest(cursors, search.page);
  const { readFromCache } = search;
  const now = deps.wall();
  const page = fixPeriod(requested, filter, { now, client });
  const query = { filter, client, cursors, page, selection, readFromCache };
  const timed = await readTimed(deps, query);
  // The first response of a CRM may show that its clock is behind, and that the period has to end earlier.
  const corrected = fixPeriod(requested, filter, { now, client });
  if (!endsEarlier(corrected, page)) return toContactPage(query, timed);
  const again = { ...query, page: corrected };
  return toContactPage(again, await readTimed(deps, again));
}

function endsEarlier({ until }: PageRequest, before: PageRequest): boolean {
  return until !== undefined && before.until !== undefined && until < before.until - SLACK_MS;
}

/** Responses take a while: a difference between clocks is known to a second or two. */
const SLACK_MS = 2_000;

/** Listings are not cached: they are long, and a copy of a customer's CRM is not what the cache is for. */
function readTimed(deps: SearchDeps, query: Query): Promise<TimedResult> {
  const { client, filter, selection, readFromCache } = query;
  if (isListing(filter)) {
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
  filter: ContactFilter,
): Selection {
  const { fields, customFieldNames = [] } = selection;
  if (filter.by === 'customField' && customFieldNames !== 'all')
    return { ...selection, customFieldNames: [...customFieldNames, filter.name] };
  const verified = verifiedFields(filter);
  if (!fields || verified.every((name) => fields.has(name))) return selection;
  return { ...selection, fields: new Set([...fields, ...verified]) };
}

/**
 * The first page fixes the end of the period of a search by time, and cursors keep it. It follows the clock of the CRM
 * where that is behind ours, because the records have its times.
 */
function fixPeriod(
  page: PageRequest,
  filter: ContactFilter,
  { now, client }: { readonly now: number; readonly client: ContactClient },
): PageRequest {
  if (filter.by !== 'modifiedSince' || page.until !== undefined) return page;
  if (filter.since > now + MAX_CLOCK_ERROR_MS)
    throw new CrossbookError(
      'UNPROCESSABLE_ENTITY',
      'The filter’s time of modification is in the future.',
    );
  const lagMs = client.access.searchLagMs + client.port.clockBehindMs();
  // A period that has just begun is empty, and the next one begins where it did. It ends with a whole second, because
  // Salesforce's times are rounded down to one.
  return { ...page, until: Math.max(toSecond(filter.since), toSecond(now - lagMs)) };
}

function toSecond(time: number): number {
  return Math.floor(time / 1_000) * 1_000;
}

/** The caller's clock may be ahead of ours. */
const MAX_CLOCK_ERROR_MS = 60 * 60_000;

/** A look-up finds everything and is sliced later; a list reads a single page from the provider. */
function searchProvider(deps: SearchDeps, query: Query): Promise<SearchResult> {
  const { filter, page } = query;
  switch (filter.by) {
    case 'emails':
      return searchByEmails(deps, query, filter.emails);
    case 'phone':
      return searchByPhone(query, filter);
    case 'customField':
      return listByCustomField(deps, query, filter);
    case 'modifiedSince':
      return readPeriod(query, { ...filter, until: page.until ?? filter.since });
    case 'emailDomain':
    case 'namePrefix':
    case 'all':
      return readList(query, filter);
  }
}

function searchByEmails(
  deps: LookupDeps,
  { client, selection }: Query,
  emails: readonly string[],
): Promise<SearchResult> {
  return deps.lookup(client, emails, selection).then((found) => {
    const contacts = sortUnique(client, found);
    return { ...NO_CONTACTS, contacts, totalCount: contacts.length };
  });
}

async function searchByPhone(
  { client, selection }: Query,
  phone: PhoneFilter,
): Promise<SearchResult> {
  const contacts = await client.port.findByPhone(phone, selection);
  return { ...NO_CONTACTS, contacts: sortById(client, [...contacts]), totalCount: null };
}

async function readPeriod(query: Query, filter: ModifiedFilter): Promise<SearchResult> {
  return filter.until < filter.since ? NO_CONTACTS : readList(query, filter);
}

async function listByCustomField(
  deps: SearchDeps,
  query: Query,
  filter: Extract<ContactFilter, { by: 'customField' }>,
): Promise<SearchResult> {
  const { client, selection } = query;
  const found = await searchByCustomField(
    deps,
    { client, filter, selection },
    (list): Promise<SearchResult> => readList(query, list),
  );
  return found ?? NO_CONTACTS;
}

async function readList(query: Query, filter: ListFilter): Promise<SearchResult> {
  const { client, page, selection } = query;
  const { items, ...ends } = await readListPage(client.port, filter, page, selection);
  const found = { contacts: items, ...ends, totalCount: null };
  const isOnlyPage = page.boundary === undefined && !ends.hasNextPage && !ends.hasPreviousPage;
  if (isOnlyPage) return { ...found, totalCount: items.length };
  if (!selection.totalCount) return found;
  if (selection.totalCount === 'first page' && page.total !== undefined)
    return { ...found, totalCount: page.total };
  try {
    return { ...found, totalCount: await client.port.count(filter) };
  } catch (countFailure) {
    // A failed count does not fail the page.
    return { ...found, countFailure };
  }
}

function toContactPage(
  { filter, client, cursors, page, selection, readFromCache }: Query,
  { found, fetchedAt }: TimedResult,
): ContactPage {
  const { contacts, totalCount, countFailure } = found;
  const isCountKept = selection.totalCount === 'first page' && !isLookUp(filter);
  const total = isCountKept ? (totalCount ?? undefined) : undefined;
  const place = { ...page, total };
  const { items, hasNextPage, hasPreviousPage } = isLookUp(filter)
    ? slicePage(contacts, page, client.access.compareIds)
    : { ...found, items: contacts };
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
        ? signCursor(cursors, { key: item.remoteId, direction, until: page.until, total })
        : signPlaceOf(cursors, place, direction),
  };
}

/** The cache key without the fields, because an entry with more fields also serves a smaller selection. */
function createCacheKey({ filter, page, selection }: Query): () => string {
  const { rawData, rawFields, totalCount, needsPreviousPage, customFields } = selection;
  return () => {
    const raw = rawFields ? rawKey(selection) : rawData;
    const of = isLookUp(filter) ? [raw] : [raw, page, totalCount, needsPreviousPage];
    const parts = customFields ? [...of, customFields.key, customFields.names] : of;
    return `${JSON.stringify(parts)}${filterCacheKey(filter)}`;
  };
}

/** Unique, because two emails may belong to one contact. */
function sortUnique(client: ContactClient, contacts: Contact[]): Contact[] {
  const sorted = sortById(client, contacts);
  const isLast = ({ remoteId }: Contact, index: number) => sorted[index + 1]?.remoteId !== remoteId;
  return sorted.every(isLast) ? sorted : sorted.filter(isLast);
}

function sortById({ access }: ContactClient, contacts: Contact[]): Contact[] {
  return contacts.sort((a, b) => access.compareIds(a.remoteId, b.remoteId));
}

const NO_CONTACTS = { contacts: [], hasNextPage: false, hasPreviousPage: false, totalCount: 0 };

/** The first contacts with one email in one CRM, ordered by id. */
export function findContactsByEmail(
  deps: OpenDeps & LookupDeps,
  { first, ...query }: EmailQuery,
  selection: FieldSelection,
) {
  return deps.withSpan('findContactsByEmail', async () => {
    deps.requireCaller();
    const email = readEmail(query.email);
    if (email === undefined) {
      throw new CrossbookError(
        'UNPROCESSABLE_ENTITY',
        'The email of this reference is not an email address.',
      );
    }
    const size = readPageSize(first);
    const client = await openContactClient(deps, query);
    const selected = await selectCustomFields(deps, client.connection, selection);
    return sortUnique(client, await deps.lookup(client, [email], selected)).slice(0, size);
  });
}

/** Longer than the ids of any provider: a longer one is not looked up, because it may stand in many places. */
const MAX_REMOTE_ID_LENGTH = 255;

/** One contact by the provider's own id; undefined if the provider has none. */
export function findContact(
  deps: FindContactDeps,
  key: ContactTarget & Pick<Contact, 'remoteId'>,
  selection: FieldSelection,
) {
  return deps.withSpan('findContact', async () => {
    const client = await openContactClient(deps, key);
    if (key.remoteId.length > MAX_REMOTE_ID_LENGTH) return undefined;
    const resolved = await selectCustomFields(deps, client.connection, selection);
    return deps.loadContact(client, key.remoteId, resolved);
  });
}

/** The associations of a contact; empty if the provider offers none. */
export function findAssociations(
  deps: AssociationDeps,
  { source, remoteId }: Contact,
  to: readonly AssociatedObject[],
) {
  return deps.withSpan('findAssociations', async () => {
    const client = await openContactClient(deps, source);
    const offered = [...new Set(to)].filter((object) =>
      client.access.associatedObjects.includes(object),
    );
    const lists = await Promise.all(
      offered.map((object) => deps.loadAssociations(client, remoteId, object)),
    );
    return lists.flat();
  });
}

/**
 * Fetches the associations of several contacts with each object. An object that fails leaves the contacts and the
 * other objects as they are.
 */
export function attemptAssociations(
  deps: AssociationDeps,
  contacts: readonly Contact[],
  to: readonly AssociatedObject[],
): Promise<readonly AssociationAttempt[]> {
  return Promise.all(
    [...new Set(to)].map(async (object) => {
      try {
        const lists = contacts.map((contact) => findAssociations(deps, contact, [object]));
        return { object, lists: await Promise.all(lists) };
      } catch (failure) {
        return { object, failure };
      }
    }),
  );
}

/** One list per contact, or why there are none. */
export type AssociationAttempt =
  | { readonly object: AssociatedObject; readonly lists: readonly (readonly Association[])[] }
  | { readonly object: AssociatedObject; readonly lists?: undefined; readonly failure: unknown };

/** Finds all that there is and slices it: other searches read one page from the provider. */
function isLookUp({ by }: ContactFilter): boolean {
  return by === 'emails' || by === 'phone';
}

/** A search with validated input. */
interface Query extends Pick<ContactSearch, 'readFromCache'> {
  readonly filter: ContactFilter;
  readonly selection: ContactSearch['selection'];
  readonly client: ContactClient;
  readonly cursors: BoundSigner;
  readonly page: PageRequest;
}

export interface SearchDeps extends OpenDeps, CacheDeps, LookupDeps, RefreshDeps {
  readonly cursors: Signer;
}

interface LookupDeps extends SelectionDeps {
  /** Batches the look-ups of one request per connection. The calling function owns the list. */
  lookup(
    client: ContactClient,
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Contact[]>;
}

interface EmailQuery extends ContactTarget {
  readonly email: string;
  readonly first: number | null | undefined;
}

export interface FindContactDeps extends OpenDeps, SelectionDeps {
  /** Batches the ids of one request per connection. */
  loadContact(
    client: ContactClient,
    remoteId: string,
    selection: FieldSelection,
  ): Promise<Contact | undefined>;
}

export interface AssociationDeps extends OpenDeps {
  /** Batches the contacts of one request per connection and object. */
  loadAssociations(
    client: ContactClient,
    remoteId: string,
    to: AssociatedObject,
  ): Promise<readonly Association[]>;
}
