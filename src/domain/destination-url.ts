import { isIP } from 'node:net';
import type { DestinationSecret } from './sync.ts';

/**
 * Reads the URL of a destination. Only user, password, host, port and database are taken: the driver would read files
 * and options from query parameters.
 */
export function readDestinationUrl(text: string): ReadUrl {
  if (text.length > MAX_LENGTH || !URL.canParse(text))
    return { problem: `must be a URL of at most ${MAX_LENGTH} characters` };
  const url = new URL(text);
  if (!PROTOCOLS.includes(url.protocol))
    return { problem: 'must begin with postgresql:// or postgres://' };
  if (text.includes('?') || text.includes('#'))
    return { problem: 'must have neither query parameters nor a fragment' };
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === '' || !(HOST.test(host) || isIP(host)))
    return { problem: 'must have one host name' };
  const [database = '', ...others] = url.pathname.slice(1).split('/').map(decode);
  if (database === '' || others.length > 0) return { problem: 'must have one database' };
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === '' || password === '') return { problem: 'must have a user and a password' };
  const parts = [user, password, database];
  if (parts.some((part) => CONTROL.test(part)))
    return { problem: 'has a control character in the user, the password or the database' };
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port);
  if (port === 0) return { problem: 'must have a port from 1 to 65535' };
  return { host, port, database, user, password };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded.
    return text;
  }
}

const PROTOCOLS = ['postgresql:', 'postgres:'];
const HOST =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/;
const CONTROL = /\p{Cc}/u;
const MAX_LENGTH = 2_048;
const DEFAULT_PORT = 5432;

type ReadUrl = Omit<DestinationSecret, 'caCertificate'> | { readonly problem: string };
