import type { ConnectFlowStore, ConnectLinkStore } from '../domain/connect-link.ts';
import type { ConnectionStore } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { EventStore, WebhookQueue, WebhookStore } from '../domain/event.ts';
import type { OAuthClientStore } from '../domain/oauth.ts';
import type { ContactCache, CredentialStore, IdleCredentials, RemovalStore } from '../domain/tenant.ts';
import { systemClock } from '../lib/clock.ts';
import { type Admin, createAdmin } from './admin.ts';
import {
  type ApiKeys,
  createApiKeys,
  createFindCallers,
  createFindTokenSubject,
  type FindCallersByKey,
  type FindTokenSubject,
} from './api-keys.ts';
import { sealedConnectTables } from './complete-connect-link.ts';
import { createConnectFlows } from './connect-flows.ts';
import { type ConnectSweep, createConnectLinks, createConnectSweep } from './connect-links.ts';
import { createConnections } from './connections.ts';
import { createContactCache } from './contact-cache.ts';
import { createCredentials } from './credentials.ts';
import { type CustomerRecords, createCustomers } from './customers.ts';
import { createDemoData, type DemoData } from './demo-data.ts';
import { migrate } from './engine/migrate.ts';
import { type ConnectionCounts, type Engine, openEngine, type Target, type Tuning } from './engine/open.ts';
import { createEvents } from './events.ts';
import { createIdleCredentials } from './idle-credentials.ts';
import { createMaintenance, type Maintenance } from './maintenance.ts';
import { createOAuthClients, sealedOAuthClients } from './oauth-clients.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { createRemovals } from './removals.ts';
import type { KeyRing } from './sealing/key-ring.ts';
import { createKeyedHash, createSealer } from './sealing/seal.ts';
import { createWebhookEndpoints, sealedWebhookSecrets } from './webhook-endpoints.ts';
import { createWebhookQueue } from './webhook-queue.ts';

/** Opens the database, brings its tables up to date, and makes sure that the ring opens what is stored. */
export async function openDatabase(target: Target, options: DatabaseOptions): Promise<Database> {
  const engine = await openEngine(target, options);
  try {
    await migrate(engine);
    const database = createDatabase(engine, options);
    await requireKeys(database);
    return database;
  } catch (error) {
    await engine.close();
    throw cannotOpen(target, error);
  }
}

export function createDatabase(
  engine: Engine,
  { keyRing, clock = systemClock, maxCacheEntryBytes, cacheDelayMs, refreshLeaseMs }: DatabaseOptions,
): Database {
  const apiKeys = createApiKeys(keyRing);
  const sealer = createSealer(keyRing, 'credentials');
  const appended = createSignal();
  const onAppended = appended.fire;
  const customers = createCustomers({ engine, sealer, clock, onAppended });
  const connections = createConnections(engine);
  const leaseMs = refreshLeaseMs ?? 20_000;
  const credentials = createCredentials({ engine, sealer, clock, leaseMs, onAppended });
  const contactCache = createContactCache({
    engine,
    sealer: createSealer(keyRing, 'contact cache'),
    hash: createKeyedHash(keyRing, 'contact cache key'),
    maxEntryBytes: maxCacheEntryBytes ?? 1024 * 1024,
    delayMs: cacheDelayMs ?? 1_000,
  });
  const connecting = {
    ...{ engine, clock, onAppended },
    sealer: createSealer(keyRing, 'connect'),
    credentialSealer: sealer,
  };
  const connectLinks = createConnectLinks(connecting);
  const clientSealer = createSealer(keyRing, 'oauth client');
  const oauthClients = createOAuthClients({ engine, sealer: clientSealer, clock });
  const webhooks = { engine, clock, sealer: createSealer(keyRing, 'webhook secret'), onAppended };
  const webhookEndpoints = createWebhookEndpoints(webhooks);
  const events = createEvents(engine);
  const sealedTables = [
    sealedWebhookSecrets(engine, webhooks.sealer),
    sealedOAuthClients(engine, clientSealer),
    ...sealedConnectTables(engine, connecting.sealer),
  ];
  const maintenance = createMaintenance({ engine, sealer, ring: keyRing, sealedTables });
  const removals = createRemovals({ engine, sealer, clock, onAppended });
  const opened = new Map<string, ApplicationStores>();
  return {
    forApplication(applicationId) {
      const known = opened.get(applicationId);
      if (known) return known;
      const stores = {
        customers: customers(applicationId),
        connections: connections(applicationId),
        credentials: credentials(applicationId),
        contactCache: contactCache.forApplication(applicationId),
        connectLinks: connectLinks(applicationId),
        oauthClients: oauthClients(applicationId),
        webhooks: webhookEndpoints(applicationId),
        events: events(applicationId),
        removals: removals(applicationId),
      };
      if (opened.size >= MAX_OPENED) opened.clear();
      opened.set(applicationId, stores);
      return stores;
    },
    idleCredentials: createIdleCredentials({ engine, clock }),
    connectFlows: createConnectFlows(connecting),
    webhookQueue: createWebhookQueue(webhooks),
    onAppended: appended.listen,
    sweepConnectLinks: createConnectSweep(connecting),
    parseApiKey: apiKeys.parse,
    findCallersByKey: createFindCallers(engine),
    findTokenSubject: createFindTokenSubject(engine),
    admin: createAdmin({ engine, keys: apiKeys }),
    demoData: createDemoData(engine),
    maintenance,
    ping: engine.ping,
    checkReadiness: createReadiness({ engine, maintenance }),
    countConnections: engine.connections,
    flush: contactCache.flush,
    close: engine.close,
  };
}

/** Stores hold nothing of their own: to open them again costs a moment. */
const MAX_OPENED = 1_000;

async function requireKeys({ maintenance }: Database): Promise<void> {
  const unreadable = await maintenance.findUnreadableKeys();
  if (unreadable.length === 0) return;
  throw new Error(
    `Stored secrets are sealed with keys that the key ring lacks, or has otherwise: ${unreadable.join(', ')}. ` +
      'Add these keys to the ring, behind the first one.',
  );
}

/** At the start somebody reads the message who has to mend it: it says where, and the driver's own reason. */
export function cannotOpen(target: Target, error: unknown): unknown {
  if (!('url' in target) || !(error instanceof CrossbookError)) return error;
  const { host, pathname } = new URL(target.url);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reason = (cause instanceof Error && cause.message) || code || error.message;
  const hint = POOLER.test(String(reason))
    ? ' Behind a pooler, set CROSSBOOK_DATABASE_POOLER=transaction.'
    : '';
  return new Error(`PostgreSQL at ${host}${pathname} cannot be used: ${reason}${hint && `.${hint}`}`, {
    cause: error,
  });
}

/** PgBouncer refuses the parameters of a session. */
const POOLER = /^unsupported startup parameter/;

/** Tells whoever listens that something has happened, and nothing more. */
function createSignal(): Signal {
  const listeners: (() => void)[] = [];
  return {
    fire() {
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}

export interface Database {
  readonly demoData: DemoData;
  /** Everything that a request can reach. */
  forApplication(applicationId: string): ApplicationStores;
  /** For the pages of links, which have no caller. */
  readonly connectFlows: ConnectFlowStore;
  /** Links end by themselves: this makes it known, and removes those that ended days ago. */
  sweepConnectLinks(): Promise<ConnectSweep>;
  readonly parseApiKey: ApiKeys['parse'];
  readonly findCallersByKey: FindCallersByKey;
  readonly findTokenSubject: FindTokenSubject;
  readonly idleCredentials: IdleCredentials;
  readonly admin: Admin;
  readonly maintenance: Maintenance;
  /** For the sender of webhooks. */
  readonly webhookQueue: WebhookQueue;
  /** This process may have appended events, or endpoints that wait for them. */
  onAppended(listener: () => void): void;
  /** Rejects with SERVICE_UNAVAILABLE while the database is away: for readiness. */
  ping(): ReturnType<Engine['ping']>;
  checkReadiness(): Promise<Readiness>;
  countConnections(): ConnectionCounts;
  /** What waits to be written is written at once. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opened for one application: there is no way to ask for another's rows. */
export interface ApplicationStores {
  readonly customers: CustomerRecords;
  readonly connections: ConnectionStore;
  readonly credentials: CredentialStore;
  readonly contactCache: ContactCache;
  readonly webhooks: WebhookStore;
  readonly events: EventStore;
  readonly connectLinks: ConnectLinkStore;
  readonly oauthClients: OAuthClientStore;
  readonly removals: RemovalStore;
}

export interface DatabaseOptions extends Tuning {
  readonly keyRing: KeyRing;
  /** For how long a process that refreshes a token keeps others from it: longer than the refresh may take. */
  readonly refreshLeaseMs?: number | undefined;
  /** Longer answers are not cached. */
  readonly maxCacheEntryBytes?: number | undefined;
  /** How long an answer waits for others that are cached with it: other processes find it that much later. */
  readonly cacheDelayMs?: number | undefined;
}

interface Signal {
  readonly fire: () => void;
  readonly listen: (listener: () => void) => void;
}
