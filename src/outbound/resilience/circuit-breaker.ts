import { LocalRefusal } from '../../domain/errors.ts';
import { PROVIDER_TITLES, type ProviderName } from '../../domain/provider-names.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * A circuit breaker. Opens after consecutive failures, and when most calls are slow while many requests wait. While
 * it is open requests fail fast, and an occasional call probes the provider. A slow provider with few waiting
 * requests stays usable.
 */
export function createConnectionBreaker(options: BreakerOptions) {
  const { provider, clock, maxFailures, openMs, slowMs, isCrowded } = options;
  let failures = 0;
  let calls = 0;
  let slowCalls = 0;
  let windowEndsAt = 0;
  let openUntil: number | undefined;
  let isProbing = false;
  let refused = 0;
  let lastCause: string | undefined;

  return {
    check,

    /** Throws like `check`; otherwise counts the call, and `end` must follow. */
    begin(): void {
      check();
      isProbing = openUntil !== undefined;
    },

    /** `cause` says why a call has failed, without secrets: the status, or the code of the error. */
    end(result: 'answered' | 'failed' | 'abandoned', tookMs: number, cause?: string): void {
      isProbing = false;
      const isSlow = tookMs >= slowMs;
      // A client that disconnected early says nothing about the provider.
      if (result === 'abandoned' && !isSlow) return;
      count(isSlow);
      failures = result === 'failed' ? failures + 1 : 0;
      if (result === 'failed') lastCause = cause;
      if (failures >= maxFailures || (isSlow && shouldOpenForSlowness())) open();
      else openUntil = undefined;
    },

    /** Resets the counts, which belong to the previous host. */
    reset(): void {
      failures = 0;
      openUntil = undefined;
      isProbing = false;
      windowEndsAt = 0;
    },

    isClosed: () => openUntil === undefined,
  };

  /** Throws if calls are rejected. */
  function check(): void {
    if (openUntil === undefined) return;
    const remainingMs = openUntil - clock.now();
    if (remainingMs <= 0 && !isProbing) return;
    refused++;
    const hasFailed = failures >= maxFailures;
    const last = lastCause === undefined ? '' : ` (last: ${lastCause})`;
    const what = hasFailed
      ? `failed ${failures} times in a row${last}`
      : 'responds too slowly for the number of waiting requests';
    const retryAfterMs = remainingMs > 0 ? remainingMs : PROBE_MS;
    throw new LocalRefusal(
      'REMOTE_PROVIDER_UNAVAILABLE',
      `${PROVIDER_TITLES[provider]} ${what}. Calls to it are paused for another ${Math.ceil(retryAfterMs / 1_000)} s.`,
      { retryAfterMs },
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

  /** After a probe, requests rejected meanwhile count as waiting ones. */
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
  readonly provider: ProviderName;
  readonly clock: Clock;
  readonly maxFailures: number;
  readonly openMs: number;
  /** Calls of this duration are slow, whatever their result. */
  readonly slowMs: number;
  /** Whether many requests wait for this connection, plus the rejected ones. */
  isCrowded(refused: number): boolean;
}
