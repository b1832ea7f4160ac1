import type { DistributedRateLimits } from '../domain/distributed-rate-limits.ts';
import type { ProviderCall } from '../domain/log.ts';
import type { FindOAuthClient, FindSandboxLogin } from '../domain/oauth.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { HostLookup } from '../lib/addresses.ts';
import type { Clock } from '../lib/clock.ts';

export interface OutboundOptions {
  /** The origins of the sandbox; empty in production. */
  readonly sandboxOrigins: readonly string[];
  /**
   * Addresses of sandbox origins that are only names: the database stores the name, and each process has its own
   * sandbox address.
   */
  readonly sandboxAddresses?: ReadonlyMap<string, string>;
  /** Finds the login origins that belong to the sandbox. */
  readonly findSandboxLogin?: FindSandboxLogin;
  readonly findOAuthClient: FindOAuthClient;
  /** For the allowed hosts of instances. */
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'instanceHosts' | 'retiredHosts'>>;
  readonly settings?: Partial<OutboundSettings>;
  /** Present if several processes share the providers' rate limits. */
  readonly distributedRateLimits?: DistributedRateLimits | undefined;
  /** Called after each attempt. */
  readonly onCall?: (event: CallEvent) => void;
  /** Called for each batch of look-ups by email. */
  readonly onLookup?: (event: { provider: ProviderName; emails: number }) => void;
  /** Called where a provider rejects all token refreshes from this address, at this time, or of a blocked app. */
  readonly onRestricted?: (provider: ProviderName) => void;
  /** Called where the clock of a CRM's host differs from ours by a minute or more, at most once an hour for a host. */
  readonly onClockDifference?: (event: ClockDifference) => void;
  readonly clock?: Clock;
  readonly random?: (() => number) | undefined;
  readonly lookup?: HostLookup;
}

/** Timeouts and limits. The defaults suit a caller that renders a page. */
export const DEFAULT_SETTINGS = {
  /** The deadline of one operation of a port, including pages, retries and waiting. */
  deadlineMs: 10_000,
  connectTimeoutMs: 3_000,
  /** The timeout between two chunks of a response. */
  bodyTimeoutMs: 5_000,
  /** The maximum size of a response, decompressed. A process goes by its heap. */
  maxAnswerBytes: 8 * 1024 * 1024,
  /** The maximum of queued calls per rate limit of a connection. */
  maxWaitingCalls: 1_000,
  /** The maximum of operations that wait for providers in total. */
  maxWaiting: 5_000,
  /** With this many waiting operations the breaker of a connection also opens on slowness. */
  crowdedAt: 200,
  /** The maximum of look-up calls in flight per connection; further look-ups queue and are batched. */
  lookupsInFlight: 3,
  breakerFailures: 5,
  breakerOpenMs: 10_000,
  /** The maximum of idle connections whose state is kept. */
  maxConnections: 10_000,
};

export type OutboundSettings = Readonly<typeof DEFAULT_SETTINGS>;

export interface ClockDifference {
  readonly provider: ProviderName;
  readonly host: string;
  /** Positive: the CRM's clock is ahead. */
  readonly seconds: number;
}

export interface CallEvent extends ProviderCall {
  /** Undefined while a code is exchanged and no connection exists. */
  readonly connectionId: string | undefined;
}
