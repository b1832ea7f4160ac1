import { SalesforceError } from '../errors.ts';
import type { SalesforceAccount } from '../types.ts';

/**
 * Counts calls towards the daily limit, and rejects them when it is used up or when too many slow requests are in
 * flight.
 */
export function countCalls(
  account: SalesforceAccount,
  { calls, now }: { calls: number; now: number },
): void {
  const { limits, state } = account;
  if (limits !== null) {
    const slow = account.running().filter((startedAt) => startedAt <= now - limits.longRequestMs);
    if (slow.length >= limits.longRequests) throw exceeded('ConcurrentPerOrgLongTxn');
    if (state.requests.used(now) + calls > limits.requestsPerDay) throw exceeded('TotalRequests');
  }
  for (let call = 0; call < calls; call += 1) state.requests.take(now);
}

function exceeded(which: string): SalesforceError {
  return new SalesforceError(403, 'REQUEST_LIMIT_EXCEEDED', `${which} Limit exceeded.`);
}
