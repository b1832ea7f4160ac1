import { isIP } from 'node:net';
import type { ConnectLink } from './connect-link.ts';
import type { Authorization } from './oauth.ts';
import type { Provider } from './provider.ts';
import type { ProviderName } from './provider-names.ts';

/** Exactly what a browser sends as its origin. Undefined for all else: a wildcard is none, every origin is named. */
export function toWebOrigin(text: string): string | undefined {
  const url = !text.includes('*') && URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text.toLowerCase());
  return isOrigin ? url.origin : undefined;
}

/**
 * The origin that browsers reach this installation at. Codes travel there, so it is https, but for this machine itself.
 * Undefined: it is none of that.
 */
export function toPublicUrl(text: string): string | undefined {
  const origin = toWebOrigin(text);
  if (origin === undefined) return undefined;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || LOOPBACK.test(hostname) ? origin : undefined;
}

const LOOPBACK = /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Where a provider sends customers back to: registered with it letter by letter, one for each provider. */
export function toRedirectUri(publicUrl: string, provider: ProviderName): string {
  return `${publicUrl}/connect/callback/${provider}`;
}

/** Of the providers that customers can be sent to. */
export function listRedirectUris(
  publicUrl: string,
  providers: Iterable<Pick<Provider, 'name' | 'authorization'>>,
) {
  return [...providers]
    .filter(({ authorization }) => authorization !== undefined)
    .map(({ name }) => ({ provider: name, uri: toRedirectUri(publicUrl, name) }));
}

/**
 * May a customer's browser be sent back there, with a one-time code? What URL parsers would silently mend or read
 * differently (backslashes, tabs, user names, full-width letters) is refused in the text itself; then its origin has to
 * be one of the application's, to the letter.
 */
export function checkReturnUrl(
  text: string,
  origins: readonly string[],
): { readonly url: string } | { readonly problem: string } {
  const unreadable = findTextProblem(text);
  if (unreadable) return { problem: unreadable };
  const [, written = '', authority = ''] = ORIGIN.exec(text) ?? [];
  if (authority === '' || !URL.canParse(text)) return { problem: 'it is not an http(s) URL' };
  if (authority.includes('@')) return { problem: 'it has a user name in it' };
  if (text.includes('#')) return { problem: 'it has a fragment' };
  const { origin, href } = new URL(text);
  if (written.toLowerCase() !== origin) return { problem: 'its origin is not written in its usual form' };
  if (!origins.includes(origin))
    return { problem: `its origin ${origin} is not registered for the application` };
  return { url: href };
}

/** The page to return to, with what became of the link; the code is for the application to redeem, once. */
export function toReturnUrl(
  { returnUrl, id, status, failure }: Pick<ConnectLink, 'returnUrl' | 'id' | 'status' | 'failure'>,
  code?: string,
): string {
  const url = new URL(returnUrl);
  const values = { connect_link_id: id, status, error: failure, code };
  for (const [name, value] of Object.entries(values)) {
    url.searchParams.delete(name);
    if (value) url.searchParams.set(name, value);
  }
  return url.href;
}

const ORIGIN = /^(https?:\/\/([^/?#]+))/i;

/**
 * The origin that a customer logs in at, as an application or the customer names it: `acme.my.salesforce.com`, or any page
 * there. Null: the provider's usual one. Checked as strictly as what tokens are sent to, because codes are.
 */
export function checkLoginUrl(
  text: string | null,
  { logins, loginHosts }: Pick<Authorization, 'logins' | 'loginHosts'>,
): Pick<InstanceUrl, 'origin'> | UrlProblem {
  if (text === null) return { origin: logins[0].origin };
  const trimmed = text.trim().replace(/[?#].*$/s, '');
  const url = SCHEME.test(trimmed) ? trimmed : `https://${trimmed}`;
  const checked = checkInstanceUrl(url, { hosts: loginHosts, sandboxOrigins: [] });
  return 'problem' in checked ? checked : { origin: checked.origin };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * May a customer's instance URL be kept, and later be sent a token? What a URL parser would silently mend (octal
 * addresses, backslashes, tabs, escapes, full-width letters) is refused in the text itself, so that no later
 * reader sees another host.
 */
export function checkInstanceUrl(
  text: string,
  { hosts, sandboxOrigins }: InstanceUrlRules,
): InstanceUrl | UrlProblem {
  const unreadable = findTextProblem(text);
  if (unreadable) return { problem: unreadable };
  const [, scheme, authority, path = ''] = PARTS.exec(text) ?? [];
  if (!scheme || !authority || !URL.canParse(text)) return { problem: 'it is not a URL' };
  if (/[?#]/.test(text)) return { problem: 'it has a query or a fragment' };
  if (authority.includes('@')) return { problem: 'it has a user name in it' };
  const { origin, hostname, pathname } = new URL(text);
  const checked = { origin, url: origin + (path === '' || path === '/' ? '' : pathname) };
  // As written, not as parsed: a sandbox is on this machine, and only its own spelling leads there.
  if (sandboxOrigins.includes(`${scheme}://${authority}`.toLowerCase())) return checked;
  if (hosts.length === 0) return { problem: 'this provider has no instance URL' };
  if (scheme.toLowerCase() !== 'https') return { problem: 'it does not start with https://' };
  if (isIP(hostname) || hostname.startsWith('[')) return { problem: 'its host is an IP address' };
  const [host = '', port = DEFAULT_PORT] = authority.toLowerCase().split(':');
  if (port !== DEFAULT_PORT) return { problem: 'it names a port' };
  if (!HOST.test(host) || host !== hostname) return { problem: 'its host is not a plain host name' };
  // The whole host or nothing: a pattern without anchors must not let a look-alike pass.
  const isOwn = hosts.some((pattern) => pattern.exec(host)?.[0] === host);
  return isOwn ? checked : { problem: "its host is not one of the provider's" };
}

function findTextProblem(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  return PLAIN.test(text) ? undefined : 'it has characters that do not belong there';
}

const MAX_LENGTH = 2_048;
const DEFAULT_PORT = '443';

/** What a URL is written in: visible ASCII, without what parsers are known to disagree about. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)/i;
const HOST = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

interface InstanceUrlRules {
  /** The provider's own hosts, lower case. */
  readonly hosts: readonly RegExp[];
  /** The imitated CRMs of this installation: the only exception. */
  readonly sandboxOrigins: readonly string[];
}

interface InstanceUrl {
  readonly origin: string;
  /** The URL as it is kept: host in lower case, no slash at the end of a bare origin. */
  readonly url: string;
}

interface UrlProblem {
  /** Goes after "… is not an address of the provider:". */
  readonly problem: string;
}
