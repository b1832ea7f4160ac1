import type { Caller } from '../domain/caller.ts';
import { digest } from '../lib/digest.ts';
import { createTimedCache } from '../lib/timed-cache.ts';

/** How long a key or token that was revoked may still be taken for good. */
export const CALLER_MAX_AGE_MS = 5_000;
const MAX_CALLERS = 10_000;

/** Whoever calls again within seconds is known already: the database is not asked for each request. */
export function createKnownCallers({
  findByKey,
  verifyToken,
  onRight,
  now,
}: KnownCallerOptions): KnownCallers {
  const bounds = { maxAgeMs: CALLER_MAX_AGE_MS, maxEntries: MAX_CALLERS, now };
  const keys = createTimedCache<Caller>(bounds);
  const tokens = createTimedCache<VerifiedToken>(bounds);
  return {
    findCallerByKey(key) {
      const fingerprint = digest(key);
      return keys.find(fingerprint, () => tellOf(fingerprint, findByKey(key)));
    },
    async findCallerByToken(token) {
      const fingerprint = digest(token);
      const found = await tokens.find(fingerprint, () => tellOf(fingerprint, verifyToken(token)));
      return found && now() < found.expiresAt ? found.caller : undefined;
    },
  };

  async function tellOf<Found>(fingerprint: string, looked: Promise<Found | undefined>) {
    const found = await looked;
    if (found !== undefined) onRight(fingerprint);
    return found;
  }
}

export interface KnownCallers {
  findCallerByKey(key: string): Promise<Caller | undefined> | Caller | undefined;
  findCallerByToken(token: string): Promise<Caller | undefined>;
}

interface KnownCallerOptions {
  findByKey(key: string): Promise<Caller | undefined>;
  verifyToken(token: string): Promise<VerifiedToken | undefined>;
  /** Told of each credential that was looked up and is right, by its digest. */
  onRight(fingerprint: string): void;
  now(): number;
}

interface VerifiedToken {
  readonly caller: Caller;
  readonly expiresAt: number;
}
