/** How long, how much, how many. The defaults suit a caller that waits on a page. */
export const DEFAULT_SETTINGS = {
  /** For one operation of a port, with everything that it takes: pages, retries, waiting. */
  deadlineMs: 10_000,
  connectTimeoutMs: 3_000,
  headersTimeoutMs: 10_000,
  /** Between two pieces of an answer. */
  bodyTimeoutMs: 5_000,
  /** Of an answer, unpacked. */
  maxAnswerBytes: 32 * 1024 * 1024,
  /** For each budget of each connection. */
  maxWaitingCalls: 1_000,
  /** Operations that wait for providers, in all. */
  maxWaiting: 5_000,
  maxWaitingPerConnection: 2_000,
  /** Where as many wait for one connection, its breaker opens at slowness. */
  crowdedAt: 200,
  /** Calls with look-ups that a connection has under way at once; further look-ups wait and go together. */
  lookupsUnderWay: 3,
  breakerFailures: 5,
  breakerOpenMs: 10_000,
  /** How many connections' states are kept while they are not used. */
  maxConnections: 10_000,
};

export type OutboundSettings = Readonly<typeof DEFAULT_SETTINGS>;
