import { isIP } from 'node:net';

/**
 * May a customer's instance URL be kept, and later be sent a token? What a URL parser would silently mend (octal
 * addresses, backslashes, tabs, escapes, full-width letters) is refused in the text itself, so that nobody who reads it
 * later can read another host.
 */
export function checkInstanceUrl(text: string, rules: InstanceUrlRules): InstanceUrl | InstanceUrlProblem {
  if (text.length > MAX_LENGTH) return { problem: `it is longer than ${MAX_LENGTH} characters` };
  if (!PLAIN.test(text)) return { problem: 'it has characters that do not belong there' };
  const [, scheme, authority, path = ''] = PARTS.exec(text) ?? [];
  if (!scheme || !authority || !URL.canParse(text)) return { problem: 'it is not a URL' };
  if (/[?#]/.test(text)) return { problem: 'it has a query or a fragment' };
  if (authority.includes('@')) return { problem: 'it has a user name in it' };
  const { origin, hostname, pathname } = new URL(text);
  const checked = { origin, url: origin + (path === '' || path === '/' ? '' : pathname) };
  if (isSandbox(`${scheme}://${authority}`.toLowerCase(), rules)) return checked;
  const problem = findProblem({ scheme: scheme.toLowerCase(), authority, hostname }, rules);
  return problem ? { problem } : checked;
}

/** As written, not as parsed: a sandbox is on this machine, and only its own spelling leads there. */
function isSandbox(origin: string, { sandboxOrigins }: InstanceUrlRules): boolean {
  return sandboxOrigins.includes(origin);
}

function findProblem(
  { scheme, authority, hostname }: Parts,
  { hosts }: InstanceUrlRules,
): string | undefined {
  if (hosts.length === 0) return 'this provider has no instance URL';
  if (scheme !== 'https') return 'it does not start with https://';
  if (isIP(hostname) || hostname.startsWith('[')) return 'its host is an IP address';
  const [host = '', port = DEFAULT_PORT] = authority.toLowerCase().split(':');
  if (port !== DEFAULT_PORT) return 'it names a port';
  if (!HOST.test(host) || host !== hostname) return 'its host is not a plain host name';
  return hosts.some((pattern) => matchesWhole(pattern, host))
    ? undefined
    : "its host is not one of the provider's";
}

/** The whole host or nothing: a pattern without anchors must not let a look-alike pass. */
function matchesWhole(pattern: RegExp, host: string): boolean {
  return pattern.exec(host)?.[0] === host;
}

const MAX_LENGTH = 2_048;
const DEFAULT_PORT = '443';

/** What a URL is written in: visible ASCII, without what parsers are known to disagree about. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)/i;
const HOST = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

export interface InstanceUrlRules {
  /** The provider's own hosts, lower case. */
  readonly hosts: readonly RegExp[];
  /** The imitated CRMs of this installation: the only exception. */
  readonly sandboxOrigins: readonly string[];
}

export interface InstanceUrl {
  readonly origin: string;
  /** The URL as it is kept: host in lower case, no slash at the end of a bare origin. */
  readonly url: string;
}

export interface InstanceUrlProblem {
  /** Goes after "… is not an address of the provider:". */
  readonly problem: string;
}

interface Parts {
  readonly scheme: string;
  readonly authority: string;
  readonly hostname: string;
}
