/**
 * A URL of one server (`redis://`, `rediss://`), or of Sentinels and the name of the master that they watch:
 * `redis+sentinel://:password@one:26379,two:26379/mymaster/0?sentinel_password=…`. Undefined if it is neither.
 */
export function parseRedisUrl(text: string): RedisUrl | undefined {
  if (/^rediss?:\/\//.test(text))
    return URL.canParse(text) && !HOSTS_WITH_COMMA.test(text)
      ? { url: text, place: new URL(text).host }
      : undefined;
  const [, secure, login = '', hosts = '', after = ''] = SENTINELS.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => `redis://${login}${host}${after}`);
  const [first] = urls;
  if (first === undefined || !urls.every(isWithHost)) return undefined;
  const { pathname, searchParams, username, password, hash } = new URL(first);
  const [, name = '', database = '0', ...more] = pathname.split('/');
  if (!name || !/^\d+$/.test(database) || more.length > 0 || hash !== '') return undefined;
  const others = [...searchParams.keys()].filter((key) => key !== SENTINEL_PASSWORD);
  if (others.length > 0) return undefined;
  return {
    place: `${hosts}/${name}`,
    sentinels: urls.map(toAddress),
    name: decodeURIComponent(name),
    database: Number(database),
    isSecure: secure === 's',
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    sentinelPassword: searchParams.get(SENTINEL_PASSWORD) || undefined,
  };
}

function isWithHost(text: string): boolean {
  return URL.canParse(text) && new URL(text).hostname !== '';
}

function toAddress(text: string): SentinelUrl['sentinels'][number] {
  const { hostname, port } = new URL(text);
  return { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(port || 26_379) };
}

const SENTINELS = /^redis(s?)\+sentinel:\/\/([^/?#]*@)?([^/?#@]+)(\/.*)$/;
/** A comma before the path, and not in a password. */
const HOSTS_WITH_COMMA = /^[a-z]+:\/\/([^/?#]*@)?[^/?#@]*,/;
const SENTINEL_PASSWORD = 'sentinel_password';

/** `place`: the hosts, without a password. */
type RedisUrl = { readonly url: string; readonly place: string } | SentinelUrl;

interface SentinelUrl {
  readonly place: string;
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** The name of the master. */
  readonly name: string;
  readonly database: number;
  /** TLS, to the Sentinels too. */
  readonly isSecure: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly sentinelPassword: string | undefined;
}
