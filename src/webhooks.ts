import type { Log } from './domain/log.ts';
import type { Clock } from './lib/clock.ts';
import { type CheckWebhookUrl, createWebhookUrlCheck } from './outbound/webhooks/check-url.ts';
import { type WebhookWatch, watchWebhooks } from './outbound/webhooks/watch.ts';
import type { Database } from './storage/database.ts';
import type { Metrics } from './telemetry/metrics/metrics.ts';

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
