import { isIP } from 'node:net';
import { toOwnCommand } from '../lib/own-command.ts';
import type { ConnectLink } from './connect-link.ts';
import type { Authorization } from './oauth.ts';
import type { Provider } from './provider.ts';
import type { ProviderName } from './provider-names.ts';

/** Reads a web origin as browsers send it. Undefined for all else: wildcards are not allowed. */
export function toWebOrigin(text: string): string | undefined {
  const url = !text.includes('*') && URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url &&
    /^https?:$/.test(url.protocol) &&
    [url.origin, `${url.origin}/`].includes(text.toLowerCase());
  return isOrigin ? url.origin : undefined;
}

/**
 * The public URL of this installation, without a slash at the end: an origin, or an origin and a path. It must be
 * https, because codes are sent there, except on this machine. Undefined if invalid.
 */
export function toPublicUrl(text: string): string | undefined {
  const [, written = '', path = ''] = PUBLIC_URL.exec(text) ?? [];
  const origin = toWebOrigin(written);
  if (origin === undefined || DOT_SEGMENT.test(path)) return undefined;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || LOOPBACK.test(hostname) ? origin + path : undefined;
}

/** The path of a public URL, which is the prefix of all paths there: empty, or such as `/crossbook`. */
export function toBasePath(publicUrl: string | undefined): string {
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname;
  return path === '/' ? '' : path;
}

const PUBLIC_URL = /^([^/]+\/\/[^/]+)((?:\/[A-Za-z0-9._~-]+)*)\/?$/;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;

const LOOPBACK = /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The OAuth redirect URI of a provider, which must be registered with it exactly. */
export function toRedirectUri(publicUrl: string, provider: ProviderName): string {
  return `${publicUrl}/connect/callback/${provider}`;
}

/** The redirect URIs of all providers with connect links. */
export function listRedirectUris(
  publicUrl: string,
  providers: Iterable<Pick<Provider, 'name' | 'authorization'>>,
) {
  return [...providers]
    .filter(({ authorization }) => authorization !== undefined)
    .map(({ name }) => ({ provider: name, uri: toRedirectUri(publicUrl, name) }));
}

/**
 * Checks a return URL, which may receive a one-time code. Rejects text that URL parsers would repair or interpret
 * differently (backslashes, tabs, user names, full-width letters); then the origin must exactly be one of the
 * application's.
 */
export function checkReturnUrl(text: string, { id, origins }: Registered): CheckedUrl {
  const unreadable = findTextProblem(text);
  if (unreadable) return { problem: unreadable };
  const [, written = '', authority = ''] = ORIGIN.exec(text) ?? [];
  if (authority === '' || !URL.canParse(text)) return { problem: 'it is not an http(s) URL' };
  if (authority.includes('@')) return { problem: 'it contains a user name' };
  if (text.includes('#')) return { problem: 'it has a fragment' };
  const { origin, href } = new URL(text);
  if (written.toLowerCase() !== origin)
    return { problem: 'its origin is not written in its usual form' };
  if (!origins.includes(origin)) {
    const remedy = `\`${toOwnCommand(`apps origins ${id} --add ${origin}`)}\` registers it`;
    return { problem: `its origin ${origin} is not registered for the application: ${remedy}` };
  }
  return { url: href };
}

/** The return URL with the result of the link; the application redeems the code once. */
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
 * Checks the login origin given by an application or a customer: a host, or any page there. Null:
 * the provider's default. As strict as for origins that receive tokens, because it receives codes.
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
 * Checks a customer's instance URL, which will receive tokens. Rejects text that URL parsers would repair (octal
 * addresses, backslashes, tabs, escapes, full-width letters), so that no later reader sees another host.
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
  if (authority.includes('@')) return { problem: 'it contains a user name' };
  const { origin, hostname, pathname } = new URL(text);
  const checked = { origin, url: origin + (path === '' || path === '/' ? '' : pathname) };
  // Compares the text instead of the parsed URL: only the sandbox's own spelling is allowed.
  if (sandboxOrigins.includes(`${scheme}://${authority}`.toLowerCase())) return checked;
  if (hosts.length === 0) return { problem: 'this provider has no instance URL' };
  if (scheme.toLowerCase() !== 'https') return { problem: 'it does not start with https://' };
  if (isIP(hostname) || hostname.startsWith('[')) return { problem: 'its host is an IP address' };
  const [host = '', port = DEFAULT_PORT] = authority.toLowerCase().split(':');
  if (port !== DEFAULT_PORT) return { problem: 'it names a port' };
  if (!HOST.test(host) || host !== hostname)
    return { problem: 'its host is not a plain host name' };
  // Requires a match of the whole host, in case a pattern lacks anchors.
  const isOwn = hosts.some((pattern) => pattern.exec(host)?.[0] === host);
  return isOwn ? checked : { problem: `its host ${host} is not a supported host of the provider` };
}

function findTextProblem(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  return PLAIN.test(text) ? undefined : 'it has invalid characters';
}

const MAX_LENGTH = 2_048;
const DEFAULT_PORT = '443';

/** The allowed characters: visible ASCII, without those that parsers disagree about. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)/i;
const HOST = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

interface InstanceUrlRules {
  /** The provider's own hosts, lower case. */
  readonly hosts: readonly RegExp[];
  /** The sandbox's origins, which are the only exception. */
  readonly sandboxOrigins: readonly string[];
}

interface InstanceUrl {
  readonly origin: string;
  /** The normalized URL: host in lower case, no trailing slash on a bare origin. */
  readonly url: string;
}

/** A URL in its normalized form, or what is wrong with it. */
/** An application, and the origins that it has registered. */
interface Registered {
  readonly id: string;
  readonly origins: readonly string[];
}

export type CheckedUrl = Pick<InstanceUrl, 'url'> | UrlProblem;

interface UrlProblem {
  /** Completes the sentence "… is not an address of the provider:". */
  readonly problem: string;
}
