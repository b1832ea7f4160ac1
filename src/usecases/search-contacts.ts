import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import {
  type ContactFilter,
  type ContactPage,
  type ContactSearch,
  type FieldSelection,
  type ResolvedTarget,
  readContactFilter,
  readEmail,
} from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, PageRequest, Signer } from '../domain/page.ts';
import { type ContactClient, type OpenDeps, openContactClient } from './open-contact-client.ts';
import { resolveSelection, type SelectionDeps } from './own-fields.ts';
import {
  bindCursors,
  filterCacheKey,
  readDomainPage,
  readPageRequest,
  readPageSize,
  signCursor,
  signPlaceOf,
  slicePage,
} from './page.ts';
import {
  type CacheDeps,
  readThroughCache,
  type SearchResult,
  type TimedResult,
} from './read-through-cache.ts';

/** Searches a customer's contacts in one CRM and returns a page, ordered by id. */
export function searchContacts(deps: SearchDeps, search: ContactSearch) {
  return deps.withSpan('searchContacts', () => readPage(deps, search));
}

async function readPage(deps: SearchDeps, given: ContactSearch): Promise<ContactPage> {
  deps.requireCaller();
  const filter = readContactFilter(given.filter);
  const client = await openContactClient(deps, given);
  const selection = await resolveSelection(deps, client.connection, given.selection);
  const search = { ...given, selection };
  const cursors = bindCursors(deps.cursors, client.source, filter);
  const request = readPageRequest(cursors, search.page);
  const query = { search, filter, client, cursors, request };
  const timed = await readThroughCache(deps, {
    client,
    selection: search.selection,
    readFromCache: search.readFromCache,
    cacheKey: createCacheKey(query),
    find: () => searchProvider(deps, query),
  });
  return toContactPage(query, timed);
}

/** A search by email finds everything and is sliced later; one by domain reads a single page from the provider. */
async function searchProvider(deps: LookupDeps, query: Query): Promise<SearchResult> {
  const { client, filter, request, search } = query;
  const { selection } = search;
  if (filter.by === 'emails') {
    const contacts = await lookUpEmails(deps, client, { emails: filter.emails, selection });
    return { contacts, hasNextPage: false, hasPreviousPage: false, totalCount: contacts.length };
  }
  const { items, ...ends } = await readDomainPage(client.port, filter.domain, request, selection);
  const found = { contacts: items, ...ends, totalCount: null };
  const isOnlyPage = request.boundary === undefined && !ends.hasNextPage && !ends.hasPreviousPage;
  if (isOnlyPage) return { ...found, totalCount: items.length };
  if (!selection.totalCount) return found;
  try {
    return { ...found, totalCount: await client.port.countByDomain(filter.domain) };
  } catch (countFailure) {
    // A failed count does not fail the page.
    return { ...found, countFailure };
  }
}

function toContactPage(
  { search, filter, client, cursors, request }: Query,
  { found, fetchedAt }: TimedResult,
): ContactPage {
  const { contacts, totalCount, countFailure } = found;
  const { items, hasNextPage, hasPreviousPage } =
    filter.by === 'emails'
      ? slicePage(contacts, request, client.access.compareIds)
      : { ...found, items: contacts };
  return {
    items,
    hasNextPage,
    hasPreviousPage,
    totalCount,
    countFailure,
    source: client.source,
    fetchedAt: fetchedAt.toISOString(),
    readFromCache: search.readFromCache,
    cursorOf: (item, direction) =>
      item
        ? signCursor(cursors, { key: item.remoteId, direction })
        : signPlaceOf(cursors, request, direction),
  };
}

/** The cache key without the fields, because an entry with more fields also serves a smaller selection. */
function createCacheKey({ filter, request, search }: Query): () => string {
  const { rawData, totalCount, needsPreviousPage, custom } = search.selection;
  return () => {
    const of =
      filter.by === 'emails' ? [rawData] : [rawData, request, totalCount, needsPreviousPage];
    const parts = custom ? [...of, custom.key, custom.names] : of;
    return `${JSON.stringify(parts)}${filterCacheKey(filter)}`;
  };
}

/** The contacts with any of these emails, unique, ordered by id. */
async function lookUpEmails(
  deps: LookupDeps,
  client: ContactClient,
  { emails, selection }: { readonly emails: readonly string[]; readonly selection: FieldSelection },
): Promise<Contact[]> {
  const { compareIds } = client.access;
  const found = await deps.lookup(client, emails, selection);
  const sorted = found.sort((a, b) => compareIds(a.remoteId, b.remoteId));
  // Removes duplicates: two of the emails may belong to one contact.
  const isLast = ({ remoteId }: Contact, index: number) => sorted[index + 1]?.remoteId !== remoteId;
  return sorted.every(isLast) ? sorted : sorted.filter(isLast);
}

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
    const found = await lookUpEmails(deps, client, {
      emails: [email],
      selection: await resolveSelection(deps, client.connection, selection),
    });
    return found.length > size ? found.slice(0, size) : found;
  });
}

/** Longer than the ids of any provider: a longer one is not looked up, because it may stand in many places. */
const MAX_REMOTE_ID_LENGTH = 255;

/** One contact by the provider's own id; undefined where the provider has none. */
export function findContact(
  deps: FindContactDeps,
  key: ResolvedTarget & Pick<Contact, 'remoteId'>,
  selection: FieldSelection,
) {
  return deps.withSpan('findContact', async () => {
    const client = await openContactClient(deps, key);
    if (key.remoteId.length > MAX_REMOTE_ID_LENGTH) return undefined;
    const resolved = await resolveSelection(deps, client.connection, selection);
    return deps.loadContact(client, key.remoteId, resolved);
  });
}

/** The associations of a contact; empty where the provider offers none. */
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

/** A search with validated input. */
interface Query {
  readonly search: ContactSearch;
  readonly filter: ContactFilter;
  readonly client: ContactClient;
  readonly cursors: BoundSigner;
  readonly request: PageRequest;
}

interface SearchDeps extends OpenDeps, CacheDeps, LookupDeps {
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

interface EmailQuery extends ResolvedTarget {
  readonly email: string;
  readonly first: number | null | undefined;
}

interface FindContactDeps extends OpenDeps, SelectionDeps {
  /** Batches the ids of one request per connection. */
  loadContact(
    client: ContactClient,
    remoteId: string,
    selection: FieldSelection,
  ): Promise<Contact | undefined>;
}

interface AssociationDeps extends OpenDeps {
  /** Batches the contacts of one request per connection and object. */
  loadAssociations(
    client: ContactClient,
    remoteId: string,
    to: AssociatedObject,
  ): Promise<readonly Association[]>;
}
