import { hash as hashOnce } from 'node:crypto';
import { CrossbookError } from '../domain/errors.ts';
import { digest } from '../lib/digest.ts';
import { toNetwork } from '../lib/to-network.ts';
import { createLimiter } from './limiter.ts';
import type { SharedRedis } from './redis.ts';

/**
 * Wrong keys and tokens, by the address that they come from. After too many of them nothing that it presents is looked
 * up, save what has been right before: who shares an address with somebody that guesses is not locked out.
 */
export function createGuessLimits({ perMinute, redis, hash, now }: GuessOptions): GuessLimits {
  const limiter = createLimiter({ name: 'guess', perMinute: Math.max(1, perMinute), redis });
  const refusedUntil = new Map<string, number>();
  const proven = new Set<string>();

  return {
    check(address, credential) {
      if (refusedUntil.size === 0) return;
      const place = toPlace(address);
      const waitMs = (refusedUntil.get(place) ?? 0) - now();
      if (waitMs <= 0) refusedUntil.delete(place);
      else if (!proven.has(digest(credential))) throw tooMany(waitMs);
    },

    right(fingerprint) {
      if (proven.has(fingerprint)) return;
      proven.add(fingerprint);
      for (const oldest of proven) {
        if (proven.size <= MAX_PROVEN) break;
        proven.delete(oldest);
      }
    },

    async wrong(address) {
      const place = toPlace(address);
      const { remaining, resetMs } = await limiter.take(place);
      if (remaining === 0) refusedUntil.set(place, now() + resetMs);
    },
  };

  /** One of a fixed number of places, so that a million addresses fill no memory; nobody can choose whose they share. */
  function toPlace(address: string): string {
    return hashOnce('sha256', hash(toNetwork(address))).slice(0, PLACE_DIGITS);
  }
}

function tooMany(retryAfterMs: number): CrossbookError {
  return new CrossbookError('TOO_MANY_REQUESTS', 'Too many wrong keys or tokens came from this address.', {
    retryAfterMs,
  });
}

const MAX_PROVEN = 10_000;
/** 65,536 places. */
const PLACE_DIGITS = 4;

export interface GuessLimits {
  /** Throws TOO_MANY_REQUESTS. */
  check(address: string, credential: string): void;
  /** Named by its digest. */
  right(fingerprint: string): void;
  wrong(address: string): Promise<void>;
}

export interface GuessOptions {
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  /** With a key: the same in every process, and nobody else's. */
  hash(text: string): string;
  now(): number;
}
