import type { Connection } from '../domain/connection.ts';
import type { CredentialStore } from '../domain/credentials.ts';
import type { DistributedRateLimits } from '../domain/distributed-rate-limits.ts';
import type { HeldBytes } from '../domain/held-bytes.ts';
import type { FindOAuthClient } from '../domain/oauth-client.ts';
import type { ContactAccess, ContactPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { FindSandboxLogin } from '../domain/sandbox-login.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { RenewalOutcome } from './access-token/tokens.ts';
import type { CallEvent, LookupEvent } from './call-events.ts';
import { createGrants, type Grants } from './grants.ts';
import type { HostLookup } from './http/guarded-connector.ts';
import { createTransport } from './http/transport.ts';
import { type ClientStats, createProviderClient, type PortOptions } from './provider-client.ts';
import { createProviderClients } from './provider-clients.ts';
import { DEFAULT_SETTINGS, type OutboundSettings } from './settings.ts';
import { createWaiting, type WaitingCounts } from './waiting.ts';

/** The way out to the providers: one for the process. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { sandboxOrigins, findOAuthClient, providers, heldBytes } = options;
  const { clock = systemClock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const { sandboxAddresses, lookup } = options;
  const transport = createTransport({ ...settings, clock, sandboxOrigins, sandboxAddresses, lookup });
  const waiting = createWaiting({
    max: settings.maxWaiting,
    maxPerConnection: settings.maxWaitingPerConnection,
  });
  const clients = createProviderClients({ clock, maxKept: settings.maxConnections, create });
  const { onCall } = options;
  const grants = createGrants({
    ...{ sandboxOrigins, findOAuthClient, clock, random, settings, heldBytes, transport, onCall },
    findSandboxLogin: options.findSandboxLogin,
  });

  return {
    ...grants,

    openContactClient({ access, ...options }) {
      const client = clients.of(options.connection, access);
      client.updateInstanceUrl(options.connection.instanceUrl);
      return client.open(options);
    },

    async renewToken({ connection, access, credentials, generation }) {
      const client = clients.of(connection, access);
      client.updateInstanceUrl(connection.instanceUrl);
      return client.renewToken({ connection, credentials }, generation);
    },

    forget(connectionId) {
      clients.find(connectionId)?.forget();
    },

    counts: clients.counts,
    countWaiting: waiting.counts,
    close: transport.close,
  };

  function create(connection: Connection, access: ContactAccess) {
    const { id, applicationId, providerName } = connection;
    // The order of ids is the provider's own: one port that is never asked anything serves all requests.
    const { compareIds } = access.open({
      ...{ connection, send: unused },
      facts: { read: unused, learn: unused },
    });
    return createProviderClient({
      provider: providerName,
      connectionId: id,
      applicationId,
      heldBytes,
      waiting,
      access,
      compareIds,
      findClient: (origin, clientId) =>
        findOAuthClient({ applicationId, provider: providerName, origin, clientId }),
      hosts: providers.get(providerName)?.instanceHosts ?? [],
      sandboxOrigins,
      sandboxAddresses,
      clock,
      random,
      settings,
      transport,
      budgets: options.budgets,
      onCall,
      onLookup: options.onLookup,
      onRestricted: () => options.onRestricted?.(providerName),
    });
  }
}

function unused(): never {
  throw new Error('This port only compares.');
}

export interface Outbound extends Grants {
  /** The contacts of one connection, through its client. Cheap: called for every request. */
  openContactClient(options: PortOptions & { readonly access: ContactAccess }): ContactPort;
  /**
   * Renews the stored token of this generation, though nobody asks for it. Rejects as a call would that needs it. `used`:
   * another has been stored since.
   */
  renewToken(options: {
    readonly connection: Connection;
    readonly access: ContactAccess;
    readonly credentials: CredentialStore;
    readonly generation: number;
  }): Promise<RenewalOutcome>;
  /** The connection was changed: the next call reads again what is stored of it. */
  forget(connectionId: string): void;
  /** Of each connection in use. */
  counts(): readonly ClientStats[];
  /** Operations that wait for providers. */
  countWaiting(): WaitingCounts;
  close(): Promise<void>;
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
  readonly budgets?: DistributedRateLimits | undefined;
  /** Told of every try, after it. */
  readonly onCall?: ((event: CallEvent) => void) | undefined;
  /** Told of look-ups by email as they go out. */
  readonly onLookup?: ((event: LookupEvent) => void) | undefined;
  /** Told where a provider lets nobody refresh from here, or now: the installation’s address, the hour, a blocked app. */
  readonly onRestricted?: ((provider: ProviderName) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly lookup?: HostLookup | undefined;
}
