import { CrossbookError } from '../../domain/errors.ts';
import type { Clock } from '../clock.ts';

/** After some failures in a row nobody waits for a provider that is down; now and then one call tries. */
export function createBreaker({ clock, maxFailures, openMs }: BreakerOptions): Breaker {
  let failures = 0;
  let openUntil = 0;
  let probing = false;

  return {
    check() {
      if (failures < maxFailures) return;
      const remainingMs = openUntil - clock.now();
      if (remainingMs > 0) throw unavailable(remainingMs);
      if (probing) throw unavailable(PROBE_MS);
    },

    begin() {
      this.check();
      probing = failures >= maxFailures;
    },

    end(isUp) {
      failures = isUp ? 0 : failures + 1;
      probing = false;
      if (failures >= maxFailures) openUntil = clock.now() + openMs;
    },

    reset() {
      failures = 0;
      probing = false;
    },

    isClosed: () => failures < maxFailures,
  };
}

function unavailable(retryAfterMs: number): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_UNAVAILABLE',
    'The provider has failed several times in a row and is left alone for a moment.',
    { retryAfterMs },
  );
}

const PROBE_MS = 1_000;

export interface Breaker {
  /** Throws where a call would not be made. */
  check(): void;
  /** Throws like `check`; else the call counts, and `end` has to follow. */
  begin(): void;
  end(isUp: boolean): void;
  /** Another host is another story. */
  reset(): void;
  isClosed(): boolean;
}

export interface BreakerOptions {
  readonly clock: Clock;
  readonly maxFailures: number;
  readonly openMs: number;
}
