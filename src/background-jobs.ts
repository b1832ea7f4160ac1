import { randomUUID } from 'node:crypto';
import type { Log } from './domain/log.ts';
import type { Provider } from './domain/provider.ts';
import type { ProviderName } from './domain/provider-names.ts';
import { type Clock, type PeriodicTask, type PeriodicTaskOptions, runPeriodically } from './lib/clock.ts';
import type { Outbound } from './outbound/outbound.ts';
import { type CheckWebhookUrl, createWebhookUrlCheck } from './outbound/webhooks/check-url.ts';
import { type WebhookWatch, watchWebhooks } from './outbound/webhooks/watch.ts';
import type { Database } from './storage/database.ts';
import type { Metrics } from './telemetry/metrics/metrics.ts';
import { type RenewDeps, renewIdleTokens } from './usecases/renew-idle-tokens.ts';

/** Part of the composition root: events on their way to the applications' servers. */
export function openWebhooks({ database, mayLoopback, metrics, log, clock }: WebhookParts): Webhooks {
  const { webhookQueue: queue } = database;
  const onError = (cause: unknown) => log.warn({ cause }, 'webhooks were not sent: they will be');
  const watch = watchWebhooks({
    ...{ queue, clock, onError },
    openSender: async () => {
      const { openWebhookSender } = await import('./outbound/webhooks/sender.ts');
      return openWebhookSender({ queue, clock, mayLoopback, onError, onAttempt: metrics.webhook });
    },
  });
  database.onAppended(watch.wake);
  return { ...watch, checkUrl: createWebhookUrlCheck({ mayLoopback }) };
}

export interface Webhooks extends WebhookWatch {
  readonly checkUrl: CheckWebhookUrl;
}

interface WebhookParts {
  readonly database: Pick<Database, 'webhookQueue' | 'onAppended'>;
  /** http: to this machine, where the sandbox is on. */
  readonly mayLoopback: boolean;
  readonly metrics: Pick<Metrics, 'webhook'>;
  readonly log: Log;
  readonly clock: Clock;
}

/** The job that keeps refresh tokens alive which no search uses. Every process looks once a minute whether it is its turn. */
export function keepIdleTokensAlive(options: IdleTokenOptions): PeriodicTask {
  const deps = toRenewDeps(options);
  let isStopping = false;
  const repeated = runPeriodically({
    intervalMs: EVERY_MS,
    work: () => renewIdleTokens({ ...deps, isStopping: () => isStopping }),
    onError: options.onError,
  });
  return {
    stop() {
      isStopping = true;
      return repeated.stop();
    },
  };
}

export function toRenewDeps(options: Omit<IdleTokenOptions, 'onError'>): Omit<RenewDeps, 'isStopping'> {
  const { database, outbound, providers, clock, onRenewed } = options;
  const searchable = [...providers.values()].flatMap(({ name, contacts }) => (contacts ? [name] : []));
  return {
    idle: database.idleCredentials,
    holder: randomUUID(),
    providers: searchable,
    wall: clock.wall,
    pause: (ms) => new Promise((resolve) => clock.schedule(ms, resolve)),
    onRenewed,
    async renewToken({ applicationId, customerId, providerName, connectionId, generation }) {
      const { connections, credentials } = database.forApplication(applicationId);
      const [connection] = await connections.findMany([{ customerId, providerName }]);
      const access = providers.get(providerName)?.contacts;
      if (connection?.id !== connectionId || !access) return 'used';
      return outbound.renewToken({ connection, access, credentials, generation });
    },
  };
}

const EVERY_MS = 60_000;

interface IdleTokenOptions extends Pick<PeriodicTaskOptions, 'onError'>, Pick<RenewDeps, 'onRenewed'> {
  readonly database: Pick<Database, 'idleCredentials' | 'forApplication'>;
  readonly outbound: Pick<Outbound, 'renewToken'>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly clock: Clock;
}
