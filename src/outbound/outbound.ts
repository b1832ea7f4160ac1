import type { Memory } from '../admission/memory.ts';

import type { FindOAuthClient, FindSandboxLogin } from '../domain/oauth.ts';
import type { ContactPort, DistributedRateLimits, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createGrants } from './access-token/grants.ts';
import type { IdleRefreshOutcome, Token, TokenSource } from './access-token/tokens.ts';
import type { HostLookup } from './http/addresses.ts';
import { type CallEvent, createTransport, type Transport } from './http/transport.ts';
import { createOperationLimit, type OperationLimit } from './operation-limit.ts';
import {
  type Accessed,
  createProviderClient,
  type PortOptions,
  type ProviderClient,
} from './provider-client.ts';

/** All outbound calls to providers: one instance per process. */
export function createOutbound(options: OutboundOptions) {
  const { clock = systemClock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const transport = createTransport({ ...options, ...settings, clock });
  const waiting = createOperationLimit(settings.maxWaiting);
  const deps: OutboundDeps = { ...options, clock, random, settings, transport, waiting };
  const clients = createProviderClients({
    clock,
    maxKept: settings.maxConnections,
    create: (accessed) => createProviderClient(deps, accessed),
  });

  return {
    ...createGrants(deps),

    /** The contacts of one connection, through its client. Cheap, because it is called per request. */
    openContactPort: (options: PortOptions & Accessed): ContactPort =>
      clientOf(options).open(options),

    /**
     * Refreshes the stored token of this generation before it is needed. Rejects as a call with an expired token would.
     * `used`: a newer token is stored.
     */
    async refreshStoredToken(
      options: Accessed & TokenSource & Pick<Token, 'generation'>,
    ): Promise<IdleRefreshOutcome> {
      return clientOf(options).refreshStoredToken(options, options.generation);
    },

    /** Clears what is cached of a changed connection: the next call reads it again. */
    forget(connectionId: string): void {
      clients.find(connectionId)?.forget();
    },

    /** The counts of each connection in use. */
    counts: clients.counts,
    /** The number of operations that wait for providers. */
    countWaiting: waiting.counts,
    close: transport.close,
  };

  function clientOf(accessed: Accessed): ProviderClient {
    const client = clients.of(accessed);
    client.use(accessed.connection);
    return client;
  }
}

export type Outbound = ReturnType<typeof createOutbound>;

/** The dependencies that all calls of the process share. */
export interface OutboundDeps extends Omit<OutboundOptions, 'settings'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: OutboundSettings;
  readonly transport: Pick<Transport, 'send'>;
  readonly waiting: OperationLimit;
}

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
  /** Accounts for the memory of provider responses. */
  readonly memory: Memory;
  /** Present where several processes share the providers' rate limits. */
  readonly distributedRateLimits?: DistributedRateLimits | undefined;
  /** Called after each attempt. */
  readonly onCall?: (event: CallEvent) => void;
  /** Called for each batch of look-ups by email. */
  readonly onLookup?: (event: { provider: ProviderName; emails: number }) => void;
  /** Called where a provider rejects all token refreshes from this address, at this time, or of a blocked app. */
  readonly onRestricted?: (provider: ProviderName) => void;
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
  /** The maximum size of a response, decompressed. */
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

/** The clients of the connections in use. Idle ones are evicted, to bound the memory. */
export function createProviderClients({ clock, maxKept, create }: ClientsOptions) {
  const clients = new Map<string, { readonly client: ProviderClient; usedAt: number }>();
  let tidyAt = clock.now() + TIDY_EVERY_MS;
  let fullUntil = 0;

  return {
    of(accessed: Accessed): ProviderClient {
      const { id } = accessed.connection;
      const now = clock.now();
      let kept = clients.get(id);
      if (!kept) {
        if (clients.size >= maxKept && now >= fullUntil) tidy(now);
        kept = { client: create(accessed), usedAt: now };
        clients.set(id, kept);
        if (clients.size % SECRETS_CHECK_EVERY === 0 && sumSecrets() > MAX_SECRET_BYTES) tidy(now);
      }
      kept.usedAt = now;
      if (now >= tidyAt) tidy(now - IDLE_CLIENT_KEPT_MS);
      return kept.client;
    },

    find: (connectionId: string) => clients.get(connectionId)?.client,

    counts: () => [...clients.values()].map(({ client }) => client.counts()),
  };

  function sumSecrets(): number {
    let bytes = 0;
    for (const { client } of clients.values()) bytes += client.secretBytes();
    return bytes;
  }

  /** Evicts idle clients only: evicting one whose provider asked for a pause would lose the pause. */
  function tidy(usedBefore: number): void {
    tidyAt = clock.now() + TIDY_EVERY_MS;
    for (const [id, { client, usedAt }] of clients) {
      if (usedAt < usedBefore && client.isIdle()) clients.delete(id);
    }
    // Where all are in use, another search for each new client would find nothing.
    if (clients.size >= maxKept) fullUntil = clock.now() + FULL_RETRY_MS;
  }
}

const TIDY_EVERY_MS = 60_000;
const IDLE_CLIENT_KEPT_MS = 5 * 60_000;
const FULL_RETRY_MS = 1_000;
/** The secrets of idle connections, which are kept for redaction. Those of running calls are charged to the calls. */
const MAX_SECRET_BYTES = 16 * 1024 * 1024;
/** The number of new connections between two checks of that limit. */
const SECRETS_CHECK_EVERY = 256;

interface ClientsOptions {
  readonly clock: Clock;
  readonly maxKept: number;
  create(accessed: Accessed): ProviderClient;
}
