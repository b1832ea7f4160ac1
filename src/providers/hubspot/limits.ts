import type { Allowance, Budget } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';

/**
 * Below what HubSpot documents, because the windows are HubSpot's own and roll: 5 searches a second for the whole
 * account (all of its applications together), 100 other calls in 10 seconds on the smallest plan.
 */
export const BUDGETS = {
  search: { calls: 4, intervalMs: 1_000, concurrency: 4 },
  general: { calls: 90, intervalMs: 10_000, concurrency: 10 },
  token: { concurrency: 1 },
} as const satisfies Record<string, Budget>;

export type BudgetName = keyof typeof BUDGETS;

/** Larger plans say so in their headers. Searches carry none of them. */
export function readAllowance({ headers }: ProviderResponse): Allowance | undefined {
  const max = readCount(headers['x-hubspot-ratelimit-max']);
  const remaining = readCount(headers['x-hubspot-ratelimit-remaining']);
  const intervalMs = readCount(headers['x-hubspot-ratelimit-interval-milliseconds']);
  if (!max || !intervalMs || remaining === undefined) return undefined;
  return { max, remaining, intervalMs };
}

function readCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
