import type { CrmPort } from '../domain/provider.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createGrants } from './access-token/grants.ts';
import type { IdleRefreshOutcome, Token, TokenSource } from './access-token/tokens.ts';
import { ConnectionCrm, type PortOptions } from './crm-port.ts';
import { createTransport } from './http/transport.ts';
import { createOperationLimit } from './operation-limit.ts';
import type { OutboundDeps } from './outbound-deps.ts';
import {
  type ClockDifference,
  DEFAULT_SETTINGS,
  type OutboundOptions,
} from './outbound-options.ts';
import { type Accessed, ProviderClient } from './provider-client.ts';

/** All outbound calls to providers: one instance per process. */
export function createOutbound(options: OutboundOptions) {
  const { clock = systemClock, random = Math.random } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const transport = createTransport({ ...options, ...settings, clock });
  const onClockDifference = limitReports(options.onClockDifference, clock);
  const waiting = createOperationLimit(settings.maxWaiting);
  const deps: OutboundDeps = {
    ...options,
    clock,
    random,
    settings,
    transport,
    waiting,
    onClockDifference,
  };
  const clients = createProviderClients({
    clock,
    maxKept: settings.maxConnections,
    create: (accessed) => new ProviderClient(deps, accessed),
  });

  return {
    ...createGrants(deps),

    /** The contacts of one connection, through its client. Cheap, because it is called per request. */
    openCrmPort: (options: PortOptions & Accessed): CrmPort =>
      new ConnectionCrm(clientOf(options), options),

    /**
     * Refreshes the stored token of this generation before it is needed. Rejects as a call with an expired token would.
     * `used`: a newer token is stored.
     */
    async refreshStoredToken(
      options: Accessed & TokenSource & Pick<Token, 'generation'>,
    ): Promise<IdleRefreshOutcome> {
      return clientOf(options).refreshStoredToken(options, options.generation);
    },

    /** How far the clock of the connection's CRM is behind ours, as far as its responses have shown it. */
    clockBehindMs: (accessed: Accessed): number => clientOf(accessed).clock.behindMs(),

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

/** Once an hour for each host. */
function limitReports(
  report: OutboundOptions['onClockDifference'],
  { now }: Pick<Clock, 'now'>,
): (event: ClockDifference) => void {
  const reportedAt = new Map<string, number>();
  return (event) => {
    const last = reportedAt.get(event.host);
    if (last !== undefined && now() - last < REPORT_EVERY_MS) return;
    if (reportedAt.size >= MAX_REPORTED_HOSTS) reportedAt.clear();
    reportedAt.set(event.host, now());
    report?.(event);
  };
}

const REPORT_EVERY_MS = 60 * 60_000;
const MAX_REPORTED_HOSTS = 1_000;

export type Outbound = ReturnType<typeof createOutbound>;

/** The clients of the connections in use. Idle ones are evicted, to bound the memory. */
export function createProviderClients({ clock, maxKept, create }: ClientsOptions) {
  const clients = new Map<string, { readonly client: ProviderClient; usedAt: number }>();
  let tidyAt = clock.now() + TIDY_EVERY_MS;
  let fullUntil = 0;

  return {
    of(accessed: Accessed): ProviderClient {
      const { id } = accessed.connection;
      const now = clock.now();
      let client = clients.get(id);
      if (!client) {
        if (clients.size >= maxKept && now >= fullUntil) tidy(now);
        client = { client: create(accessed), usedAt: now };
        clients.set(id, client);
        if (clients.size % SECRETS_CHECK_EVERY === 0 && sumSecrets() > MAX_SECRET_BYTES) tidy(now);
      }
      client.usedAt = now;
      if (now >= tidyAt) tidy(now - IDLE_CLIENT_KEPT_MS);
      return client.client;
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
/** The secrets of idle connections, which are kept for redaction. */
const MAX_SECRET_BYTES = 16 * 1024 * 1024;
/** The number of new connections between two checks of that limit. */
const SECRETS_CHECK_EVERY = 256;

interface ClientsOptions {
  readonly clock: Clock;
  readonly maxKept: number;
  create(accessed: Accessed): ProviderClient;
}
