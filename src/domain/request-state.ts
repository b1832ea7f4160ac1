import type { Caller } from './caller.ts';
import type { RequestLog } from './log.ts';
import type { Operator } from './operator.ts';

/** What is known of a request, from its arrival to its response. */
export interface RequestState {
  /** The authenticated caller, set before an API sees the request. Undefined: unauthenticated. */
  caller: Caller | undefined;
  /** The result of the rate limit; undefined until the caller is known. */
  rateLimit: RateLimitResult | undefined;
  /** The query cost of the whole request so far. */
  cost: number;
  /** The operator of a request of the console. Undefined: no session of the console. */
  operator: Operator | undefined;
  readonly requestLog: RequestLog;
}

interface RateLimitResult {
  /** Undefined: no limit. */
  readonly quota: Quota | undefined;
  /** The units consumed, by its cost. */
  readonly units: number;
}

/** The caller's rate limit as of the last response. */
export interface Quota {
  /** Units per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Time until the full limit is available. */
  readonly resetMs: number;
}
