import { CrossbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * Opens after some failures in a row, and when most calls are slow while many requests wait: then no request waits for the
 * provider, and now and then one call probes it. A slow provider that few ask is left to those who ask it.
 */
export function createConnectionBreaker(options: BreakerOptions) {
  const { clock, maxFailures, openMs, slowMs, isCrowded } = options;
  let failures = 0;
  let calls = 0;
  let slowCalls = 0;
  let windowEndsAt = 0;
  let openUntil: number | undefined;
  let isProbing = false;
  let refused = 0;

  return {
    check,

    /** Throws like `check`; else the call counts, and `end` has to follow. */
    begin(): void {
      check();
      isProbing = openUntil !== undefined;
    },

    end(result: 'answered' | 'failed' | 'abandoned', tookMs: number): void {
      isProbing = false;
      const isSlow = tookMs >= slowMs;
      // A client that left early says nothing of the provider.
      if (result === 'abandoned' && !isSlow) return;
      count(isSlow);
      failures = result === 'failed' ? failures + 1 : 0;
      if (failures >= maxFailures || (isSlow && shouldOpenForSlowness())) open();
      else openUntil = undefined;
    },

    /** For another host: what was counted belongs to the previous one. */
    reset(): void {
      failures = 0;
      openUntil = undefined;
      isProbing = false;
      windowEndsAt = 0;
    },

    isClosed: () => openUntil === undefined,
  };

  /** Throws where a call would not be made. */
  function check(): void {
    if (openUntil === undefined) return;
    const remainingMs = openUntil - clock.now();
    if (remainingMs <= 0 && !isProbing) return;
    refused++;
    const hasFailed = failures >= maxFailures;
    const what = hasFailed
      ? 'has failed several times in a row'
      : 'answers too slowly for all who wait for it';
    throw new CrossbookError(
      'REMOTE_PROVIDER_UNAVAILABLE',
      `The provider ${what} and is left alone for a moment.`,
      { retryAfterMs: remainingMs > 0 ? remainingMs : PROBE_MS },
    );
  }

  function count(isSlow: boolean): void {
    const now = clock.now();
    if (now >= windowEndsAt) {
      calls = 0;
      slowCalls = 0;
      windowEndsAt = now + WINDOW_MS;
    }
    calls++;
    if (isSlow) slowCalls++;
  }

  /** After a probe the requests that were refused meanwhile stand for those that would wait. */
  function shouldOpenForSlowness(): boolean {
    if (openUntil !== undefined) return isCrowded(refused);
    return slowCalls >= LEAST_SLOW_CALLS && slowCalls * 2 >= calls && isCrowded(0);
  }

  function open(): void {
    openUntil = clock.now() + openMs;
    refused = 0;
  }
}

const PROBE_MS = 1_000;
const WINDOW_MS = 30_000;
const LEAST_SLOW_CALLS = 3;

export type Breaker = ReturnType<typeof createConnectionBreaker>;

export interface BreakerOptions {
  readonly clock: Clock;
  readonly maxFailures: number;
  readonly openMs: number;
  /** A call that takes as long is slow, whatever comes of it. */
  readonly slowMs: number;
  /** Do many wait for this connection's provider, these included? */
  isCrowded(refused: number): boolean;
}
