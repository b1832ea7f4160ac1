import { hash as hashOnce } from 'node:crypto';
import { CrossbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { toSubnet } from '../lib/to-subnet.ts';
import { createLimiter, type Taken } from './limiter.ts';
import type { SharedRedis } from './redis.ts';

/** Pages for strangers, by the address that asks for them: so many a minute, and the rest is refused. */
export function createPageTurns({ perMinute, redis, hash, clock }: PageTurnOptions): RequirePageTurn {
  if (perMinute === 0) return () => undefined;
  const limiter = createLimiter({ name: 'page', perMinute, redis, clock });
  return (address) => {
    // Without an address nothing tells one stranger from another: the places at work bound them all.
    if (address === undefined) return undefined;
    const taken = limiter.take(toPlace(address), 1);
    return taken instanceof Promise ? taken.then(check) : check(taken);
  };

  /** One of a fixed number of places, so that a million addresses fill no memory; nobody can choose whose they share. */
  function toPlace(address: string): string {
    return hashOnce('sha256', hash(toSubnet(address))).slice(0, PLACE_DIGITS);
  }
}

/** 65,536 places. */
const PLACE_DIGITS = 4;

function check({ isOver, resetMs }: Taken): undefined {
  if (!isOver) return undefined;
  throw new CrossbookError('TOO_MANY_REQUESTS', 'Too many pages are asked for from this address.', {
    retryAfterMs: resetMs,
  });
}

/** Throws or rejects with TOO_MANY_REQUESTS. */
export type RequirePageTurn = (address: string | undefined) => Promise<void> | undefined;

interface PageTurnOptions {
  /** 0: no limit. */
  readonly perMinute: number;
  readonly redis: SharedRedis | undefined;
  /** With a key: the same in every process, and nobody else's. */
  hash(text: string): string;
  readonly clock: Pick<Clock, 'now'>;
}
