import { randomUUID } from 'node:crypto';
import type { Foundation } from './foundation.ts';
import { runPeriodically } from './lib/clock.ts';
import type { Outbound } from './outbound/outbound.ts';
import { createWebhookUrlCheck } from './outbound/webhooks/post.ts';
import { watchWebhooks } from './outbound/webhooks/watch.ts';
import { startSweeps } from './storage/sweeps.ts';
import { type IdleRefreshDeps, refreshIdleTokens } from './usecases/refresh-idle-tokens.ts';

/** Part of the composition root: periodic and background jobs. */
export function startJobs(foundation: Foundation, outbound: Outbound) {
  const { config, database, clock, log, telemetry } = foundation;
  const sweeps = startSweeps(database, {
    maxBytesPerApplication: config.maxCacheBytes,
    clock,
    onError: (cause) => log.warn({ cause }, 'a sweep did not finish'),
  });
  const idleRefreshDeps = toIdleRefreshDeps({
    ...foundation,
    outbound,
    onRefreshed: telemetry.metrics.idleRefresh,
  });
  let isStopping = false;
  // Keeps unused refresh tokens valid. Each process tries to take the job's lease.
  const idleTokens = runPeriodically({
    intervalMs: IDLE_TOKENS_EVERY_MS,
    work: () => refreshIdleTokens({ ...idleRefreshDeps, isStopping: () => isStopping }),
    onError: (cause) => log.warn({ cause }, 'idle tokens were not refreshed'),
  });
  const webhooks = openWebhooks(foundation);
  return {
    checkWebhookUrl: webhooks.checkUrl,
    countWebhooks: webhooks.counts,
    sweepAges: sweeps.ages,
    /** Resolves when the running jobs have finished. */
    async stop() {
      isStopping = true;
      await Promise.all([sweeps.stop(), idleTokens.stop(), webhooks.stop()]);
    },
  };
}

const IDLE_TOKENS_EVERY_MS = 60_000;

/** Delivers webhooks. */
function openWebhooks({ config, database, sandbox, telemetry, log, clock }: Foundation) {
  const { webhookQueue: queue } = database;
  /** Whether http: to this machine is allowed: any port of it, so never in production. */
  const mayLoopback = sandbox !== undefined && !config.production;
  const onError = (cause: unknown) => log.warn({ cause }, 'webhooks were not sent: they will be');
  const watch = watchWebhooks({
    queue,
    clock,
    onError,
    openSender: async () => {
      const { openWebhookSender } = await import('./outbound/webhooks/sender.ts');
      const { webhook: onAttempt } = telemetry.metrics;
      return openWebhookSender({ queue, clock, mayLoopback, onError, onAttempt });
    },
  });
  database.onAppended(watch.wake);
  return { ...watch, checkUrl: createWebhookUrlCheck({ mayLoopback }) };
}

export function toIdleRefreshDeps(
  options: IdleRefreshOptions,
): Omit<IdleRefreshDeps, 'isStopping'> {
  const { database, outbound, providers, clock, onRefreshed } = options;
  return {
    idle: database.idleCredentials,
    holder: randomUUID(),
    providers: [...providers.values()].flatMap(({ name, contacts }) => (contacts ? [name] : [])),
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
      const access = providers.get(providerName)?.contacts;
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
