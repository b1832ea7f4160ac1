import type { Contact } from '../domain/contact.ts';
import {
  type ContactFilter,
  type ContactPage,
  type ContactSearch,
  type FieldSelection,
  readContactFilter,
  readEmail,
  type SearchSelection,
} from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { BoundCursorSigner, CursorSigner, PageRequest } from '../domain/page.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type ContactClient, type OpenDeps, openContactClient } from './open-contact-client.ts';
import {
  bindCursors,
  filterCacheKey,
  readDomainPage,
  readPageRequest,
  readPageSize,
  signCursor,
  slicePage,
} from './page.ts';
import { type CacheDeps, readThroughCache, type SearchResult } from './read-through-cache.ts';

/** Finds a customer's contacts in one CRM: one page of them, in the order of their ids. */
export function searchContacts(deps: SearchDeps, search: ContactSearch): Promise<ContactPage> {
  return deps.withSpan('searchContacts', () => readPage(deps, search));
}

async function readPage(deps: SearchDeps, search: ContactSearch): Promise<ContactPage> {
  deps.requireCaller();
  const filter = readContactFilter(search.filter);
  const client = await openContactClient(deps, search);
  const cursors = bindCursors(deps.cursors, client.source, filter);
  const request = readPageRequest(cursors, search.page);
  const query: Query = { filter, request, selection: search.selection };
  const { found, fetchedAt } = await readThroughCache(deps, {
    client,
    selection: search.selection,
    readFromCache: search.readFromCache,
    cacheKey: cacheKeyOf(query),
    find: () => find(deps, client, query),
  });
  return toContactPage({ client, cursors, query, found, fetchedAt, readFromCache: search.readFromCache });
}

/** By email everything there is, by domain one page: the first is sliced later, the second by the provider. */
async function find(deps: SearchDeps, client: ContactClient, query: Query): Promise<SearchResult> {
  const { filter, request, selection } = query;
  if (filter.by === 'emails') {
    const contacts = await lookUpEmails(deps, client, { emails: filter.emails, selection });
    return { contacts, hasNextPage: false, hasPreviousPage: false, totalCount: contacts.length };
  }
  const { items, ...ends } = await readDomainPage(client.port, filter.domain, {
    request,
    selection,
    needsPreviousPage: selection.needsPreviousPage,
  });
  const whole = request.boundary === undefined && !ends.hasNextPage && !ends.hasPreviousPage;
  if (whole) return { contacts: items, ...ends, totalCount: items.length };
  const counted = selection.totalCount ? await count(client, filter.domain) : { totalCount: null };
  return { contacts: items, ...ends, ...counted };
}

/** The page has been found: what fails here does not take it away. */
async function count({ port }: ContactClient, domain: string) {
  try {
    return { totalCount: await port.countByDomain(domain) };
  } catch (countFailure) {
    return { totalCount: null, countFailure };
  }
}

function toContactPage({ client, cursors, query, found, fetchedAt, readFromCache }: Result): ContactPage {
  const order = { keyOf: (contact: Contact) => contact.remoteId, compare: client.access.compareIds };
  const page =
    query.filter.by === 'emails'
      ? slicePage(found.contacts, query.request, order)
      : { items: found.contacts, hasNextPage: found.hasNextPage, hasPreviousPage: found.hasPreviousPage };
  return {
    contacts: page.items,
    source: client.source,
    hasNextPage: page.hasNextPage,
    hasPreviousPage: page.hasPreviousPage,
    totalCount: found.totalCount,
    countFailure: found.countFailure,
    fetchedAt: fetchedAt.toISOString(),
    readFromCache,
    cursorOf: (contact, direction) => signCursor(cursors, { key: contact.remoteId, direction }),
    [Symbol.dispose]() {
      found.contacts.length = 0;
      page.items.length = 0;
    },
  };
}

/** Without the fields: those of one answer may be among another's. It is kept with what is cached, and holds no more. */
function cacheKeyOf({ filter, request, selection }: Query): () => string {
  const { rawData, totalCount, needsPreviousPage } = selection;
  return () => {
    const parts = filter.by === 'emails' ? [rawData] : [rawData, request, totalCount, needsPreviousPage];
    return `${JSON.stringify(parts)}${filterCacheKey(filter)}`;
  };
}

/** The contacts that have any of these emails, each once, in the order of their ids. */
async function lookUpEmails(
  deps: LookupDeps,
  client: ContactClient,
  { emails, selection }: EmailsQuery,
): Promise<Contact[]> {
  const { compareIds } = client.access;
  const found = await deps.lookup(client, emails, selection);
  const sorted = found.sort((a, b) => compareIds(a.remoteId, b.remoteId));
  // Two of the emails may belong to one contact: it is found once.
  const isLast = ({ remoteId }: Contact, index: number) => sorted[index + 1]?.remoteId !== remoteId;
  return sorted.every(isLast) ? sorted : sorted.filter(isLast);
}

/** The first of the contacts that have one email in one CRM, in the order of their ids. */
export function findContactsByEmail(
  deps: FindByEmailDeps,
  { first, ...query }: EmailQuery,
  selection: FieldSelection,
): Promise<readonly Contact[]> {
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
    const found = await lookUpEmails(deps, client, { emails: [email], selection });
    return found.length > size ? found.slice(0, size) : found;
  });
}

/** A search whose input has been read. */
interface Query {
  readonly filter: ContactFilter;
  readonly request: PageRequest;
  readonly selection: SearchSelection;
}

interface Result {
  readonly client: ContactClient;
  readonly cursors: BoundCursorSigner;
  readonly query: Query;
  readonly found: SearchResult;
  readonly fetchedAt: Date;
  readonly readFromCache: boolean;
}

interface SearchDeps extends OpenDeps, CacheDeps, LookupDeps, Tracer {
  readonly cursors: CursorSigner;
}

interface EmailsQuery {
  readonly emails: readonly string[];
  readonly selection: FieldSelection;
}

interface LookupDeps {
  /** Batched: all look-ups of one request, by connection. The list belongs to who asked. */
  lookup(client: ContactClient, emails: readonly string[], selection: FieldSelection): Promise<Contact[]>;
}

interface EmailQuery {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly email: string;
  readonly first: number | null | undefined;
}

interface FindByEmailDeps extends OpenDeps, LookupDeps, Tracer {}
