import type { FlowCookie } from '../usecases/start-authorization.ts';

/**
 * One cookie for each flow, which no script reads and no other site sends. Over https it has the prefix `__Host-`, which
 * keeps other hosts of the domain from setting it; browsers refuse that prefix over http, where only loopback is allowed.
 */
export function createCookies(isHttps: boolean): Cookies {
  const prefix = isHttps ? '__Host-crossbook-connect-' : 'crossbook-connect-';
  const attributes = isHttps ? 'Path=/; Secure' : 'Path=/connect';
  return {
    read(header) {
      const found: [string, string][] = [];
      for (const pair of (header ?? '').split(';')) {
        const [name = '', value = ''] = pair.trim().split('=', 2);
        if (name.startsWith(prefix) && VALUE.test(value)) found.push([name.slice(prefix.length), value]);
      }
      // Browsers send the oldest first, and these are the ones that nobody comes back with.
      return new Map(found.slice(-MAX_COOKIES));
    },
    write({ flow, value, expiresAt }, now) {
      const seconds = Math.max(0, Math.ceil((expiresAt.getTime() - now) / 1_000));
      return `${prefix}${flow}=${value}; ${attributes}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
    },
  };
}

/** A browser with more of them has more tabs than a person. */
const MAX_COOKIES = 20;
const VALUE = /^[\w-]{43}$/;

export interface Cookies {
  /** Value by name of the flow. */
  read(header: string | null): ReadonlyMap<string, string>;
  /** The header that sets it. */
  write(cookie: FlowCookie, now: number): string;
}
