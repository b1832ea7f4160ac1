/**
 * Undefined if node-postgres cannot read the URL, or finds no name of a database in it. As there, the host may be
 * empty: `user@/name?host=/folder`.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(text) ?? [];
  const names = hosts.split(',');
  if (names.length > 1 && names.includes('')) return undefined;
  const urls = names.map((host) => `${before}${host}${after}`);
  const parsed = urls.map(parseOne);
  const [url] = parsed;
  if (!url || parsed.includes(undefined)) return undefined;
  return { urls, place: `${hosts}${url.pathname}`, session: url.searchParams.get(SESSION) };
}

/** Whether a session that `target_session_attrs` asks for may be one that writes. */
export function mayWrite({ session }: DatabaseUrl): boolean {
  return session === null || ['any', 'primary', 'read-write'].includes(session);
}

function parseOne(text: string): URL | undefined {
  const address = text.replace('@/', '@localhost/');
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // An @ in the path or anything behind a # is the end of a password that is not percent-encoded.
  return /^\/[^@]+$/.test(url.pathname) && url.hash === '' ? url : undefined;
}

/** What precedes the hosts, the hosts, what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
const SESSION = 'target_session_attrs';

export interface DatabaseUrl {
  /** One URL for each host. */
  readonly urls: readonly string[];
  /** The hosts and the database, without the user and the password. */
  readonly place: string;
  /** The value of `target_session_attrs`. */
  readonly session: string | null;
}
