import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { PlanScope } from '../domain/sync.ts';
import { systemClock } from '../lib/clock.ts';
import { parseDatabaseUrl } from '../lib/database-url.ts';
import { createAdmin, createDemoCleanup } from './admin.ts';
import { createApiKeys, createFindCallers, createFindTokenSubject } from './api-keys.ts';
import { createAudit, createAuditSweep } from './audit.ts';
import { createBranding } from './branding.ts';
import { createConnectFlows, createConnectLinks } from './connect-links.ts';
import { createContactCache } from './contact-cache.ts';
import { createCredentials } from './credentials.ts';
import { createCustomFields } from './custom-fields.ts';
import { createConnections, createCustomers } from './customers.ts';
import { createDeletedApplications } from './delete-applications.ts';
import { createConnectSweep } from './end-connect-link.ts';
import { migrate } from './engine/migrate.ts';
import { openEngine, type Target } from './engine/open.ts';
import type { Engine } from './engine/postgres.ts';
import type { Tuning } from './engine/tuning.ts';
import { createEvents } from './events.ts';
import { createExpirySweep } from './expired-tokens.ts';
import { createIdleCredentials } from './idle-credentials.ts';
import type { KeyRing } from './key-ring.ts';
import { acquireJobLease, beatJobs, type Lease, readJobsAge } from './leases.ts';
import { createOAuthClients } from './oauth-clients.ts';
import { createRemovals } from './removals.ts';
import { createRowRemovals } from './row-removals.ts';
import { createKeyRotation, createSealedColumns } from './sealed-columns.ts';
import { createSealer } from './sealing.ts';
import { createSharedChecks } from './shared-checks.ts';
import { createKeyedHash, createVersionedHash } from './signing.ts';
import type { SharedStoreDeps, StoreDeps } from './store-deps.ts';
import { createCacheSweep } from './sweeps.ts';
import { createSyncPlans } from './sync-plans.ts';
import { createSyncQueue } from './sync-queue.ts';
import { createSyncStore } from './sync-store.ts';
import { measureTables } from './table-sizes.ts';
import { createUsage, createUsageSweep } from './usage.ts';
import { createWebhookEndpoints } from './webhook-endpoints.ts';
import { createEventSweep, createResponseSweep, createWebhookQueue } from './webhook-queue.ts';
import { createWriteQueue, createWriteSweep, createWrites } from './writes.ts';

/** Opens the database, applies migrations, and checks that the key ring can decrypt the stored data. */
export async function openDatabase(target: Target, options: DatabaseOptions): Promise<Database> {
  // A start that fails gives its reason once, without reports of the connections that broke on the way.
  let isOpen = false;
  const engine = await openEngine(target, {
    ...options,
    onError: (error) => isOpen && options.onError?.(error),
    onOutage: (outage) => isOpen && options.onOutage?.(outage),
  });
  try {
    await migrate(engine, toMigrateOptions(options));
    const database = createDatabase(engine, options);
    await requireKeys(database, options.keyRing);
    isOpen = true;
    return database;
  } catch (error) {
    await engine.close();
    throw cannotOpen(target, error);
  }
}

/** Applies pending migrations and returns their names. */
export async function migrateDatabase(target: Target, tuning: Tuning): Promise<readonly string[]> {
  const engine = await openEngine(target, tuning);
  try {
    return await migrate(engine, toMigrateOptions(tuning));
  } catch (error) {
    throw cannotOpen(target, error);
  } finally {
    await engine.close();
  }
}

function toMigrateOptions({ clock, ...tuning }: Tuning) {
  const {
    onMigrationBlocked: onBlocked,
    onMigrationWaits: onWaits,
    onLaterMigrations: onLater,
  } = tuning;
  return { onBlocked, onWaits, onLater, clock };
}

export function createDatabase(engine: Engine, options: DatabaseOptions) {
  const { keyRing, clock = systemClock } = options;
  const listeners: (() => void)[] = [];
  const planListeners: ((scope: PlanScope) => void)[] = [];
  const deps: SharedStoreDeps = {
    engine,
    secrets: createSealedColumns(keyRing),
    fingerprint: createKeyedHash(keyRing, 'credentials fingerprint'),
    now: () => new Date(clock.wall()),
    onAppended: () => {
      for (const listener of listeners) listener();
    },
    onUnplanned: (scope) => {
      for (const listener of planListeners) listener(scope);
    },
  };
  const customers = createCustomers(deps);
  const connections = createConnections(engine);
  const credentials = createCredentials(deps, options.refreshLeaseMs ?? 20_000);
  const contactCache = createContactCache({
    engine,
    sealer: createSealer(keyRing, 'contact cache'),
    hash: createKeyedHash(keyRing, 'contact cache key'),
    now: deps.now,
    maxEntryBytes: options.maxCacheEntryBytes ?? 1024 * 1024,
    delayMs: options.cacheDelayMs ?? 1_000,
  });
  const writeHashes = createVersionedHash(keyRing, 'writes');
  const keyRotation = createKeyRotation(deps, keyRing);
  const apiKeys = createApiKeys(keyRing);
  const openStores = (applicationId: string) => {
    const own: StoreDeps = { ...deps, engine: engine.forApplication(applicationId) };
    return {
      customers: customers(applicationId),
      connections: connections(applicationId),
      credentials: credentials(applicationId),
      contactCache: contactCache.forApplication(applicationId),
      connectLinks: createConnectLinks(own, applicationId),
      oauthClients: createOAuthClients(own, applicationId),
      webhooks: createWebhookEndpoints(own, applicationId),
      events: createEvents(own.engine, applicationId),
      removals: createRemovals(own, applicationId),
      customFields: createCustomFields(own, applicationId),
      syncs: createSyncStore(own, applicationId),
      writes: createWrites(own, applicationId, writeHashes),
      branding: createBranding(own, applicationId),
    };
  };
  const opened = new Map<string, ReturnType<typeof openStores>>();
  const forApplication = (applicationId: string) => {
    const known = opened.get(applicationId);
    if (known) return known;
    const stores = openStores(applicationId);
    if (opened.size >= MAX_OPENED) opened.clear();
    opened.set(applicationId, stores);
    return stores;
  };
  return {
    /** All stores that requests use, scoped to one application: other applications' rows are unreachable. */
    forApplication,
    /** The same for one request, which is charged for what it reads. */
    forRequest: (applicationId: string, work: RequestWork) =>
      // Its other stores are those of the application: copied, they would be the most of what a request allocates here.
      Object.assign(Object.create(forApplication(applicationId)) as ReturnType<typeof openStores>, {
        customers: customers(applicationId, work),
        connections: connections(applicationId, work),
        contactCache: contactCache.forApplication(applicationId, work),
      }),
    idleCredentials: createIdleCredentials(deps),
    deletedApplications: createDeletedApplications(engine),
    /** For the pages of connect links, which have no caller. */
    connectFlows: createConnectFlows({ ...deps, engine: engine.forApplication('connect pages') }),
    /** For the webhook sender. */
    webhookQueue: createWebhookQueue(deps),
    /** For the sync workers. */
    syncPlans: createSyncPlans(deps),
    syncQueue: createSyncQueue(deps),
    rowRemovals: createRowRemovals(deps),
    /** For the job that settles writes. */
    writeQueue: createWriteQueue(deps),
    /**
     * Registers a listener for writes of this process that may have appended events, or endpoints that wait for them.
     */
    onAppended: (listener: () => void) => void listeners.push(listener),
    /** Registers a listener for writes of this process that syncs may have to be planned for. */
    onUnplanned: (listener: (scope: PlanScope) => void) => void planListeners.push(listener),
    parseApiKey: apiKeys.parse,
    findCallersByKey: createFindCallers(engine),
    findTokenSubject: createFindTokenSubject(engine),
    admin: createAdmin(deps, apiKeys),
    usage: createUsage(engine),
    audit: createAudit(engine, deps.now),
    /** Statements over all applications, for what operators look at (`operator-views.ts`). */
    forOperator: { query: engine.query },
    demoData: createDemoCleanup(engine),
    maintenance: keyRotation,
    /** What deletes old rows, and ends what has expired, in batches. */
    sweeps: {
      expiredTokens: createExpirySweep({ ...deps, openCredentials: credentials }),
      contactCache: createCacheSweep(engine),
      connectLinks: createConnectSweep(deps),
      events: createEventSweep(engine),
      usage: createUsageSweep(engine),
      audit: createAuditSweep(engine),
      responses: createResponseSweep(engine),
      writes: createWriteSweep(engine),
    },
    acquireJobLease: (lease: Lease) => acquireJobLease(engine, lease),
    beatJobs: () => beatJobs(engine),
    readJobsAge: () => readJobsAge(engine),
    measureTables: () => measureTables(engine),
    /** Rejects with SERVICE_UNAVAILABLE while the database is unavailable. */
    ping: engine.ping,
    checkShared: createSharedChecks({
      engine,
      clock,
      findUnreadableKeys: keyRotation.findUnreadableKeys,
      onUnreadableKeys: (ids) => options.onUnreadable?.(describeUnreadable(ids, keyRing)),
    }),
    countConnections: engine.connections,
    /** Writes queued cache entries now. */
    flush: contactCache.flush,
    close: engine.close,
  };
}

/** The maximum of cached store sets; opening them again is cheap, because they have no state. */
const MAX_OPENED = 1_000;

async function requireKeys({ maintenance }: Database, keyRing: KeyRing): Promise<void> {
  const unreadable = await maintenance.findUnreadableKeys();
  if (unreadable.length > 0)
    throw new Error(`Stored secrets ${describeUnreadable(unreadable, keyRing)}.`);
}

/** Names the keys and the remedy. A key whose id is in use for another key cannot simply be added to the ring. */
export function describeUnreadable(keyIds: readonly string[], { keys }: KeyRing): string {
  const missing = keyIds.filter((id) => !keys.has(id));
  const changed = keyIds.filter((id) => keys.has(id));
  const found = [
    missing.length > 0 &&
      `are sealed with keys that the key ring lacks: add ${missing.join(', ')} behind the first`,
    changed.length > 0 &&
      `are sealed with other bytes than the key ring has for ${changed.join(', ')}: put the original ones back`,
  ];
  return found.filter((one) => one !== false).join('; some ');
}

/** The message for the operator when the start fails: names the database and the driver's reason. */
export function cannotOpen(target: Target, error: unknown): unknown {
  if (!('url' in target) || !(error instanceof CrossbookError)) return error;
  const { place = '' } = parseDatabaseUrl(target.url) ?? {};
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reason = (cause instanceof Error && cause.message) || code || error.message;
  const hint = POOLER.test(String(reason))
    ? ' Behind a pooler, set CROSSBOOK_DATABASE_POOLER=transaction or =session, as its pool_mode.'
    : '';
  return new Error(`PostgreSQL at ${place} cannot be used: ${reason}${hint && `.${hint}`}`, {
    cause: error,
  });
}

/** PgBouncer's error for session parameters. */
const POOLER = /^unsupported startup parameter/;

export type Database = ReturnType<typeof createDatabase>;
export type ApplicationStores = ReturnType<Database['forApplication']>;

export interface DatabaseOptions extends Tuning {
  readonly keyRing: KeyRing;
  /** The duration of the refresh lease: longer than a refresh takes. */
  readonly refreshLeaseMs?: number | undefined;
  /** The maximum size of a cached entry. */
  readonly maxCacheEntryBytes?: number | undefined;
  /** Called when stored secrets are found that the key ring cannot decrypt, with what to do. */
  readonly onUnreadable?: ((detail: string) => void) | undefined;
  /** The delay of cache writes, which gathers batches: other processes see entries that much later. */
  readonly cacheDelayMs?: number | undefined;
}
