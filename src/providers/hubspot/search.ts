import type { Contact } from '../../domain/contact.ts';
import { CrossbookError } from '../../domain/errors.ts';
import type { Run } from '../../domain/provider.ts';
import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { understand } from './call.ts';
import { PATHS } from './paths.ts';
import { compareIds, isRecordId } from './record-id.ts';
import { toSearchPage, type WireSearchPage } from './wire.ts';

/**
 * A run of any length, stitched of HubSpot's pages. Each starts behind the last record of the one before rather than
 * at an offset: rows that come and go shift nothing, and the ceiling of 10,000 results is never met.
 */
export async function readByDomain(account: HubSpotAccount, read: DomainRead): Promise<readonly Contact[]> {
  const { domain, run, want } = read;
  const properties = account.propertiesFor(want);
  const found = new Map<string, Contact>();
  let position: Position | undefined = startOf(run);
  let limit = Math.min(MAX_PAGE, run.limit);
  for (let calls = 0; position && found.size < run.limit; calls += 1) {
    if (calls === MAX_CALLS) throw endless(domain);
    const { results, paging } = await search(account, {
      ...{ domain, position, limit, direction: run.direction },
      properties,
    });
    const page = account.toContacts(results, want).filter(within(position));
    const hits = page.filter((contact) => isHit(contact, domain));
    for (const hit of hits) found.set(hit.remoteId, hit);
    position = after(position, { last: hits.at(-1) ?? page.at(-1), run, offset: paging?.next?.after });
    // Where the index lies it may go on for a while: that stretch is crossed in large steps.
    const lied = results.length === 0 || hits.length < results.length;
    limit = lied ? MAX_PAGE : Math.min(MAX_PAGE, run.limit - found.size);
  }
  const ascending = [...found.values()].sort((a, b) => compareIds(a.remoteId, b.remoteId));
  return run.direction === 'forward' ? ascending.slice(0, run.limit) : ascending.slice(-run.limit);
}

/**
 * Where all hits fit one page they are counted, because HubSpot's total also counts those that are gone. A larger
 * total is believed, less the false hits that were seen.
 */
export async function countByDomain(account: HubSpotAccount, domain: string): Promise<number> {
  const page = await search(account, {
    ...{ domain, position: {}, limit: MAX_PAGE, direction: 'forward' },
    properties: ['email'],
  });
  const contacts = account.toContacts(page.results, { rawData: false });
  const hits = contacts.filter((contact) => isHit(contact, domain)).length;
  if (!page.paging?.next?.after) return hits;
  return Math.max(hits, (page.total ?? 0) - (page.results.length - hits));
}

async function search(
  account: HubSpotAccount,
  { domain, position, ...page }: Search,
): Promise<WireSearchPage> {
  const filters = [
    { propertyName: 'email', operator: 'CONTAINS_TOKEN', value: `*@${domain}` },
    ...(position.bound ? [{ propertyName: 'hs_object_id', ...position.bound }] : []),
  ];
  const answer = await account.ask({
    path: PATHS.search,
    budget: 'search',
    body: {
      filterGroups: [{ filters }],
      sorts: [{ propertyName: 'hs_object_id', direction: SORTS[page.direction] }],
      properties: page.properties,
      limit: page.limit,
      ...(position.after !== undefined && { after: position.after }),
    },
  });
  return understand(toSearchPage, answer);
}

function startOf({ direction, from }: Run): Position {
  if (from === undefined) return {};
  return { bound: { operator: direction === 'forward' ? 'GTE' : 'LTE', value: from } };
}

/**
 * Behind the page's last record. A page may be empty and yet not the last: then there is only its offset to go by.
 * No `after` at all is how HubSpot says that this was the last.
 */
function after(position: Position, { last, run, offset }: Step): Position | undefined {
  if (!offset) return undefined;
  if (last === undefined) return { ...position, after: offset };
  return { bound: { operator: run.direction === 'forward' ? 'GT' : 'LT', value: last.remoteId } };
}

/** A record that was not asked for would lead the next page astray. */
function within({ bound }: Position): (contact: Contact) => boolean {
  return ({ remoteId }) => {
    if (!isRecordId(remoteId)) return false;
    if (bound === undefined) return true;
    const order = compareIds(remoteId, bound.value);
    return (
      (order === 0 && bound.operator.endsWith('E')) ||
      (bound.operator.startsWith('G') ? order > 0 : order < 0)
    );
  };
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
    { origin: 'remote-provider' },
  );
}

const MAX_PAGE = 200;
/** The longest run takes six; the rest is for false hits. */
const MAX_CALLS = 20;

const SORTS = { forward: 'ASCENDING', backward: 'DESCENDING' } as const;

interface Position {
  readonly bound?: { readonly operator: 'GTE' | 'GT' | 'LTE' | 'LT'; readonly value: string };
  readonly after?: string;
}

interface Step {
  readonly last: Contact | undefined;
  readonly run: Run;
  readonly offset: string | null | undefined;
}

interface Search {
  readonly domain: string;
  readonly position: Position;
  readonly limit: number;
  readonly properties: readonly string[];
  readonly direction: Run['direction'];
}

export interface DomainRead {
  readonly domain: string;
  readonly run: Run;
  readonly want: Want;
}
