import { isIP } from 'node:net';

/** http: on this machine is for trying things out: only where the sandbox is on. */
export function isLoopbackUrl(url: URL): boolean {
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

/** A literal address passes no look-up, and is refused with the private ones. */
export function isLiteralAddress(url: URL): boolean {
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
