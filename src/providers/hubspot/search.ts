import * as z from 'zod';
import type { Contact } from '../../domain/contact.ts';
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
import { compareIds, isRecordId, propertiesFor, toContact, toLookupEmails } from './contacts.ts';

/**
 * Reads any number of records from HubSpot's pages with keyset pagination: each page starts after the last record of
 * the previous one. Concurrent changes shift nothing, and the limit of 10,000 results does not apply.
 */
export async function readByDomain(
  account: CustomerAccount,
  domain: string,
  run: KeysetRange,
  selection: FieldSelection,
): Promise<readonly Contact[]> {
  const properties = propertiesFor(account.connection, selection);
  const search = createSearch(account, domain, properties, run.direction);
  const source = toContactOrigin(account.connection);
  const found = new Map<string, Contact>();
  let position: Position | undefined = { from: run.from, isInclusive: true };
  let limit = Math.min(MAX_PAGE, run.limit);
  for (let calls = 0; position && found.size < run.limit; calls += 1) {
    if (calls === MAX_CALLS) {
      throw paginationLimitError(
        `contacts of ${domain} did not come to an end within ${MAX_CALLS} calls`,
      );
    }
    const { results, paging } = await search(position, limit);
    let last: Contact | undefined;
    let hits = 0;
    for (const [index, record] of results.entries()) {
      const turn = account.takeTurn();
      if (turn) await turn;
      const contact = toContact(record, source, selection);
      if (!contact || !isWithin(position, run.direction, contact)) continue;
      // Records beyond the limit are not in order.
      if (index < limit) last = contact;
      if (!isInDomain(record, domain)) continue;
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
 * minus the false hits that were seen.
 */
export async function countByDomain(account: CustomerAccount, domain: string): Promise<number> {
  const search = createSearch(account, domain, ['email', 'hs_additional_emails'], 'forward');
  const page = await search({}, MAX_PAGE);
  const hits = page.results.filter((record) => isInDomain(record, domain)).length;
  if (!page.paging?.next?.after) return hits;
  return Math.max(hits, (page.total ?? 0) - (page.results.length - hits));
}

/** Falls back to primary addresses where the portal rejects the filter for additional ones. */
function createSearch(
  account: CustomerAccount,
  domain: string,
  properties: readonly string[],
  direction: KeysetRange['direction'],
) {
  const sorts = [{ propertyName: ID, direction: SORTS[direction] }];
  let addresses = toAddressFilters(domain);

  return async (position: Position, limit: number) => {
    try {
      return await search(position, limit);
    } catch (error) {
      if (addresses.length === 1 || !isFilterRefused(error)) throw error;
      addresses = addresses.slice(0, 1);
      return search(position, limit);
    }
  };

  async function search({ from, isInclusive, after }: Position, limit: number) {
    const operator = `${direction === 'forward' ? 'GT' : 'LT'}${isInclusive ? 'E' : ''}`;
    const bounds = from === undefined ? [] : [{ propertyName: ID, operator, value: from }];
    const filterGroups = addresses.map((address) => ({ filters: [address, ...bounds] }));
    const body = { filterGroups, sorts, properties, limit, after };
    const answer = await ask(account, PATHS.search, body, 'search');
    return parseResponse((json) => wireSearchPage.safeParse(json).data, answer);
  }
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

/**
 * Filters by domain. The primary address has a domain property, which is compared exactly and comes first. Additional
 * addresses are one text with undocumented tokenization, so both a whole address and the words of the domain are
 * matched. Both may match too much: every record is verified.
 */
function toAddressFilters(domain: string) {
  return [
    { propertyName: 'hs_email_domain', operator: 'EQ', value: domain },
    { propertyName: 'hs_additional_emails', operator: 'CONTAINS_TOKEN', value: `*@${domain}` },
    { propertyName: 'hs_additional_emails', operator: 'CONTAINS_TOKEN', value: domain },
  ];
}

/** Whether a portal rejects the filter: matching an enumeration by token is undocumented. */
function isFilterRefused(error: unknown): boolean {
  if (!(error instanceof RemoteFailure) || error.answer.status !== 400) return false;
  return /hs_additional_emails|CONTAINS_TOKEN/.test(error.answer.body);
}

/** Verifies that the record has an address in the domain now: the search index is stale and matches by token. */
function isInDomain(record: unknown, domain: string): boolean {
  for (const email of toLookupEmails(record)) {
    if (email.slice(email.lastIndexOf('@') + 1) === domain) return true;
  }
  return false;
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
