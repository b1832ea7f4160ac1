import type { IncomingMessage } from 'node:http';
import { toAddress } from './incoming-request.ts';

/**
 * Does the request say once, and in one way, which host it is for? A second Host header, or a request line that names
 * another host, is how a cache or proxy in front is made to see another request than we do (RFC 9112, 3.2).
 */
export function isAddressed(message: IncomingMessage): boolean {
  const { host } = message.headers;
  // Before HTTP/1.1 there was no Host header.
  if (host === undefined && message.httpVersion === '1.1') return false;
  if (countHosts(message.rawHeaders) > 1) return false;
  // A path cannot spoil an address that was one.
  if (host === lastHost && message.url?.startsWith('/')) return true;
  if (host !== undefined && BEYOND_A_HOST.test(host)) return false;
  if (!URL.canParse(toAddress(message)) || !namesHost(message)) return false;
  lastHost = host;
  return true;
}

/** Node drops the second one without a word. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count += 1;
  }
  return count;
}

/** A request line with a whole address names the host that the header names. */
function namesHost({ url = '/', headers: { host } }: IncomingMessage): boolean {
  if (url.startsWith('/') || url === '*' || host === undefined) return true;
  const { protocol, host: named } = new URL(url);
  const address = `${protocol}//${host}`;
  return URL.canParse(address) && new URL(address).host === named;
}

const HOST = 'host';

/** In a URL these begin another part of the address, or end one: a Host has neither user nor path (RFC 9110, 7.2). */
const BEYOND_A_HOST = /[@/\\?#]/;

/** Nearly all clients name the same host: it was looked at already. */
let lastHost: string | undefined;
