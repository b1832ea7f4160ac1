import { toWebOrigin } from './web-origin.ts';

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
