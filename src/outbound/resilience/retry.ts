import { CrossbookError } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import type { WorkPermit } from '../../domain/resources.ts';
import type { Clock } from '../../lib/clock.ts';
import { readRetryAfter } from '../../lib/http-message.ts';
import { AbandonedError, isTransientFailure } from '../failures.ts';

/** Tries again what may pass, while there is time for it. The last answer is the caller's to understand. */
export async function withRetries(
  options: RetryOptions,
  attempt: (isAgain: boolean) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  let last: Outcome | undefined;
  for (let retry = 0; ; retry++) {
    let outcome: Outcome;
    try {
      outcome = await attempt(retry > 0);
    } catch (error) {
      outcome = { error };
    }
    // Where a retry was not sent at all, or our own deadline cut it off, what the provider said before tells more.
    if (last && (wasNotSent(outcome) || isTimeout(outcome))) return settle(last);
    last = outcome;
    const waitMs = options.isRepeatable && retry < MAX_RETRIES ? readWait(options, last, retry) : undefined;
    if (waitMs === undefined || options.clock.now() + waitMs >= options.deadline) return settle(last);
    await pause(options, waitMs);
  }
}

function pause({ clock, permit }: RetryOptions, forMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(forMs, () => {
      forget?.();
      resolve();
    });
    const forget = permit?.whenGone(() => {
      cancel();
      reject(new AbandonedError());
    });
  });
}

function settle(outcome: Outcome): ProviderResponse {
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

/** Undefined: another try would not help. */
function readWait(options: RetryOptions, last: Outcome, retry: number): number | undefined {
  const jitterMs = options.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retry);
  if ('error' in last) return isTransientFailure(last.error) && !wasNotSent(last) ? jitterMs : undefined;
  const leastMs = LEAST_WAIT_MS[last.status];
  if (leastMs === undefined) return undefined;
  const asked = last.status === TOO_MANY ? options.pausedMs() : readRetryAfter(last.headers);
  return Math.max(asked ?? 0, leastMs) + jitterMs;
}

/** The rate limiter and the breaker say when to come back; no socket does. */
function wasNotSent(outcome: Outcome): boolean {
  return (
    'error' in outcome &&
    outcome.error instanceof CrossbookError &&
    outcome.error.retryAfterMs !== undefined &&
    outcome.error.remote === undefined
  );
}

function isTimeout(outcome: Outcome): boolean {
  return (
    'error' in outcome &&
    outcome.error instanceof CrossbookError &&
    outcome.error.code === 'REMOTE_PROVIDER_TIMEOUT'
  );
}

/** What passes by itself, and how long it takes at least. A locked account is not unlocked within a blink. */
const LEAST_WAIT_MS: Readonly<Record<number, number>> = {
  420: 0,
  423: 2_000,
  429: 0,
  477: 0,
  500: 0,
  502: 0,
  503: 0,
  504: 0,
  521: 0,
  523: 0,
  524: 0,
};

const TOO_MANY = 429;
const MAX_RETRIES = 4;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 5_000;

type Outcome = ProviderResponse | { readonly error: unknown };

export interface RetryOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly deadline: number;
  /** When its client is gone, there are no retries. */
  readonly permit?: Pick<WorkPermit, 'whenGone'> | undefined;
  readonly isRepeatable: boolean;
  /** After a 429: for how long nothing of this budget goes out. */
  pausedMs(): number;
}
