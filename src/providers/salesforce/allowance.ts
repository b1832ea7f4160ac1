import type { Allowance } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';

/**
 * `Sforce-Limit-Info: api-usage=18/5000`, with `; per-app-api-usage=17/250(appName=x)` or `; api-bursts=1/750` behind
 * it. Of the org's limit and the app's own the tighter one holds.
 */
export function readAllowance({ headers }: ProviderResponse): Allowance | undefined {
  const info = headers['sforce-limit-info'];
  if (info === undefined) return undefined;
  const limits = Array.from(info.matchAll(USAGE), ([, used, max]) => toAllowance(Number(used), Number(max)));
  const tightest = limits.reduce<Allowance | undefined>(
    (least, one) => (least === undefined || one.remaining < least.remaining ? one : least),
    undefined,
  );
  // An org over its daily limit goes on as long as it has bursts left: nothing is known of how long.
  return tightest?.remaining === 0 && hasBursts(info) ? undefined : tightest;
}

function toAllowance(used: number, max: number): Allowance {
  return { remaining: Math.max(0, max - used), max, intervalMs: DAY_MS };
}

function hasBursts(info: string): boolean {
  const [, used, max] = /api-bursts=(\d{1,9})\/(\d{1,9})/.exec(info) ?? [];
  return Number(used) < Number(max);
}

/** Both `api-usage` and `per-app-api-usage`. */
const USAGE = /api-usage=(\d{1,12})\/(\d{1,12})/g;
const DAY_MS = 24 * 60 * 60 * 1_000;
