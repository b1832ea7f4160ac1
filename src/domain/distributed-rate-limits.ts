import type { RateLimitStatus } from './provider.ts';

/** What a provider allows a connection, kept by several processes together. */
export interface DistributedRateLimits {
  /** False while Redis is away: each process keeps to its share then. */
  isConnected(): boolean;
  /** The part of a budget that this process may use by itself, from 0 to 1: all of it while the others can be asked. */
  share(intervalMs: number): number;
  /** One round trip. Undefined where Redis did not answer: go on within the share. */
  acquire(ask: PermitRequest): Promise<PermitResult | undefined>;
  /** A turn that was not used. Nobody waits for this, nor for `release`. */
  cancel(name: string, turn: string): void;
  /** After the call, whatever came of it: from now on the turn counts for one interval. */
  release(report: PermitRelease): void;
}

export interface PermitRequest {
  /** Of the connection and its budget: the same in every process. */
  readonly name: string;
  /** What this process takes for the limit; what a provider has told any of them goes before it. */
  readonly calls: number;
  readonly intervalMs: number;
  /** By then the call is over, or the process that asked for it is gone. */
  readonly leaseMs: number;
}

export type PermitResult = { readonly turn: string } | { readonly waitMs: number };

export interface PermitRelease {
  readonly name: string;
  /** Undefined: the call was made while Redis was away. */
  readonly turn: string | undefined;
  readonly intervalMs: number;
  /** What the answer said of the budget. */
  readonly rateLimit: RateLimitStatus | undefined;
  /** For so long the provider wants no more calls. */
  readonly pauseMs: number | undefined;
}
