import type { Quota } from '../domain/journal.ts';
import { WINDOW_SECONDS } from './limiter.ts';

/** What is left, in both spellings: the structured one of the current draft, and the three fields that clients know. */
export function toQuotaHeaders({ limit, remaining, resetMs }: Quota): Readonly<Record<string, string>> {
  const reset = Math.ceil(resetMs / 1_000);
  return {
    'ratelimit-policy': `"${POLICY}";q=${limit};w=${WINDOW_SECONDS}`,
    ratelimit: `"${POLICY}";r=${remaining};t=${reset}`,
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(reset),
  };
}

const POLICY = 'requests';
