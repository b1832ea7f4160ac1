import type { Caller } from '../domain/caller.ts';
import { digest } from '../lib/digest.ts';
import { createTimedCache } from '../lib/timed-cache.ts';

/** How long a key or token that was revoked may still be taken for good. */
export const CALLER_MAX_AGE_MS = 5_000;
const MAX_CALLERS = 10_000;

/** Whoever calls again within seconds is known already: the database is not asked for each request. */
export function createKnownCallers({ findByKey, verifyToken, now }: KnownCallerOptions): KnownCallers {
  const bounds = { maxAgeMs: CALLER_MAX_AGE_MS, maxEntries: MAX_CALLERS, now };
  const keys = createTimedCache<Caller>(bounds);
  const tokens = createTimedCache<VerifiedToken>(bounds);
  return {
    findCallerByKey: (key) => keys.find(digest(key), () => findByKey(key)),
    async findCallerByToken(token) {
      const found = await tokens.find(digest(token), () => verifyToken(token));
      return found && now() < found.expiresAt ? found.caller : undefined;
    },
  };
}

export interface KnownCallers {
  findCallerByKey(key: string): Promise<Caller | undefined> | Caller | undefined;
  findCallerByToken(token: string): Promise<Caller | undefined>;
}

interface KnownCallerOptions {
  findByKey(key: string): Promise<Caller | undefined>;
  verifyToken(token: string): Promise<VerifiedToken | undefined>;
  now(): number;
}

interface VerifiedToken {
  readonly caller: Caller;
  readonly expiresAt: number;
}
