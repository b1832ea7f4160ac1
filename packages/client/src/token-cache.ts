/**
 * Keeps a customer token until shortly before it expires. `load` fetches one, once for all requests that wait for it;
 * its result is a token, or an object with `token` and `expiresAt`, as `issueCustomerToken` returns it.
 */
export function createTokenCache(
  load: LoadToken,
  { now = Date.now }: { now?(): number } = {},
): TokenCache {
  let current: KeptToken | undefined;
  let loading: Promise<string> | undefined;
  return {
    async get() {
      if (current && now() < current.renewAt) return current.token;
      loading ??= renew().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    refuse(token) {
      if (current?.token === token) current = undefined;
    },
  };

  async function renew(): Promise<string> {
    try {
      const loaded = await load();
      const token = typeof loaded === 'string' ? loaded : loaded.token;
      const expiresAt =
        typeof loaded === 'string' || loaded.expiresAt === undefined
          ? readExpiry(token)
          : Date.parse(loaded.expiresAt);
      const margin = Math.min(MARGIN_MS, (expiresAt - now()) / 5);
      current = { token, expiresAt, renewAt: expiresAt - margin };
      return token;
    } catch (error) {
      // The old one serves until it expires.
      if (current && now() < current.expiresAt) return current.token;
      throw error;
    }
  }
}

/** The time in a customer token, which is a JWT; 0 if there is none, and the token is not kept. */
function readExpiry(token: string): number {
  try {
    const [, claims = ''] = token.split('.');
    return JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/'))).exp * 1_000 || 0;
  } catch {
    return 0;
  }
}

/** Renewed so long before it expires, or a fifth of its lifetime before. */
const MARGIN_MS = 30_000;

export interface TokenCache {
  /** Returns a valid token. Rejects with the error of `load`. */
  get(): Promise<string>;
  /** Forgets a token that was refused, unless it was replaced meanwhile. */
  refuse(token: string): void;
}

/** Fetches a customer token, for example from your own server. */
export type LoadToken = () => LoadedToken | Promise<LoadedToken>;
type LoadedToken = string | { readonly token: string; readonly expiresAt?: string };

interface KeptToken {
  readonly token: string;
  readonly expiresAt: number;
  readonly renewAt: number;
}
