import type { Caller } from '../domain/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { digest } from '../lib/digest.ts';
import { createTtlCache, type TtlCache } from '../lib/ttl-cache.ts';
import type { KeyLookups, PresentedKey } from './key-lookups.ts';

/** How long a key or token that was revoked may still be accepted. */
export const CALLER_MAX_AGE_MS = 5_000;
const MAX_CALLERS = 10_000;

/**
 * Who a key or token belongs to, remembered for a few seconds, so that the database is not asked for each request. What
 * can be told without the database comes first: a key's form and MAC, a token's signature. Only what we made ourselves is
 * remembered as refused, so that invented credentials fill no cache.
 */
export function createCallerCache({
  parseKey,
  lookups,
  verifyToken,
  clock,
}: CallerCacheOptions): CallerCache {
  const bounds = { maxAgeMs: CALLER_MAX_AGE_MS, maxEntries: MAX_CALLERS, now: clock.now };
  const keys = createTtlCache<Found>(bounds);
  const tokens = createTtlCache<Found>(bounds);
  const proven = createRecentSet(MAX_CALLERS);

  return {
    findCallerByKey(key, address) {
      const fingerprint = digest(key);
      return read(keys, fingerprint, async () => {
        const presented = parseKey(key);
        if (!presented) return undefined;
        const isTrusted = presented.isGenuine || proven.has(fingerprint);
        const caller = await lookups.find({ key: presented, isTrusted, address });
        if (caller) proven.add(fingerprint);
        return caller || presented.isGenuine ? { caller, expiresAt: Number.POSITIVE_INFINITY } : undefined;
      });
    },
    findCallerByToken: (token) => read(tokens, digest(token), () => verifyToken(token)),
  };

  /** What is remembered comes at once: nothing waits for a promise. */
  function read(cache: TtlCache<Found>, fingerprint: string, load: () => Promise<Found | undefined>) {
    const found = cache.find(fingerprint, load);
    return found instanceof Promise ? found.then(toCaller) : toCaller(found);
  }

  function toCaller(found: Found | undefined): Caller | undefined {
    // A token says its end as a time of day, which every process reads from its own clock.
    return found && clock.wall() < found.expiresAt ? found.caller : undefined;
  }
}

/** The newest entries, in the order in which they were added. */
function createRecentSet(maxEntries: number): Pick<Set<string>, 'has'> & { add(entry: string): void } {
  const entries = new Set<string>();
  return {
    has: (entry) => entries.has(entry),
    add(entry) {
      entries.add(entry);
      for (const oldest of entries) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
  };
}

export interface CallerCache {
  findCallerByKey(key: string, address: string | undefined): Promise<Caller | undefined> | Caller | undefined;
  findCallerByToken(token: string): Promise<Caller | undefined> | Caller | undefined;
}

interface CallerCacheOptions {
  /** Undefined where a text cannot be a key of this installation. */
  parseKey(key: string): PresentedKey | undefined;
  readonly lookups: KeyLookups;
  /** Undefined for what we did not sign. */
  verifyToken(token: string): Promise<Found | undefined>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

interface Found {
  /** Undefined: made here, and valid no longer. */
  readonly caller: Caller | undefined;
  readonly expiresAt: number;
}
