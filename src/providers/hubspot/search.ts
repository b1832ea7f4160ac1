import type { Contact } from '../../domain/contact.ts';
import { CrossbookError } from '../../domain/errors.ts';
import type { Run, Want } from '../../domain/provider.ts';
import type { HubSpotAccount } from './account.ts';
import { PATHS } from './paths.ts';
import { compareIds, isRecordId } from './record-id.ts';
import { type WireSearchPage, wireSearchPage } from './wire.ts';

/**
 * A run of any length, stitched of HubSpot's pages. Each starts behind the last record of the one before rather than
 * at an offset: rows that come and go shift nothing, and the ceiling of 10,000 results is never met.
 */
export async function readByDomain(account: HubSpotAccount, read: DomainRead): Promise<readonly Contact[]> {
  const { domain, run, want } = read;
  const forward = run.direction === 'forward';
  const found = new Map<string, Contact>();
  let position: Position | undefined = startOf(run);
  for (let calls = 0; position && found.size < run.limit; calls += 1) {
    if (calls === MAX_CALLS) throw endless(domain);
    const limit = Math.min(MAX_PAGE, Math.max(run.limit - found.size, MIN_PAGE));
    const { results, paging } = await search(account, {
      ...{ domain, position, limit },
      properties: account.propertiesFor(want),
      direction: forward ? 'ASCENDING' : 'DESCENDING',
    });
    const contacts = account.toContacts(results, want).filter(({ remoteId }) => isRecordId(remoteId));
    for (const contact of contacts) if (isHit(contact, domain)) found.set(contact.remoteId, contact);
    position = next(position, contacts, { forward, after: paging?.next?.after });
  }
  const ascending = [...found.values()].sort((a, b) => compareIds(a.remoteId, b.remoteId));
  return forward ? ascending.slice(0, run.limit) : ascending.slice(Math.max(0, ascending.length - run.limit));
}

/**
 * Where all hits fit one page they are counted, because HubSpot's total also counts those that are gone. A larger
 * total is believed, less the false hits that were seen.
 */
export async function countByDomain(account: HubSpotAccount, domain: string): Promise<number> {
  const page = await search(account, {
    ...{ domain, position: {}, limit: MAX_PAGE },
    properties: ['email'],
    direction: 'ASCENDING',
  });
  const contacts = account.toContacts(page.results, { rawData: false });
  const hits = contacts.filter((contact) => isHit(contact, domain)).length;
  if (!page.paging?.next?.after) return hits;
  return Math.max(hits, (page.total ?? 0) - (page.results.length - hits));
}

function search(account: HubSpotAccount, { domain, position, ...page }: Search): Promise<WireSearchPage> {
  const filters = [
    { propertyName: 'email', operator: 'CONTAINS_TOKEN', value: `*@${domain}` },
    ...(position.bound ? [{ propertyName: 'hs_object_id', ...position.bound }] : []),
  ];
  return account.call(wireSearchPage, {
    path: PATHS.search,
    budget: 'search',
    body: {
      filterGroups: [{ filters }],
      sorts: [{ propertyName: 'hs_object_id', direction: page.direction }],
      properties: page.properties,
      limit: page.limit,
      ...(position.after !== undefined && { after: position.after }),
    },
  });
}

function startOf({ direction, from }: Run): Position {
  if (from === undefined) return {};
  return { bound: { operator: direction === 'forward' ? 'GTE' : 'LTE', value: from } };
}

/** Behind the page's last record. A page may be empty and yet not the last: then there is only its offset to go by. */
function next(position: Position, page: readonly Contact[], { forward, after }: Step): Position | undefined {
  if (!after) return undefined;
  const last = page.at(-1);
  if (last === undefined) return { ...position, after };
  return { bound: { operator: forward ? 'GT' : 'LT', value: last.remoteId } };
}

/** The index answers by what a record was; and to its tokeniser more may look alike than is. */
function isHit({ emailAddresses }: Contact, domain: string): boolean {
  const primary = emailAddresses.find(({ emailAddressType }) => emailAddressType === 'primary');
  if (primary === undefined) return false;
  const { emailAddress } = primary;
  return emailAddress.slice(emailAddress.lastIndexOf('@') + 1).toLowerCase() === domain.toLowerCase();
}

function endless(domain: string): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_BAD_RESPONSE',
    `HubSpot’s contacts of ${domain} did not come to an end within ${MAX_CALLS} calls.`,
  );
}

const MAX_PAGE = 200;
/** So that a stretch of false hits is not crossed one record at a time. */
const MIN_PAGE = 20;
/** The longest run takes six; the rest is for false hits. */
const MAX_CALLS = 30;

interface Position {
  readonly bound?: { readonly operator: 'GTE' | 'GT' | 'LTE' | 'LT'; readonly value: string };
  readonly after?: string;
}

interface Step {
  readonly forward: boolean;
  readonly after: string | null | undefined;
}

interface Search {
  readonly domain: string;
  readonly position: Position;
  readonly limit: number;
  readonly properties: readonly string[];
  readonly direction: 'ASCENDING' | 'DESCENDING';
}

export interface DomainRead {
  readonly domain: string;
  readonly run: Run;
  readonly want: Want;
}
