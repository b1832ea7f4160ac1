import { createHash } from 'node:crypto';

/**
 * When a delivery that has failed so often is tried again: after 5 seconds, 20, 80, five minutes, … at most eight hours. The
 * spread differs between endpoints, and is the same for the events of one: those that failed one after the other come
 * back in that order.
 */
export function toRetryPause(endpointId: string, attempts: number): number {
  const pause = Math.min(FIRST_RETRY_MS * 4 ** Math.min(attempts - 1, 20), LONGEST_RETRY_MS);
  return Math.round(pause * toSpread(`${endpointId} ${attempts}`));
}

/** For how long an endpoint that has failed so often in a row is left alone. One bad event is not the endpoint's fault. */
export function toEndpointPause({ endpointId, failures, status, retryAfterMs }: Failed): number {
  const grown = Math.min(1_000 * 2 ** Math.min(failures - PATIENCE, 20), LONGEST_PAUSE_MS);
  const own = failures < PATIENCE ? 0 : grown * toSpread(`${endpointId} ${failures}`);
  const slowed = status !== undefined && SLOW_DOWN.has(status) ? SLOWED_MS : 0;
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS);
  return Math.round(Math.max(own, slowed, asked));
}

/** From 0.8 to 1.2. */
function toSpread(text: string): number {
  return 0.8 + (createHash('sha256').update(text).digest().readUInt16BE() / 0xffff) * 0.4;
}

/** From here on it is the endpoint that fails, and not an event. */
export const PATIENCE = 4;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 8 * 60 * 60_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const LONGEST_ASKED_MS = 60 * 60_000;
const SLOW_DOWN = new Set([429, 502, 504]);
const SLOWED_MS = 30_000;

interface Failed {
  readonly endpointId: string;
  /** In a row, with this one. */
  readonly failures: number;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}
