import { randomUUID } from 'node:crypto';
import type { Foundation } from './foundation.ts';
import { createTaskAges, type PeriodicTaskOptions, runPeriodically } from './lib/clock.ts';
import type { Outbound } from './outbound/outbound.ts';
import { openWebhookSender } from './outbound/webhooks/sender.ts';
import { watchWebhooks } from './outbound/webhooks/watch.ts';
import { type SettleOptions, toSettleDeps } from './settling.ts';
import { startSweeps } from './storage/sweeps.ts';
import type { TableSize } from './storage/table-sizes.ts';
import { openSyncs } from './syncing.ts';
import {
  type ApplicationDeletionDeps,
  deleteApplications,
} from './usecases/delete-applications.ts';
import { type IdleRefreshDeps, refreshIdleTokens } from './usecases/refresh-idle-tokens.ts';
import { settleWrites } from './usecases/settle-writes.ts';
import { storeUsage } from './usecases/usage.ts';
import { createJobsWatch } from './usecases/watch-jobs.ts';

/**
 * Part of the composition root: jobs. A process that does none stores the usage that it has counted, plans the syncs of
 * customers that it has changed, and looks whether another process does jobs.
 */
export function startJobs(foundation: Foundation, deps: JobDeps) {
  const { database, clock, log, telemetry } = foundation;
  const { doesJobs, announceWork = () => undefined } = deps;
  const tasks = createTasks(clock);
  const meter = { usage: telemetry.usage, store: database.usage };
  const usage = tasks.start('store_usage', {
    intervalMs: USAGE_EVERY_MS,
    work: () => storeUsage(meter),
    onError: (cause) => log.warn({ cause }, 'failed to store usage; will retry'),
  });
  const watch = createJobsWatch({ doesJobs, heartbeat: database, clock, log });
  const watching = tasks.start('watch_jobs', {
    intervalMs: WATCH_EVERY_MS,
    work: watch.check,
    onError: (cause) => log.warn({ cause }, 'failed to look whether a process does jobs'),
  });
  watching.wake();
  const counting = { job: 'count rows', holder: randomUUID(), leaseMs: COUNT_LEASE_MS };
  const mayCount = () => database.acquireJobLease(counting);
  const syncs = openSyncs(foundation, { ...deps, announceWork, mayCount });
  const own = doesJobs ? startOwnJobs(foundation, { ...deps, tasks, mayCount }) : NO_JOBS;
  /** Something may be due: it is done here, or by the process that does jobs. */
  const wake = () => {
    if (!doesJobs) announceWork();
    else for (const { wake } of [own, syncs]) wake();
  };
  database.onAppended(wake);
  database.onUnplanned(syncs.planSoon);
  return {
    wake,
    checkDestination: syncs.checkDestination,
    countSyncs: syncs.counts,
    countWebhooks: own.countWebhooks,
    sweepAges: own.sweepAges,
    taskAges: tasks.ages,
    /** Of a minute ago; none if another process measures. */
    tableSizes: own.tableSizes,
    secondsSinceJobs: watch.secondsSince,
    /** Resolves when the running jobs have finished. */
    async stop() {
      await Promise.all([usage.stop(), watching.stop(), syncs.stop(), own.stop()]);
    },
    /** Stores the usage that was counted since the last run: called when no request is running any more. */
    storeUsage: () =>
      storeUsage(meter).catch((cause) => log.warn({ cause }, 'failed to store the last usage')),
  };
}

/** What one process does for all of them. */
function startOwnJobs(
  foundation: Foundation,
  { outbound, revoke, writeTimes, tasks, mayCount }: OwnJobDeps,
) {
  const { config, database, clock, log, telemetry } = foundation;
  let isStopping = false;
  const sweeps = startSweeps(database, {
    maxBytesPerApplication: config.maxCacheBytes,
    clock,
    onError: (cause) => log.warn({ cause }, 'failed to delete old rows'),
  });
  const idleRefreshDeps = toIdleRefreshDeps({
    ...foundation,
    outbound,
    onRefreshed: telemetry.metrics.idleRefresh,
  });
  // Keeps unused refresh tokens valid. Each process tries to take the job's lease.
  const idleTokens = tasks.start('refresh_idle_tokens', {
    intervalMs: IDLE_TOKENS_EVERY_MS,
    work: () => refreshIdleTokens({ ...idleRefreshDeps, isStopping: () => isStopping }),
    onError: (cause) => log.warn({ cause }, 'failed to refresh idle tokens'),
  });
  const deletions = tasks.start(
    'delete_applications',
    toDeletions(foundation, { isStopping: () => isStopping, revoke }),
  );
  const settling = tasks.start('settle_writes', {
    intervalMs: SETTLE_EVERY_MS,
    work: () =>
      settleWrites(
        toSettleDeps(foundation, { outbound, writeTimes, isStopping: () => isStopping }),
      ),
    onError: (cause) =>
      log.warn({ cause }, 'failed to look for the outcomes of writes; will retry'),
  });
  let tableSizes: readonly TableSize[] = [];
  const measuring = tasks.start('measure_tables', {
    intervalMs: TABLES_EVERY_MS,
    work: async () => {
      tableSizes = (await mayCount()) ? await database.measureTables() : [];
    },
    onError: (cause) => log.warn({ cause }, 'failed to measure tables'),
  });
  const webhooks = openWebhooks(foundation, mayCount);
  return {
    wake: webhooks.wake,
    countWebhooks: webhooks.counts,
    sweepAges: sweeps.ages,
    tableSizes: () => tableSizes,
    async stop(): Promise<void> {
      isStopping = true;
      await Promise.all([
        sweeps.stop(),
        idleTokens.stop(),
        deletions.stop(),
        settling.stop(),
        measuring.stop(),
        webhooks.stop(),
      ]);
    },
  };
}

const NO_JOBS: ReturnType<typeof startOwnJobs> = {
  wake: () => undefined,
  countWebhooks: () => undefined,
  sweepAges: () => [],
  tableSizes: () => [],
  stop: async () => undefined,
};

interface JobDeps extends Pick<ApplicationDeletionDeps, 'revoke'> {
  readonly outbound: Outbound;
  readonly writeTimes?: SettleOptions['writeTimes'];
  /** Whether this process does jobs. */
  readonly doesJobs: boolean;
  /** Tells the process that does them that something may be due. Without it, that one looks every few seconds. */
  readonly announceWork?: (() => void) | undefined;
}

interface OwnJobDeps extends Pick<JobDeps, 'outbound' | 'revoke' | 'writeTimes'> {
  readonly tasks: ReturnType<typeof createTasks>;
  mayCount(): Promise<boolean>;
}

const IDLE_TOKENS_EVERY_MS = 60_000;
const USAGE_EVERY_MS = 10_000;
const WATCH_EVERY_MS = 20_000;
const TABLES_EVERY_MS = 60_000;
/** One process counts for all. Longer than the longest interval between two counts. */
const COUNT_LEASE_MS = 90_000;

/** Periodic tasks, and the time since each was last done. */
function createTasks(clock: Foundation['clock']) {
  const ages = createTaskAges(clock);
  return {
    start(name: string, { work, ...options }: PeriodicTaskOptions) {
      ages.restart(name);
      return runPeriodically({
        ...options,
        work: async () => {
          await work();
          ages.restart(name);
        },
      });
    },
    ages: ages.list,
  };
}

/** Deletes the data of deleted applications. */
function toDeletions(
  { database, log }: Foundation,
  { isStopping, revoke }: Pick<ApplicationDeletionDeps, 'isStopping' | 'revoke'>,
): PeriodicTaskOptions {
  const deps: ApplicationDeletionDeps = {
    deleted: database.deletedApplications,
    holder: randomUUID(),
    isStopping,
    removeCustomer: (applicationId, customerId) =>
      database.forApplication(applicationId).removals.removeCustomer(customerId, undefined),
    revoke,
    onDeleted: ({ id, name, ...amounts }) =>
      log.info({ application: name, applicationId: id, ...amounts }, 'an application was deleted'),
  };
  return {
    intervalMs: DELETIONS_EVERY_MS,
    work: () => deleteApplications(deps),
    onError: (cause) => log.warn({ cause }, 'application deletion incomplete; will continue'),
  };
}

const DELETIONS_EVERY_MS = 5_000;

const SETTLE_EVERY_MS = 5_000;

/** Delivers webhooks. */
function openWebhooks(
  { config, database, mayLoopback, telemetry, log, clock }: Foundation,
  mayCount: () => Promise<boolean>,
) {
  const { webhookQueue: queue } = database;
  const onError = (cause: unknown) => log.warn({ cause }, 'failed to send webhooks; will retry');
  return watchWebhooks({
    queue,
    clock,
    onError,
    mayCount,
    openSender: async () => {
      const { webhook: onAttempt } = telemetry.metrics;
      return openWebhookSender({
        queue,
        clock,
        mayLoopback,
        keepsResponses: config.console !== undefined,
        onError,
        onAttempt,
      });
    },
  });
}

export function toIdleRefreshDeps(
  options: IdleRefreshOptions,
): Omit<IdleRefreshDeps, 'isStopping'> {
  const { database, outbound, providers, clock, onRefreshed } = options;
  return {
    idle: database.idleCredentials,
    holder: randomUUID(),
    providers: [...providers.values()].flatMap(({ name, crm }) => (crm ? [name] : [])),
    wall: clock.wall,
    pause: (ms) => new Promise((resolve) => clock.schedule(ms, resolve)),
    onRefreshed,
    async refreshStoredToken({
      applicationId,
      customerId,
      providerName,
      connectionId,
      generation,
    }) {
      const { connections, credentials } = database.forApplication(applicationId);
      const [connection] = await connections.findMany([{ customerId, providerName }]);
      const access = providers.get(providerName)?.crm;
      if (connection?.id !== connectionId || !access) return 'used';
      return outbound.refreshStoredToken({ connection, access, credentials, generation });
    },
  };
}

interface IdleRefreshOptions
  extends Pick<Foundation, 'database' | 'providers' | 'clock'>,
    Pick<IdleRefreshDeps, 'onRefreshed'> {
  readonly outbound: Pick<Outbound, 'refreshStoredToken'>;
}
