/** How long, how much, how many. The defaults suit a caller that waits on a page. */
export const DEFAULT_SETTINGS: OutboundSettings = {
  deadlineMs: 10_000,
  connectTimeoutMs: 3_000,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 5_000,
  maxAnswerBytes: 32 * 1024 * 1024,
  maxWaitingCalls: 1_000,
  maxWaiting: 5_000,
  maxWaitingPerConnection: 2_000,
  crowdedAt: 200,
  lookupsUnderWay: 3,
  breakerFailures: 5,
  breakerOpenMs: 10_000,
  maxConnections: 10_000,
};

export interface OutboundSettings {
  /** For one operation of a port, with everything that it takes: pages, retries, waiting. */
  readonly deadlineMs: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Between two pieces of an answer. */
  readonly bodyTimeoutMs: number;
  readonly maxAnswerBytes: number;
  /** For each budget of each connection. */
  readonly maxWaitingCalls: number;
  /** Operations that wait for providers, in all. */
  readonly maxWaiting: number;
  readonly maxWaitingPerConnection: number;
  /** Where as many wait for one connection, its breaker opens at slowness. */
  readonly crowdedAt: number;
  /** Calls with look-ups that a connection has under way at once; further look-ups wait and go together. */
  readonly lookupsUnderWay: number;
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** How many connections' states are kept while they are not used. */
  readonly maxConnections: number;
}
