import type { RateLimitStatus } from './provider.ts';

/** A provider's rate limits, shared by several processes. */
export interface DistributedRateLimits {
  /** False while Redis is unreachable: each process then uses its share. */
  isConnected(): boolean;
  /** The share of a rate limit that this process may use alone, from 0 to 1: all of it while Redis coordinates. */
  share(intervalMs: number): number;
  /** The id of a permit that this process holds already. Undefined: `acquire` one. */
  take(ask: PermitRequest): string | undefined;
  /** One round trip. Undefined if Redis did not reply: continue within the share. */
  acquire(ask: PermitRequest): Promise<PermitResult | undefined>;
  /** Returns an unused permit. Not awaited, like `release`. */
  cancel(name: string, permitId: string): void;
  /** Called after the call, whatever its result: from now on the permit counts for one interval. */
  release(report: PermitRelease): void;
}

export interface PermitRequest {
  /** The name of the connection's rate limit, equal in all processes. */
  readonly name: string;
  /** The limit as known by this process; a limit that the provider has reported to any process takes precedence. */
  readonly calls: number;
  readonly intervalMs: number;
  /** The lease of the permit: by then the call has ended, or its process has crashed. */
  readonly leaseMs: number;
}

export type PermitResult = { readonly permitId: string } | { readonly waitMs: number };

export interface PermitRelease {
  readonly name: string;
  /** Undefined: the call was made while Redis was unreachable. */
  readonly permitId: string | undefined;
  readonly intervalMs: number;
  /** The rate limit reported by the response. */
  readonly rateLimit: RateLimitStatus | undefined;
  /** The pause that the provider asked for. */
  readonly pauseMs: number | undefined;
}
