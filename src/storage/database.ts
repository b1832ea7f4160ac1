import { CrossbookError } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { createAdmin, createDemoCleanup } from './admin.ts';
import { createApiKeys, createFindCallers, createFindTokenSubject } from './api-keys.ts';
import { createConnectFlows, createConnectLinks } from './connect-links.ts';
import { createContactCache } from './contact-cache.ts';
import { createCredentials } from './credentials.ts';
import { createConnections, createCustomers } from './customers.ts';
import { createConnectSweep } from './end-connect-link.ts';
import { migrate } from './engine/migrate.ts';
import { type Engine, openEngine, type Target, type Tuning } from './engine/open.ts';
import { createEvents } from './events.ts';
import { createIdleCredentials } from './idle-credentials.ts';
import { createCacheSweep, createReadiness } from './maintenance.ts';
import { createOAuthClients } from './oauth-clients.ts';
import { createRemovals } from './removals.ts';
import { createKeyRotation, createSealedColumns, type SealedColumns } from './sealed-columns.ts';
import { createKeyedHash, createSealer, type KeyRing } from './sealing.ts';
import { createWebhookEndpoints } from './webhook-endpoints.ts';
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

export function createDatabase(engine: Engine, options: DatabaseOptions) {
  const { keyRing, clock = systemClock } = options;
  const listeners: (() => void)[] = [];
  const deps: StoreDeps = {
    engine,
    secrets: createSealedColumns(keyRing),
    now: () => new Date(clock.wall()),
    onAppended: () => {
      for (const listener of listeners) listener();
    },
  };
  const customers = createCustomers(deps);
  const connections = createConnections(engine);
  const credentials = createCredentials({ ...deps, leaseMs: options.refreshLeaseMs ?? 20_000 });
  const contactCache = createContactCache({
    engine,
    sealer: createSealer(keyRing, 'contact cache'),
    hash: createKeyedHash(keyRing, 'contact cache key'),
    maxEntryBytes: options.maxCacheEntryBytes ?? 1024 * 1024,
    delayMs: options.cacheDelayMs ?? 1_000,
  });
  const connectLinks = createConnectLinks(deps);
  const oauthClients = createOAuthClients(deps);
  const webhooks = createWebhookEndpoints(deps);
  const events = createEvents(engine);
  const removals = createRemovals(deps);
  const keyRotation = createKeyRotation({ engine, ring: keyRing, secrets: deps.secrets });
  const apiKeys = createApiKeys(keyRing);
  const openStores = (applicationId: string) => ({
    customers: customers(applicationId),
    connections: connections(applicationId),
    credentials: credentials(applicationId),
    contactCache: contactCache.forApplication(applicationId),
    connectLinks: connectLinks(applicationId),
    oauthClients: oauthClients(applicationId),
    webhooks: webhooks(applicationId),
    events: events(applicationId),
    removals: removals(applicationId),
  });
  const opened = new Map<string, ReturnType<typeof openStores>>();
  return {
    /** Everything that a request can reach, opened for one application: there is no way to ask for another's rows. */
    forApplication(applicationId: string) {
      const known = opened.get(applicationId);
      if (known) return known;
      const stores = openStores(applicationId);
      if (opened.size >= MAX_OPENED) opened.clear();
      opened.set(applicationId, stores);
      return stores;
    },
    idleCredentials: createIdleCredentials(deps),
    /** For the pages of links, which have no caller. */
    connectFlows: createConnectFlows(deps),
    /** For the sender of webhooks. */
    webhookQueue: createWebhookQueue(deps),
    /** This process may have appended events, or endpoints that wait for them. */
    onAppended: (listener: () => void) => void listeners.push(listener),
    /** Links end by themselves: this makes it known, and removes those that ended days ago. */
    sweepConnectLinks: createConnectSweep(deps),
    parseApiKey: apiKeys.parse,
    findCallersByKey: createFindCallers(engine),
    findTokenSubject: createFindTokenSubject(engine),
    admin: createAdmin(engine, apiKeys),
    demoData: createDemoCleanup(engine),
    maintenance: { ...keyRotation, sweepContactCache: createCacheSweep(engine) },
    /** Rejects with SERVICE_UNAVAILABLE while the database is away: for readiness. */
    ping: engine.ping,
    checkReadiness: createReadiness({ engine, ...keyRotation }),
    countConnections: engine.connections,
    /** What waits to be written is written at once. */
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

/** The operator reads this message at the start: it says which database, and the driver's own reason. */
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

export type Database = ReturnType<typeof createDatabase>;
export type ApplicationStores = ReturnType<Database['forApplication']>;

/** What the stores share. */
export interface StoreDeps {
  readonly engine: Engine;
  readonly secrets: SealedColumns;
  /** The time of day, for what is stored. */
  now(): Date;
  /** Events may be there that were not, or endpoints that wait for them. */
  onAppended(): void;
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
