import type { Quota } from '../domain/journal.ts';
import { WINDOW_SECONDS } from './limiter.ts';

/** What is left, in both spellings: the structured one of the current draft, and the three fields that clients know. */
export function sayQuota({ limit, remaining, resetMs }: Quota, headers: Record<string, string>): void {
  const reset = Math.ceil(resetMs / 1_000);
  headers['ratelimit-policy'] = `"${POLICY}";q=${limit};w=${WINDOW_SECONDS}`;
  headers['ratelimit'] = `"${POLICY}";r=${remaining};t=${reset}`;
  headers['ratelimit-limit'] = String(limit);
  headers['ratelimit-remaining'] = String(remaining);
  headers['ratelimit-reset'] = String(reset);
}

const POLICY = 'requests';
