import type { WebhookCounts, WebhookQueue } from '../../domain/event.ts';
import { type Clock, runPeriodically } from '../../lib/clock.ts';
import type { openWebhookSender } from './sender.ts';

/**
 * Polls for due deliveries: soon after this process has appended events, and every few seconds for events of other
 * processes and for retries. Loads the sender only when something is due.
 */
export function watchWebhooks(deps: WatchDeps) {
  const { queue, clock } = deps;
  let sender: ReturnType<WatchDeps['openSender']> | undefined;
  let hasEndpoints = false;
  let counts: WebhookCounts | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  const polling = runPeriodically({
    intervalMs: POLL_MS,
    work,
    onError: deps.onError,
    schedule: deps.schedule,
  });
  return {
    /** Polls soon, because events were appended. */
    wake(): void {
      if (hasEndpoints) polling.wake();
    },
    /** The counts of some seconds ago; undefined without an endpoint, and if another process counts. */
    counts: () => counts,
    async stop(): Promise<void> {
      await polling.stop();
      await (await sender?.catch(() => undefined))?.stop();
    },
  };

  async function work(): Promise<void> {
    const seen = await queue.look();
    hasEndpoints = seen.hasEndpoints;
    if (seen.isDue && hasEndpoints && !polling.isOver()) {
      sender ??= deps.openSender();
      await (await sender).pump();
    }
    if (clock.now() - countedAt >= COUNT_MS) {
      countedAt = clock.now();
      counts = hasEndpoints && (await deps.mayCount()) ? await queue.count() : undefined;
    }
  }
}

const POLL_MS = 3_000;
const COUNT_MS = 10_000;

interface WatchDeps {
  readonly queue: Pick<WebhookQueue, 'look' | 'count'>;
  readonly clock: Pick<Clock, 'now'>;
  openSender(): Promise<ReturnType<typeof openWebhookSender>>;
  /** Whether this process is the one that counts. */
  mayCount(): Promise<boolean>;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'];
}
