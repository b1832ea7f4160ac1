import * as z from 'zod';
import type { Contact } from '../../domain/contact.ts';
import { type FieldSelection, toContactOrigin } from '../../domain/contact-search.ts';
import type { KeysetRange } from '../../domain/provider.ts';
import { RemoteFailure } from '../../domain/remote.ts';
import { ask, type HubSpotAccount, PATHS, paginationLimitError, parseResponse, wirePaging } from './call.ts';
import { compareIds, isRecordId, propertiesFor, toContact, toLookupEmails } from './contacts.ts';

/**
 * A run of any length, stitched of HubSpot's pages. Each starts behind the last record of the one before rather than
 * at an offset: rows that come and go shift nothing, and the ceiling of 10,000 results is never met.
 */
export async function readByDomain(account: HubSpotAccount, read: DomainRead): Promise<readonly Contact[]> {
  const { run, selection } = read;
  const domain = read.domain.toLowerCase();
  const searchPage = createSearch(account, domain);
  const properties = propertiesFor(account.connection, selection);
  const mapping = { source: toContactOrigin(account.connection), rawData: selection.rawData };
  const found = new Map<string, Contact>();
  let position: Position | undefined = { from: run.from, isInclusive: true };
  let limit = Math.min(MAX_PAGE, run.limit);
  for (let calls = 0; position && found.size < run.limit; calls += 1) {
    if (calls === MAX_CALLS) {
      throw paginationLimitError(`contacts of ${domain} did not come to an end within ${MAX_CALLS} calls`);
    }
    const { results, paging } = await searchPage({ position, limit, direction: run.direction, properties });
    let last: Contact | undefined;
    let hits = 0;
    for (const [index, record] of results.entries()) {
      const contact = toContact(record, mapping);
      if (!contact || !isWithin(position, run.direction, contact)) continue;
      // What comes beyond the limit has no place in the order.
      if (index < limit) last = contact;
      if (!isInDomain(record, domain)) continue;
      hits += 1;
      found.set(contact.remoteId, contact);
    }
    position = toNext(position, last, paging?.next?.after);
    // False hits may come in a row: that stretch is crossed in large steps.
    const lied = results.length === 0 || hits < results.length;
    limit = lied ? MAX_PAGE : Math.min(MAX_PAGE, run.limit - found.size);
  }
  const ascending = [...found.values()].sort((a, b) => compareIds(a.remoteId, b.remoteId));
  return run.direction === 'forward' ? ascending.slice(0, run.limit) : ascending.slice(-run.limit);
}

/**
 * Where all hits fit one page they are counted, because HubSpot's total also counts those that are gone. A larger
 * total is believed, less the false hits that were seen.
 */
export async function countByDomain(account: HubSpotAccount, name: string): Promise<number> {
  const domain = name.toLowerCase();
  const searchPage = createSearch(account, domain);
  const properties = ['email', 'hs_additional_emails'];
  const page = await searchPage({ position: {}, limit: MAX_PAGE, direction: 'forward', properties });
  const hits = page.results.filter((record) => isInDomain(record, domain)).length;
  if (!page.paging?.next?.after) return hits;
  return Math.max(hits, (page.total ?? 0) - (page.results.length - hits));
}

/** Where further addresses cannot be asked for, the primary ones are found. */
function createSearch(account: HubSpotAccount, domain: string): (page: Search) => Promise<SearchPage> {
  let addresses = toAddressFilters(domain);
  return async (page) => {
    try {
      return await search(account, addresses, page);
    } catch (error) {
      if (addresses.length === 1 || !isFilterRefused(error)) throw error;
      addresses = addresses.slice(0, 1);
      return search(account, addresses, page);
    }
  };
}

async function search(
  account: HubSpotAccount,
  addresses: readonly Filter[],
  { position: { from, isInclusive, after }, direction, properties, limit }: Search,
): Promise<SearchPage> {
  const operator = `${direction === 'forward' ? 'GT' : 'LT'}${isInclusive ? 'E' : ''}`;
  const bounds = from === undefined ? [] : [{ propertyName: ID, operator, value: from }];
  const filterGroups = addresses.map((address) => ({ filters: [address, ...bounds] }));
  const sorts = [{ propertyName: ID, direction: SORTS[direction] }];
  const body = { filterGroups, sorts, properties, limit, after };
  const answer = await ask(account, { path: PATHS.search, budget: 'search', body });
  return parseResponse((json) => wireSearchPage.safeParse(json).data, answer);
}

/**
 * Behind the page's last record. A page may be empty and yet not the last: then there is only its offset to go by.
 * No `after` at all is how HubSpot says that this was the last.
 */
function toNext(
  position: Position,
  last: Contact | undefined,
  offset: string | null | undefined,
): Position | undefined {
  if (!offset) return undefined;
  return last ? { from: last.remoteId } : { ...position, after: offset };
}

/** A record that was not asked for would lead the next page astray. */
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
/** The longest run takes six; the rest is for false hits. */
const MAX_CALLS = 20;

const ID = 'hs_object_id';
const SORTS = { forward: 'ASCENDING', backward: 'DESCENDING' } as const;

/**
 * The domain of the primary address is a property of its own and compared exactly; it stands first. Further addresses stand in
 * one text: how it is divided into tokens is not documented, so a whole address and the words of the domain are both asked
 * for. Each finds more than it should at most: every record is looked at again.
 */
function toAddressFilters(domain: string): readonly Filter[] {
  return [
    { propertyName: 'hs_email_domain', operator: 'EQ', value: domain },
    { propertyName: 'hs_additional_emails', operator: 'CONTAINS_TOKEN', value: `*@${domain}` },
    { propertyName: 'hs_additional_emails', operator: 'CONTAINS_TOKEN', value: domain },
  ];
}

/** Whether HubSpot compares an enumeration by token is not documented either: a portal may refuse the question. */
function isFilterRefused(error: unknown): boolean {
  if (!(error instanceof RemoteFailure) || error.answer.status !== 400) return false;
  return /hs_additional_emails|CONTAINS_TOKEN/.test(error.answer.body);
}

/** The index answers by what a record was, and finds by tokens: has the record an address in the domain now? */
function isInDomain(record: unknown, domain: string): boolean {
  for (const email of toLookupEmails(record)) {
    if (email.slice(email.lastIndexOf('@') + 1) === domain) return true;
  }
  return false;
}

const wireSearchPage = z.object({
  total: z.number().nullish(),
  results: z.array(z.unknown()),
  paging: wirePaging,
});
type SearchPage = z.infer<typeof wireSearchPage>;

interface Filter {
  readonly propertyName: string;
  readonly operator: string;
  readonly value: string;
}

interface Position {
  readonly from?: string | undefined;
  readonly isInclusive?: boolean;
  readonly after?: string;
}

interface Search {
  readonly position: Position;
  readonly limit: number;
  readonly properties: readonly string[];
  readonly direction: KeysetRange['direction'];
}

interface DomainRead {
  readonly domain: string;
  readonly run: KeysetRange;
  readonly selection: FieldSelection;
}
