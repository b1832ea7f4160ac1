import type { Quota } from '../domain/journal.ts';
import { WINDOW_SECONDS } from './limiter.ts';

/** What is left, in both spellings: the structured one of the current draft, and the three fields that clients know. */
export function sayQuota({ limit, remaining, resetMs }: Quota, headers: Record<string, string>): void {
  const left = String(remaining);
  const reset = String(Math.ceil(resetMs / 1_000));
  const { all, policy } = limit === known?.limit ? known : say(limit);
  headers['ratelimit-policy'] = policy;
  headers['ratelimit'] = `"${POLICY}";r=${left};t=${reset}`;
  headers['ratelimit-limit'] = all;
  headers['ratelimit-remaining'] = left;
  headers['ratelimit-reset'] = reset;
}

function say(limit: number): Known {
  known = { limit, all: String(limit), policy: `"${POLICY}";q=${limit};w=${WINDOW_SECONDS}` };
  return known;
}

/** Nearly every caller has the same. */
let known: Known | undefined;

const POLICY = 'requests';

interface Known {
  readonly limit: number;
  readonly all: string;
  readonly policy: string;
}
