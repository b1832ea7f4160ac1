import type { Contact } from '../domain/contact.ts';
import type { ContactFilter, ContactPage, ContactSearch, SearchSelection } from '../domain/contact-search.ts';
import type { BoundCursorSigner, CursorSigner } from '../domain/cursor-signer.ts';
import type { Timing } from '../domain/journal.ts';
import type { PageRequest } from '../domain/page.ts';
import { type LookupDeps, lookUpEmails } from './look-up-emails.ts';
import { type ContactClient, type OpenDeps, openContacts } from './open-contact-client.ts';
import { bindCursors, readPageRequest, signCursor } from './page-cursor.ts';
import { filterCacheKey, readContactFilter } from './read-contact-filter.ts';
import { readDomainPage } from './read-domain-page.ts';
import { type CacheDeps, readThroughCache, type SearchResult } from './read-through-cache.ts';
import { slicePage } from './slice-page.ts';

/** Finds a customer's contacts in one CRM: one page of them, in the order of their ids. */
export function searchContacts(deps: SearchDeps, search: ContactSearch): Promise<ContactPage> {
  return deps.timed('searchContacts', () => readPage(deps, search));
}

async function readPage(deps: SearchDeps, search: ContactSearch): Promise<ContactPage> {
  deps.requireCaller();
  const filter = readContactFilter(search.filter);
  const client = await openContacts(deps, search);
  const cursors = bindCursors(deps.cursors, client.source, filter);
  const request = readPageRequest(cursors, search.page);
  const ask: Ask = { filter, request, selection: search.selection };
  const { found, fetchedAt } = await readThroughCache(deps, {
    client,
    selection: search.selection,
    readFromCache: search.readFromCache,
    question: cacheKeyOf(ask),
    ask: () => find(deps, client, ask),
  });
  return toContactPage({ client, cursors, ask, found, fetchedAt, readFromCache: search.readFromCache });
}

/** By email everything there is, by domain one page: the first is sliced later, the second by the provider. */
async function find(deps: SearchDeps, client: ContactClient, ask: Ask): Promise<SearchResult> {
  const { filter, request, selection } = ask;
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

function toContactPage({ client, cursors, ask, found, fetchedAt, readFromCache }: Result): ContactPage {
  const order = { keyOf: (contact: Contact) => contact.remoteId, compare: client.port.compareIds };
  const page =
    ask.filter.by === 'emails'
      ? slicePage(found.contacts, ask.request, order)
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
function cacheKeyOf({ filter, request, selection }: Ask): () => string {
  const { rawData, totalCount, needsPreviousPage } = selection;
  return () => {
    const asked = filter.by === 'emails' ? [rawData] : [rawData, request, totalCount, needsPreviousPage];
    return `${JSON.stringify(asked)}${filterCacheKey(filter)}`;
  };
}

interface Ask {
  readonly filter: ContactFilter;
  readonly request: PageRequest;
  readonly selection: SearchSelection;
}

interface Result {
  readonly client: ContactClient;
  readonly cursors: BoundCursorSigner;
  readonly ask: Ask;
  readonly found: SearchResult;
  readonly fetchedAt: Date;
  readonly readFromCache: boolean;
}

export interface SearchDeps extends OpenDeps, CacheDeps, LookupDeps, Timing {
  readonly cursors: CursorSigner;
}
