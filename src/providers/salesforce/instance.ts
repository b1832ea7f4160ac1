import type { Contact } from '../../domain/contact.ts';
import type { FieldSelection } from '../../domain/contact-search.ts';
import type { KeysetRange } from '../../domain/provider.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { EMAIL, ID } from './contacts.ts';
import { emailOf } from './contacts-by-key.ts';
import { allOf, type Condition, compare, endsWith } from './query.ts';
import type { ContactReader } from './reader.ts';

const LABEL = '(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/**
 * The hosts of the REST API, and only those: not where people log in, look at pages or chat. The customer chooses the
 * first label, so that they keep tokens inside Salesforce and do not tell one org from another.
 */
export const INSTANCE_HOSTS: readonly RegExp[] = [
  // My Domain, with the sandbox, partition or pod that may stand behind it.
  new RegExp(`^${LABEL}(?:\\.${LABEL})?\\.my\\.salesforce\\.(?:com|mil)$`),
  // Salesforce on Alibaba Cloud.
  new RegExp(`^${LABEL}(?:\\.${LABEL})?\\.my\\.sfcrmproducts\\.cn$`),
  // Names from before My Domain that connections of old still carry. gs1 is a host for logins.
  /^(?!gs\d)[a-z]{2,3}\d{1,4}s?\.salesforce\.com$/,
  new RegExp(`^(?!(?:www|login|test)\\.)${LABEL}\\.(?:cloudforce|database)\\.com$`),
  new RegExp(`^(?:${LABEL}\\.${LABEL}\\.sandbox|${LABEL})\\.my-salesforce\\.com$`),
];

/** Where people log in: the common hosts, and My Domain, which not every instance has. Never the pages (Lightning). */
export const LOGIN_HOSTS: readonly RegExp[] = [
  /^(?:login|test)\.salesforce\.com$/,
  ...INSTANCE_HOSTS.slice(0, 2),
];

/** Where the connection's calls go; undefined for everything that is not plainly an instance of Salesforce. */
export function instanceOrigin(instanceUrl: string | null): string | undefined {
  if (instanceUrl === null) return undefined;
  const checked = checkInstanceUrl(instanceUrl, { hosts: INSTANCE_HOSTS, sandboxOrigins: [] });
  return 'problem' in checked ? undefined : checked.origin;
}

/** Where the connection's refresh token goes: to the org's My Domain, because an org may forbid the common login hosts. */
export function tokenOrigin(instanceUrl: string | null): string | undefined {
  const origin = instanceOrigin(instanceUrl);
  return origin === undefined || MY_DOMAIN.test(origin) ? origin : loginOrigin(origin);
}

/** A My Domain that was renamed redirects. The common login host still knows the org; separate clouds have none. */
export function movedTokenOrigin(instanceUrl: string | null): string | undefined {
  const origin = instanceOrigin(instanceUrl);
  return origin === undefined || SEPARATE_CLOUD.test(origin) ? undefined : loginOrigin(origin);
}

/** Test orgs have a host of their own. */
function loginOrigin(origin: string): string {
  return TEST_ORG.test(origin) ? 'https://test.salesforce.com' : 'https://login.salesforce.com';
}

const MY_DOMAIN = /\.my\.(?:salesforce\.(?:com|mil)|sfcrmproducts\.cn)$/;

const SEPARATE_CLOUD = /\.(?:mil|cn)$/;
/** `--` parts the name of a sandbox from its org's; `cs12` and `usa2s` are pods of sandboxes. */
const TEST_ORG = /^https:\/\/(?:[^.]*--|(?:cs\d+|[a-z]+\d+s)\.salesforce\.)|\.(?:sandbox|scratch|cs\d+)\./;

/** A run by record id: what comes and goes elsewhere in the list moves nothing. */
export async function readByDomain(reader: ContactReader, ask: DomainAsk): Promise<readonly Contact[]> {
  const { domain, run, selection } = ask;
  const forward = run.direction === 'forward';
  const contacts: Contact[] = [];
  let where = startingAt(domain, run);
  while (contacts.length < run.limit) {
    const limit = run.limit - contacts.length;
    const pages = await reader.read({
      conditions: [where],
      selection,
      order: forward ? 'ascending' : 'descending',
      limit,
    });
    for (const rows of pages) {
      for (const row of rows) {
        if (emailOf(row).endsWith(`@${domain}`)) contacts.push(reader.toContact(row, selection));
      }
    }
    const last = pages.findLast((rows) => rows.length > 0)?.at(-1)?.['Id'];
    const size = pages.reduce((sum, rows) => sum + rows.length, 0);
    if (size < limit || typeof last !== 'string') break;
    // Only where a hit was none after all there is something left to fetch.
    where = allOf([ofDomain(domain), compare(ID, forward ? '>' : '<', last)]);
  }
  return forward ? contacts : contacts.reverse();
}

export async function countByDomain(reader: ContactReader, domain: string): Promise<number> {
  return reader.count(ofDomain(domain));
}

function startingAt(domain: string, { direction, from }: KeysetRange): Condition {
  const all = ofDomain(domain);
  return from === undefined ? all : allOf([all, compare(ID, direction === 'forward' ? '>=' : '<=', from)]);
}

function ofDomain(domain: string): Condition {
  return endsWith(EMAIL, `@${domain}`);
}

interface DomainAsk {
  readonly domain: string;
  readonly run: KeysetRange;
  readonly selection: FieldSelection;
}
