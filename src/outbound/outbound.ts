import { CrossbookError, type ErrorCode } from '../domain/errors.ts';
import type { FindOAuthClient, FindSandboxLogin } from '../domain/oauth.ts';
import type { ContactPort, DistributedRateLimits, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { HeldBytes } from '../domain/resources.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createGrants } from './access-token/grants.ts';
import type { IdleRefreshOutcome, Token, TokenSource } from './access-token/tokens.ts';
import type { HostLookup } from './http/addresses.ts';
import { type CallEvent, createTransport, type Transport } from './http/transport.ts';
import {
  type Accessed,
  createProviderClient,
  type PortOptions,
  type ProviderClient,
} from './provider-client.ts';

/** The way out to the providers: one for the process. */
export function createOutbound(options: OutboundOptions) {
  const { clock = systemClock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const transport = createTransport({ ...options, ...settings, clock });
  const waiting = createWaiting(settings);
  const deps: OutboundDeps = { ...options, clock, random, settings, transport, waiting };
  const clients = createProviderClients({
    clock,
    maxKept: settings.maxConnections,
    create: (accessed) => createProviderClient(deps, accessed),
  });

  return {
    ...createGrants(deps),

    /** The contacts of one connection, through its client. Cheap: called for every request. */
    openContactPort: (options: PortOptions & Accessed): ContactPort => clientOf(options).open(options),

    /**
     * Renews the stored token of this generation ahead of its use. Rejects as a call would that needs it. `used`:
     * another has been stored since.
     */
    async refreshStoredToken(
      options: Accessed & TokenSource & Pick<Token, 'generation'>,
    ): Promise<IdleRefreshOutcome> {
      return clientOf(options).refreshStoredToken(options, options.generation);
    },

    /** The connection was changed: the next call reads again what is stored of it. */
    forget(connectionId: string): void {
      clients.find(connectionId)?.forget();
    },

    /** Of each connection in use. */
    counts: clients.counts,
    /** Operations that wait for providers. */
    countWaiting: waiting.counts,
    close: transport.close,
  };

  function clientOf(accessed: Accessed): ProviderClient {
    const client = clients.of(accessed);
    client.updateInstanceUrl(accessed.connection.instanceUrl);
    return client;
  }
}

export type Outbound = ReturnType<typeof createOutbound>;

/** What all calls of the process have in common. */
export interface OutboundDeps extends Omit<OutboundOptions, 'settings'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: OutboundSettings;
  readonly transport: Pick<Transport, 'send'>;
  readonly waiting: ReturnType<typeof createWaiting>;
}

export interface OutboundOptions {
  /** The imitated CRMs of this installation; empty in production. */
  readonly sandboxOrigins: readonly string[];
  /** Where those are that only have a name: what is stored names the sandbox, and each process has its own. */
  readonly sandboxAddresses?: ReadonlyMap<string, string> | undefined;
  /** Which login origins are the sandbox's. */
  readonly findSandboxLogin?: FindSandboxLogin | undefined;
  readonly findOAuthClient: FindOAuthClient;
  /** For the hosts that an instance may live on. */
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'instanceHosts'>>;
  readonly settings?: Partial<OutboundSettings> | undefined;
  /** Counts what providers answer. */
  readonly heldBytes: HeldBytes;
  /** Where several processes keep the providers' limits together. */
  readonly sharedRateLimits?: DistributedRateLimits | undefined;
  /** Told of every try, after it. */
  readonly onCall?: ((event: CallEvent) => void) | undefined;
  /** Told of look-ups by email as they go out. */
  readonly onLookup?: ((event: { provider: ProviderName; emails: number }) => void) | undefined;
  /** Told where a provider refuses all refreshes from here, or now: the installation’s address, the hour, a blocked app. */
  readonly onRestricted?: ((provider: ProviderName) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly lookup?: HostLookup | undefined;
}

/** How long, how much, how many. The defaults suit a caller that waits on a page. */
export const DEFAULT_SETTINGS = {
  /** For one operation of a port, with everything that it takes: pages, retries, waiting. */
  deadlineMs: 10_000,
  connectTimeoutMs: 3_000,
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

/** The clients of the connections in use. Idle ones are dropped, so that a million customers do not fill the memory. */
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
      }
      kept.usedAt = now;
      if (now >= tidyAt) tidy(now - IDLE_CLIENT_KEPT_MS);
      return kept.client;
    },

    find: (connectionId: string) => clients.get(connectionId)?.client,

    counts: () => [...clients.values()].map(({ client }) => client.counts()),

    get size() {
      return clients.size;
    },
  };

  /** A client in use, or one whose provider asked for a pause, stays: dropping it would drop the pause. */
  function tidy(usedBefore: number): void {
    tidyAt = clock.now() + TIDY_EVERY_MS;
    for (const [id, { client, usedAt }] of clients) {
      if (usedAt < usedBefore && client.isIdle()) clients.delete(id);
    }
    // Where all are in use, searching them again for each new client finds nothing.
    if (clients.size >= maxKept) fullUntil = clock.now() + FULL_RETRY_MS;
  }
}

const TIDY_EVERY_MS = 60_000;
const IDLE_CLIENT_KEPT_MS = 5 * 60_000;
const FULL_RETRY_MS = 1_000;

interface ClientsOptions {
  readonly clock: Clock;
  readonly maxKept: number;
  create(accessed: Accessed): ProviderClient;
}

/**
 * How many operations wait for providers: in all, for each application and for each connection. Waiting takes no place
 * among the requests at work, so that it needs a bound of its own.
 */
export function createWaiting({ maxWaiting, maxWaitingPerConnection }: WaitingBounds) {
  const applications = new Map<string, number>();
  let total = 0;
  let refused = 0;

  return {
    /** Throws where too many wait. Else `leave` has to follow, once. */
    enter(applicationId: string, connection: { waiting: number }): void {
      const own = applications.get(applicationId) ?? 0;
      if (connection.waiting >= maxWaitingPerConnection)
        refuse('REMOTE_PROVIDER_RATE_LIMITED', 'this connection’s provider');
      if (total >= maxWaiting || own >= shareOf(own)) refuse('SERVICE_UNAVAILABLE', 'providers');
      total++;
      connection.waiting++;
      applications.set(applicationId, own + 1);
    },

    leave(applicationId: string, connection: { waiting: number }): void {
      total--;
      connection.waiting--;
      const left = (applications.get(applicationId) ?? 1) - 1;
      if (left > 0) applications.set(applicationId, left);
      else applications.delete(applicationId);
    },

    counts: () => ({ waiting: total, refused }),
  };

  /** While half of the places are free an application may have nearly all, and then an equal part. */
  function shareOf(own: number): number {
    const others = applications.size - (own > 0 ? 1 : 0);
    return total < maxWaiting / 2 ? maxWaiting : Math.floor((maxWaiting * MOST) / (others + 1));
  }

  function refuse(code: ErrorCode, whom: string): never {
    refused++;
    const detail = `As many requests as possible wait for ${whom}: try again.`;
    throw new CrossbookError(code, detail, { retryAfterMs: RETRY_AFTER_MS });
  }
}

const RETRY_AFTER_MS = 1_000;
/** Of all places, for one application: the rest is left for the next one. */
const MOST = 0.9;

type WaitingBounds = Pick<OutboundSettings, 'maxWaiting' | 'maxWaitingPerConnection'>;
