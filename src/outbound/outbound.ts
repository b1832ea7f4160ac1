import type { Connection } from '../domain/connection.ts';
import type { FindOAuthClient, FindSandboxLogin } from '../domain/oauth.ts';
import type { ContactAccess, ContactPort, DistributedRateLimits, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { HeldBytes } from '../domain/resources.ts';
import type { CredentialStore } from '../domain/tenant.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createGrants, type Grants } from './access-token/grants.ts';
import type { RenewalOutcome } from './access-token/tokens.ts';
import type { HostLookup } from './http/addresses.ts';
import { createTransport, type Transport } from './http/transport.ts';
import {
  type Accessed,
  type ClientStats,
  createProviderClient,
  type PortOptions,
  type ProviderClient,
} from './provider-client.ts';
import type { CallEvent, LookupEvent } from './send.ts';
import { createWaiting, type Waiting, type WaitingCounts } from './waiting.ts';

/** The way out to the providers: one for the process. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { clock = systemClock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const transport = createTransport({ ...options, ...settings, clock });
  const waiting = createWaiting(settings);
  const deps: OutboundDeps = { ...options, clock, random, settings, transport, waiting };
  const clients = createProviderClients({
    clock,
    maxKept: settings.maxConnections,
    create: (connection, access) => createProviderClient(deps, { connection, access }),
  });

  return {
    ...createGrants(deps),

    openContactPort: (options) => clientOf(options).open(options),

    async renewToken(options) {
      return clientOf(options).renewToken(options, options.generation);
    },

    forget(connectionId) {
      clients.find(connectionId)?.forget();
    },

    counts: clients.counts,
    countWaiting: waiting.counts,
    close: transport.close,
  };

  function clientOf({ connection, access }: Accessed): ProviderClient {
    const client = clients.of(connection, access);
    client.updateInstanceUrl(connection.instanceUrl);
    return client;
  }
}

export interface Outbound extends Grants {
  /** The contacts of one connection, through its client. Cheap: called for every request. */
  openContactPort(options: PortOptions & Accessed): ContactPort;
  /**
   * Renews the stored token of this generation ahead of its use. Rejects as a call would that needs it. `used`:
   * another has been stored since.
   */
  renewToken(
    options: Accessed & { readonly credentials: CredentialStore; readonly generation: number },
  ): Promise<RenewalOutcome>;
  /** The connection was changed: the next call reads again what is stored of it. */
  forget(connectionId: string): void;
  /** Of each connection in use. */
  counts(): readonly ClientStats[];
  /** Operations that wait for providers. */
  countWaiting(): WaitingCounts;
  close(): Promise<void>;
}

/** What all calls of the process have in common. */
export interface OutboundDeps extends Omit<OutboundOptions, 'settings'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: OutboundSettings;
  readonly transport: Pick<Transport, 'send'>;
  readonly waiting: Waiting;
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
  readonly onLookup?: ((event: LookupEvent) => void) | undefined;
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
  const clients = new Map<string, Kept>();
  let tidyAt = clock.now() + TIDY_EVERY_MS;
  let fullUntil = 0;

  return {
    of(connection: Connection, access: ContactAccess): ProviderClient {
      const now = clock.now();
      let kept = clients.get(connection.id);
      if (!kept) {
        if (clients.size >= maxKept && now >= fullUntil) tidy(now);
        kept = { client: create(connection, access), usedAt: now };
        clients.set(connection.id, kept);
      }
      kept.usedAt = now;
      if (now >= tidyAt) tidy(now - KEPT_MS);
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
    if (clients.size >= maxKept) fullUntil = clock.now() + LOOK_AGAIN_MS;
  }
}

const TIDY_EVERY_MS = 60_000;
const KEPT_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 1_000;

interface ClientsOptions {
  readonly clock: Clock;
  readonly maxKept: number;
  create(connection: Connection, access: ContactAccess): ProviderClient;
}

interface Kept {
  readonly client: ProviderClient;
  usedAt: number;
}
