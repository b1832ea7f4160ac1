import { checkInstanceUrl } from '../../domain/urls.ts';

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
